"""What is worth reading in the open run: looked for in the background, listed, gone to and come back from."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from textual.app import App

from rollscope.query.insights.features import FeatureReport
from rollscope.query.insights.findings.marks.sample_findings import SampleFindings
from rollscope.query.insights.findings.model import Finding, FindingsReport
from rollscope.query.run import Run
from rollscope.tui.palette import Palette
from rollscope.tui.session.background_jobs import JobThread
from rollscope.tui.session.browser import Browser
from rollscope.tui.session.listing import Goal
from rollscope.tui.session.view import View
from rollscope.tui.text.findings import findings_fact, waiting_document
from rollscope.tui.widgets.findings_screen import FindingsScreen

#: A sample is open this long before its findings are asked for: they are not needed while leafing through.
OPEN_SECONDS = 0.3
#: And so long between two questions while features are still being computed.
AGAIN_SECONDS = 1.0


class FindingsReader:
    """The findings of the run that the browser has open."""

    def __init__(
        self,
        app: App[Any],
        browser: Browser,
        palette: Palette,
        notice: Callable[[str], None],
        problem: Callable[[Exception], None],
    ) -> None:
        self._app, self._browser, self._palette = app, browser, palette
        self._notice, self._problem = notice, problem
        self._report = JobThread("findings", app)
        self._progress = JobThread("findings-progress", app)
        self._sample = JobThread("sample-findings", app)
        #: The run that is being looked at.
        self._looking: Run | None = None
        self._features: FeatureReport | None = None
        #: The finding one went to last, where one was before, and at which sample.
        self._entered: Finding | None = None
        self._before: tuple[View, str | None] | None = None
        #: The findings of the open sample, as far as they are known.
        self.of_sample: SampleFindings | None = None
        self._wanted: tuple[Run, str] | None = None
        self._ask_at = 0.0

    # The list

    def open(self) -> None:
        """Show the list at once; it fills when it is known."""
        self._app.push_screen(FindingsScreen(self._palette, self._look), self._enter)

    def _look(self) -> None:
        run = self._browser.run
        if self._looking is not run or self._report.idle:
            self._looking, self._features = run, None
            self._report.submit(run.findings_report, lambda report: self._found(run, report), self._failed)

    def tick(self) -> None:
        """Called by a timer: says how far the looking is, and asks for the open sample's findings."""
        screen = self._app.screen
        if isinstance(screen, FindingsScreen) and screen.report is None and self._looking is not None:
            screen.wait(waiting_document(self._features, self._browser.state.progress))
            if self._progress.idle:
                run = self._looking
                self._progress.submit(lambda: run.feature_report(wait=False), self._heard, lambda _error: None)
        self._ask_for_sample()

    def _heard(self, features: FeatureReport) -> None:
        self._features = features

    def _found(self, run: Run, report: FindingsReport) -> None:
        screen = self._app.screen
        if isinstance(screen, FindingsScreen) and run is self._browser.run:
            screen.show(report, self._place_in(report))

    def _failed(self, error: Exception) -> None:
        if isinstance(self._app.screen, FindingsScreen):
            self._app.screen.dismiss(None)
        self._problem(error)

    def _place_in(self, report: FindingsReport) -> int:
        """The cursor is where one was last, if that is still found."""
        last = self._entered
        names = [(finding.split, finding.kind, finding.where) for finding in report.findings]
        name = (last.split, last.kind, last.where) if last is not None else None
        return names.index(name) if name in names else 0

    def _enter(self, finding: Finding | None) -> None:
        if finding is None:
            return
        state = self._browser.state
        view = state.view
        address = state.sample.address if state.sample is not None else None
        before = self._before if self._entered_view(view) else (view, address)
        meant = replace(
            view,
            split=finding.split,
            where=finding.where,
            all_steps=True,
            dataset=None,
            discarded=False,  # only kept samples are looked at
            sort=view.sort if view.split == finding.split else "index",
        )

        def then() -> None:
            self._entered, self._before = finding, before
            self._notice(f"samples of: {finding.title} · esc returns, I lists the findings")

        self._browser.go(meant, Goal(), then=then)

    def back(self) -> bool:
        """To where one was before a finding's samples; False where one is not at them."""
        if self._before is None or not self._entered_view(self._browser.state.view):
            return False
        (view, address), self._before = self._before, None
        self._browser.go(view, Goal(address=address))
        return True

    def _entered_view(self, view: View) -> bool:
        entered = self._entered
        return (
            entered is not None
            and self._before is not None
            and (view.split, view.where)
            == (
                entered.split,
                entered.where,
            )
        )

    # The open sample

    def fact(self) -> str:
        """The findings that mean the open sample; empty where none do, or none are known yet."""
        return findings_fact(self.of_sample.findings) if self.of_sample is not None else ""

    @property
    def knows_sample(self) -> bool:
        """What is found in the open sample is known."""
        sample = self._browser.state.sample
        return (
            sample is not None
            and self._wanted == (self._browser.run, sample.address)
            and self.of_sample is not None
            and self.of_sample.ready
        )

    def _ask_for_sample(self) -> None:
        sample = self._browser.state.sample
        wanted = (self._browser.run, sample.address) if sample is not None else None
        now = time.monotonic()
        if wanted != self._wanted:
            self._wanted, self.of_sample = wanted, None
            self._sample.cancel()
            self._ask_at = now + OPEN_SECONDS
        if wanted is None or self.knows_sample or now < self._ask_at or not self._sample.idle:
            return
        self._ask_at = now + AGAIN_SECONDS
        run, address = wanted

        def done(findings: SampleFindings) -> None:
            self.of_sample = findings

        # A sample that is gone meanwhile has no findings; the list says why where something is wrong.
        self._sample.submit(lambda: run.sample_findings(address), done, lambda _error: None)
