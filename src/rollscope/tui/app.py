"""The terminal viewer: puts the pieces on the screen and keeps them together."""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from pathlib import Path
from typing import ClassVar

from textual import on
from textual.app import App, ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal, Vertical
from textual.events import Event, Key
from textual.widgets import Input

from rollscope.model import Sample
from rollscope.query.library import Library
from rollscope.query.run import Run
from rollscope.tui import keys
from rollscope.tui.palette import Palette
from rollscope.tui.session.background_jobs import Finished, JobThread
from rollscope.tui.session.browser import BUSY_SECONDS, QUIET_SECONDS, Browser
from rollscope.tui.session.findings import FindingsReader
from rollscope.tui.session.keys.find_keys import FindKeys
from rollscope.tui.session.keys.insight_keys import InsightKeys
from rollscope.tui.session.keys.reading_keys import ReadingKeys
from rollscope.tui.session.keys.sample_keys import SampleKeys
from rollscope.tui.session.menus import menu_of
from rollscope.tui.session.reading.clipboard import SampleText
from rollscope.tui.session.reading.find import Finder
from rollscope.tui.session.reading.token_reader import TokenReader
from rollscope.tui.session.reading.turns import Turns
from rollscope.tui.session.state import empty_document
from rollscope.tui.session.step_fields import StepFields
from rollscope.tui.text.document import Document, one_line
from rollscope.tui.text.fields import shown_at_first
from rollscope.tui.text.table import table
from rollscope.tui.text.transcript import ReadingOptions, raw_document, transcript
from rollscope.tui.theme import CSS, TERMINAL
from rollscope.tui.widgets.dropdown import Dropdown, PickScreen
from rollscope.tui.widgets.header import Header
from rollscope.tui.widgets.sidebar import FieldList, FieldRows, Sidebar
from rollscope.tui.widgets.sparkline import Sparkline
from rollscope.tui.widgets.status_line import Prompt, StatusLine, explained, state_facts
from rollscope.tui.widgets.text_pane import TextPane
from rollscope.tui.widgets.text_screen import TextScreen, help_document, skipped_document
from rollscope.tui.widgets.turn_strip import TurnStrip
from rollscope.userdata.preferences import Preferences, load_preferences

#: Seconds between two calls of `_tick`, which reads missing pages, redraws the bottom line and looks at the disk.
TICK_SECONDS = 0.1
#: Below this many columns the sidebar leaves its room to the sample, unless it is asked for.
NARROW = 90
#: How long a note stays in the bottom line.
NOTICE_SECONDS = 6.0


