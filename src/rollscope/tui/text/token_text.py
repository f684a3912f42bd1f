"""The response token by token, coloured by one of their values."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass

from rollscope.query.insights.tokens.levels import level
from rollscope.query.insights.tokens.run_tokens import SampleTokens
from rollscope.query.insights.tokens.values import COLUMN_TITLES
from rollscope.tui.palette import number
from rollscope.tui.text.document import Document, StyledSpan, TextBlock, one_line, shown
from rollscope.tui.text.fields import joined

_TITLES = {
    "logprobs": "sampler's log-probability",
    "reference_kl": "divergence from the reference",
    "mask": "loss mask",
}
#: Of the likeliest tokens so many are named.
ALTERNATIVES = 4


@dataclass(frozen=True, slots=True)
class TokenText:
    """A document of one block, and where its tokens begin and end in the text."""

    document: Document
    starts: list[int]
    ends: list[int]

    def token_at(self, offset: int) -> int:
        return max(0, bisect_right(self.starts, offset) - 1)


def token_text(tokens: SampleTokens, column: str) -> TokenText:
    values = getattr(tokens, column)
    pieces: list[str] = []
    spans: list[StyledSpan] = []
    starts: list[int] = []
    ends: list[int] = []
    length = 0
    for place in range(tokens.count):
        piece = shown(tokens.strings[place]) if tokens.strings else f"{tokens.ids[place] if tokens.ids else place} "
        starts.append(length)
        length += len(piece)
        ends.append(length)
        pieces.append(piece)
        look = _look(tokens, place, level(column, values[place]))
        if look and piece:
            spans.append(StyledSpan(starts[-1], length, look))
    title = f"{tokens.count:,} tokens by {_TITLES.get(column, column)}"
    block = TextBlock(text="".join(pieces), spans=spans, title=title, title_look="role", rule=True, gap=False)
    return TokenText(Document([block]), starts, ends)


def _look(tokens: SampleTokens, place: int, found: int) -> str:
    if tokens.masked and tokens.masked[place]:
        return "token.masked"
    if found:
        return f"token.{found}"
    return "token.-1" if tokens.mask and not tokens.mask[place] else ""


def token_facts(tokens: SampleTokens, place: int) -> str:
    """Everything that is known of one token, in a line."""
    text = repr(tokens.strings[place]) if tokens.strings else f"#{tokens.ids[place]}" if tokens.ids else ""
    facts = [f"token {place + 1:,} of {tokens.count:,} {one_line(text)}"]
    for name, column in (*COLUMN_TITLES, ("version", "versions")):
        values = getattr(tokens, column)
        if values:
            value = values[place]
            facts.append(f"{name} {one_line(value) if isinstance(value, str) else number(value)}")
    if tokens.mask and not tokens.mask[place]:
        facts.append("not trained on")
    if tokens.masked and tokens.masked[place]:
        facts.append("left out by the trainer")
    if tokens.top and tokens.top[place]:
        likeliest = tokens.top[place][:ALTERNATIVES]
        facts.append(
            "likeliest " + " ".join(f"{one_line(repr(item.token))} {number(item.logprob)}" for item in likeliest)
        )
    return joined(facts)
