"""The work of one scanning task: pieces of files in, one segment file out. Runs in a worker or in place."""

from __future__ import annotations

import os

import msgspec
import numpy as np
import pyarrow as pa
from msgspec import Struct

from rollscope.errors import RollscopeError
from rollscope.formats.base import Format, Scan, Source
from rollscope.formats.registry import from_reference
from rollscope.index.engines.base import Task
from rollscope.index.manifest.entries import MAX_KEYS, is_container
from rollscope.index.rows.numbering import arrange
from rollscope.index.segments.files import encode_segment, write_segment
from rollscope.index.segments.rows import RowsBuilder, without_unstorable
from rollscope.index.statistics.by_segment import encode as encode_statistics
from rollscope.index.statistics.summary import summarise
from rollscope.storage.fingerprint import BLOCK_BYTES, DIGEST_BYTES, Fingerprint, hash_blocks
from rollscope.storage.open_store import open_store
from rollscope.storage.store import FileChanged, Kind, Store, StoreUnavailableError
from rollscope.storage.window import LINE_BYTES


class Piece(Struct, array_like=True, gc=False):
    """Bytes [start, end) of a source to scan."""

    source: Source
    start: int
    end: int
    #: The state of the file that it is a piece of.
    seen: Fingerprint | None = None


class ScanTask(Struct, array_like=True):
    format: str
    #: The store's address.
    address: bytes
    pieces: list[Piece]
    #: The folder for the segment; "" for a worker that sees no folder of ours: it returns the segment itself.
    folder: str


class Scanned(Struct, array_like=True, gc=False):
    """The result for a piece: its rows come in the segment after those of the pieces before it."""

    rows: int
    end: int
    lines: int
    skipped: list[tuple[int, str]]
    hashes: bytes
    keys: list[tuple[str, int]]
    #: For each key the bytes of its lines; empty if there is one key, or if offsets are not those of bytes.
    sizes: list[int] = []
    error: str = ""
    #: The file was replaced before the piece was read.
    torn: bool = False
    #: Nothing is wrong with the file: the store gives none.
    unavailable: bool = False


class ScanResult(Struct, array_like=True):
    """`segment` is the name of the file that holds the rows. Each attempt at the task chooses its own: a worker that
    was given up and wakes after its task was repeated must not overwrite the result of the repetition."""

    segment: str
    pieces: list[Scanned]
    #: The segment's bytes, where the worker did not write it.
    content: bytes = b""
    #: Statistics of its steps (see `by_segment.encode`), as if no other file held rows of them: the caller knows whether
    #: that is so.
    statistics: bytes = b""


FUNCTION = "rollscope.index.scan:scan_task"
_decoder = msgspec.msgpack.Decoder(ScanTask)
_encode = msgspec.msgpack.encode
decode_result = msgspec.msgpack.Decoder(ScanResult).decode


def engine_task(task: ScanTask) -> Task:
    return Task(FUNCTION, _encode(task))


def scan_task(payload: bytes) -> bytes:
    task = _decoder.decode(payload)
    store = open_store(os.fsdecode(task.address))
    return _encode(run_task(task, from_reference(task.format), store, summarised=True))


def own_version() -> str:
    from importlib.metadata import version  # 20 ms that only clusters need

    return version("rollscope")


def ready_task(payload: bytes) -> bytes:
    """A sentence that says why tasks of this version, format and store cannot run in this process; empty if they
    can."""
    wanted = _readiness.decode(payload)
    if own_version() != wanted.version:
        return f"it has Rollscope {own_version()}, not {wanted.version}".encode()
    try:
        from_reference(wanted.format)
    except (ImportError, AttributeError, ValueError, RollscopeError) as error:
        return f"it cannot load the format {wanted.format} ({error})".encode()
    try:
        missing = open_store(os.fsdecode(wanted.address)).kind() is Kind.MISSING
    except RollscopeError as error:
        return str(error).encode()
    return f"it does not see {os.fsdecode(wanted.address)}".encode() if missing else b""


class Readiness(Struct, array_like=True):
    version: str
    format: str
    address: bytes


_readiness = msgspec.msgpack.Decoder(Readiness)


def readiness_task(format_: str, address: bytes) -> Task:
    return Task("rollscope.index.scan:ready_task", _encode(Readiness(own_version(), format_, address)))


