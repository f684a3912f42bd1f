"""Which files of some folders were written since the last question, as Linux reports it (inotify).

A write is reported before the call that made it returns, so whoever asks afterwards is told of it. Only filesystems of this
machine are watched: of a network's, the kernel reports what this machine writes and nothing of what others do."""

from __future__ import annotations

import ctypes
import os
import re
import struct
import threading
import weakref
from collections.abc import Collection
from contextlib import suppress

#: Filesystems that nobody writes to but through this kernel.
OF_THIS_MACHINE = frozenset({"ext2", "ext3", "ext4", "xfs", "btrfs", "zfs", "f2fs", "bcachefs", "tmpfs"})
#: The system allows a limited number for all programs of a user, and each takes a kilobyte of the kernel's memory.
MAX_FOLDERS = 4_096
#: With more names than this, a check of all files costs less.
MAX_NAMES = 256

_MODIFIED, _ATTRIBUTES, _MOVED, _CREATED, _DELETED, _FOLDER_ITSELF = 0x2, 0x4, 0xC0, 0x100, 0x200, 0xC00
_ONLY_FOLDERS, _NO_LINKS, _NOT_UNLINKED = 0x1000000, 0x2000000, 0x4000000
_MASK = (
    _MODIFIED | _ATTRIBUTES | _MOVED | _CREATED | _DELETED | _FOLDER_ITSELF | _ONLY_FOLDERS | _NO_LINKS | _NOT_UNLINKED
)
#: Unmounted, overflowed, no longer watched; moved or deleted itself.
_LOST = 0x2000 | 0x4000 | 0x8000 | _FOLDER_ITSELF
_event = struct.Struct("iIII")
_READ_BYTES = 1 << 18


class WrittenFiles:
    """Watches folders below a root. May be used from any thread, and by the process that made it."""

    def __init__(self, root: str) -> None:
        self._root = root
        self._real_root = os.path.realpath(root)
        self._identity = _identity(root)
        self._libc = ctypes.CDLL(None, use_errno=True)
        self._descriptor = self._libc.inotify_init1(os.O_NONBLOCK | os.O_CLOEXEC)
        if self._descriptor < 0:
            raise OSError(ctypes.get_errno(), "no more folders can be watched")
        self._close = weakref.finalize(self, os.close, self._descriptor)
        self._process = os.getpid()
        self._lock = threading.Lock()
        self._folders: dict[int, str] = {}
        self._written: set[str] = set()
        self._lost = False

    def watch(self, folders: Collection[str]) -> bool:
        """Watch these folders (relative to the root) and those that they are in. True if some were not watched before:
        what was written to them until now is not known. Raises OSError if one cannot be watched."""
        wanted = {above for folder in folders for above in _with_parents(folder)}
        new = wanted.difference(self._folders.values())
        if len(wanted) > MAX_FOLDERS:
            raise OSError("too many folders")
        with self._lock:
            for folder in sorted(new):
                path = os.path.join(self._real_root, folder)
                number = self._libc.inotify_add_watch(self._descriptor, os.fsencode(path), _MASK)
                if number < 0 or self._folders.setdefault(number, folder) != folder:
                    raise OSError(ctypes.get_errno(), "the folder cannot be watched", folder)
                with os.scandir(path) as entries:
                    if any(entry.is_symlink() and not entry.is_dir() for entry in entries):
                        raise OSError("what is written to a link's file is reported elsewhere")
        return bool(new)

    @property
    def any(self) -> bool:
        """Whether `take` would return anything but an empty set."""
        with self._lock:
            self._read()
            return self._lost or bool(self._written)

    def take(self) -> set[str] | None:
        """The files (relative to the root) that were written, created, renamed or deleted since the last call. None: any
        file may have been, and this object will not know of later ones."""
        with self._lock:
            self._read()
            written, self._written = self._written, set()
            self._lost = self._lost or any(os.path.islink(os.path.join(self._real_root, path)) for path in written)
            return None if self._lost else written

    def close(self) -> None:
        self._close()

    def _read(self) -> None:
        # A forked child would take away what its parent is to be told; and another folder may have the root's name.
        if self._lost or os.getpid() != self._process or _identity(self._root) != self._identity:
            self._lost = True
            return
        with suppress(BlockingIOError):
            while found := os.read(self._descriptor, _READ_BYTES):
                self._note(found)

    def _note(self, found: bytes) -> None:
        at = 0
        while at < len(found):
            number, mask, _, length = _event.unpack_from(found, at)
            at += _event.size + length
            name = found[at - length : at].rstrip(b"\0")
            if mask & _LOST or not name or number not in self._folders:
                self._lost = True
            else:
                folder = self._folders[number]
                self._written.add(os.path.join(folder, os.fsdecode(name)))
        self._lost = self._lost or len(self._written) > MAX_NAMES


def watched_files(root: str, folders: Collection[str]) -> WrittenFiles | None:
    """None if the system cannot report all that is written there."""
    if not hasattr(os, "O_CLOEXEC") or not is_of_this_machine(os.path.realpath(root)):
        return None
    try:
        watching = WrittenFiles(root)
    except (OSError, AttributeError):
        return None
    try:
        watching.watch(folders)
    except OSError:
        watching.close()
        return None
    return watching


def is_of_this_machine(real_path: str) -> bool:
    """Whether this folder and all below it are on a filesystem that only this machine's kernel writes to."""
    try:
        with open("/proc/self/mountinfo", encoding="utf-8", errors="surrogateescape") as file:
            mounts = [_mount(line) for line in file]
    except (OSError, IndexError):
        return False
    above = [mount for mount in mounts if _is_below(real_path, mount[0])]
    below = any(mount[0] != real_path and _is_below(mount[0], real_path) for mount in mounts)
    # Of several at one place the last counts, and the first of equal length is the maximum.
    return not below and bool(above) and max(above[::-1], key=lambda mount: len(mount[0]))[1] in OF_THIS_MACHINE


def _mount(line: str) -> tuple[str, str]:
    """(where, the filesystem's type)."""
    before, _, after = line.partition(" - ")
    where = re.sub(r"\\([0-7]{3})", lambda match: chr(int(match[1], 8)), before.split(" ")[4])
    return where, after.split(" ")[0]


def _is_below(path: str, folder: str) -> bool:
    return path == folder or path.startswith(folder.rstrip("/") + "/")


def _with_parents(folder: str) -> list[str]:
    parts = folder.split("/") if folder else []
    return ["/".join(parts[:count]) for count in range(len(parts) + 1)]


def _identity(path: str) -> tuple[int, int] | None:
    try:
        found = os.stat(path)
    except OSError:
        return None
    return found.st_dev, found.st_ino
