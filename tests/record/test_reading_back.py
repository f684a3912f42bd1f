"""What the recorder writes, the engine opens: through the command that people use, with nothing wrong."""

from __future__ import annotations

import json
import subprocess
import sys
import textwrap
from pathlib import Path
from typing import Any

from tests.record.helpers import record_steps

from rollscope import record
from rollscope.record.demo import write_demo


def rollscope(*arguments: object) -> Any:
    done = subprocess.run(
        [sys.executable, "-m", "rollscope", *map(str, arguments)],
        check=False,
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout) if "--json" in arguments else done.stdout


def test_a_demo_run_is_sound(tmp_path: Path) -> None:
    write_demo(tmp_path / "demo", steps=12)
    assert "nothing wrong" in rollscope("doctor", tmp_path / "demo")
    [run] = rollscope("ls", tmp_path / "demo", "--json")
    assert run["format"] == "rollscope"
    train = next(split for split in run["splits"] if split["split"] == "train")
    assert (train["steps"], train["samples"] + train["discarded"]) == (12, 12 * 64)
    assert len(run["splits"]) == 4


def test_a_sample_comes_back_as_it_was_recorded(tmp_path: Path) -> None:
    with record.start(tmp_path / "run") as run, run.iteration(4) as iteration:
        iteration.add(
            prompt="q",
            response=[{"role": "assistant", "reasoning_content": "hm", "content": "ü <b>"}],
            reward=float("nan"),
            rewards={"a": 0.5},
            advantage=-1.0,
            metrics={"m": 2},
            golden_answers={"g": "x"},
            sampling_step=1,
            env="e",
            turns=[{"reward": 0.5, "logs": {"note": [1, {"k": "v"}]}}],
        )
    sample = rollscope("show", tmp_path / "run", "train/4/0", "--json")
    assert sample["rewards"] == {"a": 0.5}
    assert sample["nonfinite"]["reward"] == "NaN"
    assert (sample["advantage"], sample["staleness"], sample["env"]) == (-1.0, 3, "e")
    assert sample["golden_answers"] == {"g": "x"}
    assert "".join(part["text"] for part in sample["messages"][1]["parts"]) == "<think>hm</think>ü <b>"
    assert sample["turns"][0]["logs"] == {"note": [1, {"k": "v"}]}


def test_the_newest_attempt_of_a_step_counts(tmp_path: Path) -> None:
    record_steps(tmp_path / "run", steps=3, groups=2, samples=2).close()
    record_steps(tmp_path / "run", steps=1, groups=1, samples=2).close()
    steps = rollscope("steps", tmp_path / "run", "--split", "train", "--json")
    assert [(row["step"], row["samples"]) for row in steps] == [(0, 2), (1, 4), (2, 4)]


def test_several_writers_are_one_run(tmp_path: Path) -> None:
    script = """
        import sys
        from rollscope import record
        runs = [record.start(sys.argv[1], writer=name, attempt=0) for name in ("main", "rank1", "rank2")]
        for run in runs:
            with run.iteration(0) as iteration, iteration.group(prompt=run.writer) as group:
                group.add(response="a", reward=0.0)
                group.add(response="b", reward=1.0)
        for run in runs:
            run.close()
    """
    subprocess.run([sys.executable, "-c", textwrap.dedent(script), str(tmp_path / "run")], check=True)
    [step] = rollscope("steps", tmp_path / "run", "--split", "train", "--json")
    assert (step["samples"], step["groups"]) == (6, 3)
    assert "nothing wrong" in rollscope("doctor", tmp_path / "run")


def test_a_killed_run_opens_without_its_last_half_line(tmp_path: Path) -> None:
    record_steps(tmp_path / "run", steps=1).close()
    path = tmp_path / "run" / "train_iteration_000000_rollouts.jsonl"
    path.write_bytes(path.read_bytes()[:-40])
    [step] = rollscope("steps", tmp_path / "run", "--split", "train", "--json")
    assert step["samples"] == 3
