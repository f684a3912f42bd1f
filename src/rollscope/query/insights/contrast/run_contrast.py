"""What tells two selections of a run's samples apart."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rollscope.errors import UsageError
from rollscope.fields import TEXT_FIELDS
from rollscope.query.insights.step_ranges import outer_windows, within_steps
from rollscope.query.lists.lists import Lists
from rollscope.query.lists.sample_selection import SampleSelection
from rollscope.query.samples.select import page_slice

if TYPE_CHECKING:
    from rollscope.query.insights.contrast.contrast import Selection
    from rollscope.query.insights.contrast.model import Contrast


class RunContrast(Lists):
    """The part of a run that holds selections of samples against each other."""

    def contrast(
        self,
        a: str | None = None,
        b: str | None = None,
        *,
        other: RunContrast | None = None,
        split: str | None = None,
        a_steps: str | None = None,
        b_steps: str | None = None,
        field: str = "response",
        limit: int | None = 30,
    ) -> Contrast:
        """What tells the samples of two filters apart: phrases of their texts, numbers and categories. `other`: b is of that
        run. Where only `a` is given, b is the rest. Discarded samples are among them; steps are ranges such as "10:20"."""
        from rollscope.query.insights.contrast.contrast import contrast

        _check(field, limit)
        if a is None and b is None and other is None and a_steps is None and b_steps is None:
            raise UsageError(
                "nothing to compare was given",
                hint="""name one side as a filter, --a 'reward > 0.9' (in Python a=…); the other is --b, or else the rest""",
            )
        if b is None and other is None and b_steps is None:
            if a is None:
                raise UsageError("the steps to compare these with are missing", hint="give b_steps, or use `changes`")
            b, b_steps = f"not ({a})", a_steps
        first = self._selection(a, split, a_steps)
        second = (other or self)._selection(b, split, b_steps)
        return contrast(first, second, field=field, limit=limit)

    def changes(
        self,
        from_steps: str | None = None,
        to_steps: str | None = None,
        *,
        split: str | None = None,
        where: str | None = None,
        field: str = "response",
        limit: int | None = 30,
    ) -> Contrast:
        """What samples of some steps (`to_steps`, side a) say that those of others (`from_steps`, side b) do not: what rises
        has a `z` above 0. Unless given, the last and the first tenth of the steps."""
        from rollscope.query.insights.contrast.contrast import contrast

        _check(field, limit)
        snapshot = self._fresh(None, None, wait=True)
        split = self._split_or_first(snapshot, split)
        steps = snapshot.splits.get(split, [])
        first, last = outer_windows(steps, self.name, split) if not (from_steps and to_steps) else ("", "")
        a, b = (self._selection(where, split, window) for window in (to_steps or last, from_steps or first))
        return contrast(a, b, field=field, limit=limit, steps_differ=True)

    def _selection(self, where: str | None, split: str | None, steps: str | None) -> Selection:
        from rollscope.query.insights.contrast.contrast import Selection
        from rollscope.query.insights.contrast.texts import TextSource

        asked = SampleSelection(split=split, where=where, discarded=None)
        snapshot, table, rows = self._select(asked, wait=True)
        return Selection(
            run=self.name,
            where=where,
            split=split,
            window=steps,
            table=table,
            rows=within_steps(table, rows, steps),
            source=TextSource(snapshot, self._format, self.store.fresh(), self._index.engine),
            texts=self._reader.texts,
        )


def _check(field: str, limit: int | None) -> None:
    if field not in TEXT_FIELDS:
        raise UsageError(f"there is no text {field!r}", hint=f"there is {', '.join(TEXT_FIELDS)}")
    page_slice(0, limit)
