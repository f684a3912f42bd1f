"""Episodes made of verifiers' own classes, recorded and read back. `make test-verifiers` installs the package."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import rollscope
from rollscope import record
from rollscope.record.integrations.verifiers import record_episode

pytestmark = [pytest.mark.verifiers, pytest.mark.filterwarnings("default")]


@pytest.fixture(autouse=True, scope="module")
def needs_verifiers() -> None:
    pytest.importorskip("verifiers", reason="verifiers is not installed: make test-verifiers")


def _episode(run: Any, *, tokens: bool, **more: Any) -> Any:
    from verifiers.v1.episode import EnvInfo, Episode, GroupInfo
    from verifiers.v1.graph import MessageNode
    from verifiers.v1.trace import ModelCall, Reward, Trace, TraceTask
    from verifiers.v1.types import AssistantMessage, ToolCall, ToolMessage, Usage, UserMessage

    task = {"type": "Sum", "data": {"idx": 0, "prompt": "1+1?", "answer": "2"}, "key": "sum-0"}
    call = ToolCall(id="c", name="add", arguments='{"a": 1}')
    said = [
        (UserMessage(content="1+1?"), [1, 2], [False, False], []),
        (AssistantMessage(content="", reasoning_content="hm", tool_calls=[call]), [3, 4], [False, True], [-0.5]),
        (ToolMessage(content="2", tool_call_id="c"), [5], [False], []),
        (AssistantMessage(content="two"), [6], [True], [-0.25]),
    ]
    nodes = [
        MessageNode(
            parent=place - 1 if place else None,
            message=message,
            sampled=message.role == "assistant",
            **({"token_ids": ids, "mask": mask, "logprobs": logprobs} if tokens else {}),
            **({"advantages": [0.5] * len(logprobs)} if tokens and logprobs else {}),
        )
        for place, (message, ids, mask, logprobs) in enumerate(said)
    ]
    usage = Usage(prompt_tokens=2, completion_tokens=1)
    trace: Any = Trace.model_construct(
        task=TraceTask[Any].model_validate(task),
        agent=None,
        nodes=nodes,
        calls=[ModelCall(node=1, usage=usage), ModelCall(node=3, usage=usage, finish_reason="length")],
        rewards={"correct": Reward(score=1.0, weight=0.5), "judge": None},
        metrics={"turns": 2.0, "none": None},
        is_completed=True,
        ok=True,
        stop_condition="agent_completed",
    )
    return Episode[Any, Any, Any].model_construct(
        id="e",
        env=EnvInfo(id="sums"),
        task=TraceTask[Any].model_validate(task),
        group=GroupInfo(id="g1"),
        run=run,
        ok=True,
        traces=[trace],
        **more,
    )


@pytest.mark.usefixtures("with_tokens")
def test_their_own_objects_are_recorded_whole(tmp_path: Path) -> None:
    from verifiers.v1.episode import PolicySpan, TrainRunInfo, TrainWorkInfo

    work = TrainWorkInfo(step=5, policy=PolicySpan(start=3, end=4))
    with record.start(tmp_path, strict=True) as run:
        record_episode(run, _episode(TrainRunInfo(id="r", work=work), tokens=True))
    opened = rollscope.open(tmp_path)
    (row,) = opened.samples(split="train", step=5).rows
    sample = opened.sample(row.address)
    assert [message.role for message in sample.messages] == ["user", "assistant", "tool", "assistant"]
    assert [part.type for part in sample.messages[1].parts] == ["thinking", "tool_call"]
    assert (row.reward, sample.rewards, row.advantage, row.group) == (0.5, {"correct": 1.0}, 0.5, "g1")
    assert (row.prompt_tokens, row.completion_tokens, row.total_tokens) == (2, 2, 6)
    assert (row.status, row.stop_reason, row.sampling_step, row.env) == ("truncated", "agent_completed", 3, "sums")
    assert sample.golden_answers == {"answer": "2"}
    assert sample.tokens is not None
    assert (sample.tokens.ids, sample.tokens.mask) == ([3, 4, 5, 6], [0, 1, 0, 1])


def test_an_evaluation_of_a_training_run_has_the_provider_s_counts(tmp_path: Path) -> None:
    from verifiers.v1.episode import EvalWorkInfo, TrainRunInfo

    with record.start(tmp_path, strict=True) as run:
        record_episode(run, _episode(TrainRunInfo(id="r", work=EvalWorkInfo(step=7)), tokens=False))
    (row,) = rollscope.open(tmp_path).samples(split="eval/sums", step=7).rows
    assert (row.prompt_tokens, row.completion_tokens, row.total_tokens) == (2, 2, None)
