"""Every setting, once: its name, type, default, flag, environment variable and help.

The class below is the table. Command-line flags, ``ROLLSCOPE_*`` variables and ``docs/settings.md`` are made from it;
a flag wins over a variable, a variable over the default. Imports nothing heavy: `rollscope --help` reads it.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Annotated, Any, NamedTuple, get_args, get_type_hints

from rollscope.errors import UsageError

Value = str | int | float | bool | None

#: Which commands take a flag: those that open runs, those that list, those that filter or run SQL, the viewers.
OPEN, LIST, QUERY, VIEW, SERVE, EVERY = "open", "list", "query", "view", "serve", "every"


class About(NamedTuple):
    """What the table says of a setting besides its name, type and default."""

    scope: str
    flag: str
    help: str
    #: What stands for the value in help texts; a switch has none.
    metavar: str = ""
    #: The default in words, where the value alone does not say it.
    shown_default: str = ""
    choices: tuple[str, ...] = ()
    #: An empty environment variable means "not set", unless empty is a value of its own.
    empty_is_value: bool = False


class Settings(NamedTuple):
    """The settings in force. A switch's flag turns its default around."""

    index_dir: Annotated[
        str | None,
        About(
            OPEN,
            "--index-dir",
            "Folder of the index, or the URL of one in an object store that several machines share. It is derived data: it "
            "may be deleted at any time and is never put into a run.",
            "DIR",
            "the user's cache directory",
        ),
    ] = None
    format: Annotated[
        str | None,
        About(OPEN, "--format", "Read the run as this format instead of detecting it.", "NAME", "detected"),
    ] = None
    map: Annotated[
        str | None,
        About(
            OPEN,
            "--map",
            "Which key of its records is what, for files that no format knows; a dot leads into an object.",
            "FIELD=KEY,…",
            "guessed by name",
        ),
    ] = None
    engine: Annotated[
        str,
        About(
            OPEN,
            "--engine",
            "Where files are read and searched: processes of this machine, or the Ray cluster of RAY_ADDRESS.",
            "NAME",
            choices=("local", "ray"),
        ),
    ] = "local"
    index_readonly: Annotated[
        bool,
        About(OPEN, "--index-readonly", "Write nothing to an index in an object store: for those who only look."),
    ] = False
    poll: Annotated[
        float,
        About(
            OPEN,
            "--poll",
            "List a run that lies in an object store no more often than this.",
            "SECONDS",
        ),
    ] = 5.0
    notes_dir: Annotated[
        str | None,
        About(
            OPEN,
            "--notes-dir",
            "Folder of notes and labels; one that several people can write is shared by them. Never put into a run.",
            "DIR",
            "the user's data directory",
        ),
    ] = None
    max_line: Annotated[
        int,
        About(
            OPEN,
            "--max-line",
            "Open, search and export no longer lines than this: a line takes up to 12 times its length of memory. 0: any.",
            "MB",
        ),
    ] = 256
    features: Annotated[
        bool,
        About(
            OPEN,
            "--no-features",
            "Do not compute features of the texts in the background; they are computed where they are asked for.",
        ),
    ] = True
    patterns: Annotated[
        str | None,
        About(
            OPEN,
            "--patterns",
            "A TOML file of your own patterns for text.flags and findings; see docs/insights.md.",
            "FILE",
            "none",
        ),
    ] = None
    limit: Annotated[
        int, About(LIST, "--limit", "List at most this many; 0 lists all. What was left out is said on stderr.", "N")
    ] = 50
    query_seconds: Annotated[
        float, About(QUERY, "--query-seconds", "Stop a filter or SQL query that runs longer than this.", "SECONDS")
    ] = 20.0
    query_memory: Annotated[
        int, About(QUERY, "--query-memory", "Stop a filter or SQL query that needs more memory than this.", "MB")
    ] = 512
    mask_str: Annotated[
        str | None,
        About(
            VIEW,
            "--mask-str",
            "Show each run of matches as one sign with its count. Empty turns it off.",
            "REGEX",
            "image, video and audio pad tokens",
            empty_is_value=True,
        ),
    ] = None
    host: Annotated[
        str, About(SERVE, "--host", "Address to listen on. Any that others can reach asks for a token.", "ADDRESS")
    ] = "0.0.0.0"  # noqa: S104  # reachable by colleagues is the point; a token guards it
    port: Annotated[int, About(SERVE, "--port", "Port to listen on; 0 picks a free one.", "PORT")] = 8080
    base_path: Annotated[
        str,
        About(SERVE, "--base-path", "URL prefix behind a reverse proxy, such as /absproxy/8080.", "PATH", "none"),
    ] = ""
    token: Annotated[
        str | None,
        About(SERVE, "--token", "The token that others must bring.", "TOKEN", "made at start, in the printed URL"),
    ] = None
    auth: Annotated[
        bool, About(SERVE, "--no-auth", "Serve to everyone who can reach the address, without a token.")
    ] = True
    browser: Annotated[bool, About(SERVE, "--no-browser", "Do not open a browser.")] = True
    cache_memory: Annotated[
        int, About(SERVE, "--cache-memory", "Memory for decoded samples kept between requests.", "MB")
    ] = 4096
    cache_entries: Annotated[
        int, About(SERVE, "--cache-entries", "Files whose decoded samples are kept between requests.", "N")
    ] = 20
    allowed_hosts: Annotated[
        str,
        About(
            SERVE,
            "--allowed-hosts",
            "Names, with commas, under which a reverse proxy calls this server; * allows any.",
            "NAMES",
            "this machine's own names and addresses",
        ),
    ] = ""
    watch: Annotated[
        str,
        About(
            SERVE,
            "--watch",
            "How new data is noticed: file events, polling, or events where the filesystem has them.",
            "HOW",
            choices=("auto", "events", "polling"),
        ),
    ] = "auto"
    search_seconds: Annotated[
        float, About(SERVE, "--search-seconds", "Stop a search from the page that runs longer than this.", "SECONDS")
    ] = 60.0
    debug: Annotated[
        bool, About(EVERY, "--debug", "Show the traceback of an error, for a report about Rollscope itself.")
    ] = False


