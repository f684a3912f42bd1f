"""Splits the text of one message into parts: what was said, thought, called, answered.

Nothing is ever lost or changed: the parts' texts joined are the input. What cannot be parsed is text. One pass, with
each delimiter looked for once (:class:`_Finder`) and each character copied once, so that the cost grows with the text
and with nothing else.
"""

from __future__ import annotations

import re

from rollscope.model import Part, PartType
from rollscope.render.mask import DEFAULT_MASK, fold_pads
from rollscope.render.think_and_tool_blocks import (
    ALL_KINDS,
    BLOCKS,
    CALL_ENDS,
    CHANNEL,
    CHANNEL_CANDIDATES,
    CHANNEL_CLOSERS,
    CHANNEL_ENDS,
    FUNCTION_CLOSER,
    FUNCTION_PREFIX,
    RECIPIENT,
    THINKING_CLOSERS,
    THINKING_OPENERS,
    Block,
    is_quoted,
    opener_pattern,
)
from rollscope.render.tool_calls import read_call

_NOT_SPACE = re.compile(r"\S")


def split_parts(
    text: str,
    *,
    thinking_open: bool = False,
    mask: re.Pattern[str] | None = DEFAULT_MASK,
    kinds: frozenset[PartType] = ALL_KINDS,
) -> list[Part]:
    """Split ``text`` into parts.

    ``thinking_open`` says that the prompt ended inside a think block. ``mask`` finds pad tokens; None leaves them in
    the text. ``kinds`` are the blocks to look for: a system prompt that explains ``<think>`` does not think.
    """
    parts = _Splitter(text, kinds).split(thinking_open)
    return parts if mask is None else list(fold_pads(parts, mask))


