"""The real command, started as people start it, and two small runs for it."""

from __future__ import annotations

import json
import os
import pty
import select
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.fixtures import write_jsonl


class Finished:
    """What a command left: exit status, data, talk."""

    def __init__(self, status: int, out: str, err: str) -> None:
        self.status = status
        self.out = out
        self.err = err

    @property
    def json(self) -> Any:
        """stdout as JSON, which knows no NaN."""
        return json.loads(self.out, parse_constant=lambda word: pytest.fail(f"{word} is not JSON"))


Cli = Callable[..., Finished]
COMMAND = [sys.executable, "-m", "rollscope"]


@pytest.fixture
def cli(tmp_path_factory: pytest.TempPathFactory) -> Cli:
    """``cli("ls", path, "--json")`` in an empty working directory; never a traceback."""
    directory = tmp_path_factory.mktemp("cwd")

    def run(*words: object, status: int = 0, **variables: str) -> Finished:
        done = subprocess.run(
            [*COMMAND, *map(str, words)],
            capture_output=True,
            cwd=directory,
            env={**os.environ, **variables},
            check=False,
        )
        finished = Finished(done.returncode, done.stdout.decode(), done.stderr.decode())
        assert "Traceback" not in finished.err
        assert finished.status == status, finished.err
        if status:
            assert not finished.out
            assert finished.err.count("\n") == 1, "an error is one line"
        return finished

    return run


def on_terminal(*words: object, columns: int = 200) -> str:
    """What the command sends to a terminal that is its stdin, stdout and stderr."""
    controller, terminal = pty.openpty()
    environment = {**os.environ, "TERM": "xterm-256color", "COLUMNS": str(columns)}
    process = subprocess.Popen(
        [*COMMAND, *map(str, words)], stdin=terminal, stdout=terminal, stderr=terminal, env=environment
    )
    os.close(terminal)
    chunks = []
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        if select.select([controller], [], [], 0.1)[0]:
            try:
                data = os.read(controller, 1 << 16)
            except OSError:  # Linux says EIO when the last writer is gone
                break
            if not data:
                break
            chunks.append(data)
    process.wait()
    os.close(controller)
    return b"".join(chunks).decode()


def relax_record(step: int, index: int, **changes: Any) -> dict[str, Any]:
    """One line as Relax writes it. Rewards rise with the step; the last of four in a group is truncated."""
    return {
        "rollout_id": step,
        "sample_index": index,
        "group_index": index // 4,
        "prompt": f"<|im_start|>user\nWhat is {index // 4} + {step}?<|im_end|>\n<|im_start|>assistant\n",
        "response": f"<think>count</think>The answer is {index // 4 + step}. Größe: 数{index}<|im_end|>",
        "reward": (index % 4) / 4 + step / 100,
        "response_length": 10 + index,
        "total_length": 30 + index,
        "status": "truncated" if index % 4 == 3 else "completed",
        "correct": index % 2,
        **changes,
    }


def write_run(directory: Path, steps: int = 3, samples: int = 24) -> Path:
    for step in range(steps):
        write_jsonl(directory / "train" / f"{step}.jsonl", (relax_record(step, index) for index in range(samples)))
    write_jsonl(directory / "eval" / "0.jsonl", (relax_record(0, index, dataset="aime24") for index in range(4)))
    return directory


@pytest.fixture
def run_path(tmp_path: Path) -> Path:
    """A run with 3 steps of 24 samples and one eval of 4."""
    return write_run(tmp_path / "run-a")


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A folder of two runs: run-a and run-b."""
    write_run(tmp_path / "runs" / "run-a", steps=2, samples=8)
    write_run(tmp_path / "runs" / "run-b", steps=1, samples=4)
    return tmp_path / "runs"
