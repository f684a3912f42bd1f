"""A look at a few files of a run: those that somebody, the file system as a rule, says were written.

A look at all files lists folders and asks for every file's state, so what a new file costs grows with the number of files
that there are. Here only the named ones are looked at, and those that may still change without showing it. Whatever is not
plain from a file's name, a file that went, a folder that came, is left to a look at all of them: None."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from itertools import islice

from rollscope.formats.base import Format, Source
from rollscope.formats.lines.step_files import MAX_ASKED
from rollscope.index.changes.unchanged_parts import Stretch
from rollscope.index.manifest.file_facts import is_quiet
from rollscope.index.manifest.parts import PART_SIZE, FilePart
from rollscope.model import MAX_INT
from rollscope.storage.store import Kind, Store

#: So many parts are searched for a file, from the newest on: files that are written are new ones, as a rule.
MAX_PARTS = 32


def named_stretches(
    parts: Sequence[FilePart], paths: Iterable[str], format_: Format, store: Store, folders: Collection[str]
) -> list[Stretch] | None:
    """All of the run's files in order, of which only those `paths` name may be touched. `folders`: those that were listed
    to find its sources."""
    opened = {number: _OpenedPart(part, format_, store) for number, part in enumerate(parts) if not part.facts.quiet}
    for path in sorted(paths, key=lambda path: (len(path), path)):
        # Names that are no UTF-8 are written otherwise in the index.
        if "\\x" in path or not _is_utf8(path) or path in folders or store.sub(path).kind() is Kind.FOLDER:
            return None
        if not format_.is_about_samples(path):
            continue
        if store.stat(path) is None or not store.owns(store.full_path(path)):
            return None  # gone, or a link that leads out of the run
        if not _find(parts, format_.source_path(path), format_, store, opened):
            return None
    found = [Stretch(part, (), untouched=True) for part in parts]
    for number, part in opened.items():
        if any(store.stat(path) is None for path in part.changeable - part.unreadable):
            return None
        found[number] = Stretch(parts[number], part.sources, changeable=part.changeable)
    last, size = found[-1], len(parts[-1])
    if len(last.sources) > size >= PART_SIZE:
        # Files that were added behind a full part begin one of their own.
        found[-1:] = [
            Stretch(parts[-1], last.sources[:size], changeable=last.changeable),
            Stretch(None, last.sources[size:]),
        ]
    return found


class _OpenedPart:
    """A part some of whose files may have changed: at first those that may still change without showing it."""

    def __init__(self, part: FilePart, format_: Format, store: Store) -> None:
        self.sources = [entry.source for entry in part.files]
        self.unreadable = {entry.source.path for entry in part.files if entry.error}
        self.changeable: set[str] = set()
        for place, entry in enumerate(part.files):
            if not is_quiet(entry):
                self.look_at(place, format_.source_now(store, entry.source))

    def look_at(self, place: int, source: Source) -> None:
        self.sources[place] = source
        self.changeable.add(source.path)

    def insert(self, place: int, source: Source) -> None:
        self.sources.insert(place, source)
        self.changeable.add(source.path)


def _is_utf8(path: str) -> bool:
    try:
        path.encode()
    except UnicodeEncodeError:
        return False
    return True


def _find(parts: Sequence[FilePart], path: str, format_: Format, store: Store, opened: dict[int, _OpenedPart]) -> bool:
    """Open the part that knows this file, or the one that it comes into. False where neither is plain."""
    folder = path.rpartition("/")[0]
    asked: set[str | None] = set()
    for number in islice(reversed(range(len(parts))), MAX_PARTS):
        part = opened.get(number)
        sources = part.sources if part is not None else [entry.source for entry in parts[number].files]
        for place in reversed(range(len(sources))):
            last = sources[place]
            if last.path == path:
                part = part or opened.setdefault(number, _OpenedPart(parts[number], format_, store))
                part.look_at(place, format_.source_now(store, last))
                return _says_nothing_of_others(number, place)
            if last.path.rpartition("/")[0] != folder or last.split in asked:
                continue
            asked.add(last.split)
            added = format_.next_source(store, path, last)
            if added is not None and added.step is not None and added.step <= MAX_INT:
                part = part or opened.setdefault(number, _OpenedPart(parts[number], format_, store))
                part.insert(place + 1, added)
                return _says_nothing_of_others(number, place)
    return False


def _says_nothing_of_others(part: int, place: int) -> bool:
    """What the first files of a run say may be about all of them."""
    return part > 0 or place >= MAX_ASKED
