"""Parts of a manifest: whatever happens to files, the parts together are what they would be made anew."""

from __future__ import annotations

import random

import pytest

from rollscope.formats.base import Source
from rollscope.index.manifest import parts as module
from rollscope.index.manifest.entries import FileEntry
from rollscope.index.manifest.parts import FilePart, file_parts


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


def test_a_part_comes_back_from_its_bytes_and_damage_is_noticed() -> None:
    part = FilePart([entry(1), entry(2)])
    name, content = part.encoded()
    assert FilePart.decoded(name, content).files == part.files
    with pytest.raises(ValueError, match="not those that were written"):
        FilePart.decoded(name, content[:-1])
