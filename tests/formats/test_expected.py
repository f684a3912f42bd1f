"""The comparison with expected samples can fail, and fails for the right reasons."""

from __future__ import annotations

from typing import Any

import pytest
from tests.formats.expected import assert_samples, response_tails

from rollscope.model import Message, Part, Sample


def sample(group: str, reward: float | None, text: str, *, split: str = "train", step: int = 1) -> Sample:
    message = Message(role="assistant", parts=[Part(text=text)], turn=0)
    return Sample(split=split, step=step, group=group, reward=reward, messages=[message])


def wanted(group: str | None, reward: float | None, tail: str | None, **changes: Any) -> dict[str, Any]:
    base = {"split": "train", "kind": "train", "step": 1, "discarded": False, "advantage": None}
    return {**base, "group": group, "reward": reward, "response_tail": tail, **changes}


def test_equal_samples_in_any_order_agree() -> None:
    assert_samples([sample("x", 1.0, "b"), sample("x", 0.0, "a")], [wanted("1", 0.0, "a"), wanted("1", 1.0, "b")])


def test_null_agrees_with_anything_and_is_matched_last() -> None:
    found = [sample("x", 1.0, "a"), sample("x", 2.0, "a")]
    assert_samples(found, [wanted("1", None, "a"), wanted("1", 1.0, "a")])


@pytest.mark.parametrize(
    "expected",
    [
        [wanted("1", 0.5, "a")],
        [wanted("1", 1.0, "b")],
        [wanted("1", 1.0, "a", step=2)],
        [wanted("1", 1.0, "a", split="eval/x", kind="eval")],
        [wanted("1", 1.0, "a", discarded=True)],
        [wanted("1", 1.0, "a", advantage=0.5)],
        [wanted("1", 1.0, "a"), wanted("1", 1.0, "a")],
        [],
    ],
)
def test_anything_else_is_told(expected: list[dict[str, Any]]) -> None:
    with pytest.raises(AssertionError):
        assert_samples([sample("x", 1.0, "a")], expected)


def test_groups_are_a_partition() -> None:
    expected = [wanted("1", 1.0, "a"), wanted("1", 0.0, "b"), wanted("2", 1.0, "c")]
    assert_samples([sample("q", 1.0, "a"), sample("q", 0.0, "b"), sample("p", 1.0, "c")], expected)
    with pytest.raises(AssertionError, match="not their groups"):
        assert_samples([sample("q", 1.0, "a"), sample("p", 0.0, "b"), sample("p", 1.0, "c")], expected)


def test_a_tail_is_what_follows_the_thoughts() -> None:
    assert response_tails(sample("x", 1.0, "<think>so</think>The answer is 4.<|im_end|>\n")) == {"The answer is 4."}
