"""Dumps of slime that cannot be read."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from tests.formats.test_slime import record, save

from rollscope.query.library import Library


class Evil:
    def __reduce__(self) -> Any:
        return os.system, ("touch /tmp/rollscope-was-here",)


def test_hostile_and_cut_files_are_named_and_the_others_open(tmp_path: Path) -> None:
    save(tmp_path / "rollout_data" / "1.pt", {"rollout_id": 1, "samples": [record(0)]})
    save(tmp_path / "rollout_data" / "2.pt", {"rollout_id": 2, "samples": [Evil()]})
    cut = save(tmp_path / "rollout_data" / "3.pt", {"rollout_id": 3, "samples": [record(0)]})
    cut.write_bytes(cut.read_bytes()[:-30])
    save(tmp_path / "rollout_data" / "4.pt", {"rollout_id": 4, "samples": [record(0), "nothing"]})
    (run,) = Library([tmp_path]).runs()
    assert [row.address for row in run.samples().rows] == ["train/1/0", "train/4/0"]
    reasons = {skip.file: skip.reason for skip in run.doctor().skipped}
    assert "posix.system" in reasons["rollout_data/2.pt"]
    assert reasons.keys() == {"rollout_data/2.pt", "rollout_data/3.pt", "rollout_data/4.pt"}
    assert not Path("/tmp/rollscope-was-here").exists()


def test_samples_lie_in_groups_and_in_lists_of_what_one_rollout_became(tmp_path: Path) -> None:
    groups = [[[record(0), record(0)], [record(1)]], [record(2)], record(4)]
    save(tmp_path / "rollout_data" / "1.pt", {"rollout_id": 1, "samples": groups})
    (run,) = Library([tmp_path]).runs()
    assert [row.group for row in run.samples().rows] == [0, 0, 0, 1, 2]
    assert run.doctor().skipped == []


def test_weights_are_not_rollouts(tmp_path: Path) -> None:
    save(tmp_path / "model_1.pt", {"layer.0.weight": [1.0, 2.0]})
    save(tmp_path / "more" / "rollout_data" / "1.pt", {"rollout_id": 1, "samples": [record(0)]})
    assert [run.root.endswith("more") for run in Library([tmp_path]).runs()] == [True]
