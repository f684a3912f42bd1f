"""Statistics of steps in parts: whatever happens, together they are what they would be made anew."""

from __future__ import annotations

import random

import pytest
from tests.index.statistics.test_summary import table

from rollscope.index.manifest import step_parts as module
from rollscope.index.manifest.entries import order_of
from rollscope.index.manifest.step_parts import StepPart, StepStats, step_parts, with_part
from rollscope.index.statistics.by_segment import encode
from rollscope.index.statistics.merging import LazyFields
from rollscope.index.statistics.summary import summarise


@pytest.fixture(autouse=True)
def small_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "PART_SIZE", 4)


def steps_of(parts: list[StepPart]) -> list[tuple[str, int]]:
    return [(step.split, step.step) for part in parts for step in part.statistics.steps]


@pytest.mark.parametrize("seed", range(10))
def test_statistics_in_parts_are_those_of_all_steps_at_once(seed: int) -> None:
    chance = random.Random(seed)
    rows: dict[tuple[str, int], float] = {}
    parts: list[StepPart] = []
    for _ in range(25):
        new = {
            (chance.choice(["train", "eval/a", "eval/b"]), chance.randrange(40)): chance.random()
            for _ in range(chance.randrange(12))
        }
        gone = set(chance.sample(sorted(rows), min(len(rows), chance.randrange(4)))) - new.keys()
        rows = {key: value for key, value in {**rows, **new}.items() if key not in gone}
        made = [{"split": split, "step": step, "reward": value} for (split, step), value in new.items()]
        statistics = summarise(table(made)) if made else summarise(table([]).slice(0, 0))
        if made and not gone:
            parts = with_part(parts, StepPart.sent(encode(statistics)))
        else:
            parts = step_parts(parts, statistics, gone)
        assert steps_of(parts) == sorted(rows, key=order_of)
        assert max((len(part) for part in parts), default=0) <= 8
    firsts = [0]
    for part in parts:
        firsts.append(firsts[-1] + len(part))
    reward = LazyFields([(first, part.columns.fields) for first, part in zip(firsts, parts)])["reward"]
    assert reward.step.tolist() == list(range(len(rows)))
    assert reward.mean.tolist() == [rows[key] for key in steps_of(parts)]


def test_a_part_that_lies_in_its_bytes_says_what_it_said_before() -> None:
    rows: list[dict[str, object]] = [{"split": "train", "step": step, "reward": float(step)} for step in (3, 4, 9)]
    rows += [
        {"split": "eval/a", "step": 4, "reward": 0.5, "discard_reason": "stale"},
        {"split": "eval/a", "step": 4, "reward": 0.5},
    ]
    (part,) = step_parts((), summarise(table(rows)))
    name, content = part.encoded()
    again = StepPart.decoded(name, content)
    assert list(StepStats([again])) == part.statistics.steps == list(StepStats([part]))
    assert again.by_split == part.by_split
    assert again.by_split["eval/a"].samples == again.by_split["eval/a"].discarded == 1
    assert list(again.counted_steps()) == [(("train", step), 1) for step in (3, 4, 9)] + [(("eval/a", 4), 2)]
    assert (again.first, again.last) == (order_of(("train", 3)), order_of(("eval/a", 4)))
    part.lie_in(content)
    assert part.statistics == again.statistics
    with pytest.raises(ValueError, match="not those that were written"):
        StepPart.decoded(name, content[:-1])


def test_what_another_process_made_goes_between_parts_as_it_is() -> None:
    def sent(*steps: int) -> StepPart:
        return StepPart.sent(encode(summarise(table([{"split": "train", "step": s, "reward": s / 7} for s in steps]))))

    first, last, between, before = sent(*range(10, 14)), sent(*range(30, 38)), sent(*range(20, 25)), sent(*range(4))
    parts = with_part(with_part(with_part(with_part([], first), last), between), before)
    assert [id(part) for part in parts] == [id(part) for part in (before, first, between, last)]
    assert with_part(parts, sent(14, 15))[1] is not first, "one that is too small joins a neighbour"
    again = with_part(parts, sent(*range(22, 26)))
    assert steps_of(again) == [("train", s) for s in (*range(4), *range(10, 14), *range(20, 26), *range(30, 38))]
    name, content = between.encoded()
    assert StepPart.decoded(name, content).statistics == between.statistics
