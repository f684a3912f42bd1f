"""Who may ask. A token, brought in the URL once, then a cookie that no other site's page can use."""

from __future__ import annotations

import base64
import hashlib
import hmac
import secrets
from dataclasses import dataclass
from html import escape
from urllib.parse import parse_qsl, quote, urlencode

TOKEN_BYTES = 24


def new_token() -> str:
    return secrets.token_urlsafe(TOKEN_BYTES)


@dataclass(frozen=True)
class Auth:
    """Checks requests against one token."""

    token: str
    base_path: str
    #: Cookies are shared by all ports of a host, so each server has its own name for its own.
    port: int

    @property
    def cookie_name(self) -> str:
        return f"rollscope_{self.port}"

    @property
    def cookie_value(self) -> str:
        """Made from the token, since a token chosen by a person may hold characters that a cookie may not."""
        return hmac.digest(self.token.encode(), b"rollscope cookie", hashlib.sha256).hex()

    def allows(self, headers: dict[bytes, bytes]) -> bool:
        scheme, _, given = headers.get(b"authorization", b"").partition(b" ")
        if scheme.lower() == b"bearer" and self.is_token(given.strip()):
            return True
        wanted = self.cookie_value.encode()
        name = self.cookie_name.encode()
        for item in headers.get(b"cookie", b"").split(b";"):
            key, _, value = item.strip().partition(b"=")
            if key == name and hmac.compare_digest(value, wanted):
                return True
        return False

    def is_token(self, given: bytes) -> bool:
        return hmac.compare_digest(given, self.token.encode())

    def set_cookie(self, *, secure: bool) -> str:
        parts = [
            f"{self.cookie_name}={self.cookie_value}",
            f"Path={self.base_path or '/'}",
            "HttpOnly",
            "SameSite=Strict",
            "Max-Age=2592000",
        ]
        return "; ".join([*parts, "Secure"] if secure else parts)


def take_token(query: bytes) -> tuple[bytes | None, bytes]:
    """A query string's token, if it has one, and the query string without it."""
    if b"token=" not in query:
        return None, query
    pairs = parse_qsl(query.decode("latin-1"), keep_blank_values=True, encoding="utf-8", errors="surrogateescape")
    tokens = [value for name, value in pairs if name == "token"]
    rest = [(name, value) for name, value in pairs if name != "token"]
    if not tokens:
        return None, query
    return tokens[-1].encode("utf-8", "surrogateescape"), urlencode(rest, errors="surrogateescape").encode()


def same_page(base_path: str, path: str, query: bytes) -> str:
    """The address of the page itself without its token: below the base path, else relative, so that it is right below
    a prefix that a proxy took away, and never leads to another host."""
    where = f"{base_path}/{quote(path.lstrip('/'))}" if base_path else f"./{quote(path.rpartition('/')[2])}"
    return where + (f"?{query.decode('latin-1')}" if query else "")


_STYLE = """
:root { color-scheme: light dark; font: 15px/1.5 system-ui, sans-serif }
body { max-width: 34rem; margin: 18vh auto 0; padding: 0 1rem }
h1 { font-size: 1.25rem }
code, input { font-family: ui-monospace, monospace; font-size: .9em }
input { width: 20rem; max-width: 70%; padding: .3rem .5rem }
button { padding: .3rem .8rem; font: inherit }
"""

#: Pages that the server writes itself have this one style, allowed by its hash.
STYLE_HASH = "sha256-" + base64.b64encode(hashlib.sha256(_STYLE.encode()).digest()).decode()


def message_page(title: str, body_html: str, *, refresh: bool = False) -> bytes:
    """A small page of the server's own. ``body_html`` is trusted: callers escape what is not theirs."""
    again = '<meta http-equiv="refresh" content="0">' if refresh else ""
    return (
        f'<!doctype html><html lang="en"><head><meta charset="utf-8">{again}<title>{escape(title)} · Rollscope</title>'
        f'<meta name="viewport" content="width=device-width, initial-scale=1"><style>{_STYLE}</style></head>'
        f"<body><h1>{escape(title)}</h1>{body_html}</body></html>"
    ).encode()


def login_page(*, wrong: bool, refresh: bool) -> bytes:
    # A same-site cookie does not come along when a link on another site is followed; from this page it does.
    again = '<p>Opened it here before, and came by a link? <a href="">Open it again</a>.</p>'
    said = "<p>The token in this address is not the right one.</p>" if wrong else again
    return message_page(
        "This viewer needs a token",
        f"{said}<p>Open the address that <code>rollscope</code> printed when it started: it ends in "
        "<code>?token=…</code>. Whoever started the server can send it to you. Or paste the token here:</p>"
        '<form method="get"><input name="token" type="password" aria-label="Token" autocomplete="off" autofocus required> '
        "<button>Open</button></form>"
        "<p>Scripts send it as <code>Authorization: Bearer TOKEN</code>. The server asks because it can be reached from "
        "other machines; <code>--host 127.0.0.1</code> serves this machine alone, without a token.</p>",
        refresh=refresh,
    )
