"""Files as the recorder writes them: a line in one write, a whole file by rename.

A line that does not fit (disk full, quota) is taken back, so that the file never holds half of one. A file that was
deleted or replaced meanwhile is opened again. One process owns a file, so sizes seen here do not change under us.
"""

from __future__ import annotations

import contextlib
import errno
import os
from collections import OrderedDict
from collections.abc import Iterable
from pathlib import Path

from rollscope.record.output import sealing
from rollscope.storage.atomic import replacing

#: Files kept open at once; one step of one split has two.
MAX_OPEN = 16


class Directory:
    """The run's directory, and the files in it that this process appends to. Used by the writer thread only."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._root = f"{path}{os.sep}"  # joined by hand: pathlib costs as much as the write itself
        self._open: OrderedDict[str, int] = OrderedDict()

    def append(self, name: str, line: bytes) -> None:
        """Add one line (which ends in a newline) in one write, or raise OSError and leave the file as it was."""
        fd, size = self._fd(name)
        written = os.write(fd, line)
        if written != len(line):
            with contextlib.suppress(OSError):
                os.ftruncate(fd, size)
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(self.path / name))

    def replace(self, name: str, content: bytes | Iterable[bytes]) -> None:
        """Write a whole file under a temporary name and rename it: readers see the old one or the new one."""
        self.forget(name)
        with replacing(self.path / name, durable=False) as temporary, open(temporary, "wb", buffering=0) as file:
            for piece in [content] if isinstance(content, bytes) else content:
                view = memoryview(piece)
                while view:
                    view = view[file.write(view) :]

    def seal(self, name: str) -> None:
        """Compress a file that is finished; one that is not there has been sealed or deleted already."""
        self.forget(name)
        with contextlib.suppress(FileNotFoundError):
            sealing.seal(self._root + name)

    def sync(self) -> None:
        for fd in self._open.values():
            os.fsync(fd)

    def forget(self, name: str) -> None:
        fd = self._open.pop(name, None)
        if fd is not None:
            with contextlib.suppress(OSError):
                os.close(fd)

    def close(self) -> None:
        for name in list(self._open):
            self.forget(name)

    def _fd(self, name: str) -> tuple[int, int]:
        """The descriptor of the file that has this name now, and its size."""
        fd = self._open.get(name)
        if fd is not None:
            mine = os.fstat(fd)
            try:
                now = os.stat(self._root + name)
            except FileNotFoundError:
                now = None
            if now is not None and (now.st_ino, now.st_dev) == (mine.st_ino, mine.st_dev):
                self._open.move_to_end(name)
                return fd, mine.st_size
            self.forget(name)
        return self._reopen(name)

    def _reopen(self, name: str) -> tuple[int, int]:
        if os.path.exists(f"{self._root}{name}{sealing.ENDING}"):
            sealing.unseal(self._root + name)
        fd = os.open(self._root + name, os.O_RDWR | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC, 0o644)
        try:
            size = os.fstat(fd).st_size
            # A killed writer may have left half a line. A newline ends it, so that ours stands alone.
            if size and os.pread(fd, 1, size - 1) != b"\n":
                size += os.write(fd, b"\n")
        except OSError:
            os.close(fd)
            raise
        self._open[name] = fd
        while len(self._open) > MAX_OPEN:
            self.forget(next(iter(self._open)))
        return fd, size


def read_lines(path: Path) -> list[bytes]:
    """The finished lines of a file; none when it is not there or cannot be read."""
    try:
        content = path.read_bytes()
    except OSError:
        return []
    return content[: content.rfind(b"\n") + 1].splitlines()
