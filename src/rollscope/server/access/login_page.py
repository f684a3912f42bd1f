"""The small pages that the server writes itself: the one that asks for the token, and messages."""

from __future__ import annotations

import base64
import hashlib
from html import escape

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
    reason = "<p>The token in this address is not the right one.</p>" if wrong else again
    return message_page(
        "This viewer needs a token",
        f"{reason}<p>Open the address that <code>rollscope</code> printed when it started: it ends in "
        "<code>?token=…</code>. Whoever started the server can send it to you. Or paste the token here:</p>"
        '<form method="get"><input name="token" type="password" aria-label="Token" autocomplete="off" autofocus required> '
        "<button>Open</button></form>"
        "<p>Scripts send it as <code>Authorization: Bearer TOKEN</code>. The server asks because it can be reached from "
        "other machines; <code>--host 127.0.0.1</code> serves this machine alone, without a token.</p>",
        refresh=refresh,
    )
