"""The page of a step, where transcripts lie."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.fixtures import write_jsonl
from tests.formats.data_rows import ReadRun
from tests.formats.data_tinker import (
    answered,
    group,
    problem,
    write_iteration,
    write_logtree,
)
from tests.formats.test_tinker import answers, samples

from rollscope.formats.tinker import TinkerFormat


def test_a_page_of_another_attempt_is_not_used(tmp_path: Path) -> None:
    old, new = answered(0, 0, 1.0, ac=5), answered(0, 0, 1.0, ac=6)
    found = samples(tmp_path, [new], group(problem("q", "of the crashed attempt", 1.0), [old]))
    assert found[0].messages == []
    assert found[0].unmatched == []


def test_a_rewritten_page_is_read_again(tmp_path: Path) -> None:
    records = [answered(0, 0, 1.0)]
    assert answers(samples(tmp_path, records, group(problem("q", "before", 1.0), records))) == ["before"]
    assert answers(samples(tmp_path, records, group(problem("q", "afterwards", 1.0), records))) == ["afterwards"]


def test_attributes_that_are_no_object_hide_nothing(tmp_path: Path) -> None:
    records = [answered(0, 0, 1.0)]
    write_iteration(tmp_path, records, group(problem("q", "said", 1.0), records))
    page = tmp_path / "iteration_000000" / "train_logtree.json"
    page.write_text(page.read_text().replace('"attrs": {}', '"attrs": 0.5'))
    run = ReadRun(TinkerFormat(), tmp_path)
    assert answers([run.load(run.rows[0])]) == ["said"]


def test_half_a_character_is_shown_as_it_is_escaped(tmp_path: Path) -> None:
    records = [answered(0, 0, 1.0)]
    found = samples(tmp_path, records, group(problem("q", "said \ud83d", 1.0), records))
    assert answers(found) == ["said \\ud83d"]


@pytest.mark.parametrize(
    "page",
    ["", '{"root": ', "[]", '{"title": "no root"}', '{"root": ' + '{"children": [' * 100_000],
    ids=["empty", "half", "list", "no root", "deep"],
)
def test_a_page_that_cannot_be_read_is_said_and_the_sample_opens(tmp_path: Path, page: str) -> None:
    write_iteration(tmp_path, [answered(0, 0, 1.0)])
    (tmp_path / "iteration_000000" / "train_logtree.json").write_text(page)
    run = ReadRun(TinkerFormat(), tmp_path)
    sample = run.load(run.rows[0])
    assert sample.reward == 1.0
    assert any("train_logtree.json cannot be read" in note for note in sample.notes)


def test_the_flat_layout_finds_its_page(tmp_path: Path) -> None:
    records = [answered(0, 0, 1.0)]
    write_jsonl(tmp_path / "eval_x_iteration_000004_rollout_summaries.jsonl", records)
    write_logtree(tmp_path / "eval_x_iteration_000004_logtree.json", group(problem("q", "flat", 1.0), records))
    run = ReadRun(TinkerFormat(), tmp_path)
    assert answers([run.load(row) for row in run.rows]) == ["flat"]
