"""The fields that samples of the open step have."""

from __future__ import annotations

from rollscope.model import Sample
from rollscope.tui.session.state import BrowserState
from rollscope.tui.text.fields import field_names, is_field


class StepFields:
    """Collects fields of the samples that were opened in one step, beyond those that the index names."""

    def __init__(self) -> None:
        self._seen: dict[str, None] = {}
        self._step: tuple[str, str, int] | None = None

    def sample_opened(self, run: str, sample: Sample) -> None:
        step = (run, sample.split, sample.step)
        if step != self._step:
            self._step = step
            self._seen.clear()
        self._seen.update(dict.fromkeys(field_names(sample)))

    def names(self, state: BrowserState) -> list[str]:
        """Every field of the step: those the sample has, those other samples had, those only the index knows."""
        names = dict.fromkeys(field_names(state.sample) if state.sample else ())
        names.update(self._seen)
        names.update(dict.fromkeys(filter(is_field, state.fields)))
        return list(names)
