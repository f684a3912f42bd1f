"""The code of the page that describes these files runs unchanged on what the recorder writes.

``data/rl_training_outputs.txt`` is the page's text; the examples are taken from it, not retyped."""

from __future__ import annotations

import contextlib
import io
import json
import re
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from tests.record.helpers import record_steps

PAGE = (Path(__file__).parent / "data" / "rl_training_outputs.txt").read_text("utf-8")


def example(first: str, last: str) -> str:
    """The lines of the page from the one that is ``first`` up to the next that starts with ``last``."""
    found = re.search(rf"^{re.escape(first)}$.*?^{re.escape(last)}[^\n]*$", PAGE, re.MULTILINE | re.DOTALL)
    assert found is not None
    # The page has no-break spaces where its blank lines were.
    return found[0].replace("\N{NO-BREAK SPACE}", " ")


PANDAS = example("import pandas as pd", "df.plot(")
SUMMARIES = example("import json", "    trajectories =")
CONVERSATIONS = PAGE[PAGE.index("import json\n", PAGE.index("structured content")) :].split("\n\nNote:")[0]


@pytest.fixture(scope="module")
def run_directory(tmp_path_factory: pytest.TempPathFactory) -> Path:
    directory = tmp_path_factory.mktemp("run")
    record_steps(directory, steps=21, groups=6, samples=3).close()
    return directory


@pytest.fixture
def plotted(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, str]]:
    """What was to be drawn; matplotlib is not needed to know that the columns are there and hold numbers."""
    seen: list[tuple[str, str]] = []

    class Plot:
        def __init__(self, frame: pd.DataFrame) -> None:
            self._frame = frame

        def __call__(self, *, x: str, y: str) -> None:
            assert self._frame[x].notna().all()
            assert pd.api.types.is_numeric_dtype(self._frame[y])
            assert len(self._frame) == self._frame[y].notna().sum() == 21
            seen.append((x, y))

    monkeypatch.setattr(pd.DataFrame, "plot", property(Plot))
    return seen


def test_pandas_over_metrics(
    run_directory: Path, plotted: list[tuple[str, str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    (run_directory / "path" / "to").mkdir(parents=True)
    (run_directory / "path" / "to" / "metrics.jsonl").symlink_to(run_directory / "metrics.jsonl")
    monkeypatch.chdir(run_directory)
    exec(PANDAS, {})
    assert plotted == [("progress/batch", "env/all/reward/total")]


def test_the_summaries_loop(run_directory: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(run_directory)
    names: dict[str, Any] = {}
    exec(SUMMARIES, names)
    trajectories = names["trajectories"]
    assert len(trajectories) == 18
    listed = re.findall(r"^# - (?:metadata|episode totals): (.+)$", PAGE, re.MULTILINE)
    [steps] = re.findall(r"^# - steps: list of \{(.+)\}$", PAGE, re.MULTILINE)
    for trajectory in trajectories:
        for keys in listed:
            assert set(keys.split(", ")) <= trajectory.keys()
        assert trajectory["steps"]
        for step in trajectory["steps"]:
            assert set(steps.split(", ")) == step.keys()
    assert {(item["group_idx"], item["traj_idx"]) for item in trajectories} == {
        (g, t) for g in range(6) for t in range(3)
    }


def test_find_conversations(run_directory: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(run_directory)
    printed = io.StringIO()
    names: dict[str, Any] = {}
    with contextlib.redirect_stdout(printed):
        exec(CONVERSATIONS, names)
    assert printed.getvalue().splitlines() == ["user: What is 2 + 2?", "assistant: 4"]
    trace = json.loads((run_directory / "train_iteration_000003_logtree.json").read_text("utf-8"))
    assert set(trace) == {"title", "started_at", "path", "root"}
    found = names["find_conversations"](trace["root"])
    assert [(item["group_idx"], item["traj_idx"]) for item in found] == [(g, t) for g in range(4) for t in range(3)]


def test_every_file_the_page_lists_is_there(run_directory: Path) -> None:
    table = PAGE[PAGE.index("FileFormatContents") : PAGE.index("<name> is the evaluator name")]
    listed = re.findall(r"^([\w<>]+\.(?:jsonl|json|html|diff))", table, re.MULTILINE)
    assert len(listed) == 10
    names = {name.replace("NNNNNN", "000020").replace("<name>", "test") for name in listed}
    present = {path.name for path in run_directory.iterdir()}
    assert names - present == {"checkpoints.jsonl"}  # this run saved none