class _Finder:
    """``text.find`` that remembers: a closer that lies far ahead, or nowhere, is searched for once and not again from
    every opener before it. Positions asked for only grow."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._found: dict[str, int] = {}
        self._matched: dict[re.Pattern[str], re.Match[str] | None] = {}

    def find(self, what: str, start: int) -> int:
        found = self._found.get(what, -2)
        if found == -1 or found >= start:
            return found
        found = self._found[what] = self._text.find(what, start)
        return found

    def search(self, pattern: re.Pattern[str], start: int) -> re.Match[str] | None:
        if pattern in self._matched:
            match = self._matched[pattern]
            if match is None or match.start() >= start:
                return match
        match = self._matched[pattern] = pattern.search(self._text, start)
        return match


class _Splitter:
    def __init__(self, text: str, kinds: frozenset[PartType]) -> None:
        self.text = text
        self.kinds = kinds
        self.finder = _Finder(text)
        self.parts: list[Part] = []
        self.thought = False

    def split(self, thinking_open: bool) -> list[Part]:
        plain = self._thinking_before(thinking_open) if "thinking" in self.kinds else 0
        opener = opener_pattern(self.kinds)
        at = plain  # `plain` is where the text not yet in a part begins, `at` where to look on
        while match := opener.search(self.text, at):
            part = self._part_at(match)
            if part is None:
                at = match.end()
                continue
            self._add_text(plain, match.start())
            self.parts.append(part)
            self.thought |= part.type == "thinking"
            plain = at = match.start() + len(part.text)
        self._add_text(plain, len(self.text))
        return self.parts

    def _add_text(self, start: int, stop: int) -> None:
        if start < stop:
            self.parts.append(Part(text=self.text[start:stop]))

    def _thinking_before(self, thinking_open: bool) -> int:
        """The think block that was opened before this text began: the caller knows, or a closer without opener tells.
        Returns where it ends."""
        text = self.text
        if not thinking_open:
            stop = text.find("</think>")
            if stop <= 0 or is_quoted(text, stop, stop + len("</think>")) or self._opens_before(stop):
                return 0
            end, tail = stop + len("</think>"), len("</think>")
        else:
            first = _NOT_SPACE.search(text)
            if not text or (first and text.startswith(THINKING_OPENERS, first.start())):
                return 0
            closer = THINKING_CLOSERS.search(text)
            end, tail = (closer.end(), len(closer[0])) if closer else (len(text), 0)
        self.parts.append(Part(type="thinking", text=text[:end], tail=tail, closed=tail > 0))
        self.thought = True
        return end

    def _opens_before(self, stop: int) -> bool:
        start = self.text.find("<think>", 0, stop)
        while start >= 0 and is_quoted(self.text, start, start + len("<think>")):
            start = self.text.find("<think>", start + 1, stop)
        return start >= 0

    def _part_at(self, match: re.Match[str]) -> Part | None:
        """The part that begins at ``match``, or None where a delimiter is only mentioned."""
        token = match[0]
        if token in CHANNEL_CANDIDATES:
            return self._channel(match)
        if block := BLOCKS.get(token):
            return self._call(block, match) if block.type == "tool_call" else self._block(block, match)
        if token.startswith(FUNCTION_PREFIX):
            part = self._cut(Block("tool_call", token, FUNCTION_CLOSER), match)
            part.name = token[len(FUNCTION_PREFIX) : -1].strip()
            return part
        return Part(type="marker", text=token)

    def _block(self, block: Block, match: re.Match[str]) -> Part | None:
        end = self.finder.find(block.closer, match.end())
        if block.type == "tools" and end in (-1, match.end()):
            return None  # "the signatures between <tools></tools> are": Qwen's own template says so before its list
        if block.type == "thinking" and (
            is_quoted(self.text, *match.span()) or (end < 0 and self.thought and not self._begins_line(match))
        ):
            return None
        return self._cut(block, match)

    def _begins_line(self, match: re.Match[str]) -> bool:
        return match.start() == 0 or self.text[match.start() - 1] == "\n"

    def _call(self, block: Block, match: re.Match[str]) -> Part | None:
        if not block.closer:
            stop = self.finder.search(CALL_ENDS, match.end())
            end = stop.start() if stop else len(self.text)
            return _named(Part(type="tool_call", text=self.text[match.start() : end], lead=len(match[0])))
        end = self.finder.find(block.closer, match.end())
        again = self.finder.find(block.opener, match.end())
        if end >= 0 and not 0 <= again < end:
            return None if end == match.end() else _named(self._cut(block, match))
        # Never closed: it ends where the next one opens. Without anything like a call in it, it is only a word.
        end = again if again >= 0 else len(self.text)
        first = _NOT_SPACE.search(self.text, match.end(), end)
        if first and first[0] not in "{[<":
            return None
        part = Part(type="tool_call", text=self.text[match.start() : end], lead=len(match[0]), closed=False)
        return _named(part)

    def _cut(self, block: Block, match: re.Match[str]) -> Part:
        start, lead, tail = match.start(), len(match[0]), len(block.closer)
        end = self.finder.find(block.closer, match.end())
        if end < 0:
            return Part(type=block.type, text=self.text[start:], lead=lead, closed=False)
        return Part(type=block.type, text=self.text[start : end + tail], lead=lead, tail=tail)

    def _channel(self, match: re.Match[str]) -> Part:
        header = CHANNEL.match(self.text, match.start())
        if header is None:
            return Part(type="marker", text=match[0])
        recipient = RECIPIENT.search(f"{header['early'] or ''} {header['late']}")
        kind: PartType = "tool_call" if recipient else "thinking" if header["channel"] == "analysis" else "marker"
        if kind not in self.kinds:
            return Part(type="marker", text=header[0])
        stop = self.finder.search(CHANNEL_ENDS, header.end())
        tail = len(stop[0]) if stop and stop[0] in CHANNEL_CLOSERS else 0
        end = stop.start() + tail if stop else len(self.text)
        return Part(
            type=kind,
            text=self.text[match.start() : end],
            lead=len(header[0]),
            tail=tail,
            name=recipient[1].removeprefix("functions.") if recipient else None,
            closed=stop is not None,
        )


def _named(part: Part) -> Part:
    call = read_call(part.content)
    part.name, part.id = call.name, call.id
    if not part.tail and not call.complete:
        part.closed = False
    return part
