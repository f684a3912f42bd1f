"""Tool calls that are made again and again, and results that are errors."""

from __future__ import annotations

import re

from rollscope.features.base import Feature, FeatureSpan, SampleTexts
from rollscope.features.batches.marks import TOOLS
from rollscope.model import Part, PartType
from rollscope.render import split_parts

_KINDS: frozenset[PartType] = frozenset({"tool_call", "tool_result"})
_ERROR = re.compile(
    r"\A[\s\"'{\[]*(?:error|exception|traceback|fatal|failed|invalid|unknown (?:tool|function))\b"
    r"|Traceback \(most recent call last\)|[\"']error[\"']\s*:\s*(?!null|false|\"\"|''|None)"
    r"|\A\s*\w*(?:Error|Exception)\b|\bstatus(?:_code)?[\"']?\s*[:=]\s*[45]\d\d",
    re.IGNORECASE,
)


def tool_parts(texts: SampleTexts) -> list[tuple[int, Part]]:
    """(where it begins, part) of all calls and results."""
    if texts.marks is not None and texts.marks.isdisjoint(TOOLS):
        return []
    if "tool_parts" not in texts.kept:
        texts.kept["tool_parts"] = _tool_parts(texts.said)
    found: list[tuple[int, Part]] = texts.kept["tool_parts"]
    return found


def _tool_parts(text: str) -> list[tuple[int, Part]]:
    if not any(mark in text for mark in ("TOOL_CALLS", *TOOLS)):
        return []
    found, at = [], 0
    for part in split_parts(text, mask=None, kinds=_KINDS):
        if part.type in _KINDS:
            found.append((at, part))
        at += len(part.text)
    return found


def longest_run(texts: SampleTexts) -> tuple[int, FeatureSpan] | None:
    """(how often the same call was made in a row, where)."""
    best: tuple[int, FeatureSpan] | None = None
    count, last, start = 0, "", 0
    for at, part in tool_parts(texts):
        if part.type != "tool_call":
            continue
        content = " ".join(part.content.split())
        count, start = (count + 1, start) if content == last else (1, at)
        last = content
        if best is None or count > best[0]:
            best = (count, FeatureSpan(start, at + len(part.text), f"{count} times {content[:80]}"))
    return best


def tool_repeats(texts: SampleTexts) -> int | None:
    found = longest_run(texts)
    return None if found is None else found[0]


def error_spans(texts: SampleTexts) -> list[FeatureSpan]:
    return [
        FeatureSpan(at, at + len(part.text), part.content.strip()[:120])
        for at, part in tool_parts(texts)
        if part.type == "tool_result" and _ERROR.search(part.content[:4000])
    ]


def tool_errors(texts: SampleTexts) -> int | None:
    if not any(part.type == "tool_result" for _, part in tool_parts(texts)):
        return None
    return len(error_spans(texts))


FEATURES = (
    Feature(
        name="text.tool_repeats",
        type="integer",
        title="Repeated calls",
        short="repeats",
        about="Longest run of the same tool call with the same arguments; missing without calls.",
        compute=tool_repeats,
    ),
    Feature(
        name="text.tool_errors",
        type="integer",
        title="Tool errors",
        short="errors",
        about="Tool results that are errors; missing without results.",
        compute=tool_errors,
    ),
)
