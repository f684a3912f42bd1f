"""A small run for the terminal viewer, written through the real recorder: same bytes of text every time."""

from __future__ import annotations

import json
from pathlib import Path

from rollscope import record
from rollscope.render import split_parts

STEPS, GROUPS, SIZE = 6, 3, 4

TOOL_CALL = '<tool_call>\n{"name": "calculator", "arguments": {"expression": "12 * 7"}}\n</tool_call>'


def response(step: int, group: int, place: int) -> str:
    thinking = f"<think>\nLet me see. Step {step}, group {group}, try {place}: twelve times seven.\n</think>\n\n"
    if place == 1:
        return thinking + TOOL_CALL
    word = "zebra" if (step, group, place) in ((0, 1, 2), (3, 0, 3)) else "horse"
    return thinking + f"# Result\n\nThe answer is **{80 + place}**, says the {word}.\n\n<answer>{80 + place}</answer>"


def write_run(directory: Path, steps: int = STEPS) -> Path:
    """Six steps of three groups of four; in each step the third group is discarded; two eval sets at steps 0 and 5."""
    run = record.start(directory, {"lr": 1e-6})
    run.declare_range(reward=(0.0, 1.0))
    for step in range(steps):
        with run.iteration(step) as iteration:
            _groups(iteration, step, GROUPS)
    for name in ("aime24", "gsm8k"):
        for step in (0, steps - 1):
            with run.evaluation(name, step) as iteration:
                _groups(iteration, step, 1)
    run.close()
    assert run.errors == 0, run.last_error
    return directory


def _groups(iteration: record.Iteration, step: int, groups: int) -> None:
    for number in range(groups):
        prompt = [
            {"role": "system", "content": "Be brief."},
            {"role": "user", "content": f"What is 12 × {7 + number}?"},
        ]
        with iteration.group(prompt=prompt, env="arithmetic") as group:
            for place in range(SIZE):
                sample = group.add(
                    response=[record.Message(role="assistant", parts=split_parts(response(step, number, place)))],
                    reward=round((place + step / 2) / 6, 3),
                    advantage=place - 1.5,
                    metrics={"correct": float(place == 3), "length": 10.0 * place},
                    golden_answers={"answer": "84"},
                    status="truncated" if place == 2 else "completed",
                    prompt_tokens=20,
                    completion_tokens=100 - 10 * place + step,
                )
                if number == 2 and iteration.split == "train":
                    sample.discard(record.ZERO_ADVANTAGE)


def relax_line(step: int, index: int, response_text: str, **others: object) -> str:
    """One line as Relax writes it."""
    return json.dumps(
        {
            "rollout_id": step,
            "sample_index": index,
            "group_index": index // 4,
            "prompt": "<|im_start|>user\nSay something.<|im_end|>\n<|im_start|>assistant\n",
            "response": response_text,
            "reward": index % 4 / 4,
            "response_length": len(response_text),
            "total_length": len(response_text) + 10,
            "status": "completed",
            **others,
        }
    )
