"""How a server is to behave. The command line makes this from the settings table; tests make it directly."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

#: "auto": events where the filesystem has them, polling elsewhere.
Watching = Literal["auto", "events", "polling"]

MAX_QUERY_BYTES = 16_384
MAX_BODY_BYTES = 512 * 1024
SEARCH_SECONDS = 60.0


@dataclass(frozen=True, kw_only=True)
class ServerOptions:
    host: str = "0.0.0.0"  # noqa: S104  # SPEC's default; a token is asked for
    port: int = 8080
    base_path: str = ""
    #: None: no token is required.
    token: str | None = None
    #: Names besides addresses and this machine's own under which the server may be called; "*" = any.
    allowed_hosts: tuple[str, ...] = ()
    #: None: the usual pad tokens; empty: none.
    mask: str | None = None
    watching: Watching = "auto"
    search_seconds: float = SEARCH_SECONDS
