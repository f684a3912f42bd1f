"""What every format is unless it says otherwise, and the texts of a sample."""

from __future__ import annotations

import pytest

from rollscope.formats.base import COLUMNS, Format, Source, message_starts, sample_texts
from rollscope.model import Message, Part, Sample
from rollscope.storage.memory import MemoryStore

ASKED = [
    Message(role="system", parts=[Part(type="text", text="Be brief.")]),
    Message(role="user", parts=[Part(type="text", text="What   is\n2 + 2?")]),
]
SAID = [
    Message(role="assistant", turn=0, parts=[Part(type="thinking", text="so"), Part(type="text", text="4")]),
    Message(role="assistant", turn=1, parts=[Part(type="text", text="Yes.")]),
]


class Plain(Format):
    name = "plain"


def test_a_trainer_that_writes_nothing_but_samples_needs_to_say_nothing_else() -> None:
    store, made = MemoryStore.of("plain", {}), Plain()
    assert (made.metric_files(store), list(made.metrics(store)), made.config(store)) == ([], [], None)
    assert (made.checkpoints(store), made.ranges(store), made.code_diff(store), made.reports(store)) == (
        [],
        {},
        None,
        [],
    )
    assert (made.runs(store), made.run_name(store), made.finished(store)) == ((), None, None)
    source = Source(path="a")
    assert made.source_now(store, source) is source
    assert made.with_mapping({"reward": "r"}) is None


def test_one_of_several_runs_of_a_folder_is_a_format_of_its_own() -> None:
    made = Plain()
    assert (made.of_run("b").part, made.part) == ("b", "")


def test_the_starts_are_of_the_last_question_and_the_first_answer() -> None:
    assert message_starts([*ASKED, *SAID], 100) == [("prompt", "What is 2 + 2?"), ("response", "so 4")]
    assert message_starts([*ASKED, *SAID], 6) == [("prompt", "What"), ("response", "so 4")]
    assert message_starts(ASKED[:1], 100) == [("prompt", "Be brief.")], "without a user, what was said last"
    assert message_starts([], 100) == []


def test_the_texts_that_are_searched_are_prompt_response_and_every_golden_answer() -> None:
    texts = sample_texts(Sample(messages=[*ASKED, *SAID], golden_answers={"a": "4", "b": "four", "c": ""}))
    assert [name for name, _ in texts] == ["prompt", "response", "golden", "golden"]
    found = dict(texts[:2])
    assert found["prompt"] == "Be brief.\nWhat   is\n2 + 2?"
    assert "4" in found["response"]
    assert "Yes." in found["response"]


def test_an_empty_answer_is_an_answer_and_a_missing_one_is_not() -> None:
    empty = Message(role="assistant", turn=0, parts=[Part(type="text", text="")])
    assert ("response", "") in sample_texts(Sample(messages=[*ASKED, empty]))
    assert [name for name, _ in sample_texts(Sample(messages=ASKED))] == ["prompt"]


@pytest.mark.parametrize(("name", "kind"), [("reward", "float64"), ("step", "int64"), ("tags", "list<string>")])
def test_columns_of_a_scan_follow_the_table_of_fields(name: str, kind: str) -> None:
    assert COLUMNS[name] == kind
    assert "index" not in COLUMNS, "a sample's number in its step is counted, not read"
