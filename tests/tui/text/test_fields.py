"""The list of a sample's fields: which it has, in which order, and what each says."""

from __future__ import annotations

from typing import Any

from rollscope.model import Message, Part, Sample, Turn
from rollscope.tui.text.fields import as_text, field_names, field_value, is_field, shown_at_first, text_of


def sample(**fields: Any) -> Sample:
    return Sample(address="train/0/0", split="train", **fields)


def said(role: Any, text: str, turn: int | None) -> Message:
    return Message(role=role, turn=turn, parts=[Part(type="text", text=text)])


def test_texts_come_first_then_scores_then_the_rest_then_what_the_run_brought() -> None:
    names = field_names(
        sample(
            messages=[said("user", "2 + 2?", None), said("assistant", "4", 0)],
            env="math",
            reward=1.0,
            golden_answers={"answer": "4"},
            metrics={"correct": 1.0},
            timings={"generate": 2.0},
        )
    )
    assert names[:3] == ["prompt", "response", "golden_answers"]
    assert names.index("reward") < names.index("env")
    assert names[-2:] == ["metrics.correct", "timings.generate"]


def test_a_field_without_a_value_is_not_listed_and_zero_is_a_value() -> None:
    names = field_names(sample(reward=0.0, completion_tokens=0, tags=[], attempt=0))
    assert {"reward", "completion_tokens"} <= {*names}
    assert not {"prompt", "response", "env", "tags", "attempt", "advantage"} & {*names}
    assert "attempt" in field_names(sample(attempt=2))


def test_a_number_that_is_not_finite_is_shown_as_the_source_has_it() -> None:
    made = sample(reward=None, nonfinite={"reward": "NaN", "metrics.kl": "-Infinity"}, metrics={"kl": None})
    assert {"reward", "metrics.kl"} <= {*field_names(made)}
    assert (field_value(made, "reward"), field_value(made, "metrics.kl")) == ("NaN", "-Infinity")


def test_values_read_as_people_write_them() -> None:
    assert as_text(None) == "–"
    assert as_text(True) == "true"
    assert as_text(["a", "b"]) == "a, b"
    assert as_text({"a": [1, None]}) == '{"a":[1,null]}'
    assert field_value(sample(advantage=0.5), "advantage").startswith("+")


def test_golden_answers_are_named_only_where_there_are_several() -> None:
    assert text_of(sample(golden_answers={"answer": "4"}), "golden_answers") == "4"
    assert text_of(sample(golden_answers={"a": "4", "b": "5"}), "golden_answers") == "a: 4\nb: 5"


def test_a_turn_says_its_numbers_on_one_line() -> None:
    made = sample(turns=[Turn(index=0, reward=0.5, stop_reason="stop"), Turn(index=1)])
    assert text_of(made, "turns").split("\n") == ["reward 0.5 · stop stop", ""]


def test_where_a_sample_lies_is_hidden_at_first() -> None:
    assert not shown_at_first("source.file")
    assert not shown_at_first("timings.generate")
    assert not shown_at_first("attempt")
    assert not shown_at_first("prompt_id")
    assert shown_at_first("metrics.correct")
    assert is_field("metrics.correct")
    assert not is_field("offset")
