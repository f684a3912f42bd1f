"""What a command takes, as data, and the parser that reads it.

The same tables make the parser, the help, the shell completions and the test of ``docs/cli.md``. Why not argparse: it
takes ``--sort -reward`` for two options and will not have a path after one, and it costs a quarter of the time that
`rollscope --help` may take.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from types import SimpleNamespace
from typing import Any, NamedTuple

from rollscope.errors import UsageError
from rollscope.settings import SETTINGS, Setting, Settings, resolve


class Option(NamedTuple):
    """A flag. Without ``metavar`` it is a switch; with ``choices`` it takes one of these words."""

    flag: str
    help: str
    metavar: str = ""
    choices: tuple[str, ...] = ()
    type: type = str
    default: Any = None
    required: bool = False
    #: Flags of one group exclude each other.
    excludes: str = ""
    #: The row of the settings table that this flag sets.
    setting: Setting | None = None
    #: It may be given several times, and is a list.
    many: bool = False

    @property
    def name(self) -> str:
        return self.flag.removeprefix("--").replace("-", "_")


class Positional(NamedTuple):
    """A word that has no flag. ``many``: one or more of them; ``optional``: it may be left out."""

    name: str
    metavar: str
    help: str
    many: bool = False
    optional: bool = False
    choices: tuple[str, ...] = ()
    #: Shells complete file names here.
    is_path: bool = False


class Command(NamedTuple):
    """One command. ``target`` is "module:function", imported when the command runs and not before."""

    name: str
    summary: str
    target: str
    positionals: tuple[Positional, ...] = ()
    options: tuple[Option, ...] = ()
    #: Lines of example for its help.
    examples: tuple[str, ...] = ()


class Arguments(SimpleNamespace):
    """What was given, by name: positionals and options as attributes, and the settings in force."""

    settings: Settings


def setting_options(*scopes: str, **defaults: Any) -> tuple[Option, ...]:
    """The flags of all settings of these scopes; ``defaults`` are those that differ for one command, by setting."""
    return tuple(
        Option(
            setting.about.flag,
            setting.about.help,
            setting.about.metavar,
            setting.about.choices,
            type=setting.type,
            default=defaults.get(setting.name),
            setting=setting,
        )
        for scope in scopes
        for setting in SETTINGS
        if setting.about.scope == scope
    )


HELP = Option("--help", "Show this help.")


def parse(command: Command, words: Sequence[str]) -> Arguments | None:
    """The arguments that ``words`` say, in any order; None when they ask for help. `--` ends the options."""
    given: dict[str, Any] = {}
    flags: dict[str, str] = {}  # exclusion group -> the flag that took it
    loose: list[str] = []
    options = {option.flag: option for option in command.options}
    rest = iter(words)
    for word in rest:
        if word == "--":
            loose.extend(rest)
        elif word in ("-h", "--help"):
            return None
        elif word.startswith("-") and len(word) > 1:
            flag, equals, inline = word.partition("=")
            option = options.get(flag) or _unknown(command, flag, options)
            if option.excludes and flags.setdefault(option.excludes, flag) != flag:
                raise UsageError(f"{flags[option.excludes]} and {flag} cannot be given together")
            text = inline if equals else None
            if option.metavar and text is None:
                text = next(rest, None)
            value = _read(option, text, options)
            given[option.name] = [*given.get(option.name, []), value] if option.many else value
        else:
            loose.append(word)
    return _collect(command, given, loose)


def _read(option: Option, text: str | None, options: Iterable[str]) -> Any:
    if not option.metavar:
        if text is not None:
            raise UsageError(f"{option.flag} takes no value")
        # A switch's flag turns the setting's default around: --no-auth makes `auth` false.
        return not option.setting.default if option.setting else True
    if text is None:
        raise UsageError(f"{option.flag} needs a value: {option.flag} {option.metavar}")
    if option.choices and text not in option.choices:
        raise UsageError(f"{option.flag} is one of {', '.join(option.choices)}, not {text!r}")
    if option.setting:
        return option.setting.parse(text, option.flag)
    try:
        return option.type(text)
    except ValueError:
        kind = "number" if option.type is float else "whole number"
        for_many = f"{option.flag}s"
        hint = f"several are {for_many} A:B" if for_many in options else ""
        raise UsageError(f"{option.flag} needs a {kind}, not {text!r}", hint=hint) from None


def _collect(command: Command, given: dict[str, Any], loose: list[str]) -> Arguments:
    values: dict[str, Any] = {}
    chosen: dict[str, Any] = {}
    defaults: dict[str, Any] = {}
    for option in command.options:
        if option.setting is None:
            # A switch that was not given is off: None is no bool, and what takes bools strictly refuses it.
            nothing = [] if option.many else option.default if option.metavar else False
            values[option.name] = given.get(option.name, nothing)
            if option.required and option.name not in given:
                raise UsageError(f"{option.flag} {option.metavar} is missing: {usage(command)}")
        elif option.name in given:
            chosen[option.setting.name] = given[option.name]
        elif option.default is not None:
            defaults[option.setting.name] = option.default
    for positional in command.positionals:
        taken, loose = (loose, []) if positional.many else (loose[:1], loose[1:])
        _check_words(command, positional, taken)
        values[positional.name] = list(taken) if positional.many else next(iter(taken), None)
    if loose:
        raise UsageError(f"{loose[0]!r} is one word too many: {usage(command)}")
    return Arguments(settings=resolve(chosen, defaults), **values)


def _check_words(command: Command, positional: Positional, words: Sequence[str]) -> None:
    if not words and not positional.optional:
        raise UsageError(f"{positional.metavar} is missing: {usage(command)}")
    # As of a variable that is not set: the folder one stands in was not meant.
    if positional.is_path and "" in words:
        raise UsageError(f"{positional.metavar} is empty: {usage(command)}")
    for word in words:
        if positional.choices and word not in positional.choices:
            raise UsageError(f"{positional.metavar} is one of {', '.join(positional.choices)}, not {word!r}")


def _unknown(command: Command, flag: str, options: Iterable[str]) -> Option:
    near = nearest(flag, [*options, HELP.flag])
    guess = f"did you mean {near}?" if near else f"`rollscope {command.name} --help` lists them"
    raise UsageError(f"rollscope {command.name} has no option {flag}: {guess}")


def nearest(word: str, candidates: Iterable[str]) -> str | None:
    """The candidate that was probably meant, if any is close."""
    from difflib import get_close_matches

    return next(iter(get_close_matches(word, list(candidates), 1, 0.7)), None)


def usage(command: Command) -> str:
    words = ["rollscope", command.name]
    for positional in command.positionals:
        word = positional.metavar + ("…" if positional.many else "")
        words.append(f"[{word}]" if positional.optional else word)
    words += [f"{option.flag} {option.metavar}" for option in command.options if option.required]
    if command.options:
        words.append("[options]")
    return " ".join(words)