class Setting(NamedTuple):
    """One row of the table."""

    name: str
    type: type
    default: Value
    about: About

    @property
    def env(self) -> str:
        return f"ROLLSCOPE_{self.name.upper()}"

    @property
    def is_switch(self) -> bool:
        return self.type is bool

    def parse(self, text: str, origin: str) -> Value:
        """The value that ``text`` says. ``origin`` (a flag or a variable) is named when it says none."""
        try:
            if self.type is bool:
                return _YES_NO[text.strip().lower()]
            value: Value = self.type(text)
        except (ValueError, KeyError):
            raise UsageError(f"{origin} needs {_EXPECTED[self.type]}, not {text!r}") from None
        if self.about.choices and value not in self.about.choices:
            raise UsageError(f"{origin} is one of {', '.join(self.about.choices)}, not {text!r}")
        if isinstance(value, (int, float)) and not value >= 0:  # also NaN, which no comparison likes
            raise UsageError(f"{origin} needs a value of 0 or more, not {text!r}")
        return value


_YES_NO = {"1": True, "true": True, "yes": True, "on": True, "0": False, "false": False, "no": False, "off": False}
_EXPECTED = {int: "a whole number", float: "a number", bool: "1 or 0", str: "text"}


def _row(name: str, hint: Any) -> Setting:
    value_type, about = get_args(hint)
    # `str | None` is a text that may be missing.
    return Setting(name, (get_args(value_type) or (value_type,))[0], Settings._field_defaults[name], about)


SETTINGS: tuple[Setting, ...] = tuple(
    _row(name, hint) for name, hint in get_type_hints(Settings, include_extras=True).items()
)


def resolve(
    given: Mapping[str, Value] | None = None,
    defaults: Mapping[str, Value] | None = None,
    environ: Mapping[str, str] = os.environ,
) -> Settings:
    """What is in force: ``given`` (from flags) over the environment over ``defaults`` over the table's own."""
    values: dict[str, Any] = dict(defaults or {})
    for setting in SETTINGS:
        if given is not None and setting.name in given:
            values[setting.name] = given[setting.name]
        elif (text := environ.get(setting.env)) is not None and (text or setting.about.empty_is_value):
            values[setting.name] = setting.parse(text, setting.env)
    return Settings(**values)
