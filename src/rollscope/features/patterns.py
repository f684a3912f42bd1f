"""Placeholder while the table of patterns is written."""

from __future__ import annotations


def check_patterns(text: str, path: str) -> None:
    """Raises UsageError where the file of patterns cannot be used."""
