"""The items of several parts of a manifest as one sequence."""

from __future__ import annotations

from abc import abstractmethod
from bisect import bisect_right
from collections.abc import Iterator, Sequence, Sized
from itertools import accumulate
from typing import Generic, TypeVar, overload

Part = TypeVar("Part", bound=Sized)
Item = TypeVar("Item")


class JoinedParts(Sequence[Item], Generic[Part, Item]):
    """Knows where each part begins, so that a part is decoded only when one of its items is asked for."""

    def __init__(self, parts: Sequence[Part]) -> None:
        self._parts = parts
        self._starts = [0, *accumulate(map(len, parts))]

    @abstractmethod
    def items_of(self, part: Part) -> Sequence[Item]:
        """The items of a part, which may have to be decoded for it."""

    def __len__(self) -> int:
        return self._starts[-1]

    def __iter__(self) -> Iterator[Item]:
        for part in self._parts:
            yield from self.items_of(part)

    @overload
    def __getitem__(self, place: int) -> Item: ...
    @overload
    def __getitem__(self, place: slice) -> list[Item]: ...
    def __getitem__(self, place: int | slice) -> Item | list[Item]:
        if isinstance(place, slice):
            return [self[i] for i in range(*place.indices(len(self)))]
        place = place + len(self) if place < 0 else place
        if not 0 <= place < len(self):
            raise IndexError(place)
        part = bisect_right(self._starts, place) - 1
        return self.items_of(self._parts[part])[place - self._starts[part]]
