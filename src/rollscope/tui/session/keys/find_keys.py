"""Keys that find and filter: they open the box one types into, and what was typed goes to the finder or the browser."""

from __future__ import annotations

from dataclasses import replace

from rollscope.errors import FilterError, RollscopeError
from rollscope.tui.session.browser import Browser
from rollscope.tui.session.findings import FindingsReader
from rollscope.tui.session.listing import Goal
from rollscope.tui.session.reading.find import Finder
from rollscope.tui.widgets.status_line import Asking, Prompt, explained
from rollscope.tui.widgets.text_pane import TextPane


class FindKeys:
    """The part of the app that these keys are for."""

    browser: Browser
    finder: Finder
    findings: FindingsReader
    pane: TextPane
    prompt: Prompt

    def forget_notice(self) -> None:
        raise NotImplementedError

    def show_status(self) -> None:
        raise NotImplementedError

    def action_find(self) -> None:
        self.prompt.ask("find", "")

    def action_filter(self) -> None:
        self.prompt.ask("filter", self.browser.state.view.where)

    def action_next_match(self) -> None:
        self.finder.next()

    def action_previous_match(self) -> None:
        self.finder.previous()

    def action_clear(self) -> None:
        self.forget_notice()
        if self.finder.find_text is not None or not self.findings.back():
            self.finder.clear()

    def prompt_answered(self, asking: Asking, typed: str) -> None:
        if not self.prompt.display:
            self.action_next_match()  # enter was pressed again before the prompt was gone
        elif asking == "find":
            self._find(typed)
        else:
            self._filter(typed.strip())

    def _find(self, typed: str) -> None:
        try:
            if typed:
                self.finder.start(typed)
            elif self.finder.find_text is not None:
                self.finder.next()  # `f enter` goes on with what was looked for
        except RollscopeError as error:
            self.prompt.explain(explained(error))
        else:
            self.close_prompt()

    def _filter(self, where: str) -> None:
        view = replace(self.browser.state.view, where=where)

        def failed(error: Exception) -> None:
            place = max(0, error.position - view.typed_at) if isinstance(error, FilterError) else None
            self.prompt.explain(explained(error), place)

        self.browser.go(view, Goal(), failed=failed, then=self.close_prompt)

    def close_prompt(self) -> None:
        self.prompt.close()
        self.pane.focus()
        self.show_status()
