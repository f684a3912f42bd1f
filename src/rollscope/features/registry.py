"""Which features there are. They come through the entry-point group `rollscope.features`, the built-in ones too.

An entry point names a :class:`Feature`, or several in a tuple or list.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from typing import TYPE_CHECKING

import msgspec
import xxhash
from msgspec import Struct

from rollscope.features.base import Feature, GroupFeature
from rollscope.fields import FEATURE_PREFIXES

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

GROUP = "rollscope.features"


class Registry(Struct):
    """All features by name, in order; `broken` says which plug-ins could not be used, and why."""

    features: dict[str, Feature]
    broken: list[str]
    #: Identifies this set of features: values computed with another set are computed again.
    digest: str

    def names(self) -> list[str]:
        return list(self.features)

    @property
    def group_features(self) -> list[GroupFeature]:
        return [feature for feature in self.features.values() if isinstance(feature, GroupFeature)]


def registry(patterns: str = "") -> Registry:
    """`patterns` is the user's own file of patterns, which makes other flags."""
    return _load(patterns)


@cache
def _load(patterns: str) -> Registry:
    from importlib.metadata import entry_points  # 15 ms, and most commands ask for no feature

    found: dict[str, Feature] = {}
    broken: list[str] = []
    stamps: list[tuple[str, int, str]] = []
    for point in sorted(entry_points(group=GROUP), key=_order):
        try:
            loaded = point.load()
            made = loaded(patterns) if callable(loaded) and not isinstance(loaded, Feature) else loaded
            for feature in [made] if isinstance(made, Feature) else list(made):
                _check(feature, found)
                found[feature.name] = feature
                stamps.append((feature.name, feature.version, _dist(point)))
        except Exception as error:  # noqa: BLE001  # a plug-in's fault must not take the others down
            broken.append(f"feature {point.name!r} could not be loaded: {error}")
    digest = xxhash.xxh3_64_hexdigest(msgspec.json.encode([stamps, patterns]))
    return Registry(found, broken, digest)


#: The built-in families in the order in which people ask for them; plug-ins come after them.
_FIRST = ("size", "repetition", "scripts", "siblings", "answers", "form", "tools", "flags", "tokens")


def _order(point: EntryPoint) -> tuple[int, str]:
    return (_FIRST.index(point.name) if point.name in _FIRST else len(_FIRST), point.name)


def _dist(point: EntryPoint) -> str:
    """Who brought it, in which version: another version may compute otherwise. Our own say so themselves."""
    dist = point.dist
    return "" if dist is None or dist.name == "rollscope" else f"{dist.name} {dist.version}"


def _check(feature: Feature, known: Iterable[str]) -> None:
    if not isinstance(feature, Feature):
        raise TypeError(f"{feature!r} is no rollscope.features.base.Feature")
    if not feature.name.startswith(FEATURE_PREFIXES):
        raise ValueError(f"the name {feature.name!r} begins neither with text. nor with token.")
    if feature.name in known:
        raise ValueError(f"there is a {feature.name!r} already")
