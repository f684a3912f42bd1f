"""What each dropdown offers, where its cursor starts, and what choosing does."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from rollscope.tui.session import choices
from rollscope.tui.session.browser import Browser
from rollscope.tui.widgets.dropdown import Choices, ChoosableRows


class Menu(NamedTuple):
    title: str
    rows: ChoosableRows
    cursor: int
    choose: Callable[[Any], None]


def menu_of(name: str, browser: Browser) -> Menu:
    """The list of the dropdown of this name."""
    state, view = browser.state, browser.state.view
    rows: Choices
    current: Any
    choose: Callable[[Any], None]
    match name:
        case "sample":
            return Menu(name, state.order, state.position, browser.choose_position)
        case "run":
            rows, current = choices.run_choices(browser.library.runs()), browser.run.id
            choose = browser.choose_run
        case "split":
            rows, current, choose = choices.text_choices(state.splits), view.split, browser.choose_split
        case "dataset":
            is_eval = view.split.startswith("eval/")
            rows = choices.dataset_choices(state.datasets, all_together=not is_eval)
            current, choose = (
                view.split.removeprefix("eval/") if is_eval else view.dataset or "",
                browser.choose_dataset,
            )
        case "step":
            rows = choices.step_choices(state.steps)
            current = choices.ALL_STEPS if view.all_steps else view.step
            choose = browser.choose_step_or_all
        case "sort":
            fields = ["step", *state.fields] if view.all_steps else state.fields
            rows, current, choose = choices.sort_choices(fields), view.sort, browser.choose_sort
        case _:
            rows, current, choose = choices.discarded_choices(), choices.shown_view(view), browser.choose_discarded
    cursor = next((place for place in range(len(rows)) if rows.value(place) == current), 0)
    return Menu(name, rows, cursor, choose)
