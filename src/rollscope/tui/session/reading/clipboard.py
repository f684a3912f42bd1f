"""A sample's text handed to something else: the clipboard, or a pager."""

from __future__ import annotations

import os
import shlex
import subprocess
from collections.abc import Callable
from typing import Any

from textual.app import App, SuspendNotSupported

from rollscope.render import visible
from rollscope.tui.session.background_jobs import JobThread
from rollscope.tui.session.browser import Browser

#: Characters sent to the clipboard at most. It goes through the terminal (OSC 52), and terminals drop what is longer.
MAX_COPY = 1_000_000


class SampleText:
    """The open sample's text, on its way out of the viewer."""

    def __init__(
        self,
        app: App[Any],
        browser: Browser,
        jobs: JobThread,
        notice: Callable[[str], None],
        problem: Callable[[Exception], None],
    ) -> None:
        self._app = app
        self._browser = browser
        self._jobs = jobs
        self._notice = notice
        self._problem = problem

    def copy(self, selected: str | None) -> None:
        """What is selected with the mouse, or else all of it."""
        if selected:
            self._copied(selected)
        else:
            self._read_raw(self._copied)

    def copy_address(self) -> None:
        sample = self._browser.state.sample
        if sample is not None:
            self._app.copy_to_clipboard(sample.address)
            self._notice(f"copied {sample.address}")

    def open_pager(self) -> None:
        self._read_raw(self._page)

    def _read_raw(self, then: Callable[[str], None]) -> None:
        sample, run = self._browser.state.sample, self._browser.run
        if sample is not None:
            address = sample.address
            self._jobs.submit(lambda: run.raw(address), then, self._problem)

    def _copied(self, text: str) -> None:
        self._app.copy_to_clipboard(to_clipboard(text))
        if len(text) > MAX_COPY:
            self._notice(f"copied the first {MAX_COPY:,} of {len(text):,} characters: terminals take no more")
        else:
            self._notice(f"copied {len(text):,} characters")

    def _page(self, text: str) -> None:
        problem = open_pager(self._app, text)
        if problem:
            self._notice(problem)


def to_clipboard(text: str) -> str:
    """What can be sent: lone surrogates cannot be encoded."""
    return text[:MAX_COPY].encode("utf-8", "replace").decode("utf-8")


def open_pager(app: App[Any], text: str) -> str:
    """Show the text in ``$PAGER`` (``less`` unless told), made safe for the terminal. A sentence when that failed."""
    pager = os.environ.get("PAGER") or "less"
    try:
        command = shlex.split(pager) or ["less"]
        with app.suspend():
            subprocess.run(command, input=visible(text).encode(), check=False)
    except SuspendNotSupported:
        return "this terminal cannot be handed to a pager"
    except (OSError, ValueError) as error:
        return f"cannot start the pager {pager}: {error}"
    return ""
