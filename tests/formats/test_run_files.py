"""The files around the samples that several trainers share."""

from __future__ import annotations

import math

import pytest

from rollscope.formats import run_files
from rollscope.formats.run_files import read_checkpoints, read_config, read_diff, read_metrics, read_reports
from rollscope.storage.memory import MemoryStore


def store_of(**files: bytes) -> MemoryStore:
    return MemoryStore.of(
        "run_files", {name.replace("__", "/").replace("_dot_", "."): data for name, data in files.items()}
    )


def test_every_row_of_metrics_has_a_step_and_its_numbers() -> None:
    lines = [
        b'{"step": 3, "timestamp": 9.5, "loss": 1, "note": "text", "ok": true, "attempt": 2}',
        b'{"step": null, "time": 10, "gpu": 0.5}',
        b"{torn",
        b'{"progress/batch": 7, "loss": 2, "nonfinite": {"kl": "NaN", "lr": "-Infinity"}}',
        b'{"loss": 3, "nonfinite": "no mapping"}',
    ]
    rows = list(read_metrics(store_of(metrics_dot_jsonl=b"\n".join(lines))))
    assert [(row.step, row.time) for row in rows] == [(3, 9.5), (3, 10.0), (7, None), (7, None)]
    assert [row.values for row in rows[:2]] == [{"loss": 1.0, "ok": 1.0}, {"gpu": 0.5}]
    assert rows[2].values["lr"] == -math.inf
    assert math.isnan(rows[2].values["kl"])
    assert rows[3].values == {"loss": 3.0}


def test_rows_of_a_file_without_steps_are_steps() -> None:
    rows = read_metrics(store_of(metrics_dot_jsonl=b'{"loss": 1}\n{"loss": 2}\n{"loss": 3}\n'))
    assert [row.step for row in rows] == [0, 1, 2]


def test_other_writers_metrics_are_read_too() -> None:
    store = MemoryStore.of("run_files", {"metrics.jsonl": b"", "metrics.rank1.jsonl": b"", "other_metrics.jsonl": b""})
    assert run_files.metric_files(store) == ["metrics.jsonl", "metrics.rank1.jsonl"]


def test_a_checkpoint_has_its_paths_and_whatever_else_its_line_says() -> None:
    line = b'{"name": "000010", "batch": 10, "state_path": "a", "paths": {"sampler": "b"}, "epoch": 1, "kl": NaN}\n'
    first, second = read_checkpoints(store_of(checkpoints_dot_jsonl=line + b'{"step": "last"}\n'))
    assert (first.name, first.step, first.paths) == ("000010", 10, {"state_path": "a", "sampler": "b"})
    assert first.state.keys() == {"batch", "epoch", "kl"}
    assert (second.name, second.step) == ("", None)


@pytest.mark.parametrize("content", [b"", b"{", b"[1]", b"\x00\x00"])
def test_a_configuration_that_cannot_be_read_is_none(content: bytes) -> None:
    assert read_config(store_of(config_dot_json=content)) is None
    assert read_config(store_of()) is None


def test_a_long_diff_is_cut_and_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(run_files, "MAX_DIFF_BYTES", 2 << 20)
    whole = b"+" * (2 << 20)
    assert read_diff(store_of(code_dot_diff=whole)) == whole.decode()
    assert read_diff(store_of(code_dot_diff=whole + b"-")) == whole.decode() + "\n… cut after 2 MB\n"
    assert read_diff(store_of()) is None


def test_reports_lie_beside_the_samples_or_in_their_iterations_folder() -> None:
    names = ["a_logtree.json", "iteration_000002/b_logtree.json", "iteration_x/c_logtree.json", "d.json"]
    store = MemoryStore.of("run_files", dict.fromkeys(names, b"{}"))
    assert read_reports(store) == names[:2]
