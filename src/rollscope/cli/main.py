"""The entry point: from words to a command, and from whatever happened to an exit status.

Nothing that a user, a file or a full disk can do shows a traceback: one line on stderr says what happened.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Sequence
from importlib import import_module
from io import TextIOWrapper
from typing import TYPE_CHECKING, NoReturn, cast

from rollscope.cli.arguments import Arguments, Command, nearest, parse
from rollscope.cli.command_table import BY_NAME, COMMANDS
from rollscope.errors import RollscopeError, UsageError
from rollscope.startup import leave, look_for_garbage_rarely, one_thread_for_blas

if TYPE_CHECKING:
    #: A command's exit status, if it is not simply done.
    Handler = Callable[[Arguments], int | None]

INTERRUPTED = 130  # what shells expect of a program stopped by Ctrl-C: 128 + SIGINT


def main(words: Sequence[str] | None = None) -> NoReturn:
    """The `rollscope` command. Words that are given are another program's, which goes on afterwards."""
    if words is None:
        look_for_garbage_rarely()
        leave(run(sys.argv[1:]))
    sys.exit(run(words))


def run(words: Sequence[str]) -> int:
    """Run one command; its exit status."""
    _prepare_streams()
    one_thread_for_blas()
    try:
        status = _run(words)
        sys.stdout.flush()
    except RollscopeError as error:
        advice = _advice(error.hint)
        _say(error, f"{error} ({advice})" if advice else str(error), words)
        status = error.exit_code
    except KeyboardInterrupt:
        status = INTERRUPTED
    except BrokenPipeError:
        status = 0  # `rollscope samples … | head`: the reader has what it wanted
    except OSError as error:
        where = f"{error.filename}: " if error.filename else ""
        _say(error, f"{where}{error.strerror or error}", words)
        status = 1
    except Exception as error:  # noqa: BLE001  # the last resort: even a bug is reported in one line
        _say(error, f"internal error: {type(error).__name__}: {error} (--debug shows where; please report it)", words)
        status = 1
    _finish_stdout()
    return status


def _advice(hint: str) -> str:
    """One line: of a filter's mistake, which is drawn with a caret under it, only what to do about it."""
    last = hint.splitlines()[-1].strip() if hint else ""
    return "" if last == "^" else last


def _prepare_streams() -> None:
    """Data is UTF-8 whatever the locale says; half of a surrogate pair in a model's text is printed as an escape."""
    # A shell may close them: `rollscope ls >&-`.
    sys.stdout = sys.stdout or open(os.devnull, "w")  # noqa: SIM115
    sys.stderr = sys.stderr or open(os.devnull, "w")  # noqa: SIM115
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(encoding="utf-8", errors="backslashreplace")


def _finish_stdout() -> None:
    """What is left in the buffer goes out, or nowhere: Python would try again at exit and complain on stderr."""
    try:
        sys.stdout.flush()
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _run(words: Sequence[str]) -> int:
    if not words:
        raise UsageError(
            "no path given: try `rollscope PATH` or `rollscope demo`; `rollscope --help` lists the commands"
        )
    if words[0] in ("-h", "--help", "help"):
        from rollscope.cli.help import command_help, overview

        asked = BY_NAME.get(words[1]) if words[0] == "help" and len(words) > 1 else None
        sys.stdout.write(command_help(asked) if asked else overview(COMMANDS))
        return 0
    if words[0] == "--version":
        from rollscope import __version__

        sys.stdout.write(f"rollscope {__version__}\n")
        return 0
    command, rest = _choose(words)
    arguments = parse(command, rest)
    if arguments is None:
        from rollscope.cli.help import command_help

        sys.stdout.write(command_help(command))
        return 0
    return _handler(command)(arguments) or 0


def _choose(words: Sequence[str]) -> tuple[Command, Sequence[str]]:
    """The command that the words name; without a name it is `view`. A folder called `index` opens as `./index`."""
    first = words[0]
    if first in BY_NAME:
        return BY_NAME[first], words[1:]
    if first.isalpha() and not os.path.exists(first):
        near = nearest(first, BY_NAME)
        advice = f"did you mean `rollscope {near}`?" if near else "`rollscope --help` lists the commands"
        raise UsageError(f"there is no command and no path {first!r}: {advice}")
    return BY_NAME["view"], words


def _handler(command: Command) -> Handler:
    module, _, function = command.target.partition(":")
    return cast("Handler", getattr(import_module(module), function))


def _say(error: Exception, sentence: str, words: Sequence[str]) -> None:
    if "--debug" in words or os.environ.get("ROLLSCOPE_DEBUG") == "1":
        import traceback

        traceback.print_exception(error)
    # A file name may hold anything; the message stays one line and sends nothing to the terminal.
    line = "".join(sign if sign.isprintable() else f"\\x{ord(sign):02x}" for sign in sentence.replace("\n", "; "))
    print(f"rollscope: {line}", file=sys.stderr)


if __name__ == "__main__":
    main()
