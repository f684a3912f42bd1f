"""Which samples a person is looking at, and in which order: a value, so that every change is a new one."""

from __future__ import annotations

from dataclasses import dataclass, replace

from rollscope.query.language.writing import quoted
from rollscope.query.search.next_match import SampleList

#: `d` goes round: what was trained on, what was discarded, both.
DISCARDED: tuple[bool | None, ...] = (False, True, None)
DISCARDED_NAMES: dict[bool | None, str] = {False: "kept", True: "discarded", None: "all"}


@dataclass(frozen=True, slots=True)
class View:
    """A selection of the samples of one step, or of all."""

    split: str = "train"
    step: int | None = None
    #: The samples of all steps in one list; `step` is then the step of the sample that is read.
    all_steps: bool = False
    dataset: str | None = None
    sort: str = "index"
    #: What was typed after `/`.
    where: str = ""
    discarded: bool | None = False

    @property
    def filter(self) -> str | None:
        """The whole filter expression, with the dataset; what was typed comes first, so that places in it hold."""
        typed = self.where.strip()
        if self.dataset is None:
            return typed or None
        dataset = f"dataset = {quoted(self.dataset)}"
        return f"({typed}) and {dataset}" if typed else dataset

    @property
    def steps(self) -> str | None:
        """The range of steps, as `query` names it; None for the one step."""
        return ":" if self.all_steps else None

    @property
    def typed_at(self) -> int:
        """Where in the whole expression the typed part begins."""
        return 1 if self.dataset is not None and self.where.strip() else 0

    def step_list(self, step: int) -> SampleList:
        """The same samples as `query` names them."""
        return SampleList(self.split, None if self.all_steps else step, self.filter, self.sort, self.discarded)

    def next_discarded(self) -> View:
        place = DISCARDED.index(self.discarded)
        return replace(self, discarded=DISCARDED[(place + 1) % len(DISCARDED)])


def sort_name(sort: str) -> str:
    """``-reward`` as ``reward ↓``."""
    return f"{sort[1:]} ↓" if sort.startswith("-") else f"{sort} ↑"
