"""Parts of a manifest: whatever happens to files and steps, the parts together are what they would be made anew."""

from __future__ import annotations

import random

import pytest
from tests.index.statistics.test_summary import table

from rollscope.formats.base import Source
from rollscope.index.manifest import parts as module
from rollscope.index.manifest.entries import FileEntry
from rollscope.index.manifest.parts import FilePart, StepPart, file_parts, order_of, step_parts
from rollscope.index.statistics.merging import LazyFields
from rollscope.index.statistics.summary import summarise


def entry(number: int) -> FileEntry:
    return FileEntry(Source(path=f"{number:06}.jsonl", split="train", step=number), None, 0, [])


@pytest.fixture(autouse=True)
def small_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "PART_SIZE", 4)


@pytest.mark.parametrize("seed", range(10))
def test_files_that_come_go_and_change_leave_other_parts_alone(seed: int) -> None:
    chance = random.Random(seed)
    files = [entry(number) for number in range(0, 400, 10)]
    parts = file_parts((), files)
    for _ in range(60):
        before, known = parts, {id(part) for part in parts}
        touched = chance.randrange(400)
        if chance.random() < 0.6:
            files = sorted(
                [*(file for file in files if file.source.step != touched), entry(touched)],
                key=lambda file: file.source.path,
            )
        elif len(files) > 20:
            files = [file for file in files if (file.source.step or 0) // 5 != touched // 5]
        parts = file_parts(before, files)
        assert [file for part in parts for file in part.files] == files
        assert max(len(part.files) for part in parts) <= 8
        assert sum(id(part) not in known for part in parts) <= 3 or len(parts) < len(before)


def test_files_in_another_order_are_divided_anew() -> None:
    files = [entry(number) for number in range(30)]
    parts = file_parts((), files)
    turned = file_parts(parts, files[::-1])
    assert [file for part in turned for file in part.files] == files[::-1]


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
        parts = step_parts(parts, summarise(table(made)) if made else summarise(table([]).slice(0, 0)), gone)
        assert steps_of(parts) == sorted(rows, key=order_of)
        assert max((len(part.statistics.steps) for part in parts), default=0) <= 8
    firsts = [0]
    for part in parts:
        firsts.append(firsts[-1] + len(part.statistics.steps))
    reward = LazyFields([(first, part.statistics) for first, part in zip(firsts, parts)])["reward"]
    assert reward.step.tolist() == list(range(len(rows)))
    assert reward.mean.tolist() == [rows[key] for key in steps_of(parts)]


def test_a_part_comes_back_from_its_bytes_and_damage_is_noticed() -> None:
    part = FilePart([entry(1), entry(2)])
    name, content = part.encoded()
    assert FilePart.decoded(name, content).files == part.files
    with pytest.raises(ValueError, match="not those that were written"):
        FilePart.decoded(name, content[:-1])
