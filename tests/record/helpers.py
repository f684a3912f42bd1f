"""What the recorder's tests share: reading a run back, and small recorded runs."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from rollscope import record


def lines(path: Path) -> list[dict[str, Any]]:
    """A JSONL file, strictly: every line is whole, and NaN is no JSON."""

    def refuse(token: str) -> Any:
        raise AssertionError(f"{path.name} holds a bare {token}")

    content = path.read_text("utf-8")
    assert content == "" or content.endswith("\n")
    return [json.loads(line, parse_constant=refuse) for line in content.splitlines()]


def rollouts(directory: Path, step: int = 0, split: str = "train") -> list[dict[str, Any]]:
    return lines(directory / f"{split}_iteration_{step:06d}_rollouts.jsonl")


def logtree_of(directory: Path, step: int = 0, split: str = "train") -> Any:
    return json.loads((directory / f"{split}_iteration_{step:06d}_logtree.json").read_text("utf-8"))["root"]


def one_sample(directory: Path, /, messages: Any = None, **fields: Any) -> dict[str, Any]:
    """The line that one recorded sample becomes."""
    with record.start(directory) as run, run.iteration(0) as iteration:
        iteration.add(messages, **fields)
    [line] = rollouts(directory)
    return line


def record_steps(directory: Path, steps: int = 2, *, groups: int = 2, samples: int = 2, **options: Any) -> record.Run:
    """A small run with a reward that differs within each group, and an evaluation at each step."""
    run = record.start(directory, {"learning_rate": 1e-4}, total_steps=steps, **options)
    for step in range(steps):
        with run.iteration(step) as iteration:
            for number in range(groups):
                with iteration.group(prompt=f"What is {number} + 1?", env="sums") as group:
                    for place in range(samples):
                        group.add(
                            response=f"It is {number + place}.",
                            reward=float(place == 1),
                            metrics={"correct": place == 1},
                            prompt_tokens=5,
                            completion_tokens=4,
                        )
            iteration.log_metrics({"optim/lr": 1e-4, "entropy": 0.5})
        with run.evaluation("test", step) as evaluation:
            evaluation.add(prompt="What is 2 + 2?", response="4", reward=1.0)
    return run
