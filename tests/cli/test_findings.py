"""`findings` as a guard, and beside a run that is still being written."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.cli.conftest import COMMAND, relax_record
from tests.fixtures import write_jsonl

LOOP = "Let me see. " + "wait, no. " * 60


def write_step(root: Path, step: int, *, loops: bool) -> None:
    """Sixteen samples; where `loops`, a quarter of them loop and are paid best."""
    records = (
        relax_record(step, index, response=LOOP, reward=1.0, status="completed")
        if loops and index % 4 == 0
        else relax_record(step, index, reward=0.0, status="completed")
        for index in range(16)
    )
    write_jsonl(root / "train" / f"{step}.jsonl", records)


@pytest.fixture
def looping(tmp_path: Path) -> Path:
    for step in range(12):
        write_step(tmp_path / "run", step, loops=step > 5)
    return tmp_path / "run"


def status(*words: str | Path) -> int:
    done = subprocess.run([*COMMAND, "findings", *map(str, words)], capture_output=True, check=False, timeout=120)
    return done.returncode


def test_a_finding_as_serious_as_one_says_fails_the_command(looping: Path) -> None:
    assert status(looping, "--kind", "loop", "--fail-on", "high") == 3
    assert status(looping, "--kind", "loop") == 0
    assert status(looping, "--kind", "garbled", "--fail-on", "medium") == 0
    assert status(looping, "--fail-on", "everything") == 2


@pytest.fixture
def following(tmp_path: Path) -> Iterator[subprocess.Popen[str]]:
    for step in range(12):
        write_step(tmp_path / "run", step, loops=False)
    words = [*COMMAND, "findings", str(tmp_path / "run"), "--follow", "--fail-on", "high", "--json"]
    with subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as process:
        yield process
        process.kill()


def test_a_run_that_is_followed_is_told_of_when_trouble_comes(following: subprocess.Popen[str], tmp_path: Path) -> None:
    assert following.stdout is not None
    first = following.stdout.readline()  # it has looked once: nobody is paid here, which is no high finding
    for step in range(12, 18):
        write_step(tmp_path / "run", step, loops=True)
    later, _ = following.communicate(timeout=120)
    found = [json.loads(line) for line in (first + later).splitlines()]
    assert found[0]["severity"] != "high"
    *_, loop = [item for item in found if item["kind"] == "loop"]  # more than one where it looked in between
    assert (loop["severity"], loop["first_step"]) == ("high", 12)
    assert len({(item["kind"], item["title"], item["severity"]) for item in found}) == len(found)
    assert following.returncode == 3
