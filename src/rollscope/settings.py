"""The table of settings: name, type, default, flag, environment variable and help of each.

The class `Settings` is the table. Command-line flags, ``ROLLSCOPE_*`` variables and ``docs/settings.md`` are made from
it; a flag overrides a variable, a variable overrides the default. Imports nothing heavy, because `rollscope --help`
reads it.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple, get_args, get_type_hints

from rollscope.errors import UsageError

if TYPE_CHECKING:
    from rollscope.query.library import Library
    from rollscope.query.samples.cache import SampleCache

SettingValue = str | int | float | bool | None

#: Which commands take a flag: those that open runs, those that list, those that filter or run SQL, the viewers.
OPEN, LIST, QUERY, VIEW, SERVE, EVERY = "open", "list", "query", "view", "serve", "every"


class About(NamedTuple):
    """What the table says about a setting besides its name, type and default."""

    scope: str
    flag: str
    help: str
    #: The placeholder for the value in help texts; a switch has none.
    metavar: str = ""
    #: The default in words, if the value alone is not clear.
    shown_default: str = ""
    choices: tuple[str, ...] = ()
    #: An empty environment variable means "not set", unless empty is a value of its own.
    empty_is_value: bool = False


class Settings(NamedTuple):
    """The settings in force. A switch's flag inverts its default."""

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
            "For files of an unknown format: which key of a record holds which field; a dot leads into an object.",
            "FIELD=KEY,…",
            "guessed by name",
        ),
    ] = None
    engine: Annotated[
        str,
        About(
            OPEN,
            "--engine",
            "Where files are read and searched: in processes of this machine, or on the Ray cluster of RAY_ADDRESS.",
            "NAME",
            choices=("local", "ray"),
        ),
    ] = "local"
    index_readonly: Annotated[
        bool,
        About(OPEN, "--index-readonly", "Never write to an index in an object store: for viewers."),
    ] = False
    poll: Annotated[
        float,
        About(
            OPEN,
            "--poll",
            "List a run in an object store at most this often.",
            "SECONDS",
        ),
    ] = 5.0
    notes_dir: Annotated[
        str | None,
        About(
            OPEN,
            "--notes-dir",
            "Folder of notes and labels; people can share one that all can write to. Notes are never put into a run.",
            "DIR",
            "the user's data directory",
        ),
    ] = None
    max_line: Annotated[
        int,
        About(
            OPEN,
            "--max-line",
            "Refuse to open, search or export longer lines: a line takes up to 12 times its length in memory. 0: no limit.",
            "MB",
        ),
    ] = 256
    features: Annotated[
        bool,
        About(
            OPEN,
            "--no-features",
            "Do not compute text features in the background, only when they are asked for.",
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
        int, About(LIST, "--limit", "List at most this many; 0 lists all. stderr says how many were left out.", "N")
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
            "Show each sequence of matches as one `*` with its count. Empty turns it off.",
            "REGEX",
            "image, video and audio pad tokens",
            empty_is_value=True,
        ),
    ] = None
    host: Annotated[
        str, About(SERVE, "--host", "Address to listen on. If others can reach it, a token is required.", "ADDRESS")
    ] = "0.0.0.0"  # noqa: S104  # reachable by colleagues is the point; a token guards it
    port: Annotated[int, About(SERVE, "--port", "Port to listen on; 0 picks a free one.", "PORT")] = 8080
    base_path: Annotated[
        str,
        About(SERVE, "--base-path", "URL prefix behind a reverse proxy, such as /absproxy/8080.", "PATH", "none"),
    ] = ""
    token: Annotated[
        str | None,
        About(SERVE, "--token", "The token that visitors must have.", "TOKEN", "made at start, in the printed URL"),
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
            "Host names under which a reverse proxy calls this server, separated by commas; * allows any.",
            "NAMES",
            "this machine's own names and addresses",
        ),
    ] = ""
    watch: Annotated[
        str,
        About(
            SERVE,
            "--watch",
            "How new data is noticed: by file events, by polling, or (auto) by events if the filesystem has them.",
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
    default: SettingValue
    about: About

    @property
    def env(self) -> str:
        return f"ROLLSCOPE_{self.name.upper()}"

    @property
    def is_switch(self) -> bool:
        return self.type is bool

    def parse(self, text: str, origin: str) -> SettingValue:
        """The value written as ``text``. If it is not valid, the error names ``origin`` (a flag or a variable)."""
        try:
            if self.type is bool:
                return _YES_NO[text.strip().lower()]
            value: SettingValue = self.type(text)
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
    given: Mapping[str, SettingValue] | None = None,
    defaults: Mapping[str, SettingValue] | None = None,
    environ: Mapping[str, str] = os.environ,
) -> Settings:
    """The settings in force: ``given`` (from flags) overrides the environment, which overrides ``defaults``, which override
    the table's own."""
    values: dict[str, Any] = dict(defaults or {})
    for setting in SETTINGS:
        if given is not None and setting.name in given:
            values[setting.name] = given[setting.name]
        elif (text := environ.get(setting.env)) is not None and (text or setting.about.empty_is_value):
            values[setting.name] = setting.parse(text, setting.env)
    return Settings(**values)


#: A stretch of time in which runs are looked for, and who is told how many folders have been looked at.
Looking = AbstractContextManager["Callable[[int], None] | None"]
NOBODY: Looking = nullcontext()


def open_library(
    paths: Sequence[str],
    settings: Settings,
    *,
    cache: SampleCache | None = None,
    watched: bool = False,
    tell: Callable[[int], None] | None = None,
) -> Library:
    """The runs under these paths, opened with these settings, for every front door. For a viewer (``watched``), features
    are computed in the background unless the settings say otherwise. `tell` hears how many folders have been looked at."""
    from rollscope.query.library import Library

    return Library(
        paths,
        format=settings.format,
        mapping=settings.map,
        index_dir=settings.index_dir,
        cache=cache,
        engine=settings.engine,
        notes_dir=settings.notes_dir,
        patterns=settings.patterns,
        features=watched and settings.features,
        tell=tell,
    )
