"""`findings` as a guard, and beside a run that is still being written."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.cli.conftest import COMMAND, Cli, relax_record
from tests.cli.test_progress import Terminal
from tests.fixtures import write_jsonl

from rollscope.cli import progress
from rollscope.cli.commands.findings import _fresh
from rollscope.cli.main import run
from rollscope.query.insights.findings.model import Finding, Severity

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


def test_only_findings_that_are_serious_enough_are_listed(cli: Cli, looping: Path) -> None:
    every = cli("findings", looping, "--json").json
    low = [item for item in every if item["severity"] == "low"]
    assert 0 < len(low) < len(every)
    assert cli("findings", looping, "--at-least", "medium", "--json").json == [
        item for item in every if item not in low
    ]
    done = cli("findings", looping, "--at-least", "medium")
    assert f"{len(low)} less serious finding" in done.err
    assert not any(line.startswith("low") for line in done.out.splitlines())


def test_a_finding_as_serious_as_one_says_fails_the_command(looping: Path) -> None:
    assert status(looping, "--kind", "loop", "--fail-on", "high") == 3
    assert status(looping, "--kind", "loop") == 0
    assert status(looping, "--kind", "garbled", "--fail-on", "medium") == 0
    assert status(looping, "--fail-on", "everything") == 2


def test_a_terminal_sees_how_far_the_features_are_that_findings_wait_for(
    looping: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(progress, "QUIET_SECONDS", 0.0)
    monkeypatch.setattr(progress, "SECONDS_BETWEEN_DRAWS", 0.0)
    terminal = Terminal()
    monkeypatch.setattr("sys.stderr", terminal)
    assert run(["findings", str(looping)]) == 0
    assert "features of run  16 of 192" in terminal.getvalue()
    assert "features of run  192 of 192" in terminal.getvalue()


def test_show_names_the_findings_of_a_sample_once_its_run_was_looked_at(cli: Cli, looping: Path) -> None:
    before = cli("show", looping, "train/8/4", "--findings")
    assert "not known yet" in before.err
    cli("findings", looping)
    text, named = cli("show", looping, "train/8/4", "--findings").out.split("── findings ──\n")
    assert text.strip("\n") == before.out.strip("\n")
    assert "high   loop  Answers end in a loop\n       response[" in named
    assert "loop" not in cli("show", looping, "train/8/5", "--findings").out
    cli("show", looping, "train/8/4", "--findings", "--json", status=2)  # JSON is the sample, as over HTTP


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


def finding(severity: Severity, title: str = "Answers end in a loop") -> Finding:
    return Finding(
        run="run",
        split="train",
        kind="loop",
        title=title,
        severity=severity,
        samples=3,
        share=0.1,
        baseline=None,
        latest=None,
        first_step=0,
        onset=None,
        rate=[],
        reward=None,
        reward_others=None,
        where="text.loop > 0",
        seen="",
        why="",
        evidence=[],
    )


def test_a_finding_that_is_followed_is_told_again_only_when_it_becomes_more_serious() -> None:
    told: dict[tuple[str, str, str], int] = {}
    looks = [[finding(severity)] for severity in ("medium", "medium", "low", "high", "medium")]
    assert [[item.severity for item in _fresh(look, told)] for look in looks] == [["medium"], [], [], ["high"], []]
    assert len(_fresh([finding("low", "two environments"), finding("low", "two environments")], told)) == 2
