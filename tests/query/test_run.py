"""Asking a run through the object that `rollscope.open` gives."""

from __future__ import annotations

import json
import math
from pathlib import Path

import pytest
from tests.runs import append, relax_record

import rollscope
from rollscope import model
from rollscope.query.run import Run


def test_a_run_says_what_it_has(run: Run) -> None:
    info = run.info()
    assert (info.format, info.name) == ("relax", "run")
    assert run.splits == ["train"]
    assert [(item.steps, item.samples, item.first_step, item.last_step) for item in info.splits] == [(3, 36, 0, 2)]
    assert "relax" in repr(run)
    assert "train" in run._repr_html_()


def test_a_prompt_can_be_followed_over_steps(path: Path) -> None:
    for step in (0, 2):
        append(path / "train" / f"{step}.jsonl", relax_record(step, 12, prompt="the same question"))
    run = rollscope.open(path)
    assert [row.address for row in run.prompt_history("train/0/12")] == ["train/0/12", "train/2/12"]


def test_tables_for_other_libraries(run: Run) -> None:
    page = run.samples(step=0)
    assert page.to_arrow().num_rows == 12
    assert page.to_pandas()["reward"].tolist() == [relax_record(0, index)["reward"] for index in range(12)]
    assert page.to_polars()["reward"].to_list() == [relax_record(0, index)["reward"] for index in range(12)]
    assert "offset" not in run.table(step=0).column_names


def test_numbers_json_has_no_word_for(tmp_path: Path) -> None:
    line = '{"prompt": "p", "response": "r", "reward": NaN, "acc": -Infinity}\n'
    (tmp_path / "0.jsonl").write_text(line)
    run = rollscope.open(tmp_path)
    row = run.samples().rows[0]
    assert (row.reward, row.metrics["acc"]) == (None, None)
    assert row.nonfinite == {"reward": "NaN", "metrics.acc": "-Infinity"}
    sample = run.sample("train/0/0")
    assert sample.reward is not None
    assert math.isnan(sample.reward)
    shown = json.loads(run.sample_json("train/0/0"), parse_constant=lambda name: pytest.fail(f"bare {name}"))
    assert shown["reward"] is None
    assert shown["nonfinite"]["reward"] == "NaN"
    assert shown["record"]["reward"] == "NaN"
    assert run.samples(where="reward is missing").total == 0


def test_answers_encode_as_json(run: Run) -> None:
    for answer in (
        run.info(),
        run.details(),
        run.steps(),
        run.samples(),
        run.groups(step=0),
        run.catalog(),
        run.doctor(),
    ):
        assert json.loads(model.encode_json(answer))


def test_all_that_people_can_ask_says_what_it_gives() -> None:
    asked = {name: member for name, member in vars_of(Run).items() if callable(member) or isinstance(member, property)}
    assert len(asked) > 40
    assert [name for name, member in asked.items() if not (member.__doc__ or "").strip()] == []


def vars_of(kind: type) -> dict[str, object]:
    """Its public members and those of the classes it is made of."""
    return {
        name: member
        for base in reversed(kind.__mro__[:-1])
        for name, member in vars(base).items()
        if not name.startswith("_")
    }
