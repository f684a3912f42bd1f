"""A small run whose every word is known: sums with rewards of all kinds, one conversation with tools, discarded groups,
an eval set. Written through the recorder, as a user's would be."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from rollscope import record

STEPS = 5
#: Rewards of the four samples of each kept group: all the same, all different, half and half.
REWARDS = {"easy": (1.0, 1.0, 1.0, 1.0), "hard": (0.0, 0.25, 0.5, 1.0), "even": (1.0, 0.0, 1.0, 0.0)}
LENGTHS = (120, 80, 240, 60)

#: What the first sample of step 2 says: everything the Render menu has a switch for.
FORMATTED = r"""Here is the **plan** for `x`:

| sum | ways |
|----:|-----:|
| 9 | 4 |
| 10 | 3 |

- inline $a^2 + b^2$ and \(c^2\)
- it costs $5.00, not $6.00

$$
\int_0^1 x\,dx = \tfrac12
$$

\[ E = mc^2 \]

```python
def double(n):
    return 2 * n  # twice
```

[a link](https://example.org/secret) and ![a picture](https://example.org/p.png)

The answer is \boxed{19}."""

CONVERSATION: list[dict[str, Any]] = [
    {"role": "system", "content": "You may use the calculator."},
    {"role": "user", "content": "How much is 17 times 24?"},
    {
        "role": "assistant",
        "reasoning_content": "I should not do this in my head.",
        "content": "Let me ask the calculator.",
        "tool_calls": [
            {"id": "c1", "function": {"name": "calculator", "arguments": '{"expression": "17 * 24"}'}},
        ],
    },
    {"role": "tool", "name": "calculator", "tool_call_id": "c1", "content": "408"},
    {"role": "assistant", "content": r"It is \boxed{408}."},
]


def write_school(directory: Path) -> Path:
    config = {"learning_rate": 5e-7, "model": "tiny"}
    with record.start(directory, config, total_steps=STEPS, code_dir=directory.parent) as run:
        run.declare_range("sums", reward=(0, 1), metrics={"correct": (0, 1)})
        for step in range(STEPS):
            with run.iteration(step) as iteration:
                for name, rewards in REWARDS.items():
                    with iteration.group(name, prompt=f"An {name} sum of step {step}.", env="sums") as group:
                        for number, reward in enumerate(rewards):
                            group.add(
                                response=_response(step, name, number),
                                reward=reward,
                                rewards={"answer": reward, "format": 0.5},
                                metrics={"correct": float(reward == 1)},
                                advantage=reward - sum(rewards) / len(rewards),
                                golden_answers="19" if name == "easy" else "27",
                                completion_tokens=LENGTHS[number],
                                prompt_tokens=12,
                                sampling_step=max(0, step - 1),
                                stop_reason="length" if number == 2 else "stop",
                            )
                _discarded(iteration, step)
                if step == STEPS - 1:
                    _tools(iteration)
            if step in (0, STEPS - 1):
                _evaluate(run, step)
    return directory


def _response(step: int, name: str, number: int) -> str:
    if step == 2 and name == "easy" and number == 0:
        return FORMATTED
    return f"Answer {number} to the {name} sum of step {step}."


def _discarded(iteration: record.Iteration, step: int) -> None:
    for reason, name in (("async_staleness", "stale"), ("zero_advantage", "flat")):
        if name == "flat" and step % 2:
            continue
        with iteration.group(name, prompt=f"A {name} sum of step {step}.", env="sums") as group:
            for _ in range(2):
                group.add(response=f"Thrown away in step {step}.", reward=0.5, discard_reason=reason)


def _tools(iteration: record.Iteration) -> None:
    with iteration.group("tools", env="calculator") as group:
        turns: list[dict[str, Any]] = [
            {
                "reward": 0.0,
                "completion_tokens": 31,
                "timings": {"sampling": 3.1},
                "logs": {"verifier": "asked a tool"},
            },
            {"reward": 1.0, "completion_tokens": 9},
        ]
        group.add(CONVERSATION, reward=1.0, turns=turns, golden_answers={"answer": "408"}, completion_tokens=40)
        group.add(CONVERSATION[:3], reward=0.0, stop_reason="length", completion_tokens=31)


def _evaluate(run: record.Run, step: int) -> None:
    with run.evaluation("AIME 24", step) as iteration:
        for problem in range(2):
            with iteration.group(problem, prompt=f"Problem {problem} of the exam.", env="exam") as group:
                for number in range(2):
                    right = step > 0 and (problem + number) % 2 == 0
                    group.add(response=f"Try {number} at problem {problem}.", reward=float(right))
