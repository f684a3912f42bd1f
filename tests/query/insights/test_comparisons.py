"""Comparisons that a run is asked for: two samples, a group, and rewards over the range that both runs have."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.fixtures import write_jsonl
from tests.runs import relax_record, settle

import rollscope
from rollscope.errors import NotFoundError
from rollscope.model import Range
from rollscope.query.insights.comparisons import reward_range
from rollscope.query.run import Run


@pytest.fixture
def run(tmp_path: Path) -> Run:
    """One step: a group of three, one of them cut off, and a sample without a group."""
    said = ["First add. Then it is \\boxed{4}.", "First add. So \\boxed{5}.", "First guess."]
    records = [relax_record(0, n, response=text, label="4", reward=float(n == 0)) for n, text in enumerate(said)]
    records.append(relax_record(0, 3, response="alone", group_index=None))
    write_jsonl(tmp_path / "run" / "train" / "0.jsonl", records)
    return rollscope.open(settle(tmp_path / "run"))


def test_a_diff_gives_both_responses_and_their_rewards(run: Run) -> None:
    diff = run.diff("train/0/0", "train/0/1")
    one = "".join(piece.text for piece in diff.pieces if piece.kind != "insert")
    other = "".join(piece.text for piece in diff.pieces if piece.kind != "delete")
    assert (one, other) == ("First add. Then it is \\boxed{4}.", "First add. So \\boxed{5}.")
    assert (diff.a.address, diff.a.reward, diff.b.reward) == ("train/0/0", 1.0, 0.0)


def test_the_second_sample_may_be_of_another_run(run: Run, tmp_path: Path) -> None:
    write_jsonl(tmp_path / "other" / "train" / "7.jsonl", [relax_record(7, 0, response="First add.")])
    other = rollscope.open(settle(tmp_path / "other"))
    diff = run.diff("train/0/2", "train/7/0", other=other)
    assert (diff.a.run, diff.b.run, diff.b.address) == ("run", "other", "train/7/0")
    with pytest.raises(NotFoundError):
        run.diff("train/0/2", "train/7/0")


def test_a_group_s_tree_knows_each_member_s_words_and_answer(run: Run) -> None:
    tree = run.group_tree("train/0/1")
    assert [member.address for member in tree.samples] == ["train/0/0", "train/0/1", "train/0/2"]
    assert [(member.answer, member.golden) for member in tree.samples[:2]] == [("4", "equal"), ("5", "absent")]
    for place, member in enumerate(tree.samples):
        assert member.words == sum(node.words for node in tree.nodes if place in node.samples) > 0


def test_a_sample_without_a_group_is_alone(run: Run) -> None:
    tree = run.group_tree("train/0/3")
    assert [member.address for member in tree.samples] == ["train/0/3"]


DECLARED = Range(min=0, max=1, origin="declared")
OBSERVED = Range(min=-1, max=0.5, origin="observed")


def test_a_declared_range_counts_before_observed_ones() -> None:
    one, other = {"*": {"reward": OBSERVED}}, {"maths": {"reward": DECLARED}}
    assert reward_range([one, other], "maths") == DECLARED
    assert reward_range([one, other], "code") == OBSERVED
    assert reward_range([{}, {}], None) is None


def test_observed_ranges_of_both_runs_are_joined() -> None:
    found = reward_range([{"*": {"reward": OBSERVED}}, {"*": {"reward": Range(min=0, max=2, origin="observed")}}], None)
    assert found is not None
    assert (found.min, found.max, found.origin) == (-1, 2, "observed")
