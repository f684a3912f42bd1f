"""`view`, `tui`, `demo`: hand over to a viewer. Each viewer is imported only when it is opened."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rollscope.cli.output import talk

if TYPE_CHECKING:
    from rollscope.cli.arguments import Arguments

DEMO_DIRECTORY = "rollscope-demo"
DEMO_STEPS = 40


def view(arguments: Arguments) -> int:
    return _open(arguments.paths, arguments)


def tui(arguments: Arguments) -> int:
    return _open_terminal_viewer([arguments.path], arguments, run=arguments.run)


def demo(arguments: Arguments) -> int:
    from rollscope.record.demo import write_demo

    directory = arguments.directory or DEMO_DIRECTORY
    write_demo(directory, steps=DEMO_STEPS)
    talk(f"wrote a simulated run to {directory}")
    return 0 if arguments.no_serve else _open([directory], arguments)


def _open(paths: list[str], arguments: Arguments) -> int:
    if arguments.tui:
        return _open_terminal_viewer(paths, arguments)
    from rollscope.server.serving import run_server

    run_server(paths, arguments.settings)
    return 0


def _open_terminal_viewer(paths: list[str], arguments: Arguments, run: str | None = None) -> int:
    from rollscope.tui import run_tui

    settings = arguments.settings
    return run_tui(paths, mask=settings.mask_str, run=run, format=settings.format, index_dir=settings.index_dir)
