"""Files that are replaced whole: a reader sees the old one or the new one, never half of one."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path


@contextmanager
def replacing(path: str | os.PathLike[str], *, durable: bool) -> Iterator[str]:
    """The name of a file beside `path` to be written; it takes its place when the block ends, and is removed if it fails.

    `durable`: it is on the disk before it takes its place. For what people made; what can be made again (an index, an
    export) need not wait for the disk, and its readers must notice if a power failure cut it short."""
    folder, name = os.path.split(os.fspath(path))
    # Two threads of a process may write the same file. (`uuid` would cost a training script 5 ms at its import.)
    temporary = os.path.join(folder, f".{name}.{os.getpid()}-{os.urandom(4).hex()}.tmp")
    try:
        yield temporary
        if durable:
            _sync(temporary)
        os.replace(temporary, path)
        if durable:
            with suppress(OSError):  # some network disks cannot do this to a folder
                _sync(folder or ".")
    except BaseException:
        with suppress(OSError):
            os.unlink(temporary)
        raise


def write_atomically(path: str | os.PathLike[str], content: bytes, *, durable: bool) -> None:
    with replacing(path, durable=durable) as temporary:
        Path(temporary).write_bytes(content)


def write_new(path: str | os.PathLike[str], content: bytes) -> None:
    """A file under a name that was made for it and that nobody is told before it is written: it needs no other name
    meanwhile. It is removed if that fails."""
    try:
        Path(path).write_bytes(content)
    except BaseException:
        with suppress(OSError):
            os.unlink(path)
        raise


def _sync(path: str) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
