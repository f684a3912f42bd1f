"""HTML that a notebook shows for a run, a table or a sample. Every piece of text is escaped: rollouts are untrusted."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

_TEXT_STYLE = "white-space:pre-wrap;overflow-wrap:anywhere;max-height:24em;overflow:auto;margin:0 0 .8em"


def table(columns: Sequence[str], rows: Iterable[Sequence[Any]]) -> str:
    head = "".join(f"<th>{_escape(name)}</th>" for name in columns)
    body = "".join("<tr>" + "".join(f"<td>{_cell(value)}</td>" for value in row) + "</tr>" for row in rows)
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def title(name: str, *facts: object) -> str:
    """A bold name and what there is to say of it in one line; facts that are missing are left out."""
    shown = [_escape(str(fact)) for fact in facts if fact not in (None, "")]
    return "<p>" + " · ".join([f"<b>{_escape(name)}</b>", *shown]) + "</p>"


def text(heading: str, body: str) -> str:
    """A text of any length, in a box that scrolls."""
    return f"<div><small>{_escape(heading)}</small><pre style='{_TEXT_STYLE}'>{_escape(body)}</pre></div>"


def _cell(value: Any) -> str:
    if value is None:
        return ""
    return _escape(f"{value:.4g}" if isinstance(value, float) else str(value))


def _escape(text: str) -> str:
    import html  # its table of all entities is for those who show something

    return html.escape(text)
