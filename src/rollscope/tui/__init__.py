"""The terminal viewer. `run_tui` is its only door; Textual is imported behind it, because it is an optional extra."""

from __future__ import annotations

import importlib.util
import os
import sys
from collections.abc import Sequence
from typing import NoReturn

from rollscope.errors import MissingExtraError, UsageError
from rollscope.settings import NOBODY, Looking, Settings, open_library

INSTALL = "pip install 'rollscope[tui]'"


def run_tui(
    paths: Sequence[str],
    settings: Settings,
    *,
    run: str | None = None,
    first_step: bool = False,
    looking: Looking = NOBODY,
) -> NoReturn:
    """Open the viewer on runs and stay until it is quit; then the process ends with the exit code.

    Runs open at their last step, or at their first with `first_step`. Raises a `RollscopeError` with one clear line
    where there is nothing to open or nowhere to show it. `looking` lasts while runs are looked for.
    """
    if importlib.util.find_spec("textual") is None:
        raise MissingExtraError("the terminal viewer needs Textual, which is not installed", hint=INSTALL)
    from rollscope.render import parse_mask

    pattern = parse_mask(settings.mask_str)
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        raise UsageError(
            "the terminal viewer needs a terminal, and this is none",
            hint="in a pipe, use rollscope samples, show or search",
        )
    # Before the screen is taken over, so that a wrong path is one line and not a flash.
    with looking as tell:
        library = open_library(paths, settings, watched=True, tell=tell)
    first = library.run(run) if run is not None else library.runs()[0]
    from rollscope.tui.app import RollscopeApp
    from rollscope.userdata.preferences import preferences_path

    app = RollscopeApp(library, first, mask=pattern, preferences_file=preferences_path(), first_step=first_step)
    app.run()
    _leave(app.return_code or 0)


def _leave(code: int) -> NoReturn:
    """End the process at once. Whatever is still being read is read for nobody: waiting for it took seconds, and threads
    inside Arrow or DuckDB while the interpreter is taken down abort it. The index is written by renaming, so nothing is
    left half done, and its workers end with their pipes."""
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)
