"""Keys that go from sample to sample, and choose which samples are in the list."""

from __future__ import annotations

from rollscope.tui.session.browser import Browser
from rollscope.tui.session.listing import Goal


class SampleKeys:
    """The part of the app that these keys are for."""

    browser: Browser

    def notice(self, text: str) -> None:
        raise NotImplementedError

    def action_sample(self, by: int) -> None:
        self.browser.next_sample(by)

    def action_step(self, by: int) -> None:
        self.browser.next_step(by)

    def action_group(self, by: int) -> None:
        self.browser.next_group(by)

    def action_all_steps(self) -> None:
        self.browser.set_all_steps(not self.browser.state.view.all_steps)

    def action_discarded(self) -> None:
        self.browser.go(self.browser.state.view.next_discarded(), Goal())

    def action_follow(self) -> None:
        follow = not self.browser.state.follow
        self.browser.set_follow(follow)
        self.notice("following the newest step" if follow else "no longer following")

    def action_reload(self) -> None:
        self.browser.reload()
