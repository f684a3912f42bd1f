"""The files of a run, and what each is for."""

from __future__ import annotations

from pathlib import Path

from tests.runs import write_relax

import rollscope
from rollscope.formats.relax import RelaxFormat
from rollscope.query.overview.files import _role, list_files


def test_every_file_has_its_role_and_samples_their_step(tmp_path: Path) -> None:
    run = rollscope.open(write_relax(tmp_path / "run"))
    run.refresh()
    (Path(run.path) / "notes.txt").write_text("x")
    found = {item.path: item for item in list_files(RelaxFormat(), run.store.fresh(), run._index.snapshot)}
    assert found["notes.txt"].role == "other"
    rollouts = [(item.split, item.step) for item in found.values() if item.role == "rollouts"]
    assert rollouts == [("train", 0), ("train", 1), ("train", 2)]
    assert all(item.bytes == (Path(run.path) / item.path).stat().st_size for item in found.values())


def test_names_tell_what_a_file_is_for() -> None:
    names = ["config.yaml", "a/checkpoints.jsonl", "code.diff", "a/report.html", "config", "x.json"]
    assert [_role(name, False, False, False) for name in names] == [
        "config", "checkpoints", "diff", "report", "other", "other",
    ]  # fmt: skip
    assert _role("config.json", True, True, True) == "rollouts"
    assert _role("metrics.jsonl", False, True, False) == "metrics"
    assert _role("a_logtree.json", False, False, True) == "report"
