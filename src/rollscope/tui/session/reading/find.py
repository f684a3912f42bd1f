"""Find, as a person uses it: matches in the open sample, then on into the following ones."""

from __future__ import annotations

import threading
from typing import Protocol

from textual.message_pump import MessagePump

from rollscope.model import parse_address
from rollscope.query.search.next_match import NextMatch
from rollscope.tui.session.background_jobs import JobThread
from rollscope.tui.session.browser import Browser
from rollscope.tui.text.matches import FindText, Matches, parse_find
from rollscope.tui.widgets.text_pane import TextPane


class FindListener(Protocol):
    def find_changed(self) -> None: ...

    def problem(self, error: Exception) -> None: ...

    def notice(self, text: str) -> None: ...


class Finder:
    """What is looked for, and how far the looking is."""

    def __init__(self, browser: Browser, pane: TextPane, listener: FindListener, pump: MessagePump) -> None:
        self.browser = browser
        self.pane = pane
        self.listener = listener
        self.find_text: FindText | None = None
        #: Where the search through other samples is; empty when none runs.
        self.searching = ""
        self._jobs = JobThread("find", pump)
        #: Go to the first match as soon as it is known: right after typing, or in a sample the search went to.
        self._jump = False
        #: The search led to this sample; if its shown text has no match, a message says why.
        self._expected = False

    @property
    def job_threads(self) -> list[JobThread]:
        return [self._jobs]

    def start(self, typed: str) -> None:
        """Look for something new. Raises UsageError for a regular expression that is none."""
        self.find_text = parse_find(typed)
        self._jump, self._expected = True, False
        if self.browser.state.sample is not None:
            self.document_shown()

    def clear(self) -> None:
        self._jobs.cancel()
        self.find_text, self.searching, self._jump, self._expected = None, "", False, False
        self.pane.set_matches(None)
        self.listener.find_changed()

    def document_shown(self) -> None:
        """Another text is in the pane: find in it, too. A search through other samples ends: the person went elsewhere."""
        self.searching = ""
        if self.find_text is None:
            return
        document, find_text = self.pane.document, self.find_text
        self._jobs.submit(lambda: Matches(document, find_text), self._matched, self.listener.problem)

    def next(self) -> None:
        if self.find_text is None or self.searching:
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
        if self.find_text is None or matches is None:
            return
        if current:
            self.pane.go_to_match(current - 1)
            self.listener.find_changed()
        elif len(matches):
            self.listener.notice("this is the first match of the sample")

    def status(self) -> str:
        """What the bottom line says about it."""
        if self.find_text is None:
            return ""
        name = f"find {self.find_text.typed}"
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
        state, run, find_text = self.browser.state, self.browser.run, self.find_text
        if state.sample is None or state.view.step is None or find_text is None:
            return
        listed, address, position = state.view.step_list(state.view.step), state.sample.address, state.position
        steps = [row.step for row in state.steps]
        self.searching = "…"
        cancel = threading.Event()

        def report(text: str) -> None:
            if not cancel.is_set():
                self.searching = text

        search = NextMatch(run, find_text.pattern, cancel, report)
        self._jobs.submit(
            lambda: search.find(listed, steps, address, position), self._found, self._failed, cancel=cancel
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
