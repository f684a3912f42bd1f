"""`view`, `tui`, `demo`: hand over to a viewer. Each viewer is imported only when it is opened."""

from __future__ import annotations

import shlex
import shutil
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from rollscope.cli.opening import prepare
from rollscope.cli.output import talk
from rollscope.cli.progress import ProgressLine, looking_for_runs
from rollscope.errors import UsageError

if TYPE_CHECKING:
    from rollscope.cli.arguments import Arguments

DEMO_DIRECTORY = "rollscope-demo"
DEMO_STEPS = 40


def view(arguments: Arguments) -> int:
    return _open(arguments.paths, arguments)


def tui(arguments: Arguments) -> int:
    return _open_terminal_viewer([arguments.path], arguments, run=arguments.run, first_step=arguments.first)


def demo(arguments: Arguments) -> int:
    directory = Path(arguments.directory or DEMO_DIRECTORY)
    if _is_finished_demo(directory):
        talk(f"{directory} holds a demo run already")
    else:
        _write_demo(directory)
    if arguments.no_serve:
        talk(f"`{_program()} {shlex.quote(str(directory))}` opens it")
        return 0
    return _open([str(directory)], arguments)


def _program() -> str:
    """What to type to call this program: its path, as in `.venv/bin/rollscope`, unless the shell finds it by name."""
    called = Path(sys.argv[0])
    return "rollscope" if called.name != "rollscope" or shutil.which("rollscope") else str(called)


def _is_finished_demo(directory: Path) -> bool:
    """A whole demo is opened again; one that was interrupted is written again; anything else is left alone."""
    if not directory.exists() or not any(directory.iterdir()):
        return False
    import json

    try:
        config = json.loads((directory / "config.json").read_bytes())
    except (OSError, ValueError):
        config = None
    if not (isinstance(config, dict) and config.get("simulated") is True):
        raise UsageError(f"{directory} is not empty: give a folder of its own to the demo run")
    return (directory / f"train_iteration_{DEMO_STEPS - 1:06}_rollouts.jsonl").exists()


def _write_demo(directory: Path) -> None:
    from rollscope.record.demo import write_demo

    with ProgressLine("simulating a run: step") as progress:
        write_demo(directory, steps=DEMO_STEPS, progress=progress.counted)
    talk(f"wrote a simulated run to {directory}")


def _open(paths: list[str], arguments: Arguments) -> int:
    if arguments.tui:
        return _open_terminal_viewer(paths, arguments)
    from rollscope.server.run import run_server

    prepare(arguments.settings)
    run_server(paths, arguments.settings, looking_for_runs())
    return 0


def _open_terminal_viewer(
    paths: list[str], arguments: Arguments, run: str | None = None, *, first_step: bool = False
) -> int:
    from rollscope.tui import run_tui

    prepare(arguments.settings)
    return run_tui(paths, arguments.settings, run=run, first_step=first_step, looking=looking_for_runs())
