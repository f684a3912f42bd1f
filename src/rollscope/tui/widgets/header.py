"""The top line: where we are and what the sample got."""

from __future__ import annotations

from rich.segment import Segment
from rich.style import Style
from textual.strip import Strip
from textual.widget import Widget

from rollscope.tui.palette import Palette, height, number, share_in
from rollscope.tui.session.state import BrowserState
from rollscope.tui.text.document import one_line
from rollscope.tui.text.wrap import columns, fit

#: A fact of the line: how badly it is wanted when there is little room (low is kept longest), text, look.
Fact = tuple[int, str, Style]


class Header(Widget):
    """One line; what does not fit is left out, the least important first."""

    def __init__(self, palette: Palette) -> None:
        super().__init__(id="header")
        self.palette = palette
        self._facts: list[Fact] = []

    def show(self, state: BrowserState) -> None:
        self._facts = facts(state, self.palette)
        self.refresh()

    def render_line(self, y: int) -> Strip:
        width, base = self.size.width, self.rich_style
        segments: list[Segment] = []
        for text, style in fitted(self._facts, width):
            if segments:
                segments.append(Segment("  ", base))
            segments.append(Segment(text, base + style))
        return Strip(segments).crop_extend(0, width, base)


def facts(state: BrowserState, palette: Palette) -> list[Fact]:
    plain, strong, note = palette["text"], palette["strong"], palette["note"]
    sample = state.sample
    step = "no step" if state.view.step is None else f"step {state.view.step}"
    found: list[Fact] = [(0, f"all steps · {step}" if state.view.all_steps else step, strong)]
    if state.view.split not in ("", "train"):
        found.insert(0, (5, one_line(state.view.split), plain))
    if sample is None:
        return [*found, (0, "no samples" if state.loaded else "opening…", note)]
    found.append((1, f"{state.position + 1:,}/{state.order.total:,}", plain))
    if sample.group is not None:
        found.append((6, f"group {one_line(str(sample.group))}", plain))
    share = share_in(sample.reward, state.reward_range())
    value = sample.nonfinite.get("reward") or number(sample.reward)
    reward = f" reward {value} {height(share)} " if share is not None else f"reward {value}"
    found.append((1, reward, palette.on_scale(share)))
    if sample.advantage is not None or "advantage" in sample.nonfinite:
        value = sample.nonfinite.get("advantage") or number(sample.advantage, signed=True)
        found.append((4, f"adv {value}", plain))
    if sample.discard_reason is not None:
        found.append((2, f" {one_line(sample.discard_reason) or 'discarded'} ", palette["badge"]))
    if sample.status is not None:
        found.append((3, one_line(sample.status), plain if sample.status == "completed" else palette["warning"]))
    if sample.completion_tokens is not None:
        found.append((5, f"{sample.completion_tokens:,} tok", plain))
    if sample.prompt_tokens is not None:
        found.append((8, f"prompt {sample.prompt_tokens:,}", note))
    if sample.staleness:
        found.append((7, f"stale {sample.staleness}", plain))
    if sample.env is not None:
        found.append((9, one_line(sample.env), note))
    return found


def fitted(found: list[Fact], width: int) -> list[tuple[str, Style]]:
    """The facts in their order, without those for which there is no room."""
    kept: set[int] = set()
    used = 0
    for place in sorted(range(len(found)), key=lambda place: found[place][0]):
        needed = columns(found[place][1]) + (2 if kept else 0)
        if used + needed <= width or not kept:
            kept.add(place)
            used += needed
    return [(fit(text, width), style) for place, (_, text, style) in enumerate(found) if place in kept]
