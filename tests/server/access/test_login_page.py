"""The small pages that the server writes itself."""

from __future__ import annotations

import base64
import hashlib
import re

from rollscope.server.access.login_page import STYLE_HASH, login_page, message_page


def test_its_style_is_the_one_that_the_policy_allows() -> None:
    styles = re.findall(rb"<style>(.*?)</style>", login_page(wrong=False, refresh=False), re.DOTALL)
    digests = ["sha256-" + base64.b64encode(hashlib.sha256(style).digest()).decode() for style in styles]
    assert digests == [STYLE_HASH]


def test_a_title_is_text() -> None:
    page = message_page("<script>alert(1)</script>", "<p>trusted</p>")
    assert b"<script>" not in page
    assert b"<p>trusted</p>" in page


def test_a_wrong_token_is_said_and_a_page_is_asked_for_again_only_where_it_helps() -> None:
    assert b"not the right one" in login_page(wrong=True, refresh=False)
    assert b"not the right one" not in login_page(wrong=False, refresh=False)
    for refresh in (True, False):
        assert (b'http-equiv="refresh"' in login_page(wrong=False, refresh=refresh)) is refresh
