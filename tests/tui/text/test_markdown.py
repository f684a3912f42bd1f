"""Markdown for a terminal, as text and spans."""

from __future__ import annotations

from rollscope.tui.text.markdown import rendered_markdown


def test_lines_fit_and_spans_lie_on_what_they_mark() -> None:
    text, spans = rendered_markdown(
        "# Title\n\nSome **bold** words, enough of them to be wrapped at thirty columns.", 30
    )
    assert max(map(len, text.split("\n"))) <= 30
    assert "bold" in [text[span.start : span.end] for span in spans if "bold" in span.look]


def test_code_keeps_its_lines_behind_a_bar() -> None:
    text, _ = rendered_markdown("```python\nif x:\n    y()\n```", 40)
    assert text.split("\n") == ["▏ if x:", "▏     y()"]


def test_a_link_is_text_and_shows_where_it_leads() -> None:
    text, spans = rendered_markdown("[click](https://example.com/x)", 60)
    assert "click" in text
    assert "https://example.com/x" in text
    assert not [span for span in spans if "link" in span.look and "\x1b" in span.look]
    assert "\x1b" not in text


def test_the_narrowest_window_shows_something() -> None:
    text, _ = rendered_markdown("word", 0)
    assert text == "word"
