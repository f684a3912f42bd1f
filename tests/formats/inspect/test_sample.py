"""A sample of Inspect's logs."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tests.formats.inspect.test_inspect import CHAT, HEADER, sample, write_eval
from tests.formats.opened import opened, texts


def test_attachments_are_put_back_in_their_place(tmp_path: Path) -> None:
    chat = [
        {**CHAT[0], "content": "attachment://x1"},
        {**CHAT[1], "content": [{"type": "text", "text": "attachment://x2"}]},
    ]
    told = sample(messages=chat, target="attachment://x1", attachments={"x1": "a long question", "x2": "a long answer"})
    write_eval(tmp_path / "a.eval", [told, sample("b", messages=[{**CHAT[0], "content": "attachment://gone"}])])
    first, second = opened(tmp_path)
    assert texts(first) == [("user", "a long question"), ("assistant", "a long answer")]
    assert first.golden_answers == {"target": "a long question"}
    assert texts(second) == [("user", "attachment://gone")]


@pytest.mark.parametrize(
    ("scores", "reward", "parts"),
    [
        ({"match": {"value": "P"}}, 0.5, {}),
        ({"match": {"value": "N"}}, 0.0, {}),
        ({"f1": {"value": 0.25}}, 0.25, {}),
        ({"ok": {"value": True}}, 1.0, {}),
        ({"judge": {"value": {"style": 0.5, "score": "C"}}}, 1.0, {"judge/style": 0.5, "judge/score": 1.0}),
        ({"a": {"value": "I"}, "b": {"value": 3}}, 0.0, {"a": 0.0, "b": 3.0}),
        ({"words": {"value": "blue"}}, None, {}),
        (None, None, {}),
    ],
)
def test_scores_are_rewards(tmp_path: Path, scores: Any, reward: float | None, parts: dict[str, float]) -> None:
    write_eval(tmp_path / "a.eval", [sample(scores=scores)])
    (found,) = opened(tmp_path)
    assert (found.reward, found.rewards) == (reward, parts)


@pytest.mark.parametrize(
    ("told", "reward"),
    [
        ({"results": {"headline": {"scorer": "b", "metric": "mean"}, "scores": []}}, 3.0),
        ({"results": {"headline": {"scorer": "c", "score": "style", "metric": "mean"}, "scores": []}}, 0.25),
        ({"eval": {"task": "arithmetic", "headline_metric": {"score": "b"}}}, 3.0),
        ({"results": {"headline": {"scorer": "gone", "score": "gone"}, "scores": []}}, 0.0),
    ],
)
def test_the_headline_says_which_score_counts(tmp_path: Path, told: Any, reward: float) -> None:
    scores = {"a": {"value": "I"}, "b": {"value": 3}, "c": {"value": {"length": 9, "style": 0.25}}}
    write_eval(tmp_path / "a.eval", [sample(scores=scores)], {**HEADER, **told})
    assert [found.reward for found in opened(tmp_path)] == [reward]


def test_errors_limits_and_invalidations(tmp_path: Path) -> None:
    cut = {"choices": [{"stop_reason": "max_tokens"}]}
    rows = [
        sample("error", error={"message": "boom", "traceback": "…"}, scores={}),
        sample("limit", limit={"type": "token", "limit": 100.0}),
        sample("cut", output=cut),
        sample("bad", invalidation={"reason": "wrong prompt"}),
        sample("cancelled", error={"message": "CancelledError('Cancelled via cancel scope 7f')"}, scores={}),
        sample("agent", output={"choices": [{"stop_reason": "tool_calls"}]}, scores={"a": {"value": 1}}),
        sample("unscored", output={"choices": [{"stop_reason": "tool_calls"}]}, scores=None),
    ]
    write_eval(tmp_path / "a.eval", rows)
    found = {str(item.group): item for item in opened(tmp_path)}
    assert (found["error"].status, found["error"].notes) == ("failed", ["Error: boom"])
    assert (found["limit"].status, found["limit"].stop_reason) == ("truncated", "token")
    assert (found["cut"].status, found["cut"].stop_reason) == ("truncated", "max_tokens")
    assert [found[name].status for name in ("cancelled", "agent", "unscored")] == ["aborted", "completed", None]
    assert found["bad"].discard_reason == "invalidated: wrong prompt"


def test_examples_in_the_input_are_the_prompt_and_thoughts_are_thoughts(tmp_path: Path) -> None:
    example = [
        {"role": "user", "content": "1 + 1?", "source": "input"},
        {"role": "assistant", "content": "2", "source": "input"},
    ]
    thought = [{"type": "reasoning", "reasoning": "easy"}, {"type": "text", "text": "4"}]
    logprobs = {"content": [{"token": "4", "logprob": -0.5}]}
    chat = [*example, CHAT[0], {"role": "assistant", "content": thought, "source": "generate"}]
    write_eval(
        tmp_path / "a.eval",
        [sample(messages=chat, output={"choices": [{"stop_reason": "stop", "logprobs": logprobs}]})],
    )
    (found,) = opened(tmp_path)
    assert [message.turn for message in found.messages] == [None, None, None, 0]
    assert [(part.type, part.text) for part in found.messages[-1].parts] == [("thinking", "easy"), ("text", "4")]
    assert found.tokens is not None
    assert (found.tokens.strings, found.tokens.logprobs) == (["4"], [-0.5])
