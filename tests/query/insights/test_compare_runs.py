"""One run against another, over the prompts that both have."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest
from tests.fixtures import write_jsonl
from tests.runs import relax_record

import rollscope
from rollscope import record
from rollscope.errors import UsageError
from rollscope.query.run import Run


def run_of(root: Path, prompts: dict[str, list[Any]], steps: int = 1) -> Run:
    for step in range(steps):
        pairs = [(prompt, reward) for prompt, rewards in prompts.items() for reward in rewards]
        records = [relax_record(step, n, prompt=prompt, reward=reward) for n, (prompt, reward) in enumerate(pairs)]
        write_jsonl(root / "train" / f"{step}.jsonl", records)
    return rollscope.open(root)


def test_prompts_are_classed_by_what_became_of_them(tmp_path: Path) -> None:
    a: dict[str, list[Any]] = {
        "fix": [0.0] * 8,
        "break": [1.0] * 8,
        "same": [1.0] * 8,
        "never": [0.0] * 8,
        "luck": [1, 0, 0, 0],
        "gone": [1],
    }
    b: dict[str, list[Any]] = {
        "fix": [1.0] * 8,
        "break": [0.0] * 8,
        "same": [1.0] * 8,
        "never": [0.0] * 8,
        "luck": [1, 1, 1, 0],
        "new": [0],
    }
    first, second = run_of(tmp_path / "a", a), run_of(tmp_path / "b", b)
    found = first.compare(second)
    assert (found.matched, found.only_a, found.only_b) == (5, 1, 1)
    assert found.classes == {"fixed": 1, "broken": 1, "both": 1, "neither": 1, "mixed": 1, "unknown": 0}
    classes = {row.prompt: row.class_ for row in found.rows}
    assert classes == {"fix": "fixed", "break": "broken", "same": "both", "never": "neither", "luck": "mixed"}
    assert [abs(row.delta) for row in found.rows] == sorted((abs(row.delta) for row in found.rows), reverse=True)

    def listed(only: Any, limit: int | None = None) -> tuple[int, list[str | None]]:
        some = first.compare(second, only=only, limit=limit)
        assert (some.matched, some.classes, some.delta) == (found.matched, found.classes, found.delta)
        return some.asked, [row.prompt for row in some.rows]

    assert listed("lower") == (1, ["break"])
    assert listed("higher") == (2, ["fix", "luck"])
    assert listed("higher", limit=1) == (2, ["fix"])
    assert listed("mixed") == (1, ["luck"])
    assert listed(None)[0] == 5
    with pytest.raises(UsageError, match="prompts cannot be 'worse'"):
        listed("worse")


@pytest.mark.parametrize("seed", range(3))
def test_means_are_those_that_a_loop_over_the_samples_gives(tmp_path: Path, seed: int) -> None:
    chance = random.Random(seed)

    def prompts() -> dict[str, list[float]]:
        asked = chance.sample(range(30), 20)
        return {f"q{n}": [chance.choice([0.0, 0.5, 1.0]) for _ in range(chance.randint(1, 5))] for n in asked}

    a, b = prompts(), prompts()
    found = run_of(tmp_path / "a", a).compare(run_of(tmp_path / "b", b))
    both = a.keys() & b.keys()
    means = {prompt: (sum(a[prompt]) / len(a[prompt]), sum(b[prompt]) / len(b[prompt])) for prompt in both}
    assert found.matched == len(both)
    assert found.a_mean == pytest.approx(sum(mean for mean, _ in means.values()) / len(both))
    assert found.b_mean == pytest.approx(sum(mean for _, mean in means.values()) / len(both))
    assert {row.prompt: (row.a_mean, row.b_mean) for row in found.rows} == {
        prompt: pytest.approx(pair) for prompt, pair in means.items()
    }
    assert found.ci is not None
    assert found.delta is not None
    assert found.ci[0] <= found.delta <= found.ci[1]
    examples = {row.prompt: row.a_example for row in found.rows}
    sample = rollscope.open(tmp_path / "a").sample(next(iter(examples.values())))
    assert next(iter(examples)) == sample.messages[0].text


def test_steps_and_filters_narrow_both_runs(tmp_path: Path) -> None:
    a = run_of(tmp_path / "a", {"x": [0.0, 1.0], "y": [1.0]}, steps=4)
    found = a.compare(a, steps="1:3", where="reward > 0")
    assert {row.prompt: row.a_n for row in found.rows} == {"x": 2, "y": 2}
    assert found.delta == 0
    assert found.p == 1
    with pytest.raises(UsageError, match="not a range of steps"):
        a.compare(a, steps="3")


def test_samples_without_rewards_are_counted_and_not_compared(tmp_path: Path) -> None:
    a = run_of(tmp_path / "a", {"x": [None, 1.0], "y": [None]})
    found = a.compare(run_of(tmp_path / "b", {"x": [0.0], "y": [1.0]}))
    assert (found.matched, found.only_b, found.without_reward) == (1, 1, 2)
    assert found.ci is None
    assert found.p is None


def test_runs_with_nothing_in_common_have_no_means(tmp_path: Path) -> None:
    found = run_of(tmp_path / "a", {"x": [1.0]}).compare(run_of(tmp_path / "b", {"y": [1.0]}))
    assert (found.matched, found.a_mean, found.delta, found.rows) == (0, None, None, [])
    assert found.regressed(0.5), "nothing shows that it is not worse"


def test_an_environment_with_one_reward_says_nothing_about_being_solved(tmp_path: Path) -> None:
    a = run_of(tmp_path / "a", {"x": [1.0], "y": [1.0]})
    assert a.compare(a).classes["unknown"] == 2


def test_single_rewards_are_listed_in_order_and_evenly_drawn(tmp_path: Path) -> None:
    a = run_of(tmp_path / "a", {"x": [1.0, None, 0.0, 0.5], "y": [0.25]}, steps=3)
    b = run_of(tmp_path / "b", {"x": [n / 100 for n in range(101)], "y": [1.0]})
    assert [row.a_rewards for row in a.compare(b).rows] == [None, None]
    listed = {row.prompt: (row.a_rewards, row.b_rewards) for row in a.compare(b, rewards=9).rows}
    assert listed["x"] == ([0.0] * 3 + [0.5] * 3 + [1.0] * 3, [0, 0.12, 0.25, 0.38, 0.5, 0.62, 0.75, 0.88, 1])
    assert listed["y"] == ([0.25] * 3, [1.0])
    assert [(row.a_rewards, row.b_rewards) for row in a.compare(a, rewards=2, limit=1, where="reward > 0").rows] == [
        ([0.5, 1.0], [0.5, 1.0])
    ]


def test_golden_answers_are_listed_when_asked_for(tmp_path: Path) -> None:
    with record.start(tmp_path / "run") as writer, writer.iteration(0) as iteration:
        with iteration.group(prompt="x", golden_answers={"exact": "4", "in words": "four"}) as group:
            group.add(response="y", reward=1.0)
        with iteration.group(prompt="z") as group:
            group.add(response="y", reward=0.0)
    run = rollscope.open(tmp_path / "run")
    assert [row.golden for row in run.compare(run).rows] == [None, None]
    assert [row.golden for row in run.compare(run, golden=True).rows] == [["4", "four"], []]


def test_one_prompt_of_two_environments_lists_the_rewards_of_each(tmp_path: Path) -> None:
    with record.start(tmp_path / "run") as writer, writer.iteration(0) as iteration:
        for env, rewards in (("math", (0.5, 0.0)), ("code", (1.0,))):
            with iteration.group(prompt="x", env=env) as group:
                for reward in rewards:
                    group.add(response="y", reward=reward)
    run = rollscope.open(tmp_path / "run")
    listed = [(row.env, row.a_rewards) for row in run.compare(run, rewards=4).rows]
    assert sorted(listed) == [("code", [1.0]), ("math", [0.0, 0.5])]


def test_a_range_declared_for_all_environments_holds_where_one_observes_other_fields(tmp_path: Path) -> None:
    def recorded(name: str, reward: float) -> Run:
        with record.start(tmp_path / name, {}) as run:
            run.declare_range(reward=(0, 1))
            with run.iteration(0) as iteration, iteration.group(prompt="p", env="sums") as group:
                for _ in range(8):
                    group.add(response="r", reward=reward, advantage=reward)
        opened = rollscope.open(tmp_path / name)
        opened.steps()  # it has been read, so that ranges are observed too
        return opened

    (row,) = recorded("a", 0.0).compare(recorded("b", 1.0)).rows
    assert row.class_ == "fixed"
