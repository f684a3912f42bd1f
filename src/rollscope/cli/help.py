"""The help texts, made from the tables of commands and settings."""

from __future__ import annotations

import shutil
import textwrap
from collections.abc import Iterable, Iterator, Sequence

from rollscope.cli.arguments import HELP, Command, Option, usage
from rollscope.settings import EVERY, OPEN, QUERY


def overview(commands: Sequence[Command]) -> str:
    """What `rollscope --help` prints."""
    lines = [
        "Rollscope: see what your model did during reinforcement-learning training.",
        "",
        "  rollscope PATH…             open runs, or folders of runs, in the browser",
        "  rollscope COMMAND …",
        "",
        "Commands:",
        *_columns((command.name, command.summary) for command in commands),
        "",
        "`rollscope COMMAND --help` says what a command takes; `rollscope --version` says which version this is.",
        "Data goes to stdout, talk to stderr.",
        "Exit status: 0 done, 1 not there or not readable, 2 wrong usage, 3 what --fail-on… asked for, 130 Ctrl-C.",
    ]
    return "\n".join(lines) + "\n"


def command_help(command: Command) -> str:
    """What `rollscope COMMAND --help` prints."""
    lines = [f"usage: {usage(command)}", "", *textwrap.wrap(_sentence(command.summary), _width()), ""]
    if command.positionals:
        lines += [*_columns((positional.metavar, positional.help) for positional in command.positionals), ""]
    own = [option for option in command.options if not _is_common(option)]
    common = [option for option in command.options if _is_common(option)]
    lines += ["options:", *_columns((shown_flag(option), described(option)) for option in (*own, HELP))]
    if command.examples:
        lines += ["", "examples:", *(f"  {example}" for example in command.examples)]
    if common:
        lines += ["", "options that most commands have:"]
        lines += _columns((shown_flag(option), described(option)) for option in common)
    return "\n".join(lines) + "\n"


def _is_common(option: Option) -> bool:
    """Whether the flag says how runs are opened and asked, whatever the command: listed last, after the command's own."""
    return option.setting is not None and option.setting.about.scope in (OPEN, QUERY, EVERY)


def _sentence(summary: str) -> str:
    return summary if summary.endswith("…") else summary + "."


def shown_flag(option: Option) -> str:
    """``--port PORT``, ``--engine local|…``, ``--json``."""
    value = "|".join(option.choices) if option.choices else option.metavar
    return f"{option.flag} {value}" if value else option.flag


def described(option: Option) -> str:
    """The help of a flag with its default and its environment variable."""
    notes = []
    setting = option.setting
    if setting and not setting.is_switch:
        default = option.default if option.default is not None else setting.about.shown_default or setting.default
        notes.append(f"default: {default}")
    if setting:
        notes.append(setting.env)
    return f"{option.help} [{'; '.join(notes)}]" if notes else option.help


def _columns(pairs: Iterable[tuple[str, str]]) -> Iterator[str]:
    """Two columns, the second wrapped."""
    indent = 26
    for left, right in pairs:
        wrapped = textwrap.wrap(right, _width() - indent) or [""]
        if len(left) + 4 > indent:
            yield f"  {left}"
            left = ""  # noqa: PLW2901
        yield f"  {left:<{indent - 2}}{wrapped[0]}".rstrip()
        yield from (" " * indent + line for line in wrapped[1:])


def _width() -> int:
    return max(60, min(shutil.get_terminal_size().columns, 110))
