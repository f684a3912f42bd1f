"""Parts as one sequence: every item at its place, and no part decoded that is not asked for."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from rollscope.index.manifest.joined_parts import JoinedParts


class Words(JoinedParts[str, str]):
    """Parts are texts; their items are characters."""

    def __init__(self, parts: Sequence[str]) -> None:
        super().__init__(parts)
        self.decoded: list[str] = []

    def items_of(self, part: str) -> Sequence[str]:
        self.decoded.append(part)
        return list(part)


def test_every_item_is_at_its_place_and_empty_parts_are_none() -> None:
    words = Words(["ab", "", "c", "def"])
    assert len(words) == 6
    assert [words[i] for i in range(6)] == list(words) == list("abcdef")
    assert [words[-1], words[-6]] == ["f", "a"]
    assert words[1:5] == list("bcde")
    for beyond in (6, -7):
        with pytest.raises(IndexError):
            words[beyond]


def test_only_the_part_of_an_item_is_decoded() -> None:
    words = Words(["ab", "cd", "ef"])
    assert words[3] == "d"
    assert words.decoded == ["cd"]
