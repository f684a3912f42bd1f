"""A sample as a document to read: fields, then the conversation turn by turn, then the golden answers."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from rollscope.model import Message, Part, PartType, Sample
from rollscope.render.mask import pad_runs
from rollscope.tui.palette import number
from rollscope.tui.text.document import Document, StyledSpan, TextBlock, one_line, shown
from rollscope.tui.text.fields import TEXT_FIELDS, field_names, field_value, joined, turn_summary
from rollscope.tui.text.markdown import MAX_MARKDOWN, rendered_markdown

#: Parts that run on in the line; all others stand apart, with a bar at their left.
_INLINE: frozenset[PartType] = frozenset({"text", "pad", "media"})

_BARS: dict[PartType, str] = {"thinking": "┊ ", "tool_call": "│ ", "tool_result": "│ ", "tools": "│ ", "answer": "┃ "}


@dataclass(frozen=True, slots=True)
class ReadingOptions:
    """How a person wants to read."""

    #: Is this field shown?
    shows: Callable[[str], bool]
    mask: re.Pattern[str] | None = None
    #: Columns to render markdown for; None leaves it as it is.
    markdown_width: int | None = None


def transcript(sample: Sample, reading: ReadingOptions) -> Document:
    """The plain-text view."""
    document = Document(width=reading.markdown_width)
    blocks = document.blocks
    facts = [name for name in field_names(sample) if name not in TEXT_FIELDS and reading.shows(name)]
    if facts:
        blocks.append(_facts(sample, facts))
    blocks += _conversation(sample, reading)
    blocks += _unmatched(sample, reading)
    if reading.shows("golden_answers"):
        blocks += _golden_answers(sample)
    if reading.shows("notes") and sample.notes:
        blocks.append(TextBlock(look="note", text=shown("\n".join(sample.notes))))
    return document


def _conversation(sample: Sample, reading: ReadingOptions) -> Iterator[TextBlock]:
    """The messages, each turn's first one marked as where it begins, and behind each turn what is known of it."""
    begun: set[int] = set()
    turns = max((message.turn for message in sample.messages if message.turn is not None), default=-1) + 1
    for message, following in zip(sample.messages, [*sample.messages[1:], None]):
        turn = message.turn
        if not reading.shows("prompt" if turn is None else "response"):
            continue
        body = list(_body(message, reading))
        if body or turn is not None:  # a header at the prompt's end is no message
            heading = _heading(message, turns)
            if turn is not None and turn not in begun:
                begun.add(turn)
                heading.turn = turn
            yield heading
            yield from body
        turn_ends = following is None or following.turn != turn
        if turn is not None and turn_ends and reading.shows("turns") and (summary := turn_summary(sample, turn)):
            yield TextBlock(look="note", text=f"turn {turn + 1}: {one_line(summary)}")


def _unmatched(sample: Sample, reading: ReadingOptions) -> Iterator[TextBlock]:
    """Conversations of its group that cannot be assigned to a sample with certainty."""
    for loose in sample.unmatched:
        yield TextBlock(title=f"of this group: {one_line(loose.title)}", title_look="role", rule=True, gap=False)
        for message in loose.messages:
            yield _heading(message, 0)
            yield from _body(message, reading)


def _golden_answers(sample: Sample) -> Iterator[TextBlock]:
    for key, answer in sample.golden_answers.items():
        title = "golden answer" if len(sample.golden_answers) == 1 else f"golden answer: {one_line(key)}"
        yield TextBlock(title=title, title_look="golden", rule=True, gap=False)
        yield TextBlock(look="golden", text=shown(answer))


def raw_document(text: str) -> Document:
    """The whole sample as one string, nothing masked."""
    return Document([TextBlock(text=shown(text), gap=False)])


def _facts(sample: Sample, names: list[str]) -> TextBlock:
    """Name and value of each field, running on in the line."""
    pieces, spans, length = [], [], 0
    for name in names:
        label, value = one_line(name), one_line(field_value(sample, name))
        spans.append(StyledSpan(length, length + len(label), "field.name"))
        pieces.append(f"{label}\u00a0{value}")  # a name and its value stay on one line
        length += len(pieces[-1]) + len("  ")
    return TextBlock(look="field.value", text="  ".join(pieces), spans=spans)


