"""Folders of `{step}.jsonl`: the naming that Relax, verl and many home-made dumps share. They may have been compressed
afterwards, each on its own."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from operator import itemgetter

import msgspec

from rollscope.formats.base import Source
from rollscope.formats.lines.lenient import Unreadable
from rollscope.formats.lines.long_line_keys import blocks, keys_of_blocks
from rollscope.formats.lines.sealed import is_sealed, read_bytes
from rollscope.storage.fingerprint import Sighting
from rollscope.storage.store import Store

#: Lines looked at before a file counts as one without records.
FIRST_LINES = 50
#: What is read of a file to see them.
HEAD = 1 << 20
_PACKED = (".gz", ".zst")
STEP_NAME = re.compile(r"(\d+)\.jsonl(?:\.gz|\.zst)?")


def step_files(store: Store, folder: str = "") -> list[tuple[int, str]]:
    """(step, path) of all files named by a number, in order of steps. `8.jsonl` and `008.jsonl` are both step 8. Of a file
    and its compressed twin the plain one counts."""
    prefix = f"{folder}/" if folder else ""
    files = store.files(folder)
    names = [name for name in files if name.endswith(".jsonl") and name[:-6].isdecimal()]
    if len(names) < len(files):
        known = set(names)
        packed = [name for name in files if name.endswith(_PACKED) and STEP_NAME.fullmatch(name)]
        names += [name for name in packed if name.rpartition(".")[0] not in known]
    # Names come in order: those of one step are told apart by their length.
    names.sort(key=len)
    return sorted(((int(name.partition(".")[0]), prefix + name) for name in names), key=itemgetter(0))


def step_source(path: str, *, split: str | None, step: int, note: str = "") -> Source:
    return Source(path=path, split=split, step=step, note=note, packed=is_sealed(path))


def is_step_file(path: str) -> bool:
    return STEP_NAME.fullmatch(path.rpartition("/")[2]) is not None


def next_step_file(path: str, last: Source) -> Source | None:
    """The source of a file that is named by a larger number than the last one of its folder."""
    match = STEP_NAME.fullmatch(path.rpartition("/")[2])
    if match is None or last.step is None or int(match[1]) <= last.step:
        return None
    return msgspec.structs.replace(last, path=path, step=int(match[1]), packed=is_sealed(path))


#: A text, with a colon where it is a key; a bracket; a quote whose text is cut off.
_TOKEN = re.compile(rb'"([^"\\]*(?:\\.[^"\\]*)*)"(\s*:)?|[{}\[\]]|"', re.DOTALL)
#: Of a first line that is longer than what is read at first: a group of long samples is one line for some trainers.
LONG_LINE = 64 << 20


def record_keys(line: bytes) -> frozenset[str]:
    """The top-level keys of a line that may not be strict JSON, or be cut: detection only needs their names."""
    try:
        record = msgspec.json.decode(line, type=dict[str, msgspec.Raw])
    except msgspec.ValidationError:
        return frozenset()  # JSON, and no object
    except (msgspec.DecodeError, RecursionError, UnicodeDecodeError):
        return frozenset(_keys_of_object(line))
    return frozenset(record)


def _keys_of_object(line: bytes) -> Iterator[str]:
    depth = 0
    for match in _TOKEN.finditer(line):
        token = match[0]
        if token in (b"{", b"["):
            depth += 1
        elif token in (b"}", b"]"):
            depth -= 1
        elif match[1] is None:
            return  # a text that is cut off
        elif depth == 1 and match[2]:
            yield match[1].decode("utf-8", "replace")


def first_keys(store: Store, paths: Sequence[str], tries: int = 8) -> tuple[frozenset[str], str]:
    """(keys of the first record found in these files, its path). Empty files and bad first lines are passed over, and so is
    one that its writer did not finish, unless it is all there is: it has not all of its keys."""
    unfinished: tuple[frozenset[str], str] = frozenset(), ""
    for path in paths[:tries]:
        for keys, whole in _keys_of_lines(store, path):
            if keys and whole:
                return keys, path
            if keys and not unfinished[1]:
                unfinished = keys, path
    return unfinished


def _keys_of_lines(store: Store, path: str) -> Iterable[tuple[frozenset[str], bool]]:
    """Of each of the first lines its keys, and whether it ends as a record does."""
    if is_sealed(path):
        return map(_keys_and_end, _first_packed(store, path))
    lines = store.first_lines(path, count=FIRST_LINES, limit=HEAD)
    if len(lines) == 1 and len(lines[0]) >= HEAD - 8:
        known = _long.get((store.address, path))
        if known is None or not known[0].is_current(store, path):
            if len(_long) >= MAX_LONG:
                _long.clear()
            whole = store.first_lines(path, count=1, limit=LONG_LINE)
            known = _long[store.address, path] = (
                Sighting(store, path),
                _keys_of_long(store, path, whole[0]) if whole else frozenset(),
            )
        return [(known[1], True)]
    return map(_keys_and_end, lines)


def _keys_and_end(line: bytes) -> tuple[frozenset[str], bool]:
    return record_keys(line), line.rstrip().endswith(b"}")


def _first_packed(store: Store, path: str) -> Iterator[bytes]:
    try:
        head = read_bytes(store, path, 0, LONG_LINE)
    except (OSError, Unreadable):
        return iter(())
    return islice((line for line in head.split(b"\n", 2 * FIRST_LINES) if line.strip()), FIRST_LINES)


def _keys_of_long(store: Store, path: str, line: bytes) -> frozenset[str]:
    """Keys behind a text that is cut would be missed."""
    return record_keys(line) if len(line) < LONG_LINE - 8 else frozenset(keys_of_blocks(blocks(store, path)))


#: What long first lines said, so that not every format reads them again.
_long: dict[tuple[str, str], tuple[Sighting, frozenset[str]]] = {}
MAX_LONG = 1024


#: Files of a folder that are asked for their keys: a folder of lines has a few, or very many of one kind.
MAX_ASKED = 64


def files_with(store: Store, paths: Sequence[str], marks: frozenset[str]) -> list[str]:
    """Those of these files whose records have the keys `marks`, for formats whose files may have any name. A file without
    a record yet is one of them where another is."""
    kinds = {path: first_keys(store, [path])[0] for path in paths[:MAX_ASKED]}
    if not any(keys >= marks for keys in kinds.values()):
        return []
    return [path for path in paths if path not in kinds or not kinds[path] or kinds[path] >= marks]
