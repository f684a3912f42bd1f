"""The lists behind the dropdowns."""

from __future__ import annotations

import pytest
from tests.tui.rows import step_row

from rollscope.tui.session.choices import size, sort_choices, step_choices


def test_typing_narrows_a_list_and_prefers_the_whole_word() -> None:
    rows = step_choices([step_row(step, 0.5) for step in (1, 10, 12, 21, 2)])
    assert rows.narrow("2") == 2
    assert rows.value(2) == 2
    assert [rows.value(n) for n in range(len(rows))] == [12, 21, 2]


def test_every_field_sorts_up_and_down() -> None:
    rows = sort_choices(["reward", "metrics.correct"])
    values = [rows.value(n) for n in range(len(rows))]
    assert values[:4] == ["index", "-index", "reward", "-reward"]
    assert values[-2:] == ["metrics.correct", "-metrics.correct"]
    assert len(values) == len(set(values))


@pytest.mark.parametrize(
    ("count", "text"), [(0, "0 B"), (999, "999 B"), (1500, "1.5 KB"), (20_000_000, "20 MB"), (3e12, "3000 GB")]
)
def test_sizes_are_short(count: float, text: str) -> None:
    assert size(count) == text
