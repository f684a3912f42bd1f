"""Two small runs whose curves are known to the last point, for the tests of charts."""

from __future__ import annotations

import math
from pathlib import Path

from rollscope import record

STEPS = 40
#: Where `optim/grad_norm` leaves the chart: forty times and more beyond its usual 1.0.
SPIKES = {7: 90.0, 19: 400.0, 31: 55.0}
#: The steps at which `entropy` was NaN.
UNKNOWN = range(20, 24)

DIFF = """diff --git a/train.py b/train.py
--- a/train.py
+++ b/train.py
@@ -1,3 +1,3 @@
 import rollscope
-lr = 5e-7
+lr = 4e-5
 print("<script>alert(1)</script>")
"""


def write_charted_run(directory: Path, *, learning_rate: float = 4e-5, steps: int = STEPS) -> Path:
    """Four samples a step in two groups; one step takes a minute by the run's own clock."""
    now = 1_790_000_000.0

    def clock() -> float:
        return now

    config = {"learning_rate": learning_rate, "dataset": {"name": "sums", "group_size": 2}, "seed": 7}
    with record.start(directory, config, total_steps=steps, clock=clock, code_dir=directory.parent) as run:
        run.declare_range(reward=(0, 1))
        for step in range(steps):
            now += 60
            with run.iteration(step) as iteration:
                for number in range(2):
                    with iteration.group(prompt=f"What is {number} + {step}?", env="sums") as group:
                        for attempt in range(2):
                            right = (step + number + attempt) % 3 > 0
                            said = f"I counted. The answer is {number + step if right else 'unknown'}."
                            group.add(response=said, reward=float(right))
                iteration.log_metrics(
                    {
                        "optim/grad_norm": SPIKES.get(step, 1.0 + 0.1 * math.sin(step)),
                        "optim/lr": learning_rate,
                        "entropy": math.nan if step in UNKNOWN else 2.0 - step / 40,
                        "loss": 500.0 if step == 0 else 1.0 / step,
                    }
                )
            if step % 10 == 9:
                run.checkpoint(f"{step:06d}", step=step, state_path=f"/weights/{step:06d}")
    (directory / "code.diff").write_text(DIFF, encoding="utf-8")
    with (directory / "train_iteration_000003_rollouts.jsonl").open("a", encoding="utf-8") as file:
        file.write("{broken\n")
    return directory
