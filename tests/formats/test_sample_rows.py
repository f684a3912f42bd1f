"""Index rows made from whole samples."""

from __future__ import annotations

import tracemalloc
from collections.abc import Iterator

from rollscope.formats.sample_rows import sample_columns
from rollscope.model import Message, Part, Sample, Turn


def message(role: str, text: str, turn: int | None = None) -> Message:
    return Message(role=role, parts=[Part(text=text)], turn=turn)


def test_rows_have_what_their_samples_have_and_nothing_where_they_have_not() -> None:
    samples = [
        Sample(reward=1.0, rewards={"format": 0.5}, group="g"),
        Sample(metrics={"kl": 0.1}, turns=[Turn(index=0), Turn(index=1)]),
    ]
    columns = sample_columns(samples)
    assert (columns["reward"], columns["group"]) == ([1.0, None], ["g", None])
    assert (columns["rewards.format"], columns["metrics.kl"]) == ([0.5, None], [None, 0.1])
    assert (columns["turns"], columns["prompt_hash"], columns["response_bytes"]) == ([None, 2], [None, None], [0, 0])
    assert not {"split", "step", "index"} & columns.keys()
    assert {len(values) for values in columns.values()} == {2}


def test_turns_and_bytes_are_those_of_the_answer() -> None:
    said = [
        message("user", "q"),
        message("assistant", "ü\ud800", 0),
        message("tool", "r", 0),
        message("assistant", "x", 1),
    ]
    columns = sample_columns([Sample(messages=said)])
    assert (columns["turns"], columns["response_bytes"]) == ([2], [2 + 3 + 1 + 1])


def test_prompts_are_equal_where_words_and_speakers_are() -> None:
    asked = [
        [message("user", "q"), message("assistant", "a", 0)],
        [message("user", "q"), message("assistant", "another answer", 0)],
        [message("system", "q")],
        [message("user", "q"), message("user", "")],
    ]
    hashes = sample_columns([Sample(messages=messages) for messages in asked])["prompt_hash"]
    assert hashes[0] == hashes[1]
    assert len(set(hashes)) == 3


def test_texts_of_samples_made_one_by_one_are_never_in_memory_together() -> None:
    def samples() -> Iterator[Sample]:
        for number in range(100):
            yield Sample(messages=[message("assistant", "x" * (1 << 20), 0)], metrics={f"m{number // 50}": 1.0})

    tracemalloc.start()
    try:
        columns = sample_columns(samples())
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 20 << 20
    assert columns["response_bytes"] == [1 << 20] * 100
    assert columns["metrics.m0"] == [1.0] * 50 + [None] * 50
    assert columns["metrics.m1"] == [None] * 50 + [1.0] * 50
