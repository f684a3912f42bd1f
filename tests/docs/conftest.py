"""The runs that the examples of the documentation speak of."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.fixtures import write_jsonl

from rollscope import record
from rollscope.cli import main


@pytest.fixture(scope="session")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What the examples call `runs/my-run`, `runs/a`, `runs/b`, `runs/math`, `PATH` and `house/`."""
    folder = tmp_path_factory.mktemp("docs")
    my_run = folder / "runs" / "my-run"
    with record.start(my_run, {"lr": 1e-6}, reports=False, code_dir=None) as run:
        for step in (*range(11), 12, 20, 39, 40, 60, 80, *range(90, 101)):
            with run.iteration(step) as iteration:
                for number in range(10):
                    with iteration.group(f"p{number}", prompt=f"What is {number} + {number}?", env="sums") as group:
                        for place in range(4):
                            right = (number + place + step) % 3 == 0
                            group.add(
                                response=f"\\boxed{{{2 * number}}}" if right else "I cannot say. " * (1 + place),
                                reward=float(right),
                                status="completed" if place else "truncated",
                                tokens={"ids": [1, 2, 3], "logprobs": [-0.1, -0.2, -0.3 - 0.001 * step]},
                            )
                iteration.log_metrics({"entropy": 1.0 / (step + 1)})
            if step % 20 == 0:
                with run.evaluation("aime24", step) as evaluation:
                    for number in range(8):
                        evaluation.add(prompt=f"Problem {number}", response="42", reward=float(number % 2))
    for name in ("a", "b", "math"):
        shutil.copytree(my_run, folder / "runs" / name)
    (folder / "PATH").symlink_to(my_run)
    (folder / "rollscope-demo").symlink_to(my_run)  # its figures are compared by tests/record/demo
    said = [{"ask": f"q{i}", "out": {"said": f"a{i}", "judged": {"points": i / 4}}} for i in range(4)]
    write_jsonl(folder / "house" / "0.jsonl", said)
    return folder


class Answer:
    """What a command printed."""

    def __init__(self, out: str, err: str) -> None:
        self.out = out
        self.err = err

    @property
    def json(self) -> Any:
        return json.loads(self.out)


Ask = Callable[..., Answer]


@pytest.fixture
def ask(folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Ask:
    """``ask("ls", "runs")`` in the folder of the examples, with notes that nobody else sees."""
    monkeypatch.chdir(folder)
    monkeypatch.setenv("ROLLSCOPE_INDEX_DIR", str(folder / "index"))
    monkeypatch.setenv("ROLLSCOPE_NOTES_DIR", str(tmp_path / "notes"))

    def asked(*words: object, status: int = 0) -> Answer:
        capsys.readouterr()
        assert main.run([str(word) for word in words]) == status
        return Answer(*capsys.readouterr())

    return asked
