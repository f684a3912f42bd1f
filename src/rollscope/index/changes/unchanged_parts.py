"""Checking all files of a run against the index: which parts of the manifest are unchanged.

If all files of a part have been read, their names and fingerprints are compared as two byte strings; only if these
differ, or if files may still change, are the part's entries compared one by one."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from itertools import pairwise

from msgspec import Struct

from rollscope.formats.base import Source
from rollscope.index.manifest.file_facts import digest_of
from rollscope.index.manifest.parts import PART_SIZE, FilePart
from rollscope.storage.store import Store


class Stretch(Struct):
    """Files that follow each other among the run's sources, and the part of the manifest that knows them."""

    part: FilePart | None
    sources: Sequence[Source]
    #: They did not change, or were not checked.
    untouched: bool = False
    #: The only ones that may have changed; None: all.
    changeable: Collection[str] | None = None


def stretches(
    parts: Sequence[FilePart],
    sources: list[Source],
    store: Store,
    *,
    only: Callable[[Source], bool] | None = None,
    distrusted: Collection[str] = (),
) -> list[Stretch]:
    """All sources, in order. A file is gone if its part has it and its stretch has no source for it."""
    found = _aligned(parts, sources)
    for stretch in found:
        part = stretch.part
        if part is None or len(part) != len(stretch.sources) or part.facts.sources != digest_of(stretch.sources):
            continue
        if only is not None and not any(map(only, stretch.sources)):
            stretch.untouched = True
        elif part.facts.quiet and not (distrusted and any(source.path in distrusted for source in stretch.sources)):
            stretch.untouched = store.stamps(source.path for source in stretch.sources) == part.facts.stamps
    return found


def _aligned(parts: Sequence[FilePart], sources: list[Source]) -> list[Stretch]:
    """Where the files of each part begin among the current sources. A part with more than twice the usual number of
    files is not split here, but when parts are made from the stretches."""
    if not parts:
        return [Stretch(None, sources)] if sources else []
    place: dict[str, int] | None = None
    starts = [0]
    for before, part in pairwise(parts):
        expected = starts[-1] + len(before)
        if expected < len(sources) and sources[expected].path == part.facts.first_path:
            starts.append(expected)
            continue
        if place is None:
            place = {source.path: i for i, source in enumerate(sources)}
        known = place.get(part.facts.first_path)
        if known is None:
            known = next((place[file.source.path] for file in part.files if file.source.path in place), None)
        starts.append(known if known is not None else max(starts[-1], min(expected, len(sources))))
    if any(later < earlier for earlier, later in pairwise(starts)):
        return [Stretch(None, sources)]  # in another order than before: identified by their names
    ends = [*starts[1:], len(sources)]
    found = [Stretch(part, sources[start:end]) for part, start, end in zip(parts, starts, ends)]
    last = found[-1]
    if last.part is not None and len(last.sources) > len(last.part) >= PART_SIZE:
        # Files that were added after a full part begin a new one.
        found[-1:] = [
            Stretch(last.part, last.sources[: len(last.part)]),
            Stretch(None, last.sources[len(last.part) :]),
        ]
    return found
