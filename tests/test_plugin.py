"""The example plug-in, installed as a package into a fresh environment, opens runs that Rollscope alone does not know."""

from __future__ import annotations

import json
import subprocess
import sys
import venv
from pathlib import Path

import pytest
from tests.fixtures import REPOSITORY, write_jsonl

RECORD = {
    "question": "6 × 7?",
    "turns": [{"said": "let me see", "heard": "6 × 7 = 42"}, {"said": "<think>six sevens</think>42"}],
    "points": 1.0,
    "parts": {"format": 0.5},
    "qid": "a1",
    "expected": "42",
    "finish": "length",
    "retried": True,
}


@pytest.fixture(scope="module")
def environment(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A new environment that sees Rollscope and what it needs, as if they had been installed into it: nothing may be
    downloaded here. The plug-in itself is built and installed by pip."""
    folder = tmp_path_factory.mktemp("environment")
    venv.create(folder, with_pip=False)
    python = folder / "bin" / "python"
    there = [path for path in sys.path if path.endswith("site-packages")] + [str(REPOSITORY / "src")]
    (site,) = folder.glob("lib/python*/site-packages")
    (site / "zz_shared.pth").write_text("".join(f"{path}\n" for path in there))
    install = ["pip", "install", "--quiet", "--no-index", "--no-deps", "--no-build-isolation", "--prefix", str(folder)]
    plugin = folder / "plugin"
    subprocess.run(["cp", "-r", str(REPOSITORY / "examples" / "plugin"), str(plugin)], check=True)
    done = subprocess.run([python, "-m", *install, str(plugin)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return python


def ask(python: Path, *words: str | Path) -> str:
    command = [str(python), "-m", "rollscope", *map(str, words)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=240)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture
def orchard(tmp_path: Path) -> Path:
    write_jsonl(tmp_path / "run" / "rollouts" / "step_000012.jsonl", [RECORD, {**RECORD, "points": 0.0}])
    write_jsonl(tmp_path / "run" / "evals" / "held-out" / "step_000012.jsonl", [RECORD])
    return tmp_path / "run"


def test_its_runs_open_like_any_other(environment: Path, orchard: Path) -> None:
    (found,) = json.loads(ask(environment, "ls", orchard, "--json"))
    assert found["format"] == "orchard"
    assert [(split["split"], split["samples"]) for split in found["splits"]] == [("train", 2), ("eval/held-out", 1)]
    rows = json.loads(ask(environment, "samples", orchard, "--split", "train", "--json"))
    listed = rows["rows"] if isinstance(rows, dict) else rows
    assert [(row["reward"], row["group"], row["status"]) for row in listed] == [
        (1.0, "a1", "truncated"),
        (0.0, "a1", "truncated"),
    ]
    assert listed[0]["metrics"] == {"parts/format": 0.5, "retried": 1.0}


def test_its_samples_open_whole(environment: Path, orchard: Path) -> None:
    sample = json.loads(ask(environment, "show", orchard, "train/12/0", "--json"))
    assert [message["role"] for message in sample["messages"]] == ["user", "assistant", "tool", "assistant"]
    assert sample["golden_answers"] == {"expected": "42"}
    assert "Orchard tried this sample again after an error." in sample["notes"]
    found = ask(environment, "search", orchard, "six sevens", "--json")
    assert "train/12/0" in found


def test_without_it_they_are_only_guessed_at(orchard: Path) -> None:
    (found,) = json.loads(ask(Path(sys.executable), "ls", orchard, "--json"))
    assert found["format"] == "jsonl"
