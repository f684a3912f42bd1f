"""The samples of a view, read a page at a time."""

from __future__ import annotations

from tests.tui.rows import sample_row

from rollscope.query.answers import Progress, SamplePage
from rollscope.tui.session.sample_order import PAGE_ROWS, SampleOrder


def test_the_order_asks_for_pages_it_does_not_have() -> None:
    order = SampleOrder(1000)
    assert order.row(PAGE_ROWS + 3) is None
    assert "…" in order.pieces(PAGE_ROWS + 3)[0][0]
    rows = [sample_row(n) for n in range(PAGE_ROWS, 2 * PAGE_ROWS)]
    order.add(SamplePage(total=1000, offset=PAGE_ROWS, rows=rows, progress=Progress(done=True)))
    row = order.row(PAGE_ROWS + 3)
    assert row is not None
    assert row.index == PAGE_ROWS + 3
    assert order.take_missing_pages() == []


def test_of_the_pages_flown_over_only_the_last_are_read() -> None:
    order = SampleOrder(100_000)
    for position in range(0, 100_000, PAGE_ROWS):
        order.row(position)
    assert order.take_missing_pages() == [388, 389, 390]
    assert order.take_missing_pages() == []


def test_typing_a_number_goes_to_that_sample() -> None:
    order = SampleOrder(1000)
    assert order.narrow("501") == 500
    assert order.narrow("9999") == 999
    assert order.narrow("") == 0
