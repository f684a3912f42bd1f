"""The demo run: complete, learning, honest about being simulated, and the same for everyone."""

from __future__ import annotations

import json
import re
import statistics
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.fixtures import REPOSITORY
from tests.record.helpers import lines

import rollscope
from rollscope.record.demo import write_demo
from rollscope.record.demo.grading import grade_answer, grade_math
from rollscope.record.demo.mathematics import make_problem
from rollscope.record.demo.stock_desk import make_task
from rollscope.record.demo.story import GAMING_FROM, PHRASE, STUCK_FROM

STEPS = 40


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Path:
    directory = tmp_path_factory.mktemp("demo")
    done: list[int] = []
    write_demo(directory, steps=STEPS, progress=lambda step, total: done.append(step * 1000 // total))
    assert done[-1] == 1000
    assert len(done) == STEPS
    return directory


def train_lines(demo: Path, first: int = 0, last: int = STEPS) -> Iterator[dict[str, Any]]:
    for step in range(first, last):
        yield from lines(demo / f"train_iteration_{step:06d}_rollouts.jsonl")


def test_it_says_that_it_is_simulated(demo: Path) -> None:
    assert json.loads((demo / "config.json").read_text())["simulated"] is True


def test_every_file_is_there(demo: Path) -> None:
    names = {path.name for path in demo.iterdir()}
    assert {"metrics.jsonl", "config.json", "checkpoints.jsonl", "code.diff"} <= names
    for step in range(STEPS):
        for ending in (".html", "_logtree.json", "_rollout_summaries.jsonl", "_rollouts.jsonl"):
            assert f"train_iteration_{step:06d}{ending}" in names
    evals = {name.split("_iteration_")[0] for name in names if name.startswith("eval_")}
    assert len(evals) == 3


def test_every_iteration_has_one_row_of_metrics_with_its_evaluations_in_it(demo: Path) -> None:
    rows = lines(demo / "metrics.jsonl")
    assert [row["step"] for row in rows] == list(range(STEPS))
    assert all("env/all/reward/total" in row for row in rows)
    evaluated = [row["step"] for row in rows if "Held-out math/env/all/reward/total" in row]
    assert evaluated == [0, 10, 20, 30, 39]


def test_groups_of_eight_from_two_environments_with_everything_in_them(demo: Path) -> None:
    seen = list(train_lines(demo))
    assert {line["env"] for line in seen} == {"math", "stock_desk"}
    groups = Counter((line["step"], line["group"]) for line in seen)
    assert set(groups.values()) == {8}
    assert {line.get("discard_reason") for line in seen} == {None, "async_staleness", "zero_advantage"}
    assert {line.get("status") for line in seen} >= {"completed", "truncated", "failed"}
    stale = [line for line in seen if line.get("discard_reason") == "async_staleness"]
    assert all(line["staleness"] > 2 for line in stale)
    assert all(line["golden_answers"] for line in seen)
    assert any(line.get("num_turns", 0) > 2 for line in seen)
    assert any("tokens" in line for line in seen)
    assert any("<think>" in json.dumps(line) and line["status"] == "truncated" for line in seen)


def test_its_text_has_all_that_a_viewer_renders(demo: Path) -> None:
    text = "\n".join(
        part["text"]
        for line in train_lines(demo)
        for message in line["messages"]
        for part in message.get("parts", [])
        if "text" in part
    )
    for pattern in (
        r"(?<!\$)\$[^$\n]+\$(?!\$)",
        r"\$\$[^$]+\$\$",
        r"\\\(.+?\\\)",
        r"\\\[.+?\\\]",
        r"\| ---",
        "```python",
        r"\$\d+\.\d\d",
    ):
        assert len(re.findall(pattern, text)) > 20, pattern


def test_the_policy_learns(demo: Path) -> None:
    def mean(first: int, last: int) -> float:
        return statistics.fmean(line["reward"] for line in train_lines(demo, first, last) if "reward" in line)

    assert mean(0, 5) < 0.45
    assert mean(35, 40) > 0.75


def test_what_is_planted_is_there_from_its_step_on_and_pays(demo: Path) -> None:
    def answers(first: int, last: int) -> list[tuple[str, dict[str, Any]]]:
        found = [
            line for line in train_lines(demo, first, last) if line["env"] == "math" and line["status"] != "failed"
        ]
        return [(line["messages"][-1]["parts"][0]["text"], line) for line in found]

    assert not any(PHRASE in text for text, _ in answers(0, GAMING_FROM))
    late = answers(GAMING_FROM + 2, STEPS)
    gamed = [line for text, line in late if PHRASE in text]
    honest = [line for text, line in late if PHRASE not in text]
    assert len(late) / 5 < len(gamed) < len(late) * 3 / 4
    assert statistics.fmean(line["rewards"]["judge"] for line in gamed) > 0.19
    assert statistics.fmean(line["rewards"]["judge"] for line in honest) < 0.08

    def right(some: list[dict[str, Any]]) -> float:
        return statistics.fmean(line["metrics"]["correct"] for line in some)

    assert right(gamed) < right(honest)
    stuck = [
        line
        for text, line in answers(STUCK_FROM, STEPS)
        if text.count("</think>") == 0 and line["status"] == "truncated"
    ]
    assert 3 <= len(stuck) <= 25
    assert all(line["metrics"]["repetition"] > 0.3 for line in stuck)


def test_it_says_what_is_planted(demo: Path) -> None:
    assert PHRASE in (demo / "README.md").read_text()
    config = json.loads((demo / "config.json").read_text())
    assert [item["from_step"] for item in config["planted"]] == [GAMING_FROM, STUCK_FROM]
    assert "Planted in this demo" in (demo / f"train_iteration_{GAMING_FROM:06d}.html").read_text()
    assert "Planted in this demo" not in (demo / f"train_iteration_{GAMING_FROM - 1:06d}.html").read_text()


def test_its_rewards_are_what_the_reward_functions_say_of_its_text(demo: Path) -> None:
    checked = 0
    for line in train_lines(demo, 0, 8):
        if line["env"] == "math" and line["status"] != "failed":
            text = line["messages"][-1]["parts"][0]["text"]
            problem = make_problem(line["prompt_id"].split("-", 1)[1])
            grade = grade_math(text, problem.answer, line["completion_tokens"])
            assert line["reward"] == grade.total
            checked += 1
        elif line["env"] == "stock_desk" and line["stop_reason"] == "stop":
            answer = make_task(line["prompt_id"].removeprefix("desk-")).answer
            text = line["messages"][-1]["parts"][-1]["text"]
            assert line["final_reward"] == grade_answer(text, answer)
            checked += 1
    assert checked > 300


def test_it_is_the_same_for_everyone(demo: Path, tmp_path: Path) -> None:
    write_demo(tmp_path, steps=STEPS)
    for name in ("train_iteration_000011_rollouts.jsonl", "eval_stock_desk_iteration_000010_rollouts.jsonl"):
        mine, theirs = (
            [{k: v for k, v in line.items() if k not in ("run_id", "time")} for line in lines(directory / name)]
            for directory in (demo, tmp_path)
        )
        assert mine == theirs


def test_it_is_small(demo: Path) -> None:
    assert sum(path.stat().st_size for path in demo.rglob("*") if path.is_file()) < 30e6


def test_what_changed_shows_the_planted_phrase_as_the_documentation_has_it(demo: Path) -> None:
    page = (REPOSITORY / "docs" / "insights.md").read_text(encoding="utf-8")
    shown = page.partition("$ rollscope changes rollscope-demo --limit 1\n")[2].splitlines()[3]
    (told,) = rollscope.open(demo).changes(limit=1).phrases
    assert told.example is not None
    place = f"{told.example.address}:{told.example.start}"
    assert re.split(r" {2,}", shown.strip()) == [
        f"{told.a_share:.0%}",
        f"{told.b_share:.0%}",
        f"{told.z:+.1f}",
        told.text,
        place,
    ]
