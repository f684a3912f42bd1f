"""Keys and tokens in texts, made up here."""

from __future__ import annotations

from collections import Counter

import pytest

from rollscope.query.export.training_data.secrets import KINDS, replace_secrets

# Joined at run time: whoever scans this repository for leaked keys finds none.
EXAMPLES = {
    "private_key": "-----BEGIN RSA PRIVATE" + " KEY-----\n" + "MIIEow" * 20 + "\n-----END RSA PRIVATE" + " KEY-----",
    "aws_access_key": "AKIA" + "ABCDEFGH12345678",
    "github_token": "ghp_" + "a1B2" * 9,
    "gitlab_token": "glpat-" + "abcDEF123456-_7890ab",
    "huggingface_token": "hf_" + "aBcD" * 9,
    "anthropic_key": "sk-ant-" + "api03-abcdefghijklmnop",
    "openai_key": "sk-proj-" + "Ab1_" * 12,
    "google_key": "AIza" + "Sy-_1" * 7,
    "slack_token": "xoxb-" + "123456789012-abcdef",
    "stripe_key": "sk_live_" + "aB3" * 8,
    "npm_token": "npm_" + "aB3d" * 9,
    "pypi_token": "pypi-" + "AgEIcHlwaS5vcmc" * 4,
    "jwt": "eyJhbGciOiJIUzI1" + ".eyJzdWIiOiIxMjM0" + ".SflKxwRJSMeKKF2QT4",
}


def test_every_kind_has_an_example() -> None:
    assert EXAMPLES.keys() == set(KINDS)


@pytest.mark.parametrize("kind", KINDS)
def test_a_secret_is_replaced_wherever_it_stands(kind: str) -> None:
    found: Counter[str] = Counter()
    row = {"messages": [{"content": f"export KEY='{EXAMPLES[kind]}'; ls"}], "label": True, "n": 3}
    clean = replace_secrets(row, found)
    assert clean == {"messages": [{"content": f"export KEY='[{kind} removed]'; ls"}], "label": True, "n": 3}
    assert found == {kind: 1}


def test_ordinary_text_stays_as_it_is() -> None:
    text = (
        "The sk-learn docs, hf_model, AKIA, risk-averse-and-very-long-hyphenated-compound-adjectives-in-prose, ghp_short, "
        "a base64 eyJ0 string, commit 8bd4861f5e61287fded7c9aaafc8253521ba0d66351, npm_config_registry, pypi-server"
    )
    found: Counter[str] = Counter()
    assert replace_secrets(text, found) == text
    assert not found
