"""What a feature is, and what it is given: the texts of one sample, with what several features need made once.

A feature is a pure function of a sample's texts. It cannot know who wrote them, when, or how they were rewarded. What it
cannot say of a text is None, and the column is then missing there.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Sequence
from functools import cache, cached_property
from types import EllipsisType
from typing import Any, NamedTuple

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from rollscope.features.batches.marks import SUBJECTS
from rollscope.features.batches.text_batch import TextBatch, Values
from rollscope.features.batches.text_scan import TextScan, scan
from rollscope.features.batches.words import MAX_TEXTS, WordStats, not_ascii, plain_bytes, spaced, word_stats
from rollscope.fields import Field, FieldKind, FieldType
from rollscope.model import TokenArrays
from rollscope.render.message_text import MessageText
from rollscope.render.think_and_tool_blocks import BLOCKS, THINKING_CLOSERS, THINKING_OPENERS, is_quoted

#: Of a longer text, words are counted in all of it, but compared only in its last part. Said in docs/insights.md.
MAX_READ_CHARS = 400_000

_THINKING_CLOSER = {block.opener: block.closer for block in BLOCKS.values() if block.type == "thinking"}


class FeatureSpan(Struct, frozen=True):
    """Characters [start, end) of one of a sample's texts, and what was seen there."""

    start: int
    end: int
    value: str = ""
    field: str = "response"


class SampleTexts:
    """The texts of one sample. `response` is None where it has none: it is no text of length 0."""

    tokens: TokenArrays | None = None
    #: What was seen of all texts of its batch, and its place there.
    scan: TextScan | None = None
    place = 0
    #: The final answer, once a feature has found it.
    final: str | EllipsisType | None = ...

    def __init__(
        self,
        prompt: str | None = None,
        response: str | None = None,
        golden: Sequence[str] = (),
        tokens: TokenArrays | None = None,
    ) -> None:
        self.prompt = prompt
        self.response = response
        self.response_text = response or ""
        self.golden = golden
        if tokens is not None:
            self.tokens = tokens

    @cached_property
    def kept(self) -> dict[str, Any]:
        """What one feature found and another one needs, too."""
        return {}

    @cached_property
    def tail(self) -> str:
        """The response, of a very long one its end."""
        return _tail(self.response_text)

    @cached_property
    def stats(self) -> WordStats:
        """Of the words of `tail`."""
        if self.scan is not None:
            return self.scan.stats(self.place)
        _prepare([self])
        found: WordStats = self.stats
        return found

    @cached_property
    def marks(self) -> frozenset[str] | None:
        """Which of SUBJECTS may have a mark there, by all but case and white space; None where that is not known. Most texts
        have none, and then nobody looks closer."""
        if self.scan is not None:
            return None if len(self.response_text) > MAX_READ_CHARS else self.scan.marks_in(self.place)
        _prepare([self])
        found: frozenset[str] | None = self.marks
        return found

    @cached_property
    def not_ascii(self) -> str:
        """All other characters of `tail`."""
        return "" if self.tail.isascii() else not_ascii(self.tail)

    @cached_property
    def thoughts(self) -> list[tuple[int, int, bool]]:
        """(start, end, closed) of the thoughts in the response, without their delimiters. One that began in the prompt
        begins at 0."""
        text = self.response_text
        if isinstance(text, MessageText):
            thoughts = [(at, part) for at, part in text.parts if part.type == "thinking"]
            if any(not part.lead for _, part in thoughts):
                return [(at + part.lead, at + len(part.text) - part.tail, part.closed) for at, part in thoughts]
        found: list[tuple[int, int, bool]] = []
        if self.marks is not None and "thoughts" not in self.marks:
            end = text.find("</think>")
            if end < 0 and "<think>" not in text:
                return found
            start = text.find("<think>", 0, max(end, 0)) + 7
            if start >= 7 and text.count("think>") == 2 and not _is_mentioned(text, start - 7, start, end):
                return [(start, end, True)]
        at = 0
        first = _next_closer(text, 0)
        opened = _next_opener(text, 0)
        if first is not None and (opened is None or first.start() < opened[0]) and first[0] != "<|end|>":
            found.append((0, first.start(), True))
            at = first.end()
            opened = _next_opener(text, at)
        while opened is not None:
            start = opened[0] + len(opened[1])
            closer = _THINKING_CLOSER[opened[1]]
            end = _find_closer(text, closer, start)
            if _is_mentioned(text, opened[0], start, end):
                opened = _next_opener(text, start)
                continue
            if end < 0:
                found.append((start, len(text), False))
                break
            found.append((start, end, True))
            opened = _next_opener(text, end + len(closer))
        return found

    @cached_property
    def answer_start(self) -> int:
        """Where the last thought has ended: what follows is for the reader. 0 where nothing was thought."""
        if not self.thoughts:
            return 0
        _, end, closed = self.thoughts[-1]
        if not closed:
            return end
        match = THINKING_CLOSERS.match(self.response_text, end)
        return match.end() if match else end

    @cached_property
    def answer_part(self) -> str:
        return self.response_text[self.answer_start :]

    def answer_opening(self, count: int) -> str:
        """Its first characters, without white space before them."""
        start = self.answer_start
        opening = self.response_text[start : start + count + 64].lstrip()
        return (opening if len(opening) >= count else self.answer_part.lstrip())[:count]


def _tail(text: str) -> str:
    return text if len(text) <= MAX_READ_CHARS else text[-MAX_READ_CHARS:]


