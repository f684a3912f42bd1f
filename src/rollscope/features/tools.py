"""Tool calls that are made again and again, and results that are errors."""

from __future__ import annotations

import re

from rollscope.features.base import Feature, FeatureSpan, SampleTexts
from rollscope.features.batches.marks import TOOLS
from rollscope.features.batches.text_batch import TextBatch, Values
from rollscope.model import Part, PartType
from rollscope.render import MessageText, split_parts

_KINDS: frozenset[PartType] = frozenset({"tool_call", "tool_result"})
#: How a result that is an error begins, and what it says wherever that stands.
_ERROR = re.compile(
    r"\A[\s\"'{\[<(*]*(?:(?:errors?(?!\.\w)|fatal|failed|failure(?! to\b)|invalid"
    r"|stderr(?! is\b)|panic(?=:|ked))\b"
    # Not a key of JSON, of which only some values are errors, and not prose about errors.
    r"(?![\"']\s*:|s?:? 0\b| (?:handling|handlers?|messages?|codes?|logs?|reports?|rates?|bars?|margins?|terms?|analysis"
    r"|propagation|free|correction|occurring|that|are|is|may|can|will|in|from|of|when)\b)"
    r"|[45]\d\d (?:bad (?:request|gateway)|unauthori[sz]ed|forbidden"
    r"|not (?:found|allowed|implemented|acceptable)|method not|(?:request |gateway )?time-?out|conflict\b|gone\b"
    r"|too many requests|internal server|service un"
    r"|unprocessable|payload too|payment required|(?:client|server) error)|unknown (?:tool|function"
    r"|command)|an? (?:\w+ )?(?:error|exception) (?:has )?occurred"
    r"|(?:tool|function|command|request|execution|query|call|process|build|compilation) (?:\w+ )?(?:failed|error|timed out)"
    r"|no such (?:tool|function)|cannot "
    r"(?!be\b|exceed|have\b|contain|start\b|end\b)|could not |unable to |(?:permission|access) denied"
    r"|timed? ?out(?!,| in\b| for\b| is\b)|npm err!"
    r"|exception in thread|tool_error|error\[|segmentation fault)"
    r"|\A\s*\w*(?:Error|Exception|Traceback)(?: \w+)? *(?:[:(!]|$)|\A\s*.{0,80}: (?:(?:line \d+: )?.{0,40}command not found"
    r"|no such file or directory|permission denied|could not resolve|connection refused)"
    r"|\A\s*curl: \(\d+\)|^make(?:\[\d+\])?: \*\*\* |^error\[E\d+\]|^E   \w+|^npm ERR!"
    r"|Traceback \(most recent call last\)|^\s*(?:\w+\.)*\w*(?:Error|Exception): |^\s*(?:\w+\.)+\w*(?:Error|Exception)\b"
    r"|[\"'](?:error|errors|error_message|exception|traceback)[\"']\s*:(?!\s*(?:null|false|\"\"|''|None|\[\s*\]|\{\s*\}|0\b))"
    r"|[\"'](?:is_?error)[\"']\s*:\s*true|[\"'](?:success|ok)[\"']\s*:\s*false"
    r"|[\"']status[\"']\s*:\s*[\"'](?:error|fail|failed|failure)[\"']"
    r"|\bstatus(?:[_ ]?code)?[\"']?\s*[:=]\s*[45]\d\d\b"
    r"|\A.{0,40}\bstatus(?: code)? [45]\d\d\b|\bHTTP(?:/\d(?:\.\d)?)?(?: error| status)?:? [45]\d\d\b"
    r"|\berror code:? -?[1-9]\d*\b"
    r"|\bexit(?:ed)?[ _](?:with )?(?:code|status)[\"']?\s*[:=]?\s*(?:-\d|[1-9])"
    r"|\breturn(?:ed)?[ _](?:code|status)[\"']?\s*[:=]\s*(?:-\d|[1-9])|</?(?:tool_)?error>",
    re.IGNORECASE | re.MULTILINE,
)
#: Ids of calls differ where the calls are the same.
_CALL_ID = re.compile(r'"(?:id|call_id|tool_call_id)"\s*:\s*"(?:call|toolu|chatcmpl|tool)[-_][^"]*"\s*,?\s*')


def tool_parts(texts: SampleTexts) -> list[tuple[int, Part]]:
    """(where it begins, part) of all calls and results."""
    if isinstance(texts.response_text, MessageText):
        return [(at, part) for at, part in texts.response_text.parts if part.type in _KINDS]
    if texts.marks is not None and "tools" not in texts.marks:
        return []
    if "tool_parts" not in texts.kept:
        texts.kept["tool_parts"] = _tool_parts(texts.response_text)
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


def own_words(texts: SampleTexts) -> str:
    """The response with spaces in the place of calls and of what tools answered: what is said to a reader."""
    text, done, pieces = texts.response_text, 0, []
    for at, part in tool_parts(texts):
        pieces += [text[done:at], " " * len(part.text)]
        done = at + len(part.text)
    return "".join([*pieces, text[done:]]) if pieces else text


def longest_run(texts: SampleTexts) -> tuple[int, FeatureSpan] | None:
    """(how often the same call was made in a row, where)."""
    best: tuple[int, FeatureSpan] | None = None
    count, last, start = 0, "", 0
    for at, part in tool_parts(texts):
        if part.type != "tool_call":
            continue
        content = _CALL_ID.sub("", " ".join(part.text.split()))
        count, start = (count + 1, start) if content == last else (1, at)
        last = content
        if best is None or count > best[0]:
            best = (count, FeatureSpan(start, at + len(part.text), f"{count} times: {content[:80]}"))
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


def _tool_repeats_of(batch: TextBatch) -> Values:
    return batch.values([None] * len(batch.texts), batch.may_call_tools, tool_repeats)


def _tool_errors_of(batch: TextBatch) -> Values:
    return batch.values([None] * len(batch.texts), batch.may_call_tools, tool_errors)


FEATURES = (
    Feature(
        name="text.tool_repeats",
        type="integer",
        title="Repeated calls",
        short="repeats",
        about="Longest run of the same tool call with the same arguments; missing without calls.",
        compute=tool_repeats,
        compute_batch=_tool_repeats_of,
        version=2,
    ),
    Feature(
        name="text.tool_errors",
        type="integer",
        title="Tool errors",
        short="errors",
        about="Tool results that are errors; missing without results.",
        compute=tool_errors,
        compute_batch=_tool_errors_of,
        version=6,
    ),
)
