"""`view`, `tui`, `demo`: hand over to a viewer. Each viewer is imported only when it is opened."""

from __future__ import annotations

from importlib.util import find_spec
from typing import TYPE_CHECKING

from rollscope.cli.output import talk
from rollscope.errors import MissingExtraError, UsageError

if TYPE_CHECKING:
    from rollscope.cli.arguments import Arguments

DEMO_DIRECTORY = "rollscope-demo"
DEMO_STEPS = 40


def view(arguments: Arguments) -> None:
    if arguments.tui:
        if len(arguments.paths) > 1:
            raise UsageError("the terminal viewer opens one path; a folder of runs is one")
        _open_terminal_viewer(arguments.paths[0], arguments)
    else:
        _open_web_viewer(arguments.paths, arguments)


def tui(arguments: Arguments) -> None:
    _open_terminal_viewer(arguments.path, arguments, run=arguments.run)


def demo(arguments: Arguments) -> None:
    from rollscope.record.demo import write_demo

    directory = arguments.directory or DEMO_DIRECTORY
    write_demo(directory, steps=DEMO_STEPS)
    talk(f"wrote a simulated run to {directory}")
    if arguments.no_serve:
        print(directory)
    elif arguments.tui:
        _open_terminal_viewer(directory, arguments)
    else:
        _open_web_viewer([directory], arguments)


def _open_web_viewer(paths: list[str], arguments: Arguments) -> None:
    from rollscope.server.serving import run_server

    run_server(paths, arguments.settings)


def _open_terminal_viewer(path: str, arguments: Arguments, run: str | None = None) -> None:
    if find_spec("textual") is None:
        raise MissingExtraError("the terminal viewer is not installed", hint="pip install 'rollscope[tui]'")
    from rollscope.tui import run_tui

    run_tui(path, run=run, settings=arguments.settings)
