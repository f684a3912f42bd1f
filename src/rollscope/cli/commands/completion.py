"""`completion`: scripts for bash, zsh and fish, made from the table of commands."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from rollscope.cli.arguments import HELP, Command, Option
from rollscope.cli.command_table import COMMANDS

if TYPE_CHECKING:
    from rollscope.cli.arguments import Arguments


def completion(arguments: Arguments) -> None:
    script = {"bash": bash, "zsh": zsh, "fish": fish}[arguments.shell]()
    sys.stdout.write(script)


def _options(command: Command) -> tuple[Option, ...]:
    return (*command.options, HELP)


def _takes_path(command: Command) -> bool:
    return any(positional.is_path for positional in command.positionals)


def _words(command: Command) -> tuple[str, ...]:
    """The words a positional may be, where they can be listed."""
    return tuple(word for positional in command.positionals for word in positional.choices)


BASH = """\
# bash completion for rollscope. Load it with:  eval "$(rollscope completion bash)"
_rollscope() {{
    local word="${{COMP_WORDS[COMP_CWORD]}}" before="${{COMP_WORDS[COMP_CWORD-1]}}" command="${{COMP_WORDS[1]}}" words=""
    COMPREPLY=()
    if [[ $COMP_CWORD -eq 1 ]]; then
        COMPREPLY=( $(compgen -W "{commands} --help --version" -- "$word") $(compgen -f -- "$word") )
        return
    fi
    case "$command $before" in
{values}
    esac
    case "$command" in
{flags}
        *) words="{view_flags}" ;;
    esac
    if [[ $word == -* ]]; then
        COMPREPLY=( $(compgen -W "$words" -- "$word") )
    else
        COMPREPLY=( $(compgen -f -- "$word") )
    fi
}}
complete -o filenames -F _rollscope rollscope
"""


def bash() -> str:
    values, flags = [], []
    for command in COMMANDS:
        for option in command.options:
            if option.choices:
                words = " ".join(option.choices)
                values.append(
                    f'        "{command.name} {option.flag}") COMPREPLY=( $(compgen -W "{words}" -- "$word") ); return ;;'
                )
        if listed := _words(command):
            values.append(
                f'        "{command.name} {command.name}") COMPREPLY=( $(compgen -W "{" ".join(listed)}" -- "$word") );'
                " return ;;"
            )
        flags.append(f'        {command.name}) words="{_flags(command)}" ;;')
    return BASH.format(
        commands=" ".join(command.name for command in COMMANDS),
        values="\n".join(values),
        flags="\n".join(flags),
        view_flags=_flags(COMMANDS[0]),
    )


def _flags(command: Command) -> str:
    return " ".join(option.flag for option in _options(command))


ZSH = """\
#compdef rollscope
# zsh completion for rollscope. Load it with:  eval "$(rollscope completion zsh)"
_rollscope() {{
    local -a commands
    commands=(
{commands}
    )
    if (( CURRENT == 2 )); then
        _describe -t commands command commands
        _files
        return
    fi
    local command=$words[2]
    shift words
    (( CURRENT-- ))
    case $command in
{cases}
        *) _files ;;
    esac
}}
if [[ $funcstack[1] == _rollscope ]]; then
    _rollscope "$@"  # found on fpath and run for the first time
else
    compdef _rollscope rollscope
fi
"""


def zsh() -> str:
    commands = "\n".join(f"        {_zsh_quoted(f'{command.name}:{command.summary}')}" for command in COMMANDS)
    cases = []
    for command in COMMANDS:
        specs = [_zsh_option(option) for option in _options(command)]
        if listed := _words(command):
            specs.append(_zsh_quoted(f"1:word:({' '.join(listed)})"))
        elif _takes_path(command):
            specs.append(_zsh_quoted("*:path:_files"))
        cases.append(f"        {command.name}) _arguments {' '.join(specs)} ;;")
    return ZSH.format(commands=commands, cases="\n".join(cases))


def _zsh_option(option: Option) -> str:
    help_text = option.help.replace("[", "(").replace("]", ")").replace(":", "\\:")
    spec = f"{option.flag}[{help_text}]"
    if option.choices:
        spec += f":{option.metavar}:({' '.join(option.choices)})"
    elif option.metavar:
        spec += f":{option.metavar}:" + ("_files" if option.metavar in ("FILE", "DIR") else "")
    return _zsh_quoted(spec)


def _zsh_quoted(text: str) -> str:
    return "'" + text.replace("'", "'\\''") + "'"


def fish() -> str:
    lines = [
        "# fish completion for rollscope. Load it with:  rollscope completion fish | source",
        "complete -c rollscope -n __fish_use_subcommand -l help -d 'Show help.'",
        "complete -c rollscope -n __fish_use_subcommand -l version -d 'Say which version this is.'",
    ]
    for command in COMMANDS:
        seen = f"-n '__fish_seen_subcommand_from {command.name}'"
        lines.append(
            f"complete -c rollscope -n __fish_use_subcommand -a {command.name} -d {_fish_quoted(command.summary)}"
        )
        if listed := _words(command):
            lines.append(f"complete -c rollscope {seen} -f -a '{' '.join(listed)}'")
        for option in _options(command):
            line = f"complete -c rollscope {seen} -l {option.flag.removeprefix('--')} -d {_fish_quoted(option.help)}"
            if option.choices:
                line += f" -x -a '{' '.join(option.choices)}'"
            elif option.metavar:
                line += " -r" if option.metavar in ("FILE", "DIR") else " -x"
            lines.append(line)
    return "\n".join(lines) + "\n"


def _fish_quoted(text: str) -> str:
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"
