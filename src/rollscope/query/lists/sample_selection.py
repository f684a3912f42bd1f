"""Which samples are asked for, as one value: it is handed down from the question to the index, and names what is kept."""

from __future__ import annotations

from msgspec import Struct, structs

from rollscope.errors import UsageError
from rollscope.query.samples.columns import SORT_ALIASES


class SampleSelection(Struct, frozen=True, kw_only=True):
    split: str | None = None
    step: int | None = None
    #: A range such as "10:20".
    steps: str | None = None
    where: str | None = None
    sort: str | None = None
    #: False the kept ones, True the others, None all.
    discarded: bool | None = False
    #: Numeric fields of other runs: a filter may name them, although this run has none of them.
    known: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        """What Python would take and then find nothing with, or something else than was meant, is a wrong call."""
        if self.step is not None and (isinstance(self.step, bool) or not hasattr(self.step, "__index__")):
            raise UsageError(f"a step is a whole number, not {self.step!r}")
        if self.discarded not in (False, True, None):
            raise UsageError(f"discarded is False, True or None (all), not {self.discarded!r}")
        if self.step is not None and self.steps:
            raise UsageError("name a step or a range of steps, not both", hint='steps="12:13" is step 12')

    @property
    def sort_field(self) -> str:
        """The field it is sorted by, in whatever direction."""
        return (self.sort or "").lstrip("-+")

    @property
    def descending(self) -> bool:
        return (self.sort or "").startswith("-")

    @property
    def by_place(self) -> bool:
        """By its number in its step a list keeps the run's own order, split by split and step by step: it does not put
        sample 0 of every step first."""
        return SORT_ALIASES.get(self.sort_field, (self.sort_field,)) == ("index",)

    def unsorted(self) -> SampleSelection:
        return structs.replace(self, sort=None)