def _heading(message: Message, turns: int) -> TextBlock:
    facts = [
        message.role if message.name is None else f"{message.role} {message.name}",
        f"turn {message.turn + 1} of {turns}" if message.turn is not None and turns > 1 else "",
        f"{number(message.tokens)} tokens" if message.tokens is not None else "",
        "role guessed" if message.guessed else "",
        "not trained on" if message.trainable is False and message.turn is not None else "",
    ]
    return TextBlock(title=one_line(joined(facts)), title_look=f"role.{message.role}", rule=True, gap=False)


def _body(message: Message, reading: ReadingOptions) -> Iterator[TextBlock]:
    """The blocks of a message: stretches of running text, and what stands apart from it."""
    writer = _Writer("text")
    for part in message.parts:
        if part.type == "marker":
            continue  # the template's own tokens; the heading says what they say
        kind: PartType = "text" if part.type in _INLINE else part.type
        # A run of pad tokens belongs to whatever it lies in; it also cuts a thinking block in pieces.
        inside = part.type == "pad" or (
            kind == writer.kind and (kind == "text" or (part.lead == 0 and not writer.ended))
        )
        if not inside:
            yield from writer.blocks(reading)
            writer = _Writer(kind)
        writer.add(part, reading)
    yield from writer.blocks(reading)


@dataclass(slots=True)
class _Writer:
    """Gathers the parts of one block."""

    kind: PartType
    pieces: list[str] = field(default_factory=list)
    spans: list[StyledSpan] = field(default_factory=list)
    length: int = 0
    name: str | None = None
    ended: bool = False
    closed: bool = True

    def add(self, part: Part, reading: ReadingOptions) -> None:
        self.name = self.name or part.name
        self.ended, self.closed = part.tail > 0, part.closed
        if part.type == "thinking":
            self._write(part.content, "", reading.mask)  # the bar says what the delimiters said
        elif part.type in _INLINE:
            self._write(part.text, "" if part.type in ("text", "pad") else part.type, reading.mask)
        else:
            self._write(part.text[: part.lead], "delimiter", None)
            self._write(part.content, "", reading.mask)
            self._write(part.text[len(part.text) - part.tail :], "delimiter", None)

    def blocks(self, reading: ReadingOptions) -> Iterator[TextBlock]:
        text = "".join(self.pieces) if len(self.pieces) != 1 else self.pieces[0]
        if not text.strip():
            return
        # Blank lines around a block are what the gap between blocks stands for.
        skipped = len(text) - len(text.lstrip("\n"))
        text = text.strip("\n")
        spans = [
            StyledSpan(max(0, start - skipped), end - skipped, look) for start, end, look in self.spans if end > skipped
        ]
        block = TextBlock(look=self.kind, text=text, spans=spans)
        if self.kind in _BARS:
            block.label = block.indent = _BARS[self.kind]
            block.label_look = self.kind
        if self.kind == "thinking":
            block.foldable = True
            cut = "" if self.closed else "not closed"
            block.title = joined(["thinking", f"{len(text):,} characters", cut])
        elif self.kind in ("tool_call", "tool_result", "tools"):
            block.title = joined([self.kind.replace("_", " "), one_line(self.name or "")])
        elif self.kind in ("text", "answer") and reading.markdown_width and len(text) <= MAX_MARKDOWN:
            width = reading.markdown_width - len(block.indent)
            block.text, block.spans = rendered_markdown(text, width)
            block.wrapped = True
        yield block

    def _write(self, text: str, look: str, mask: re.Pattern[str] | None) -> None:
        done = 0
        for start, stop, count in pad_runs(text, mask) if mask is not None else ():
            self._piece(shown(text[done:start]), look)
            self._piece(f"*×{count:,}", "pad")
            done = stop
        self._piece(shown(text[done:] if done else text), look)

    def _piece(self, text: str, look: str) -> None:
        if text:
            if look:
                self.spans.append(StyledSpan(self.length, self.length + len(text), look))
            self.pieces.append(text)
            self.length += len(text)
