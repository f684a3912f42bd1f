"""Who may ask. A token, brought in the URL once, then a cookie that no other site's page can use."""

from __future__ import annotations

import hashlib
import hmac
import secrets
from dataclasses import dataclass
from urllib.parse import parse_qsl, quote, urlencode

TOKEN_BYTES = 24


def new_token() -> str:
    return secrets.token_urlsafe(TOKEN_BYTES)


@dataclass(frozen=True)
class TokenCheck:
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
