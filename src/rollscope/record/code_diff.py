"""``code.diff``: which code the training started with. Prose lines begin with ``#``, so the rest is a patch."""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Callable
from pathlib import Path

DIFF_FILE = "code.diff"
#: A longer diff is cut here, and the file says so.
MAX_DIFF_BYTES = 2 * 1024 * 1024
MAX_UNTRACKED = 500
GIT_SECONDS = 60


class CodeDiff:
    """Made in a thread of its own: git may take seconds on a large repository, and neither the training nor the thread
    that writes files should wait for it."""

    def __init__(self, write: Callable[[bytes], None]) -> None:
        self._write = write
        self._thread: threading.Thread | None = None
        #: None until it is made.
        self.content: bytes | None = None

    def start(self, directory: Path) -> None:
        self._thread = threading.Thread(target=self._make, args=(directory,), name="rollscope-diff", daemon=True)
        self._thread.start()

    def wait(self, timeout: float) -> None:
        if self._thread is not None and self._thread is not threading.current_thread():
            self._thread.join(timeout)

    def after_fork(self) -> None:
        """The thread stayed in the parent."""
        self._thread = None

    def _make(self, directory: Path) -> None:
        self.content = code_diff(directory)
        self._write(self.content)


def code_directory() -> Path:
    """Where the training script lies, else the working directory."""
    main = getattr(sys.modules.get("__main__"), "__file__", None)
    return Path(main).resolve().parent if main else Path.cwd()


def code_diff(directory: Path) -> bytes:
    root = _git(directory, "rev-parse", "--show-toplevel")
    if root is None:
        return f"# No diff: {directory} is not in a git repository.\n".encode()
    top = Path(os.fsdecode(root.strip()))
    commit = _git(top, "rev-parse", "HEAD")
    head = os.fsdecode(commit.strip()) if commit else "(no commit yet)"
    branch = _git(top, "rev-parse", "--abbrev-ref", "HEAD")
    lines = [f"# repository: {top}", f"# commit: {head}"]
    if branch:
        lines.append(f"# branch: {os.fsdecode(branch.strip())}")
    lines += _untracked(top)
    diff = _git(top, "diff", "--no-color", "--no-ext-diff", *(["HEAD"] if commit else ["--cached"]))
    if diff is None:
        lines.append("# No diff: git could not make one.")
    elif not diff:
        lines.append("# No local changes.")
    header = ("\n".join(lines) + "\n").encode("utf-8", "surrogateescape")
    if diff and len(diff) > MAX_DIFF_BYTES:
        cut = diff[:MAX_DIFF_BYTES]
        note = f"\n# The diff has {len(diff):,} bytes; it was cut at {MAX_DIFF_BYTES:,}.\n"
        return header + cut[: cut.rfind(b"\n") + 1] + note.encode()
    return header + (diff or b"")


def _untracked(top: Path) -> list[str]:
    listing = _git(top, "ls-files", "--others", "--exclude-standard", "-z")
    names = [os.fsdecode(name) for name in (listing or b"").split(b"\0") if name]
    if not names:
        return []
    shown = [f"#   {name}" for name in names[:MAX_UNTRACKED]]
    if len(names) > MAX_UNTRACKED:
        shown.append(f"#   … and {len(names) - MAX_UNTRACKED:,} more")
    return [f"# untracked files, not in the diff: {len(names):,}", *shown]


def _git(directory: Path, *arguments: str) -> bytes | None:
    """git's answer, or None when it has none: not installed, no repository, too slow."""
    import subprocess  # 5 ms

    environment = {**os.environ, "GIT_OPTIONAL_LOCKS": "0", "LC_ALL": "C"}
    try:
        done = subprocess.run(
            ["git", "-C", str(directory), *arguments],
            capture_output=True,
            timeout=GIT_SECONDS,
            env=environment,
            stdin=subprocess.DEVNULL,
            check=False,
        )
    except (OSError, subprocess.SubprocessError):
        return None
    return done.stdout if done.returncode == 0 else None
