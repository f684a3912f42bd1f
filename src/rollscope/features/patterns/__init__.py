"""Which patterns of the table, and of the user's own, match a text.

A user's own file adds to the table: one table ``[NAME]`` a pattern, with ``pattern`` (RE2), ``reason`` and, if one likes,
``examples``, ``where = "start"`` (only in the first 400 characters of the answer) and ``severity``.
"""

from __future__ import annotations

import re
import tomllib
from functools import cache
from typing import Any

from rollscope.errors import UsageError
from rollscope.features.base import Feature, FeatureSpan, SampleTexts
from rollscope.features.batches.marks import HINTS
from rollscope.features.batches.text_batch import TextBatch, Values
from rollscope.features.batches.text_scan import TextFlag
from rollscope.features.patterns.table import PATTERNS, TextPattern

#: Where a pattern of an answer's start is looked for.
START_CHARS = 400
_NAME = re.compile(r"[a-z][a-z0-9_]{0,40}")


def parse_patterns(text: str) -> tuple[TextPattern, ...]:
    """The user's own. Raises ValueError with a sentence."""
    try:
        tables: dict[str, Any] = tomllib.loads(text) if text else {}
    except tomllib.TOMLDecodeError as error:
        raise ValueError(f"it is no TOML: {error}") from None
    found = []
    for name, row in tables.items():
        if not _NAME.fullmatch(name):
            raise ValueError(f"the name {name!r} needs small letters, digits and underscores only")
        if not isinstance(row, dict) or not isinstance(row.get("pattern"), str):
            raise ValueError(f"[{name}] needs a pattern = '…'")
        if unknown := set(row) - {"pattern", "reason", "examples", "where", "severity"}:
            raise ValueError(f"[{name}] has an unknown key {sorted(unknown)[0]!r}")
        if row.get("where", "anywhere") not in ("anywhere", "start"):
            raise ValueError(f'[{name}]: where is "anywhere" or "start"')
        if row.get("severity") not in (None, "high", "medium", "low"):
            raise ValueError(f'[{name}]: severity is "high", "medium" or "low"')
        made = TextPattern(
            name=name,
            pattern=row["pattern"],
            reason=str(row.get("reason", "")),
            examples=tuple(map(str, row.get("examples", ()))),
            where=row.get("where", "anywhere"),
            severity=row.get("severity"),
        )
        matcher = _compiled(made.pattern)
        for example in made.examples:
            if not matcher.search(example):
                raise ValueError(f"[{name}] does not match its own example {example!r}")
        found.append(made)
    return tuple(found)


def check_patterns(text: str, path: str) -> None:
    """Raises UsageError where the file of patterns cannot be used."""
    try:
        parse_patterns(text)
    except ValueError as error:
        raise UsageError(f"{path}: {error}", hint="docs/insights.md shows such a file") from None


@cache
def _compiled(pattern: str) -> Any:
    import re2

    options = re2.Options()
    options.log_errors = False
    try:
        return re2.compile(pattern, options)
    except re2.error as error:
        reason = error.args[0].decode(errors="replace") if error.args else "no reason given"
        raise ValueError(f"the pattern {pattern!r} is not a valid RE2 expression: {reason}") from None


def patterns(text: str = "") -> dict[str, TextPattern]:
    """All of the table, the user's over ours where the names are the same."""
    return {item.name: item for item in (*PATTERNS, *parse_patterns(text))}


class _Matcher:
    """Patterns over one text: those that may match by their hints. A user's own have none."""

    def __init__(self, chosen: list[TextPattern]) -> None:
        self._chosen = [(item.name, _hints(item), _compiled(item.pattern)) for item in chosen]
        self.all_hinted = all(hints for _, hints, _ in self._chosen)

    def match(self, text: str, marks: frozenset[str] | None = None) -> list[str]:
        """`marks` are the patterns that the text has hints of, where that is known."""
        if not text or (marks is not None and not marks and self.all_hinted):
            return []
        small = _small(text) if marks is None else ""
        found, raw = [], b""
        for name, hints, pattern in self._chosen:
            if hints and (not any(hint in small for hint in hints) if marks is None else name not in marks):
                continue
            raw = raw or text.encode("utf-8", "replace")
            if pattern.search(raw):  # as bytes: of a text each would make its own
                found.append(name)
        return found


def _hints(item: TextPattern) -> tuple[str, ...]:
    """A user's pattern may have the name of one of ours, and match otherwise."""
    return HINTS.get(item.name, ()) if item in PATTERNS else ()


def _small(text: str) -> str:
    """Small letters, as RE2 folds case: that includes the long s and the Kelvin sign."""
    return text.lower() if text.isascii() else text.casefold()


def make(text: str = "") -> tuple[Feature, ...]:
    """The feature, with the user's own patterns."""
    known = list(patterns(text).values())
    anywhere = _Matcher([item for item in known if item.where == "anywhere"])
    start = _Matcher([item for item in known if item.where == "start"])

    def flags(texts: SampleTexts) -> list[str] | None:
        if texts.response is None:
            return None
        found = anywhere.match(texts.tail, texts.marks)
        found += start.match(texts.answer_opening(START_CHARS))
        return sorted(found)

    def flags_of(batch: TextBatch) -> Values:
        look = batch.marked(hinted) | batch.has(TextFlag.LOOK_OPENING) | batch.other_thoughts
        return batch.values([[]] * len(batch.texts), look, flags)

    hinted = [item.name for item in known if item.where == "anywhere" and _hints(item)]
    return (
        Feature(
            name="text.flags",
            type="strings",
            title="Flags",
            about="Names of the patterns that match; docs/insights.md has their table.",
            compute=flags,
            compute_batch=flags_of if anywhere.all_hinted and start.all_hinted else None,
            kind="category",
            version=10,
        ),
    )


def flag_span(texts: SampleTexts, item: TextPattern) -> FeatureSpan | None:
    text, before = texts.response_text, 0
    if item.where == "start":
        before = texts.answer_start + len(texts.answer_part) - len(texts.answer_part.lstrip())
        text = text[before : before + START_CHARS]
    found = _compiled(item.pattern).search(text.encode("utf-8", "replace").decode())
    return None if found is None else FeatureSpan(before + found.start(), before + found.end(), item.reason)
