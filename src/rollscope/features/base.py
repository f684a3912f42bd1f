"""What a feature is, and what it is given: the texts of one sample, with what several features need made once.

A feature is a pure function of a sample's texts. It cannot know who wrote them, when, or how they were rewarded. What it
cannot say of a text is None, and the column is then missing there.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any
from zlib import crc32

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from rollscope.fields import Field, FieldKind, FieldType
from rollscope.model import TokenArrays
from rollscope.render.think_and_tool_blocks import BLOCKS, THINKING_CLOSERS, THINKING_OPENERS

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

    def __init__(
        self,
        prompt: str | None = None,
        response: str | None = None,
        golden: Sequence[str] = (),
        tokens: TokenArrays | None = None,
    ) -> None:
        self.prompt = prompt
        self.response = response
        self.golden = tuple(golden)
        self.tokens = tokens
        #: What one feature found and another one needs, too.
        self.kept: dict[str, Any] = {}

    @property
    def said(self) -> str:
        return self.response or ""

    @cached_property
    def tail(self) -> str:
        """The response, of a very long one its end."""
        return self.said[-MAX_READ_CHARS:]

    @cached_property
    def words(self) -> list[bytes]:
        """Of `tail`, in small letters, by white space; of scripts without spaces each sign. As bytes, which are hashed and
        compared faster than text."""
        return split_words(self.tail)

    @cached_property
    def grams(self) -> NDArray[np.uint64]:
        """A number for each sequence of three words, sorted: equal sequences have equal numbers, in every process."""
        words = self.words
        if len(words) < 3:
            return np.empty(0, dtype=np.uint64)
        numbers = np.fromiter(map(crc32, words), dtype=np.uint64, count=len(words))
        numbers *= np.uint64(0x9E3779B97F4A7C15)
        numbers ^= numbers >> np.uint64(29)
        grams = numbers[:-2] * np.uint64(0xC2B2AE3D27D4EB4F) + numbers[1:-1]
        grams ^= grams >> np.uint64(31)
        grams *= np.uint64(0x165667B19E3779F9)
        grams += numbers[2:]
        grams ^= grams >> np.uint64(30)
        grams *= np.uint64(0xBF58476D1CE4E5B9)
        grams.sort()
        return grams

    @cached_property
    def thoughts(self) -> list[tuple[int, int, bool]]:
        """(start, end, closed) of the thoughts in the response, without their delimiters. One that began in the prompt
        begins at 0."""
        text = self.said
        found: list[tuple[int, int, bool]] = []
        if not any(mark in text for mark in ("think", "THINK", "<channel|>", "<|channel>", "<|end|>")):
            return found
        if "<think>" in text and text.count("<think>") == 1 == text.count("</think>") and text.count("think>") == 2:
            start, end = text.index("<think>") + 7, text.index("</think>")
            if start <= end and "channel" not in text and "THINK]" not in text:
                return [(start, end, True)]
        at = 0
        first = THINKING_CLOSERS.search(text)
        opened = _next_opener(text, 0)
        if first is not None and (opened is None or first.start() < opened[0]) and first[0] != "<|end|>":
            found.append((0, first.start(), True))
            at = first.end()
            opened = _next_opener(text, at)
        while opened is not None:
            start = opened[0] + len(opened[1])
            closer = _THINKING_CLOSER[opened[1]]
            end = text.find(closer, start)
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
        match = THINKING_CLOSERS.match(self.said, end)
        return match.end() if match else end

    @property
    def answer_part(self) -> str:
        return self.said[self.answer_start :]


def split_words(text: str) -> list[bytes]:
    if text.isascii():
        return text.encode().lower().split()
    raw = text.encode("utf-8", "surrogatepass")
    if not _MAYBE_UNSPACED.search(raw):
        return raw.lower().split()
    return "\n".join(_WORDS.findall(text.lower())).encode("utf-8", "surrogatepass").split(b"\n")


def _next_opener(text: str, at: int) -> tuple[int, str] | None:
    match = _OPENERS.search(text, at)
    return (match.start(), match[0]) if match else None


#: Scripts that put no spaces between words: each of their signs counts as one. Thai, Lao, Myanmar, Khmer, kana, Han.
UNSPACED = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
)
#: First bytes of their signs in UTF-8: a look at bytes is several times cheaper than one at characters.
_MAYBE_UNSPACED = re.compile(rb"[\xe0\xe1\xe3-\xe9\xef\xf0]")
_WORDS = re.compile(rf"[{UNSPACED}]|[^\s{UNSPACED}]+")
_OPENERS = re.compile("|".join(re.escape(opener) for opener in THINKING_OPENERS))


class Feature(Struct, frozen=True, kw_only=True):
    """A column. `compute` makes its value of a sample's texts; `version` is raised whenever that changes, so that what was
    computed before is computed anew."""

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


class GroupFeature(Feature, frozen=True, kw_only=True):
    """A column that compares a sample with the others of its group. `compute` makes a sketch of each text (bytes), and
    `combine` the values of a group of the sketches of all its samples, in their order."""

    combine: Callable[[Sequence[bytes | None]], Sequence[Any]]
    #: The feature whose sketches it uses, where that is another one.
    sketch: str = ""
