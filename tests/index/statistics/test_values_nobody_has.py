"""Numbers that no column can hold, and numbers whose sums are none: told, and no index stops for them."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from tests.fixtures import write_jsonl
from tests.runs import append, relax_record, write_relax

import rollscope
from rollscope.arrays import Floats
from rollscope.errors import UsageError
from rollscope.index.segments.rows import to_arrow
from rollscope.index.statistics import summary as statistics
from rollscope.index.statistics.summary import FieldColumns
from rollscope.query.export.convert import convert


def test_rewards_at_the_ends_of_what_a_float_holds(tmp_path: Path) -> None:
    values = [1e308, -1e308, 1.5e308, 1e308]
    write_jsonl(tmp_path / "run/train/0.jsonl", [relax_record(0, i, reward=value) for i, value in enumerate(values)])
    run = rollscope.open(tmp_path / "run")
    (step,) = run.steps().steps
    assert (step.reward.min, step.reward.max) == (-1e308, 1.5e308)
    assert step.reward.mean == pytest.approx(0.625e308)
    assert step.reward.std == pytest.approx(np.std(np.array(values) / 1e308) * 1e308)
    assert [row.reward for row in run.samples().rows] == values


def test_a_field_whose_statistics_fail_is_told_and_the_others_are_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = statistics._field_columns

    def fails(values: Floats, *rest: object) -> FieldColumns:
        if 0.375 in values:
            raise ValueError("no such number")
        return whole(values, *rest)  # type: ignore[arg-type]

    monkeypatch.setattr(statistics, "_field_columns", fails)
    run = write_relax(tmp_path / "run", steps=1)
    append(run / "train" / "0.jsonl", relax_record(0, 8, reward=0.375))
    opened = rollscope.open(run)
    assert len(opened.samples().rows) == 9
    assert opened.info().warnings == ["no statistics of reward: no such number"]
    assert "completion_tokens" in opened.fields()


def test_a_step_beyond_what_a_column_holds_is_skipped_with_its_reason(tmp_path: Path) -> None:
    run = write_relax(tmp_path / "run", steps=1, samples=2)
    file = tmp_path / "run" / "a.jsonl"
    (tmp_path / "run" / "train" / "0.jsonl").rename(file)
    file.write_text("".join(json.dumps({"prompt": "p", "completion": "c", "step": s}) + "\n" for s in (1, 2**63, 2)))
    opened = rollscope.open(run, format="jsonl")
    assert [row.step for row in opened.samples().rows] == [1, 2]
    (skipped,) = opened.doctor().skipped
    assert (skipped.line, skipped.reason) == (2, f"its step is a number beyond {2**63 - 1}")


def test_a_file_named_by_such_a_step_is_skipped_with_its_reason(tmp_path: Path) -> None:
    run = write_relax(tmp_path / "run", steps=1)
    write_jsonl(run / "train" / f"{10**20}.jsonl", [relax_record(0, 0)])
    opened = rollscope.open(run)
    assert len(opened.samples().rows) == 8
    (skipped,) = opened.doctor().skipped
    assert skipped.file == f"train/{10**20}.jsonl"
    assert str(10**20) in skipped.reason


def test_a_group_of_five_thousand_digits_is_kept_as_it_is_written(tmp_path: Path) -> None:
    run = write_relax(tmp_path / "run", steps=1)
    line = json.dumps(relax_record(0, 8, group_index=1)).replace('"group_index": 1', f'"group_index": {"7" * 5000}')
    with (run / "train" / "0.jsonl").open("a") as file:
        file.write(line + "\n")
    opened = rollscope.open(run)
    assert opened.samples().rows[8].group == "7" * 5000
    assert opened.sample("train/0/8").group == "7" * 5000


def test_a_group_that_is_no_plain_number_is_the_text_that_names_it(tmp_path: Path) -> None:
    names = ["Infinity", "-Infinity", "NaN", "NaN", "1e400", "0.5", '"a"']
    run = write_relax(tmp_path / "run", steps=1, samples=1)
    with (run / "train" / "0.jsonl").open("a") as file:
        for place, name in enumerate(names):
            record = json.dumps(relax_record(0, place, group_index="HERE"))
            file.write(record.replace('"HERE"', name) + "\n")
    opened = rollscope.open(run)
    assert opened.doctor().skipped == []
    expected = [0, "Infinity", "-Infinity", "NaN", "NaN", "Infinity", "0.5", "a"]
    assert [row.group for row in opened.samples().rows] == expected
    assert [opened.sample(f"train/0/{place}").group for place in range(8)] == expected
    assert opened.steps()[0].groups == 6


def test_an_integer_too_long_for_python_to_print_is_a_group_all_the_same() -> None:
    written = to_arrow("group", [1, 7**6000]).to_pylist()
    assert written[0] == "1"
    assert len(written[1]) == 5071
    assert int(written[1][-9:]) == pow(7, 6000, 10**9)


def test_a_failed_look_is_a_visible_warning(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run = rollscope.open(write_relax(tmp_path / "run", steps=1))
    run.refresh()
    monkeypatch.setattr(run._index, "refresh", lambda **_: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        run.refresh()
    monkeypatch.setattr("rollscope.query.live.watch.Refresher.stale", lambda _: False)
    assert run.info().warnings == [
        "looking at the files failed, what is shown may be old: ZeroDivisionError: division by zero"
    ]


def test_export_never_writes_into_the_run(tmp_path: Path) -> None:
    root = write_relax(tmp_path / "run", steps=1)
    before = (root / "train" / "0.jsonl").read_bytes()
    (tmp_path / "link.jsonl").symlink_to(root / "train" / "0.jsonl")
    run = rollscope.open(root)
    for target in (root / "train" / "0.jsonl", tmp_path / "link.jsonl", root / "train" / "9.jsonl", root / "new.csv"):
        with pytest.raises(UsageError, match="in the run's own folder"):
            run.export(str(target))
    assert (root / "train" / "0.jsonl").read_bytes() == before
    with pytest.raises(UsageError, match="in the run's own folder"):
        convert(run, str(root / "converted"))
    assert not (root / "converted").exists()
    assert run.export(str(tmp_path / "out.jsonl")) == 8
