"""Files of what people wrote: read as values, written whole or as one more line."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TypeVar

import msgspec

from rollscope.errors import UnreadableError
from rollscope.storage.atomic import write_atomically
from rollscope.storage.user_dirs import data_dir

ValueT = TypeVar("ValueT")


def folder(kind: str, named: str | None = None) -> Path:
    """Where things of this kind lie, unless a folder was named for them."""
    return Path(named) if named else data_dir() / kind


def file_name(name: str, suffix: str) -> str:
    """A name that people chose, as a file's: a hash, so that it may be anything and cannot lead elsewhere."""
    import hashlib  # OpenSSL with it: 2 ms

    return hashlib.sha256(name.encode("utf-8", "surrogateescape")).hexdigest()[:32] + suffix


def read_value(path: Path, kind: type[ValueT]) -> ValueT:
    return msgspec.json.decode(path.read_bytes(), type=kind)


def write_value(path: Path, body: bytes) -> None:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        write_atomically(path, body, durable=True)
    except OSError as error:
        raise _unwritable(path, error) from None


def append_line(path: Path, line: bytes) -> None:
    """One more line. A line is written by one call, so that lines of two processes never mix; a line that a crash cut
    off is ended first, so that it costs only itself."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("ab+") as file:
            _lock(file.fileno())
            end = file.seek(0, os.SEEK_END)
            torn = end > 0 and os.pread(file.fileno(), 1, end - 1) != b"\n"
            file.write((b"\n" if torn else b"") + line + b"\n")
            file.flush()
            os.fsync(file.fileno())
    except OSError as error:
        raise _unwritable(path, error) from None


def _lock(descriptor: int) -> None:
    """Until the file is closed. Not all filesystems can; there a writer is alone with its file anyway."""
    try:
        import fcntl

        fcntl.flock(descriptor, fcntl.LOCK_EX)
    except (ImportError, OSError):
        pass


def _unwritable(path: Path, error: OSError) -> UnreadableError:
    return UnreadableError(
        f"{path.parent} cannot be written: {error.strerror or error}", hint="name another folder, or make it writable"
    )
