"""Find, as a person uses it: matches in the open sample, then on into the following ones."""

from __future__ import annotations

import threading
from typing import Protocol

from textual.message_pump import MessagePump

from rollscope.model import parse_address
from rollscope.tui.session.background_jobs import Lane
from rollscope.tui.session.browser import Browser
from rollscope.tui.session.next_match import Search
from rollscope.tui.text.matches import Matches, Wanted, parse_wanted
from rollscope.tui.widgets.text_pane import TextPane


class Listener(Protocol):
    def find_changed(self) -> None: ...

    def problem(self, error: Exception) -> None: ...

    def notice(self, text: str) -> None: ...


class Finder:
    """What is looked for, and how far the looking is."""

    def __init__(self, browser: Browser, pane: TextPane, listener: Listener, pump: MessagePump) -> None:
        self.browser = browser
        self.pane = pane
        self.listener = listener
        self.wanted: Wanted | None = None
        #: Where the search through other samples is; empty when none runs.
        self.searching = ""
        self._lane = Lane("find", pump)
        #: Go to the first match as soon as it is known: right after typing, or in a sample the search went to.
        self._jump = False
        #: The search came to this sample; if its shown text has no match, that is worth a word.
        self._expected = False

    @property
    def lanes(self) -> list[Lane]:
        return [self._lane]

    def start(self, typed: str) -> None:
        """Look for something new. Raises UsageError for a regular expression that is none."""
        self.wanted = parse_wanted(typed)
        self._jump, self._expected = True, False
        if self.browser.state.sample is not None:
            self.document_shown()

    def clear(self) -> None:
        self._lane.cancel()
        self.wanted, self.searching, self._jump, self._expected = None, "", False, False
        self.pane.set_matches(None)
        self.listener.find_changed()

    def document_shown(self) -> None:
        """Another text is in the pane: find in it, too. A search that was to lead elsewhere ends: one went oneself."""
        self.searching = ""
        if self.wanted is None:
            return
        document, wanted = self.pane.document, self.wanted
        self._lane.submit(lambda: Matches(document, wanted), self._matched, self.listener.problem)

    def next(self) -> None:
        if self.wanted is None or self.searching:
            return
        matches, current = self.pane.matches, self.pane.current_match
        if matches is None:
            self._jump = True
            return
        following = matches.first_from(*self.pane.place()) if current is None else current + 1
        if following is not None and following < len(matches):
            self.pane.go_to_match(following)
            self.listener.find_changed()
        else:
            self._go_on()

    def previous(self) -> None:
        matches, current = self.pane.matches, self.pane.current_match
        if self.wanted is None or matches is None:
            return
        if current:
            self.pane.go_to_match(current - 1)
            self.listener.find_changed()
        elif len(matches):
            self.listener.notice("this is the first match of the sample")

    def status(self) -> str:
        """What the bottom line says about it."""
        if self.wanted is None:
            return ""
        name = f"find {self.wanted.typed}"
        if self.searching:
            return f"{name}: searching {self.searching} (esc stops)"
        matches, current = self.pane.matches, self.pane.current_match
        if matches is None:
            return f"{name}: …"
        total = f"{len(matches):,}{'+' if matches.cut else ''}"
        return f"{name}: {total} here" if current is None else f"{name}: {current + 1:,} of {total}"

    def _matched(self, matches: Matches) -> None:
        jump, self._jump = self._jump, False
        expected, self._expected = self._expected, False
        self.pane.set_matches(matches)
        if jump and len(matches):
            first = 0 if expected else matches.first_from(*self.pane.place())
            self.pane.go_to_match(first if first is not None else 0)
        elif expected:
            self.listener.notice("the match is in text that is not shown here · R shows the raw text")
        elif jump:
            self._go_on()
        self.listener.find_changed()

    def _go_on(self) -> None:
        state, run, wanted = self.browser.state, self.browser.run, self.wanted
        if state.sample is None or wanted is None:
            return
        view, address, position = state.view, state.sample.address, state.position
        steps = [row.step for row in state.steps]
        self.searching = "…"
        cancel = threading.Event()

        def report(text: str) -> None:
            if not cancel.is_set():
                self.searching = text

        search = Search(run, wanted, cancel, report)
        self._lane.submit(
            lambda: search.next_sample(view, steps, address, position), self._found, self._failed, cancel=cancel
        )
        self.listener.find_changed()

    def _found(self, address: str | None) -> None:
        self.searching = ""
        if address is not None:
            split, step, _ = parse_address(address)
            self._jump = self._expected = True
            self.browser.go_to(address, split, step)
        elif self.pane.matches is not None and len(self.pane.matches):
            self.pane.go_to_match(0)
            self.listener.notice("no match in any other sample: back to the first")
        else:
            self.listener.notice("no match in any sample of this view")
        self.listener.find_changed()

    def _failed(self, error: Exception) -> None:
        self.searching = ""
        self.listener.problem(error)
        self.listener.find_changed()