def prepare(batch: Sequence[SampleTexts]) -> TextScan | None:
    """Look at many samples at once, which costs a fraction of one by one; by compiled code, where it is there. Optional: a
    sample that was not prepared does it alone."""
    found = scan([text if len(text := texts.response_text) <= MAX_READ_CHARS else _tail(text) for texts in batch])
    if found is None:
        for start in range(0, len(batch), MAX_TEXTS):
            _prepare(batch[start : start + MAX_TEXTS])
        return None
    for place, texts in enumerate(batch):
        texts.scan, texts.place = found, place
    return found


def _prepare(batch: Sequence[SampleTexts]) -> None:
    plain, starts = plain_bytes([spaced(texts.tail, texts.not_ascii) for texts in batch])
    marks = _marks_in(plain, starts.tolist())
    for place, (texts, stats) in enumerate(zip(batch, word_stats(plain, starts))):
        texts.stats = stats
        texts.marks = marks.get(place, _NONE)
        # What was not looked at may be a mark, and letters that are folded to ASCII may hide one.
        if len(texts.response_text) > MAX_READ_CHARS or not _FOLDED.isdisjoint(texts.not_ascii):
            texts.marks = None


_FOLDED = frozenset("\u212a\u017f\u0130\u0131")
_NONE: frozenset[str] = frozenset()


def _marks_in(plain: bytes, starts: list[int]) -> dict[int, frozenset[str]]:
    """Place of the text -> what is there. One may begin inside another, but not reach over the end of a text."""
    places: dict[int, set[str]] = {}
    search = _marks().search
    found = search(plain)
    while found is not None:
        at = found.start()
        place = bisect_right(starts, at) - 1
        for mark, subject in _marks_by_beginning()[plain[at : at + 4]]:
            if plain.startswith(mark, at) and at + len(mark) < starts[place + 1]:
                places.setdefault(place, set()).add(subject)
        found = search(plain, at + 1)
    return {place: frozenset(marks) for place, marks in places.items()}


@cache
def _marks_by_beginning() -> dict[bytes, list[tuple[bytes, str]]]:
    """By their first four bytes: where one is found, longer and shorter ones may begin. Each with what it tells."""
    found: dict[bytes, list[tuple[bytes, str]]] = {}
    for subject, marks in SUBJECTS.items():
        for mark in map(str.encode, marks):
            found.setdefault(mark[:4], []).append((mark, subject))
    return found


@cache
def _marks() -> Any:
    import re2  # slow to import, and most commands compute no feature

    return re2.compile("|".join(re.escape(mark) for marks in SUBJECTS.values() for mark in marks).encode())


def _next_opener(text: str, at: int) -> tuple[int, str] | None:
    match = _OPENERS.search(text, at)
    while match is not None and is_quoted(text, *match.span()):
        match = _OPENERS.search(text, match.end())
    return (match.start(), match[0]) if match else None


def _next_closer(text: str, at: int) -> re.Match[str] | None:
    match = THINKING_CLOSERS.search(text, at)
    while match is not None and is_quoted(text, *match.span()):
        match = THINKING_CLOSERS.search(text, match.end())
    return match


def _find_closer(text: str, closer: str, at: int) -> int:
    end = text.find(closer, at)
    while end >= 0 and is_quoted(text, end, end + len(closer)):
        end = text.find(closer, end + len(closer))
    return end if end >= 0 else text.find(closer, at)  # "is `x`</think>`x`"


def _is_mentioned(text: str, opener: int, start: int, end: int) -> bool:
    """Whether a sentence speaks of the delimiter: "the <think> tag", "between <think> and </think>"."""
    if end >= 0:
        return end - start <= _MENTIONED_CHARS and text[start:end].strip().lower() in _BETWEEN
    before = text[max(0, opener - 2) : opener]
    return (
        len(before) == 2
        and before[1] == " "
        and (before[0].isalnum() or before[0] in ",(")
        and text[start : start + 1] in _GOES_ON
    )


#: What stands between the two where a sentence names both; what may follow one that it names.
_MENTIONED_CHARS = 40
_BETWEEN = frozenset(("and", "or", "und", "oder", "et", "y", "...", "…", "/", ",", "和"))
_GOES_ON = (" ", ",", ".", ")", ":")
_OPENERS = re.compile("|".join(re.escape(opener) for opener in THINKING_OPENERS))


class Feature(Struct, frozen=True, kw_only=True):
    """A column. `compute` makes its value of a sample's texts; `version` is raised whenever that changes, so that what was
    computed before is computed again."""

    name: str
    type: FieldType
    title: str
    about: str
    compute: Callable[[SampleTexts], Any]
    kind: FieldKind = "amount"
    short: str = ""
    version: int = 1
    #: Needs the recorded tokens: the sample is then read whole, which costs more.
    tokens: bool = False
    #: The same of many samples at once, where they were looked at together. Optional: it saves time and nothing else.
    compute_batch: Callable[[TextBatch], Values] | None = None

    def as_field(self) -> Field:
        return Field(
            name=self.name,
            type=self.type,
            title=self.title,
            short=self.short or self.name.partition(".")[2].replace("_", " "),
            kind=self.kind,
            about=self.about,
            origin="feature",
        )


class GroupSketches(NamedTuple):
    """Sketches of one size, one a row, those of a group one after the other; where each group starts, and the end."""

    rows: NDArray[np.uint8]
    starts: NDArray[np.int64]


class GroupFeature(Feature, frozen=True, kw_only=True):
    """A column that compares a sample with the others of its group. `compute` makes a sketch of each text (bytes), and
    `combine` the values of a group of the sketches of all its samples, in their order."""

    combine: Callable[[Sequence[bytes | None]], Sequence[Any]]
    #: The same of many groups at once, where all sketches are there and of one size. Optional: it saves time and nothing else.
    combine_groups: Callable[[GroupSketches], Values] | None = None
    #: The feature whose sketches it uses, where that is another one.
    sketch: str = ""
