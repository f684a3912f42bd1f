"""Rows of a whole document: titles, folded blocks, gaps, and the way from a place in the text to its row."""

from __future__ import annotations

from rollscope.tui.text.document import Document, TextBlock
from rollscope.tui.text.layout import Layout


def laid_out(document: Document, width: int = 20, **options: object) -> Layout:
    layout = Layout(document, width, **options)  # type: ignore[arg-type]
    while not layout.done:
        layout.advance(7)
    return layout


def shown(layout: Layout) -> list[str]:
    lines = []
    for index in range(layout.rows):
        row = layout.row(index)
        block = layout.document.blocks[row.block]
        lines.append({"title": f"<{block.title}>", "gap": "", "text": layout.text_of(row)}[row.piece])
    return lines


DOCUMENT = Document(
    [
        TextBlock(title="user", gap=False),
        TextBlock(text="How much is two and two, please?"),
        TextBlock(title="thinking", text="carry the one", foldable=True),
        TextBlock(text="4", gap=False),
    ]
)


def test_blocks_follow_each_other_with_their_titles_and_gaps() -> None:
    assert shown(laid_out(DOCUMENT)) == [
        "<user>",
        "How much is two and",
        "two, please?",
        "",
        "<thinking>",
        "carry the one",
        "",
        "4",
    ]


def test_a_folded_block_shows_its_title_only() -> None:
    lines = shown(laid_out(DOCUMENT, folded=DOCUMENT.foldable()))
    assert "<thinking>" in lines
    assert "carry the one" not in lines


def test_a_place_of_the_text_is_found_among_the_rows() -> None:
    layout = laid_out(DOCUMENT)
    assert layout.row_of(1, DOCUMENT.blocks[1].text.index("please")) == 2  # type: ignore[union-attr]
    assert layout.place(2) == (1, 20)
    assert layout.row_of(*layout.place(5)) == 5


def test_a_place_inside_a_folded_block_is_its_title() -> None:
    layout = laid_out(DOCUMENT, folded=frozenset({2}))
    row = layout.row_of(2, 6)
    assert row is not None
    assert layout.row(row).piece == "title"


def test_the_label_takes_room_from_every_row() -> None:
    layout = laid_out(Document([TextBlock(text="aaaa bbbb", label="name  ", indent="      ", gap=False)]), width=10)
    assert shown(layout) == ["aaaa", "bbbb"]
    assert layout.row(0).first
    assert not layout.row(1).first


def test_rows_found_early_stay_where_they_are() -> None:
    document = Document([TextBlock(text="first line\n" * 100), TextBlock(text="word " * 10_000)])
    layout = Layout(document, 40)
    layout.advance(50)
    early = [layout.row(index) for index in range(layout.rows)]
    while not layout.done:
        layout.advance(1000)
    assert [layout.row(index) for index in range(len(early))] == early


def test_advance_to_stops_when_the_place_is_known() -> None:
    layout = Layout(Document([TextBlock(text="word " * 100_000)]), 40)
    layout.advance_to(0, 50_000, budget=100)
    assert layout.row_of(0, 50_000) is not None
    assert not layout.done


def test_an_empty_document_has_no_rows_and_is_done() -> None:
    layout = laid_out(Document())
    assert layout.rows == 0
    assert layout.place(0) == (0, 0)


def test_without_wrapping_a_line_is_one_row() -> None:
    assert shown(laid_out(Document([TextBlock(text="a b " * 20, gap=False)]), wrap=False)) == ["a b " * 20]
