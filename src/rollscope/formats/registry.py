"""Which formats there are, and which one a directory belongs to.

Formats, including the built-in ones, come through the entry-point group `rollscope.formats`: built-in formats can do
nothing that a plug-in cannot.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from importlib import import_module

from msgspec import Struct

from rollscope.errors import UnreadableError, UsageError
from rollscope.formats.base import Claim, Format
from rollscope.formats.entry_points import entry_points
from rollscope.formats.mapping import FILE as MAPPING_FILE
from rollscope.storage.store import Store, StoreUnavailableError

GROUP = "rollscope.formats"


class Detection(Struct, kw_only=True):
    """The format that claimed a directory, and the claims of the others."""

    format: Format
    claim: Claim
    others: list[tuple[str, Claim]]
    #: Formats that failed to load or to detect, with their error.
    broken: list[str]


@cache
def _load() -> tuple[dict[str, Format], tuple[str, ...]]:
    formats: dict[str, Format] = {}
    broken: list[str] = []
    for point in sorted(entry_points(group=GROUP), key=lambda point: point.name):
        try:
            formats[point.name] = point.load()()
        except Exception as error:  # noqa: BLE001  # a plug-in's fault must not take the others down
            broken.append(f"format {point.name!r} could not be loaded: {error}")
    return formats, tuple(broken)


def formats() -> dict[str, Format]:
    return _load()[0]


def format_by_name(name: str) -> Format:
    found = formats().get(name)
    if found is None:
        raise UsageError(f"there is no format {name!r}", hint=f"known formats: {', '.join(sorted(formats()))}")
    return found


def reference(instance: Format) -> str:
    """`module:Class#part`, with which another process makes the same format without reading entry points again."""
    return f"{type(instance).__module__}:{type(instance).__qualname__}#{instance.part}"


def from_reference(text: str) -> Format:
    name, _, part = text.partition("#")
    module, _, kind = name.partition(":")
    made: Format = getattr(import_module(module), kind)()
    return made.of_run(part) if part else made


def detect(store: Store, only: Sequence[str] = (), mapping: Mapping[str, str] | None = None) -> Detection | None:
    """Ask every format; the most confident wins. None if no format knows the directory. `mapping` is the user's mapping
    of fields to keys: then only formats that accept one are asked."""
    found: list[tuple[str, Claim]] = []
    broken = list(_load()[1])
    asked = _formats_to_ask(only, mapping)
    mapped = store.exists(MAPPING_FILE)  # the user's mapping comes before any format that knows the files
    for name, instance in asked.items():
        if found and instance.last_resort and not mapped:
            continue
        try:
            claim = instance.detect(store)
        except UsageError:
            raise  # the mapping next to the run is the user's, who can correct it
        except StoreUnavailableError as error:
            raise UnreadableError(error.strerror or str(error), hint="nothing can be read there now") from None
        except Exception as error:  # noqa: BLE001  # as above
            broken.append(f"format {name!r} failed while looking at {store.name}: {error}")
            continue
        if claim is not None:
            found.append((name, claim))
    if not found:
        return None
    found.sort(key=lambda item: -item[1].confidence)
    name, claim = found[0]
    return Detection(format=asked[name], claim=claim, others=found[1:], broken=broken)


def _formats_to_ask(only: Sequence[str], mapping: Mapping[str, str] | None) -> dict[str, Format]:
    """The formats to ask, last resorts last."""
    chosen = {name: instance for name, instance in formats().items() if not only or name in only}
    if mapping:
        taking = {name: instance.with_mapping(mapping) for name, instance in chosen.items()}
        chosen = {name: instance for name, instance in taking.items() if instance is not None}
        if not chosen:
            raise UsageError(
                f"the format {' or '.join(only)} has its own keys: it takes no mapping", hint="leave out --format"
            )
    return dict(sorted(chosen.items(), key=lambda item: item[1].last_resort))
