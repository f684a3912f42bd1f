"""What the screen shows, as one value that the browser keeps."""

from __future__ import annotations

from dataclasses import dataclass, field

from rollscope.model import Range, Sample
from rollscope.query.answers import Progress, RunDetails, StepRow
from rollscope.tui.session.sample_order import SampleOrder
from rollscope.tui.session.view import DISCARDED_NAMES, View
from rollscope.tui.text.document import Document, TextBlock, one_line


@dataclass(slots=True)
class BrowserState:
    """What the screen shows."""

    view: View = field(default_factory=View)
    splits: list[str] = field(default_factory=list)
    steps: list[StepRow] = field(default_factory=list)
    order: SampleOrder = field(default_factory=SampleOrder)
    position: int = 0
    sample: Sample | None = None
    fields: list[str] = field(default_factory=list)
    datasets: list[str] = field(default_factory=list)
    progress: Progress = field(default_factory=lambda: Progress(done=True))
    details: RunDetails | None = None
    follow: bool = False
    loaded: bool = False

    def step_row(self) -> StepRow | None:
        return next((row for row in self.steps if row.step == self.view.step), None)

    def step_place(self) -> int | None:
        return next((place for place, row in enumerate(self.steps) if row.step == self.view.step), None)

    def skipped(self) -> int:
        """Malformed lines: of this split's steps as far as they were read, or of the run where that is known."""
        known = self.details.skipped_total if self.details else 0
        return max(known, sum(row.skipped_lines for row in self.steps))

    def reward_range(self) -> Range | None:
        """How rewards range: as the run declares it for the sample's environment, else as they were seen."""
        declared = self.details.ranges if self.details else {}
        env = self.sample.env if self.sample else None
        for name in (env, "*"):
            found = declared.get(name, {}).get("reward") if name else None
            if found is not None and found.min is not None and found.max is not None:
                return found
        lows = [row.reward.min for row in self.steps if row.reward.min is not None]
        highs = [row.reward.max for row in self.steps if row.reward.max is not None]
        return Range(min=min(lows), max=max(highs), origin="observed") if lows and highs else None


def same_content(one: Sample, other: Sample) -> bool:
    """Would they look the same? The source record is left out: it may be nested deeper than Python compares."""
    names = [name for name in one.__struct_fields__ if name not in ("messages", "record")]
    # NaN is not equal to itself, but looks the same.
    return one.messages == other.messages and all(repr(getattr(one, n)) == repr(getattr(other, n)) for n in names)


def empty_document(state: BrowserState) -> Document:
    """What stands where a sample would be: why none is shown, and what shows some."""
    if not state.loaded or not (state.steps or state.progress.done):
        return Document([TextBlock(look="note", text="reading…")])
    if not state.steps:
        return Document([TextBlock(look="note", text="No samples yet. They appear here as they are written.")])
    view = state.view
    of_what = "any step" if view.all_steps else f"step {view.step}"
    reason = f"No sample of {of_what} is shown ({DISCARDED_NAMES[view.discarded]}"
    reason += f", filter {one_line(view.where)}" if view.where else ""
    return Document([TextBlock(look="note", text=f"{reason}).\nd shows other samples, / changes the filter.")])
