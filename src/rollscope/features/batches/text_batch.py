"""Samples that were looked at together: what a feature makes of all of them at once, where compiled code has seen them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache, cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from rollscope.features.batches.marks import SUBJECTS
from rollscope.features.batches.text_scan import Seen, TextFlag, TextScan

if TYPE_CHECKING:
    from rollscope.features.base import SampleTexts

Places = NDArray[np.bool_]
#: One of each text. Of an array of numbers NaN is missing.
Values = Sequence[Any] | NDArray[Any]

#: Longer texts are looked at one by one.
MAX_CHARS = 100_000


class TextBatch:
    def __init__(self, texts: Sequence[SampleTexts], scan: TextScan) -> None:
        self.texts = texts
        self.scan = scan
        #: Texts that are none, empty or long, and those of messages, which know their thoughts and calls themselves.
        chars = scan.column(Seen.CHARS)
        self.unusual = (chars == 0) | (chars > MAX_CHARS) | [type(one.response_text) is not str for one in texts]

    @cached_property
    def some_missing(self) -> bool:
        """Whether there are texts that are none."""
        return any(texts.response is None for texts in self.texts)

    def column(self, column: int) -> NDArray[np.int64]:
        return self.scan.column(column)

    def has(self, flag: int) -> Places:
        return self.scan.has(flag)

    def marked(self, subjects: Sequence[str]) -> Places:
        """Texts that may have a mark of one of these."""
        found = self.has(TextFlag.LOOK_MARKS)
        places = self._with_marks
        found[places] |= np.any(self.scan.marks[places][:, _columns(tuple(subjects))], axis=1)
        return found

    @cached_property
    def _with_marks(self) -> NDArray[np.int64]:
        """Texts that have any mark: few, and eight marks are looked at at once."""
        return np.flatnonzero(np.any(self.scan.marks.view(np.uint64), axis=1))

    @cached_property
    def other_thoughts(self) -> Places:
        """Texts that may have thoughts but those between <think> and </think>, or may only speak of these."""
        return self.marked(("thoughts",)) | self.has(TextFlag.UNCLOSED | TextFlag.LOOK_THOUGHTS)

    @cached_property
    def may_call_tools(self) -> Places:
        return self.marked(("tools",))

    def values(self, usual: Values, look: Places, compute: Callable[[SampleTexts], Any]) -> Values:
        """The usual value of each text, but of those that are worth a look the one that is computed."""
        places = np.flatnonzero(look | self.unusual).tolist()
        if not places:
            return usual
        computed = [compute(self.texts[place]) for place in places]
        if isinstance(usual, np.ndarray) and _HELD[usual.dtype].issuperset(map(type, computed)):
            array = usual.copy()
            array[places] = computed
            return array
        found = usual.tolist() if isinstance(usual, np.ndarray) else list(usual)
        for place, value in zip(places, computed):
            found[place] = value
        return found


#: What arrays of numbers can hold.
_HELD: dict[Any, set[type]] = {np.dtype(np.int64): {int}, np.dtype(np.float64): {float, type(None)}}


@cache
def _columns(subjects: tuple[str, ...]) -> list[int]:
    """Where they are among SUBJECTS."""
    return [place for place, name in enumerate(SUBJECTS) if name in subjects]