def run_task(task: ScanTask, format_: Format, store: Store, *, summarised: bool = False) -> ScanResult:
    """Scan every piece, write the segment, return what was found. A file that cannot be read is an error of its piece.
    `summarised`: with statistics, where the task has whole files, so that the caller need not look at the rows."""
    segment, content, statistics = "", b"", b""
    results: list[Scanned] = []
    rows = RowsBuilder()
    for piece in task.pieces:
        if piece.seen is not None:
            store.expect(piece.source.path, piece.seen)
    store.prefetch((piece.source.path, max(0, piece.start - 1), piece.end + LINE_BYTES) for piece in task.pieces)
    unavailable = ""
    for piece in task.pieces:
        if unavailable:  # finding that out took half a minute
            results.append(_failed(piece, unavailable, unavailable=True))
            continue
        before = rows.count
        try:
            scanned = scan_piece(piece, format_, store, rows)
        except StoreUnavailableError as error:
            rows.cut(before)
            unavailable = error.strerror or str(error)
            scanned = _failed(piece, unavailable, unavailable=True)
        except OSError as error:
            rows.cut(before)
            scanned = _failed(piece, error.strerror or str(error), torn=isinstance(error, FileChanged))
        except Exception as error:  # noqa: BLE001  # a format's fault is reported, and the other files still open
            rows.cut(before)
            scanned = _failed(piece, f"{type(error).__name__}: {error}")
        results.append(scanned)
    if rows.count:
        table = rows.table()
        _note_keys(results, table, [piece.source for piece in task.pieces])
        if task.folder:
            segment = write_segment(table, task.folder)
        else:
            content = encode_segment(table).to_pybytes()
        if summarised and len(task.pieces) > 1 and all(map(_is_whole, task.pieces)):
            ranks = [piece.source.rank for piece in task.pieces]
            of_rows = np.repeat(ranks, [result.rows for result in results]) if any(ranks) else None
            statistics = encode_statistics(summarise(arrange(table, of_rows, format_.grouping)))
    return ScanResult(segment, results, content, statistics)


def _is_whole(piece: Piece) -> bool:
    """All of its file, as it was when the task was made."""
    return piece.start == 0 and piece.seen is not None and piece.end >= piece.seen.size


def _failed(piece: Piece, reason: str, *, torn: bool = False, unavailable: bool = False) -> Scanned:
    return Scanned(
        rows=0, end=piece.start, lines=0, skipped=[], hashes=b"", keys=[],
        error=reason, torn=torn, unavailable=unavailable,
    )  # fmt: skip


def scan_piece(piece: Piece, format_: Format, store: Store, rows: RowsBuilder) -> Scanned:
    skipped: list[tuple[int, str]] = []
    before = rows.count
    # Before it is scanned: were it edited in between, its rows would be those of bytes that the hashes do not name, and
    # the next check would read it again. The other way round, the change would go unnoticed.
    hashes = hash_blocks(store, piece.source.path, piece.start, piece.end)
    position, lines = piece.start, 0
    while True:
        scan = without_unstorable(format_.scan(store, piece.source, position, piece.end))
        skipped += [(lines + item.line, item.reason) for item in scan.skipped]
        skipped += [(0, reason) for reason in broken_promises(scan, piece.source)]
        if scan.rows:
            if lines:
                scan.columns["line"] = [line + lines for line in scan.columns["line"]]
            rows.add(scan, piece.source)
        lines += scan.lines
        position = scan.end
        if not scan.more:
            break
    if position != piece.end:
        # The last line is finished behind the piece, or not at all: the block it ends in is another one.
        whole = (min(position, piece.end) - piece.start) // BLOCK_BYTES
        start = piece.start + whole * BLOCK_BYTES
        hashes = hashes[: whole * DIGEST_BYTES] + hash_blocks(store, piece.source.path, start, position)
    return Scanned(rows=rows.count - before, end=position, lines=lines, skipped=skipped, hashes=hashes, keys=[])


def broken_promises(scan: Scan, source: Source) -> list[str]:
    """A source's split and step are a guarantee: questions about others do not read the file. If a format returns rows
    that contradict it, that is reported as the format's fault (and fails a test over all formats)."""
    broken = []
    for name, promised in (("split", source.split), ("step", source.step)):
        values = scan.columns.get(name) if promised is not None else None
        wrong = next((value for value in values or () if value is not None and value != promised), None)
        if wrong is not None:
            broken.append(f"a fault of the format: the file was said to hold {name} {promised}, and a row says {wrong}")
    return broken


def _note_keys(results: list[Scanned], table: pa.Table, sources: list[Source]) -> None:
    """Record which steps each piece has rows of; none if there are more than MAX_KEYS. If there are several, also how
    many bytes their lines have."""
    places = list(zip(table["split"].to_pylist(), table["step"].to_pylist()))
    start = 0
    for result, source in zip(results, sources):
        end = start + result.rows
        pairs = set(places[start:end])
        if len(pairs) <= MAX_KEYS:
            result.keys = sorted(pairs)
            if len(pairs) > 1 and not is_container(source):
                sizes = dict.fromkeys(result.keys, 0)
                for key, length in zip(places[start:end], table["length"][start:end].to_pylist()):
                    sizes[key] += length or 0
                result.sizes = list(sizes.values())
        start = end
