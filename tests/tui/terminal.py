"""A real terminal for the real command: a pty whose every byte is kept."""

from __future__ import annotations

import fcntl
import os
import pty
import select
import struct
import subprocess
import sys
import termios
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

COMMAND = [sys.executable, "-m", "rollscope"]
#: Takes a terminal as its controlling one (only that is told of a resize), then becomes the command.
LOGIN = "import os, sys; os.login_tty(int(sys.argv[1])); os.execv(sys.argv[2], sys.argv[2:])"
#: A busy machine may need long to start; nothing here measures time.
PATIENCE = 60.0


class Terminal:
    def __init__(self, controller: int, process: subprocess.Popen[bytes]) -> None:
        self._controller = controller
        self.process = process
        self.sent = b""

    def type(self, text: str) -> None:
        os.write(self._controller, text.encode())

    def resize(self, columns: int, rows: int) -> None:
        fcntl.ioctl(self._controller, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))

    def wait_for(self, text: str, *, after: int = 0) -> None:
        """Until the command has sent this, among the bytes from `after` on."""
        deadline = time.monotonic() + PATIENCE
        while text.encode() not in self.sent[after:]:
            assert time.monotonic() < deadline, f"{text!r} never came: {self.sent[-2000:]!r}"
            assert self._read() or self.process.poll() is None, f"it ended: {self.sent[-2000:]!r}"

    def wait_for_end(self) -> int:
        while self._read() or self.process.poll() is None:
            pass
        return self.process.wait(PATIENCE)

    def _read(self) -> bool:
        if not select.select([self._controller], [], [], 0.1)[0]:
            return False
        try:
            data = os.read(self._controller, 1 << 16)
        except OSError:  # Linux says EIO when the last writer is gone
            return False
        self.sent += data
        return bool(data)


@contextmanager
def on_terminal(*words: object, columns: int = 80, rows: int = 24, state: Path, **variables: str) -> Iterator[Terminal]:
    """The command on a terminal of this size; ended at the end."""
    controller, terminal = pty.openpty()
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
    kept = {
        name: value for name, value in os.environ.items() if name not in ("NO_COLOR", "COLORTERM", "COLUMNS", "LINES")
    }
    environment = {**kept, "TERM": "xterm-256color", "XDG_STATE_HOME": str(state), **variables}
    process = subprocess.Popen(
        [sys.executable, "-c", LOGIN, str(terminal), *COMMAND, *map(str, words)],
        env=environment,
        pass_fds=[terminal],
    )
    os.close(terminal)
    try:
        yield Terminal(controller, process)
    finally:
        process.kill()
        process.wait()
        os.close(controller)