class RollscopeApp(SampleKeys, FindKeys, ReadingKeys, InsightKeys, App[None]):
    """The viewer of one library of runs."""

    CSS = CSS
    BINDINGS: ClassVar[list[BindingType]] = list(keys.BINDINGS)
    ENABLE_COMMAND_PALETTE = False
    AUTO_FOCUS = "#text"
    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (110, "-wide")]  # Textual declares it on the instance

    def __init__(
        self,
        library: Library,
        run: Run,
        *,
        mask: re.Pattern[str] | None = None,
        preferences_file: Path | None = None,
        first_step: bool = False,
    ) -> None:
        super().__init__(ansi_color=True)
        self.register_theme(TERMINAL)
        self.theme = TERMINAL.name
        many_colors = self.console.color_system in ("256", "truecolor")
        self.palette = Palette(no_color=self.no_color, many_colors=many_colors)
        self.mask = mask
        self.preferences_file = preferences_file
        self.preferences = load_preferences(preferences_file) if preferences_file is not None else Preferences()
        self.raw = False
        self.header = Header(self.palette)
        self.sidebar = Sidebar(self.palette)
        self.pane = TextPane(self.palette, id="text")
        self.turn_strip = TurnStrip(self.palette)
        self.turns = Turns(self.turn_strip, self.pane, self.notice)
        self.token_reader = TokenReader(self.pane, self.notice)
        self.prompt = Prompt(self.palette)
        self.status = StatusLine(self.palette)
        self.browser = Browser(library, self, self, first_step=first_step)
        self.finder = Finder(self.browser, self.pane, self, self)
        self.small_jobs = JobThread("small", self)
        self.sample_text = SampleText(self, self.browser, self.small_jobs, self.notice, self.problem)
        self.findings = FindingsReader(self, self.browser, self.palette, self.notice, self.problem)
        self._first_run = run
        self._documents = JobThread("document", self)
        self._step_fields = StepFields()
        self._notice: tuple[str, str, float] | None = None
        self._sidebar_in_narrow = False
        self._last_look = 0.0

    def compose(self) -> ComposeResult:
        yield self.header
        with Horizontal(id="body"):
            yield self.sidebar
            with Vertical(id="reading"):
                yield self.turn_strip
                yield self.pane
        yield self.prompt
        yield self.status

    def on_mount(self) -> None:
        self._show_sidebar()
        self.pane.wrap = self.preferences.wrap
        self.browser.open_run(self._first_run)
        self.list_changed()
        self.set_interval(TICK_SECONDS, self._tick)

    @property
    def settled(self) -> bool:
        """Nothing is being read or laid out."""
        threads = [*self.browser.job_threads, *self.finder.job_threads, self._documents, self.small_jobs]
        return all(thread.idle for thread in threads) and self.pane.complete

    @property
    def _is_whole(self) -> bool:
        """False while the app is shutting down: some widgets and screens are gone before the timers are."""
        return self.is_running and bool(self.screen_stack) and self.pane.is_attached

    @on(Finished)
    def _finished(self, message: Finished) -> None:
        if self._is_whole:
            message.deliver()

    # What the browser and the finder tell

    def list_changed(self) -> None:
        state = self.browser.state
        self.header.show(state)
        runs = self.browser.library.runs()
        run = self.browser.run
        self.sidebar.show(state, run.name, len(runs), self._step_fields.names(state), self.shows)
        self.show_status()
        if isinstance(self.screen, PickScreen):
            self.screen.refresh_rows()

    def sample_opened(self, sample: Sample | None, *, again: bool) -> None:
        if sample is not None:
            self._step_fields.sample_opened(self.browser.run.id, sample)
        self.turns.sample_opened(sample)
        self.list_changed()
        self.show_document(keep_place=again)

    def find_changed(self) -> None:
        self.show_status()

    def problem(self, error: Exception) -> None:
        self._say(explained(error), "error")

    def notice(self, text: str) -> None:
        self._say(text, "warning")

    # Fields

    def shows(self, name: str) -> bool:
        return self.preferences.fields.get(name, shown_at_first(name))

    @on(FieldList.Chosen, "#fields")
    def _toggle_field(self, event: FieldList.Chosen) -> None:
        rows = event.view.rows
        assert isinstance(rows, FieldRows)
        name = rows.names[event.index]
        self.preferences.fields[name] = not self.shows(name)
        self.remember()
        event.view.refresh()
        self.show_document()

    # The document

    def show_document(self, *, keep_place: bool = False) -> None:
        """Make the open sample's document in the way it is read, and show it."""
        sample = self.browser.state.sample
        if sample is None:
            self.pane.show(empty_document(self.browser.state), folded=frozenset())
            return
        reading = ReadingOptions(
            shows=self._shows_now(),
            mask=self.mask,
            markdown_width=self.pane.text_width if self.preferences.markdown else None,
        )
        self._documents.submit(
            lambda: self._make(sample, reading),
            lambda document: self._show(document, keep_place=keep_place),
            self.problem,
        )

    def _shows_now(self) -> Callable[[str], bool]:
        choices_now = dict(self.preferences.fields)
        return lambda name: choices_now.get(name, shown_at_first(name))

    def _make(self, sample: Sample, reading: ReadingOptions) -> Document:
        if self.raw:
            return raw_document(self.browser.run.raw(sample.address))
        if self.token_reader.column:
            document = self.token_reader.make(self.browser.run.tokens(sample.address))
            if document is not None:
                return document
        return table(sample, reading) if self.preferences.table else transcript(sample, reading)

    def _show(self, document: Document, *, keep_place: bool) -> None:
        folded = document.foldable() if self.preferences.fold_thinking else frozenset()
        self.pane.show(document, folded=folded, keep_place=keep_place)
        self.finder.document_shown()
        self.show_status()

    @on(TextPane.WidthChanged)
    def _width_changed(self) -> None:
        self.show_document(keep_place=True)

    @on(TextPane.Moved)
    def _moved(self) -> None:
        self.turns.scrolled()
        self.show_status()

    # Keys of the whole screen (those of samples, finding, reading and insights are in `session/keys/`)

    async def on_event(self, event: Event) -> None:
        # Why a key did nothing ("this is the last step") is shown until the next key; an error stays for a fixed time.
        if isinstance(event, Key) and self._notice is not None and self._notice[1] == "warning":
            self.forget_notice()
        await super().on_event(event)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """`f` and `/` are looked at before all other widgets, so that what is typed right after them, even in one
        burst over a slow line, goes into the box; but not while one types or reads something else."""
        if action in ("find", "filter"):
            return not isinstance(self.focused, Input) and len(self.screen_stack) == 1
        return True

    def action_sidebar(self) -> None:
        shown = not self.sidebar.display
        if self.size.width < NARROW:
            self._sidebar_in_narrow = shown
        else:
            self.preferences.sidebar = shown
            self.remember()
        self._show_sidebar()

    def _show_sidebar(self) -> None:
        """In a narrow window the sample has all the room, until the sidebar is asked for."""
        narrow = self.size.width < NARROW
        self.sidebar.display = self._sidebar_in_narrow if narrow else self.preferences.sidebar
        if not self.sidebar.display and self.sidebar.has_focus_within:
            self.pane.focus()

    def on_resize(self) -> None:
        self.call_after_refresh(self._show_sidebar)  # only then the app knows its new size

    # What is chosen and typed in the widgets

    @on(Prompt.Answered)
    def _answered(self, event: Prompt.Answered) -> None:
        self.prompt_answered(event.asking, event.text)

    @on(Prompt.Closed)
    def _prompt_closed(self) -> None:
        self.close_prompt()

    @on(TurnStrip.Chosen)
    def _turn_chosen(self, event: TurnStrip.Chosen) -> None:
        self.turns.go_to(event.turn)

    @on(Dropdown.Opened)
    def _open_list(self, event: Dropdown.Opened) -> None:
        menu = menu_of(event.dropdown.name or "", self.browser)
        if len(menu.rows):
            screen = PickScreen(menu.title, menu.rows, menu.cursor, event.dropdown.region, self.palette)
            self.push_screen(screen, lambda value: None if value is None else menu.choose(value))

    @on(Sparkline.Jumped)
    def _jumped(self, event: Sparkline.Jumped) -> None:
        self.browser.choose_step(event.step)

    # Out of the viewer

    def action_copy(self) -> None:
        self.sample_text.copy(self.screen.get_selected_text())

    def action_copy_address(self) -> None:
        self.sample_text.copy_address()

    def action_pager(self) -> None:
        self.sample_text.open_pager()

    def action_help_quit(self) -> None:
        """Textual's answer to ctrl+c, where nothing is selected to copy."""
        self.notice("q quits")

    def action_help(self) -> None:
        self.read_document("keys", help_document())

    def read_document(self, title: str, document: Document) -> None:
        self.push_screen(TextScreen(title, document, self.palette))

    def action_skipped(self) -> None:
        run = self.browser.run
        self.small_jobs.submit(
            run.doctor, lambda report: self.read_document("what was read", skipped_document(report)), self.problem
        )

    # The bottom line

    def _tick(self) -> None:
        if not self._is_whole:
            return
        wait = QUIET_SECONDS if self.browser.up_to_date else BUSY_SECONDS
        if time.monotonic() - self._last_look >= wait:
            self._last_look = time.monotonic()
            self.browser.tick()
        if self.browser.state.loaded:
            self.browser.read_pages()
        self.findings.tick()
        self.show_status()

    def forget_notice(self) -> None:
        self._notice = None
        self.show_status()

    def _say(self, text: str, look: str) -> None:
        self._notice = (one_line(text), look, time.monotonic() + NOTICE_SECONDS)
        self.show_status()

    def show_status(self) -> None:
        state = self.browser.state
        facts: list[tuple[str, str]] = []
        if self._notice is not None and self._notice[2] > time.monotonic():
            facts.append(self._notice[:2])
        if of_token := self.token_reader.status():
            facts.append((of_token, "text"))
        if finding := self.finder.status():
            facts.append((one_line(finding), "text"))
        facts += state_facts(state)
        if of_sample := self.findings.fact():
            facts.append((of_sample, "warning"))
        modes = [("raw", self.raw), ("follow", state.follow), ("no wrap", not self.preferences.wrap)]
        facts += [(name, "note") for name, on_now in modes if on_now]
        hint = f"{self.pane.share_seen():.0%}  ? help"
        self.status.show(facts, hint)
