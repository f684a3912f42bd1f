"""Known kinds of secrets in a text: keys and tokens that have a form of their own, so that a text does not carry them on.

Only what can hardly be anything else is replaced. A password in prose is not known from other words.
"""

from __future__ import annotations

import re
from collections import Counter
from typing import Any

#: Name -> form. Each begins with fixed characters that its issuer chose so that it can be found.
_FORMS: dict[str, str] = {
    "private_key": (
        r"-----BEGIN [A-Z ]{0,20}PRIVATE KEY-----[A-Za-z0-9+/=\s\\:,-]{40,20000}?-----END [A-Z ]{0,20}PRIVATE KEY-----"
    ),
    "aws_access_key": r"\b(?:AKIA|ASIA)[A-Z0-9]{16}\b",
    "github_token": r"\b(?:gh[pousr]_[A-Za-z0-9]{36,255}|github_pat_[A-Za-z0-9_]{50,255})\b",
    "gitlab_token": r"\bglpat-[A-Za-z0-9_-]{20,}",
    "huggingface_token": r"\bhf_[A-Za-z0-9]{30,}\b",
    "anthropic_key": r"\bsk-ant-[A-Za-z0-9_-]{20,}",
    "openai_key": r"\bsk-(?:proj-|svcacct-|admin-)?[A-Za-z0-9_-]{32,}",
    "google_key": r"\bAIza[A-Za-z0-9_-]{35}",
    "slack_token": r"\bxox[abeoprs]-[A-Za-z0-9-]{10,}",
    "stripe_key": r"\b[sr]k_(?:live|test)_[A-Za-z0-9]{20,}\b",
    "npm_token": r"\bnpm_[A-Za-z0-9]{36}\b",
    "pypi_token": r"\bpypi-[A-Za-z0-9_-]{50,}",
    "jwt": r"\beyJ[A-Za-z0-9_-]{10,}\.eyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}",
}
_ANY = re.compile("|".join(f"(?P<{name}>{form})" for name, form in _FORMS.items()))
KINDS = tuple(_FORMS)


def replace_secrets(value: Any, found: Counter[str]) -> Any:
    """`value` with every known secret in its texts replaced by its kind; each is counted in `found`."""
    if isinstance(value, str):
        return _ANY.sub(lambda match: _named(match, found), value)
    if isinstance(value, dict):
        return {replace_secrets(key, found): replace_secrets(item, found) for key, item in value.items()}
    if isinstance(value, list):
        return [replace_secrets(item, found) for item in value]
    return value


def _named(match: re.Match[str], found: Counter[str]) -> str:
    kind = match.lastgroup or "secret"
    found[kind] += 1
    return f"[{kind} removed]"
