"""The documented JSON Schema, the Structs and the lines on disk say the same."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from tests.fixtures import REPOSITORY
from tests.record.helpers import lines, one_sample, rollouts

from rollscope import record
from rollscope.model import STATUSES, Message, Part, TokenArrays, Turn
from rollscope.record.demo import write_demo
from rollscope.record.samples.schema import RolloutLine


@pytest.fixture(scope="module")
def schema() -> Any:
    return json.loads((REPOSITORY / "docs" / "rollouts.schema.json").read_text("utf-8"))


@pytest.fixture(scope="module")
def validator(schema: Any) -> Any:
    jsonschema.Draft202012Validator.check_schema(schema)
    return jsonschema.Draft202012Validator(schema)


def test_the_schema_names_the_fields_in_the_order_of_the_line(schema: Any) -> None:
    assert tuple(schema["properties"]) == RolloutLine.__struct_fields__
    required = [
        name for name, default in zip(RolloutLine.__struct_fields__, _defaults(RolloutLine)) if default is REQUIRED
    ]
    assert schema["required"] == required
    assert schema["properties"]["status"]["enum"] == list(STATUSES)


@pytest.mark.parametrize(
    ("name", "struct"), [("part", Part), ("message", Message), ("turn", Turn), ("tokens", TokenArrays)]
)
def test_the_schema_names_the_fields_of_what_is_inside(schema: Any, name: str, struct: Any) -> None:
    assert set(schema["$defs"][name]["properties"]) == set(struct.__struct_fields__)


REQUIRED = object()


def _defaults(struct: Any) -> list[Any]:
    import msgspec

    return [
        REQUIRED if field.default is msgspec.NODEFAULT and field.default_factory is msgspec.NODEFAULT else None
        for field in msgspec.structs.fields(struct)
    ]


def test_a_full_line_is_valid(tmp_path: Path, validator: Any) -> None:
    line = one_sample(
        tmp_path,
        [
            {"role": "system", "content": "be brief", "tokens": 2},
            {"role": "user", "content": [{"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA"}}]},
            {
                "role": "assistant",
                "reasoning_content": "hm",
                "tool_calls": [{"id": "1", "function": {"name": "f", "arguments": "{}"}}],
            },
            {"role": "tool", "tool_call_id": "1", "content": "ok"},
            {"role": "assistant", "content": "done", "trainable": True},
        ],
        reward=float("nan"),
        rewards={"a": 1},
        advantage=0.5,
        metrics={"m": float("inf")},
        golden_answers="42",
        stop_reason="stop",
        discard_reason="async_staleness",
        sampling_step=0,
        env="e",
        dataset="d",
        tags=["t"],
        prompt_id="p",
        prompt_tokens=1,
        completion_tokens=2,
        turns=[{"reward": 1, "metrics": {"x": 1}, "logs": {"l": [1]}, "stop_reason": "stop", "timings": {"s": 1}}],
        tokens={"ids": [1], "strings": ["a"], "logprobs": [-1.0], "entropy": [0.1], "mask": [1], "advantage": [0.5]},
        timings={"sampling": 1},
    )
    validator.validate(line)
    assert list(line) == [name for name in RolloutLine.__struct_fields__ if name in line]


def test_every_line_of_a_demo_run_is_valid(tmp_path: Path, validator: Any) -> None:
    write_demo(tmp_path, steps=2)
    checked = 0
    for path in tmp_path.glob("*_rollouts.jsonl"):
        for line in lines(path):
            validator.validate(line)
            checked += 1
    assert checked > 100


def test_the_schema_refuses_what_a_reader_could_not_use(tmp_path: Path, validator: Any) -> None:
    line = one_sample(tmp_path, prompt="q", response="a")
    for wrong in ({"split": "test set"}, {"step": -1}, {"status": "fine"}, {"unknown": 1}, {"reward": "high"}):
        with pytest.raises(jsonschema.ValidationError):
            validator.validate({**line, **wrong})


def test_lines_of_an_evaluation_carry_its_split(tmp_path: Path, validator: Any) -> None:
    with record.start(tmp_path) as run, run.evaluation("AIME 2025", 3) as evaluation:
        evaluation.add(prompt="q", response="a")
    [line] = rollouts(tmp_path, 3, "eval_AIME_2025")
    validator.validate(line)
    assert line["split"] == "eval/AIME_2025"
