"""Keys that move through the sample, and say how it is read (table, markdown, raw, folded, wrapped), which is remembered
between starts."""

from __future__ import annotations

from pathlib import Path

from rollscope.tui.session.reading.turns import Turns
from rollscope.tui.widgets.text_pane import TextPane
from rollscope.userdata.preferences import Preferences, save_preferences


class ReadingKeys:
    """The part of the app that these keys are for."""

    pane: TextPane
    preferences: Preferences
    preferences_file: Path | None
    raw: bool
    turns: Turns

    def notice(self, text: str) -> None:
        raise NotImplementedError

    def forget_notice(self) -> None:
        raise NotImplementedError

    def show_document(self, *, keep_place: bool = False) -> None:
        raise NotImplementedError

    def action_page(self, pages: int) -> None:
        self.pane.action_page(pages)

    def action_sideways(self, pages: int) -> None:
        self.pane.action_page_sideways(pages)
        if self.preferences.wrap and not self.pane.max_scroll_x:
            self.notice("lines are wrapped to the window · w turns that off")

    def action_edge(self, edge: str) -> None:
        self.pane.action_edge(edge)

    def action_turn(self, by: int) -> None:
        self.turns.go(by)

    def action_failing_turn(self) -> None:
        self.turns.go_to_failing()

    def action_table(self) -> None:
        self.preferences.table, self.raw = not self.preferences.table, False
        self._read_differently()

    def action_markdown(self) -> None:
        self.preferences.markdown = not self.preferences.markdown
        if self.preferences.markdown:
            self.preferences.table, self.raw = False, False
        self.notice("markdown rendered" if self.preferences.markdown else "markdown as it is")
        self._read_differently()

    def action_raw(self) -> None:
        self.raw = not self.raw
        self.show_document()

    def action_thinking(self) -> None:
        self.preferences.fold_thinking = not self.preferences.fold_thinking
        self.remember()
        self.pane.fold(self.pane.document.foldable() if self.preferences.fold_thinking else frozenset())

    def action_wrap(self) -> None:
        self.preferences.wrap = not self.preferences.wrap
        self.remember()
        self.forget_notice()  # it may say what this key would do, and now it did
        self.pane.set_wrap(self.preferences.wrap)

    def _read_differently(self) -> None:
        self.remember()
        self.show_document()

    def remember(self) -> None:
        """Keep these choices for the next start."""
        if self.preferences_file is not None and not save_preferences(self.preferences_file, self.preferences):
            self.notice(f"cannot write {self.preferences_file}: this choice lasts until you quit")
