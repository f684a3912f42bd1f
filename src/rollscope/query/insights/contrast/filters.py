"""A filter that selects the samples that hold a phrase."""

from __future__ import annotations

import re

import re2

from rollscope.features.batches.characters import UNSPACED

#: What may stand between two words: anything that is no part of one. Symbols that are words are not looked at here.
_BETWEEN = r"[^\pL\pN\pM_]"
_unspaced = re.compile(f"[{UNSPACED}]")
_ascii_word = re.compile(r"[A-Za-z0-9_]")
_word = re.compile(r"\w")


def phrase_filter(field: str, words: list[str]) -> str:
    """The words in this order with nothing between them that is a word, in small or capital letters."""
    if not words:
        return ""
    pattern = _edge(words[0][0], r"^")
    for number, word in enumerate(words):
        if number:
            pattern += _BETWEEN + ("+" if _is_spaced(words[number - 1][-1]) and _is_spaced(word[0]) else "*")
        pattern += re2.escape(word)
    pattern += _edge(words[-1][-1], r"$")
    # A slash within a word is escaped by now, as the language wants it.
    return f"{field} matches /{pattern}/i"


def _is_spaced(sign: str) -> bool:
    """Does it need something between it and the next word?"""
    return bool(_word.match(sign)) and not _unspaced.match(sign)


def _edge(sign: str, end: str) -> str:
    if not _is_spaced(sign):
        return ""
    # RE2's \b knows ASCII letters only.
    return r"\b" if _ascii_word.match(sign) else f"(?:{end}|{_BETWEEN})"
