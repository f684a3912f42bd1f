"""What can be logged into the current place: text, HTML, headings, tables, folding blocks, conversations, anything with
a formatter. Without an open trace every call does nothing."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Protocol, runtime_checkable

from rollscope.record.logtree.scopes import MAX_LEVEL, current_place
from rollscope.record.logtree.tree import Child, Node, attributes, node, raw_node
from rollscope.record.samples.values import object_text, plain

#: The longest value of a table that is a row; longer ones fold.
MAX_CELL = 2_000


@runtime_checkable
class Formatter(Protocol):
    """How to show an object: as HTML for people. It may also have ``to_data()`` for machines and ``get_css()``."""

    def to_html(self) -> str: ...


def log_text(text: str, *, div_class: str | None = None) -> None:
    """A paragraph. Line breaks are kept."""
    place = current_place()
    if place is not None:
        place.node.add(node("div" if div_class else "p", str(text), css=div_class or "lt-p"))


def log_html(html: str, *, div_class: str | None = None) -> None:
    """HTML as it is. The page's content security policy lets no script in it run, and nothing load."""
    place = current_place()
    if place is not None:
        place.node.add(raw_node(str(html), div_class or "lt-html"))


def log_formatter(formatter: Formatter) -> None:
    """An object that shows itself; its ``to_data()`` becomes the node's ``data``."""
    place = current_place()
    if place is None:
        return
    to_data, get_css = getattr(formatter, "to_data", None), getattr(formatter, "get_css", None)
    data = plain(to_data(), lambda _: None) if callable(to_data) else None
    html = formatter.to_html()
    css = get_css() if callable(get_css) else ""
    place.node.add(raw_node(f"<style>{css}</style>{html}" if css else html, "lt-html", data))


def log_conversation(messages: Iterable[Mapping[str, Any]], **about: Any) -> None:
    """A transcript. ``messages`` have ``role`` and ``content`` (text or a list of parts), as chat APIs have them;
    ``about`` goes into the node's data beside them."""
    place = current_place()
    if place is not None:
        place.node.add(conversation_node([plain(message, lambda _: None) for message in messages], **about))


def conversation_node(messages: list[Any], **about: Any) -> Node:
    known = {name: value for name, value in about.items() if value is not None}
    return node("div", css="lt-conversation", data={"type": "conversation", **known, "messages": messages})


def details(text: str, *, summary: str = "Details", pre: bool = True) -> None:
    """Text that folds."""
    place = current_place()
    if place is not None:
        body = node("pre" if pre else "div", str(text), css="lt-details-body")
        place.node.add(node("details", node("summary", str(summary)), body, css="lt-details"))


def header(text: str, *, level: int | None = None) -> None:
    place = current_place()
    if place is not None:
        number = max(1, min(level or place.level, MAX_LEVEL))
        place.node.add(node(f"h{number}", str(text), css=f"lt-h{number}"))


def table(obj: Any, *, caption: str | None = None) -> None:
    """A DataFrame, a list of dicts, a list of lists (the first is the head), or a dict of names and values."""
    place = current_place()
    if place is None:
        return
    if isinstance(obj, Mapping):
        table_from_dict(obj, caption=caption)
        return
    head, rows = _rows_of(obj)
    for child in table_nodes(head, rows, caption):
        place.node.add(child)


def table_from_dict(
    data: Mapping[Any, Any],
    *,
    caption: str | None = None,
    key_header: str = "Key",
    value_header: str = "Value",
    sort_by: str | None = None,
) -> None:
    """Two columns: names and values. ``sort_by`` is ``"key"`` or ``"value"``."""
    place = current_place()
    if place is None:
        return
    rows = [[key, value] for key, value in data.items()]
    if sort_by is not None:
        rows.sort(key=lambda row: _sort_key(row[0 if sort_by == "key" else 1]))
    for child in table_nodes([key_header, value_header], rows, caption):
        place.node.add(child)


def table_from_dict_of_lists(
    columns: Mapping[str, Sequence[Any]], *, caption: str | None = None, order: Sequence[str] | None = None
) -> None:
    """One column per name, in ``order`` if given. Short columns end early."""
    place = current_place()
    if place is None:
        return
    names = [name for name in order if name in columns] if order is not None else list(columns)
    height = max((len(columns[name]) for name in names), default=0)
    rows = [[columns[name][row] if row < len(columns[name]) else "" for name in names] for row in range(height)]
    for child in table_nodes(names, rows, caption):
        place.node.add(child)


def table_nodes(head: Sequence[Any], rows: Iterable[Sequence[Any]], caption: str | None = None) -> list[Node]:
    """A caption and its table, as siblings. A cell may be a node."""
    body = [node("tr", *(_cell(value) for value in row)) for row in rows]
    parts: list[Child] = []
    if head:
        parts.append(node("thead", node("tr", *(node("th", str(name)) for name in head))))
    parts.append(node("tbody", *body))
    out = [Node("table", attributes({}, "lt-table"), parts)]
    return [node("div", str(caption), css="lt-table-caption"), *out] if caption else out


def data_table(columns: Sequence[str], rows: list[list[Any]], title: str) -> Node:
    """A table that is data: its rows are numbers for machines, and the page draws them. A tenth of a tree of cells."""
    return node(
        "div", css="lt-data-table", data={"type": "table", "title": title, "columns": list(columns), "rows": rows}
    )


def _cell(value: Any) -> Node:
    if isinstance(value, Node):
        return node("td", value)
    if isinstance(value, bool) or value is None:
        return node("td", "" if value is None else str(value))
    if isinstance(value, (int, float)):
        return node("td", format_number(value), css="lt-num")
    text = value if isinstance(value, str) else object_text(value)
    if len(text) > MAX_CELL:
        return node("td", node("details", node("summary", f"{text[:80]}…"), node("pre", text), css="lt-details"))
    return node("td", text)


def format_number(value: float) -> str:
    """Six significant digits: enough to tell rewards apart, short enough for a table."""
    return f"{value:,}" if isinstance(value, int) else f"{value:.6g}"


def _rows_of(obj: Any) -> tuple[list[Any], list[Sequence[Any]]]:
    if hasattr(obj, "columns") and hasattr(obj, "itertuples"):  # a pandas DataFrame
        return list(obj.columns), [tuple(row) for row in obj.itertuples(index=False)]
    if hasattr(obj, "columns") and hasattr(obj, "rows"):  # a polars one
        return list(obj.columns), list(obj.rows())
    items = list(obj)
    if all(isinstance(item, Mapping) for item in items):
        names = list(dict.fromkeys(key for item in items for key in item))
        return names, [[item.get(name, "") for name in names] for item in items]
    return (list(items[0]), items[1:]) if items else ([], [])


def _sort_key(value: Any) -> tuple[bool, Any]:
    number = isinstance(value, (int, float))
    return (not number, value if number else str(value))
