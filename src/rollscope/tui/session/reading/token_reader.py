"""Reading a sample token by token: which value colours them, and which token one is at."""

from __future__ import annotations

from collections.abc import Callable

from rollscope.query.insights.tokens.levels import columns_of, outliers
from rollscope.query.insights.tokens.run_tokens import SampleTokens
from rollscope.tui.text.document import Document
from rollscope.tui.text.matches import Matches
from rollscope.tui.text.token_text import TokenText, token_facts, token_text
from rollscope.tui.widgets.text_pane import TextPane


class TokenReader:
    """Made for every sample; the value that tokens are coloured by stays the same."""

    def __init__(self, pane: TextPane, notice: Callable[[str], None]) -> None:
        self._pane = pane
        self._notice = notice
        #: The value that colours; "" where the sample is read as text.
        self.column = ""
        self._tokens: SampleTokens | None = None
        self._text: TokenText | None = None
        self._at: int | None = None

    def next_column(self, tokens: SampleTokens) -> None:
        """The next value there is to colour by; after the last, the text again."""
        known = ["", *columns_of(tokens)]
        if len(known) == 1:
            self._notice("no values are recorded for the tokens of this sample")
        following = known.index(self.column) + 1 if self.column in known else 1
        self.column = known[following] if following < len(known) else ""

    def make(self, tokens: SampleTokens) -> Document | None:
        """The tokens as a document; None where they have no such value. In any thread."""
        if self.column not in columns_of(tokens):
            self._tokens = self._text = None
            return None
        self._tokens, self._text, self._at = tokens, token_text(tokens, self.column), None
        return self._text.document

    @property
    def _is_shown(self) -> bool:
        return bool(self._text and self._pane.document is self._text.document)

    def go(self, by: int) -> None:
        """To the token before or after this one."""
        if self._tokens and self._is_shown:
            place = self._place() + by if self._at is not None else self._place()
            self._go_to(min(max(place, 0), self._tokens.count - 1))
        else:
            self._notice("T shows the tokens")

    def go_to_outlier(self, by: int) -> None:
        if not self._tokens or not self._is_shown:
            self._notice("T shows the tokens")
            return
        found = outliers(self._tokens, self.column)
        here = self._place() if self._at is not None else self._place() - by
        ahead = [place for place in found if place > here] if by > 0 else [p for p in reversed(found) if p < here]
        if ahead:
            self._go_to(ahead[0])
        else:
            count = "there is 1" if len(found) == 1 else f"there are {len(found):,}"
            self._notice(f"no {'further' if by > 0 else 'earlier'} outlier; {count} in this sample")

    def status(self) -> str:
        """What is known of the token one is at, for the line below."""
        if not self._tokens or not self._is_shown or not self._tokens.count:
            return ""
        return token_facts(self._tokens, self._place())

    def _place(self) -> int:
        """The token one went to, else the first in view."""
        assert self._text is not None
        return self._at if self._at is not None else self._text.token_at(self._pane.place()[1])

    def _go_to(self, place: int) -> None:
        assert self._text is not None
        self._at = place
        self._pane.set_matches(Matches.of_spans(0, [(self._text.starts[place], self._text.ends[place])]))
        self._pane.go_to_match(0)
