"""The work of one scanning task: pieces of files in, one segment file out. Runs in a worker or in place."""

from __future__ import annotations

import os

import msgspec
import pyarrow as pa
from msgspec import Struct

from rollscope.errors import RollscopeError
from rollscope.formats.base import Format, Scan, Source
from rollscope.formats.registry import from_reference
from rollscope.index.engines.base import Task
from rollscope.index.manifest.entries import MAX_KEYS
from rollscope.index.segments.files import encode_segment, write_segment
from rollscope.index.segments.rows import RowsBuilder, without_unstorable
from rollscope.storage.fingerprint import BLOCK_BYTES, DIGEST_BYTES, Fingerprint, hash_blocks
from rollscope.storage.open_store import open_store
from rollscope.storage.store import FileChanged, Kind, Store


class Piece(Struct, array_like=True):
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


class Scanned(Struct, array_like=True):
    """What became of a piece: its rows lie in the segment behind those of the pieces before it."""

    rows: int
    end: int
    lines: int
    skipped: list[tuple[int, str]]
    hashes: bytes
    keys: list[tuple[str, int]]
    error: str = ""
    #: The file was replaced before the piece was read.
    torn: bool = False


class ScanResult(Struct, array_like=True):
    """`segment` is the name of the file that holds the rows. The attempt chooses it: a worker that was given up and wakes
    after its task was repeated must not overwrite what the repetition wrote."""

    segment: str
    pieces: list[Scanned]
    #: The segment's bytes, where the worker did not write it.
    content: bytes = b""


FUNCTION = "rollscope.index.scan:scan_task"
_decoder = msgspec.msgpack.Decoder(ScanTask)
_encode = msgspec.msgpack.encode
decode_result = msgspec.msgpack.Decoder(ScanResult).decode


def engine_task(task: ScanTask) -> Task:
    return Task(FUNCTION, _encode(task))


def scan_task(payload: bytes) -> bytes:
    task = _decoder.decode(payload)
    return _encode(run_task(task, from_reference(task.format), open_store(os.fsdecode(task.address))))


def own_version() -> str:
    from importlib.metadata import version  # 20 ms that only clusters need

    return version("rollscope")


def ready_task(payload: bytes) -> bytes:
    """Why tasks of this version, format and store cannot run in this process, in a sentence, or nothing."""
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


def run_task(task: ScanTask, format_: Format, store: Store) -> ScanResult:
    """Scan every piece, write the segment, say what was found. A file that cannot be read is an error of its piece."""
    segment, content = "", b""
    results: list[Scanned] = []
    rows = RowsBuilder()
    for piece in task.pieces:
        if piece.seen is not None:
            store.expect(piece.source.path, piece.seen)
    store.prefetch((piece.source.path, max(0, piece.start - 1), piece.end) for piece in task.pieces)
    for piece in task.pieces:
        before = rows.count
        try:
            scanned = scan_piece(piece, format_, store, rows)
        except OSError as error:
            rows.cut(before)
            scanned = _failed(piece, error.strerror or str(error), torn=isinstance(error, FileChanged))
        except Exception as error:  # noqa: BLE001  # a format's fault is reported, and the other files still open
            rows.cut(before)
            scanned = _failed(piece, f"{type(error).__name__}: {error}")
        results.append(scanned)
    if rows.count:
        table = rows.table()
        _note_keys(results, table)
        if task.folder:
            segment = write_segment(table, task.folder)
        else:
            content = encode_segment(table).to_pybytes()
    return ScanResult(segment, results, content)


def _failed(piece: Piece, reason: str, *, torn: bool = False) -> Scanned:
    return Scanned(rows=0, end=piece.start, lines=0, skipped=[], hashes=b"", keys=[], error=reason, torn=torn)


def scan_piece(piece: Piece, format_: Format, store: Store, rows: RowsBuilder) -> Scanned:
    skipped: list[tuple[int, str]] = []
    before = rows.count
    # Before it is scanned: were it edited in between, its rows would be those of bytes that the hashes do not name, and
    # the next look would read it anew. The other way round nobody would notice.
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
    """A source's split or step is a guarantee: questions about another one do not look at the file. A format that gives
    rows which say otherwise has a fault, which is told (and fails a test over all formats)."""
    broken = []
    for name, promised in (("split", source.split), ("step", source.step)):
        values = scan.columns.get(name) if promised is not None else None
        wrong = next((value for value in values or () if value is not None and value != promised), None)
        if wrong is not None:
            broken.append(f"a fault of the format: the file was said to hold {name} {promised}, and a row says {wrong}")
    return broken


def _note_keys(results: list[Scanned], table: pa.Table) -> None:
    """Which steps each piece has rows of; none are named where they are more than MAX_KEYS."""
    places = list(zip(table["split"].to_pylist(), table["step"].to_pylist()))
    start = 0
    for result in results:
        pairs = set(places[start : start + result.rows])
        if len(pairs) <= MAX_KEYS:
            result.keys = sorted(pairs)
        start += result.rows
