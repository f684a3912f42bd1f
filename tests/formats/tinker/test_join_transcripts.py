"""No transcript, question or golden answer is ever shown with a sample that it does not belong to."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st
from tests.fixtures import fixture_path
from tests.formats.data_rows import ReadRun
from tests.formats.data_tinker import Node, Record, answered, group, problem, write_iteration

from rollscope.formats.tinker import TinkerFormat
from rollscope.model import Sample


def said_text(sample: Sample) -> str:
    parts = [part for message in sample.messages if message.turn is not None for part in message.parts]
    return "".join(part.text for part in parts if part.type != "thinking")


def question(sample: Sample) -> str:
    return "".join(message.text for message in sample.messages if message.turn is None and message.role == "user")


# What its own loop wrote -----------------------------------------------------------------------------------------


def test_every_sample_of_the_synchronous_loop_shows_its_own_groups_question_or_none() -> None:
    """Group g of step i asks "What is {6i+g} + {g}?"; groups 4 and 5 were not logged."""
    run = ReadRun(TinkerFormat(), fixture_path("tinker_0.5.8"))
    rows = run.where(split="train")
    assert len(rows) == 3 * 6 * 4
    for row in rows:
        sample, number = run.load(row), int(row["group"])
        first = 6 * row["step"] + number
        if number >= 4:
            assert sample.messages == []
            assert sample.golden_answers == {}
            assert sample.unmatched == []
            assert any("num_groups_to_log" in note for note in sample.notes)
        else:
            assert f"What is {first} + {number}?" in question(sample)
            assert list(sample.golden_answers.values()) == [str(first + number)]


def test_a_transcript_of_the_synchronous_loop_is_shown_with_one_sample_only() -> None:
    run = ReadRun(TinkerFormat(), fixture_path("tinker_0.5.8"))
    for step in range(3):
        page = json.loads((fixture_path("tinker_0.5.8") / f"iteration_{step:06d}" / "train_logtree.json").read_text())
        logged = responses(page["root"])
        shown = [text for row in run.where(split="train", step=step) if (text := said_text(run.load(row)).strip())]
        for text in set(shown):
            assert shown.count(text) <= logged.count(text)


def responses(node: Any) -> list[str]:
    """The plain text of every assistant message below a node, one at a time."""
    if isinstance(node, str):
        return []
    found = []
    for message in (node.get("data") or {}).get("messages", []):
        if message["role"] == "assistant":
            content = message["content"]
            parts = content if isinstance(content, list) else [{"text": content}]
            text = "".join(part.get("text", "") for part in parts)
            found.append(text.rpartition("</think>")[2].strip())
    return [*found, *(text for child in node["children"] for text in responses(child))]


# Runs of every kind, with few different lengths and rewards ------------------------------------------------------


class Batch:
    """A batch as the trainer holds it, and what it would write of it."""

    def __init__(self, draw: st.DrawFn) -> None:
        self.stream = draw(st.booleans())
        self.filters = self.stream and draw(st.booleans())
        self.limit = draw(st.integers(1, 5))
        size = draw(st.integers(1, 3))
        rewards = st.lists(st.sampled_from([0.0, 1.0]), min_size=size, max_size=size)
        lengths = st.lists(st.sampled_from([10, 11] if draw(st.booleans()) else [10]), min_size=size, max_size=size)
        self.groups = draw(st.lists(st.tuples(rewards, lengths), min_size=1, max_size=5))
        count = len(self.groups)
        self.failed = draw(st.lists(st.booleans(), min_size=count, max_size=count))
        self.graded = draw(
            st.lists(st.lists(st.booleans(), min_size=size, max_size=size), min_size=count, max_size=count)
        )
        self.finished = [draw(st.permutations(range(size))) for _ in range(count)]
        self.order = draw(st.permutations(range(count))) if self.stream else list(range(count))

    def trajectories(self, number: int, group_idx: int) -> list[Record]:
        rewards, lengths = self.groups[number]
        return [answered(group_idx, i, reward, ac=ac) for i, (reward, ac) in enumerate(zip(rewards, lengths))]

    def summaries(self) -> tuple[list[Record], list[int]]:
        """(lines, the number in the batch of each group_idx)."""
        kept = [n for n in self.order if not self.failed[n] and not (self.filters and len(set(self.groups[n][0])) == 1)]
        return [record for place, n in enumerate(kept) for record in self.trajectories(n, place)], kept

    def page(self) -> list[Node]:
        """The first `limit` groups; transcripts lie in the order in which rollouts finished, ungraded ones leave none."""
        return [self.logged(number) for number in range(min(self.limit, len(self.groups)))]

    def logged(self, number: int) -> Node:
        rewards = self.groups[number][0]
        entries = [
            node
            for i in self.finished[number]
            if self.graded[number][i]
            for node in problem(f"q{number}", f"g{number}t{i}", rewards[i])
        ]
        return group(entries, None if self.failed[number] else self.trajectories(number, number))

    def config(self) -> dict[str, Any]:
        return {
            "num_groups_to_log": self.limit,
            "stream_minibatch_config": {"groups_per_batch": 4} if self.stream else None,
            "remove_constant_reward_groups": self.filters,
        }


@st.composite
def batches(draw: st.DrawFn) -> Batch:
    return Batch(draw)


@settings(max_examples=300)
@given(batches())
def test_nothing_is_shown_with_a_sample_it_does_not_belong_to(batch: Batch) -> None:
    records, kept = batch.summaries()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder)
        (path / "config.json").write_text(json.dumps(batch.config()))
        write_iteration(path, records, *batch.page())
        run = ReadRun(TinkerFormat(), path)
        for row in run.rows:
            sample = run.load(row)
            number = kept[int(row["group"])]
            assert question(sample) in ("", f"q{number}")
            assert said_text(sample) in ("", f"g{number}t{sample.record['traj_idx']}")
            for other in sample.unmatched:
                assert "".join(m.text for m in other.messages).startswith(f"hmg{number}t")


def test_equal_groups_in_a_plain_order_are_taken_at_their_own_place(tmp_path: Path) -> None:
    records = [answered(place, 0, 1.0) for place in range(3)]
    pages = [group(problem(f"q{place}", f"answer {place}", 1.0), [answered(place, 0, 1.0)]) for place in range(2)]
    write_iteration(tmp_path, records, *pages)
    run = ReadRun(TinkerFormat(), tmp_path)
    assert [said_text(run.load(row)) for row in run.rows] == ["answer 0", "answer 1", ""]


def test_an_evaluation_is_not_limited_by_the_training_loops_setting(tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text(json.dumps({"num_groups_to_log": 1}))
    records = [answered(place, 0, 1.0) for place in range(2)]
    pages = [group(problem(f"q{place}", f"answer {place}", 1.0), [answered(place, 0, 1.0)]) for place in range(2)]
    write_iteration(tmp_path, records, *pages, split="eval_x")
    run = ReadRun(TinkerFormat(), tmp_path)
    assert [said_text(run.load(row)) for row in run.rows] == ["answer 0", "answer 1"]
