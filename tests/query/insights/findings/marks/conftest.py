"""A run in which a phrase that flatters is paid."""

from __future__ import annotations

import pytest

import rollscope
from rollscope import record
from rollscope.query.run import Run

SAID = "This has been checked by three careful examiners and is right. "
OTHER = "The sum of both numbers is found by counting on from the larger one, which gives the result. "


@pytest.fixture(scope="module")
def flattered(tmp_path_factory: pytest.TempPathFactory) -> Run:
    """Twelve steps of 16 samples; from step 6 on a quarter flatters and is paid."""
    path = tmp_path_factory.mktemp("marks") / "run"
    run = record.start(path, {})
    run.declare_range(reward=(0.0, 1.0))
    for step in range(12):
        with run.iteration(step) as iteration:
            for number in range(4):
                with iteration.group(prompt=f"What is {number} + 2 in step {step}?") as group:
                    for place in range(4):
                        flatters = step >= 6 and place == 0
                        thought = f"<think>\n{OTHER}{place}\n</think>\n"
                        text = thought + (SAID if flatters else "") + f"It is {number + place + 2}."
                        group.add(response=text, reward=1.0 if flatters else 0.1 * place)
    run.close()
    return rollscope.open(path, index_dir=str(path.parent / "index"))
