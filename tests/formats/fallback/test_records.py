"""Which files and lines hold samples, and how many."""

from __future__ import annotations

from rollscope.formats.base import Source
from rollscope.formats.fallback.records import Line, is_whole, may_belong, may_hold_samples, parts_of, tells
from rollscope.formats.mapping import KeyMapping, to_note


def source(path: str, **keys: str) -> Source:
    return Source(path=path, note=to_note(KeyMapping(keys=keys)))


def test_lines_hold_samples_with_one_text_and_tables_with_both() -> None:
    asked = {"prompt": "question"}
    assert may_hold_samples(source("a.jsonl", **asked))
    assert not may_hold_samples(source("a.parquet", **asked))
    assert is_whole(source("a.parquet", **asked, response="out"))


def test_questions_alone_belong_to_a_run_unless_others_are_answered() -> None:
    asked = source("a.jsonl", prompt="question")
    assert (may_belong(asked, beside_whole=False), may_belong(asked, beside_whole=True)) == (True, False)
    assert may_belong(source("a.jsonl", prompt="question", reward="score"), beside_whole=True)


def test_a_reward_without_a_text_is_a_sample_unless_the_line_is_of_another_kind() -> None:
    mapping = KeyMapping(keys={"prompt": "q", "response": "a", "reward": "r"}, kind=("type", "rollout"))
    said = [{"type": "rollout", "r": 1.0}, {"type": "metrics", "r": 1.0}, {"type": "metrics", "q": "2+2?", "r": 1.0}]
    assert [tells(Line(record, [record]), mapping, "") for record in said] == [True, False, True]


def test_a_record_is_one_sample_or_those_it_lists() -> None:
    assert parts_of({"prompt": "q", "response": "a"}, KeyMapping()) == [{"prompt": "q", "response": "a"}]
    found = parts_of({"prompt": "q", "samples": ["a", "b"], "scores": [0, 1]}, KeyMapping())
    assert [(part["samples"], part["scores"]) for part in found] == [("a", 0), ("b", 1)]
