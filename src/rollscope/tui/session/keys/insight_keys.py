"""Keys that compare and look closer: findings, tokens, the group as a tree, two samples word by word."""

from __future__ import annotations

from rollscope.query.insights.tokens.run_tokens import SampleTokens
from rollscope.query.run import Run
from rollscope.tui.session.background_jobs import JobThread
from rollscope.tui.session.browser import Browser
from rollscope.tui.session.findings import FindingsReader
from rollscope.tui.session.reading.token_reader import TokenReader
from rollscope.tui.text.comparisons import diff_document, group_document
from rollscope.tui.text.document import Document


class InsightKeys:
    """The part of the app that these keys are for."""

    browser: Browser
    findings: FindingsReader
    small_jobs: JobThread
    token_reader: TokenReader
    raw: bool
    #: The sample to compare with another one: its run and its address.
    _marked: tuple[Run, str] | None = None

    def problem(self, error: Exception) -> None:
        raise NotImplementedError

    def notice(self, text: str) -> None:
        raise NotImplementedError

    def show_document(self, *, keep_place: bool = False) -> None:
        raise NotImplementedError

    def show_status(self) -> None:
        raise NotImplementedError

    def read_document(self, title: str, document: Document) -> None:
        raise NotImplementedError

    def action_findings(self) -> None:
        self.findings.open()

    def action_tokens(self) -> None:
        sample, run = self.browser.state.sample, self.browser.run
        if sample is not None:
            self.raw = False
            self.small_jobs.submit(lambda: run.tokens(sample.address), self._by_next_value, self.problem)

    def _by_next_value(self, tokens: SampleTokens) -> None:
        self.token_reader.next_column(tokens)
        self.show_document()

    def action_token(self, by: int) -> None:
        self.token_reader.go(by)
        self.show_status()

    def action_outlier(self, by: int) -> None:
        self.token_reader.go_to_outlier(by)
        self.show_status()

    def action_group_tree(self) -> None:
        sample, run = self.browser.state.sample, self.browser.run
        if sample is not None:
            self.small_jobs.submit(
                lambda: group_document(run.group_tree(sample.address)),
                lambda document: self.read_document("the group as a tree", document),
                self.problem,
            )

    def action_diff(self) -> None:
        sample, run = self.browser.state.sample, self.browser.run
        if sample is None:
            return
        if self._marked is None or self._marked == (run, sample.address):
            self._marked = (run, sample.address)
            self.notice(f"{sample.address} is marked: d on another sample shows both word by word")
            return
        (other, address), self._marked = self._marked, None
        self.small_jobs.submit(
            lambda: diff_document(other.diff(address, sample.address, other=run)),
            lambda document: self.read_document("two samples word by word", document),
            self.problem,
        )
