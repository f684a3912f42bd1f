from __future__ import annotations

import json
import zipfile

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
