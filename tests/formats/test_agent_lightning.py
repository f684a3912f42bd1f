from __future__ import annotations

import json
import zipfile
from pathlib import Path

from tests.fixtures import fixture_path
from tests.formats.rows_and_samples import only_run, opened, said


def test_every_line_of_every_archive_is_a_sample() -> None:
    path = fixture_path("agent-lightning")
    ours = [(row.split, row.step, row.reward, said(sample)) for row, sample in opened(only_run(path))]
    theirs = []
    for step in (1, 2):
        with zipfile.ZipFile(path / f"step_{step}" / "train_trajectories.jsonl.zip") as archive:
            for line in archive.read("train_trajectories.jsonl").splitlines():
                record = json.loads(line)
                theirs.append(("train", step, record["reward"], record["response"]))
    assert ours == theirs


def test_older_names_newer_counts_and_downloaded_artifacts(tmp_path: Path) -> None:
    record = {"rollout_id": "r", "reward": None, "n_turns": 2, "resp_tokens": 7, "prompt_tokens": 3, "duration_s": 1.5,
              "total_s": None, "prompt": "q", "response": "a"}  # fmt: skip
    for step, name in ((1, "rollout"), (2, "validation")):
        folder = tmp_path / f"{name}-trajectories-abc-step-{step}:v0" / f"step_{step}"
        folder.mkdir(parents=True)
        with zipfile.ZipFile(folder / f"{name}_trajectories.jsonl.zip", "w") as archive:
            archive.writestr(f"{name}_trajectories.jsonl", json.dumps(record))
    pairs = opened(only_run(tmp_path))
    assert [(row.split, row.step) for row, _ in pairs] == [("train", 1), ("eval/validation", 2)]
    row, sample = pairs[0]
    assert (row.reward, row.prompt_tokens, row.completion_tokens, sample.timings) == (None, 3, 7, {"duration": 1.5})
    assert row.metrics == {"n_turns": 2.0}
