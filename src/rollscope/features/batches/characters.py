"""Which script a character is of, and what else is asked of it: as ranges for people, as tables for compiled code."""

from __future__ import annotations

import re
from functools import cache
from unicodedata import category

import numpy as np
from numpy.typing import NDArray

#: Name -> ranges of its letters. The large scripts, as models are trained on them.
SCRIPTS: dict[str, str] = {
    "Latin": "A-Za-z\u00aa\u00ba\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u02af\u1e00-\u1eff\uff21-\uff3a\uff41-\uff5a",
    "Greek": "\u0370-\u03ff\u1f00-\u1fff",
    "Cyrillic": "\u0400-\u052f\u1c80-\u1c8f\u2de0-\u2dff\ua640-\ua69f",
    "Armenian": "\u0530-\u058f",
    "Hebrew": "\u0590-\u05ff",
    "Arabic": "\u0600-\u06ff\u0750-\u077f\u08a0-\u08ff\ufb50-\ufdff\ufe70-\ufeff",
    "Devanagari": "\u0900-\u097f",
    "Bengali": "\u0980-\u09ff",
    "Gurmukhi": "\u0a00-\u0a7f",
    "Gujarati": "\u0a80-\u0aff",
    "Tamil": "\u0b80-\u0bff",
    "Telugu": "\u0c00-\u0c7f",
    "Kannada": "\u0c80-\u0cff",
    "Malayalam": "\u0d00-\u0d7f",
    "Sinhala": "\u0d80-\u0dff",
    "Thai": "\u0e00-\u0e7f",
    "Lao": "\u0e80-\u0eff",
    "Myanmar": "\u1000-\u109f",
    "Georgian": "\u10a0-\u10ff\u1c90-\u1cbf",
    "Ethiopic": "\u1200-\u137f",
    "Khmer": "\u1780-\u17ff",
    "Hangul": "\u1100-\u11ff\u3130-\u318f\uac00-\ud7af",
    "Kana": "\u3040-\u30ff\u31f0-\u31ff\uff66-\uff9f",
    "Han": "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff",
}
#: Scripts that put no spaces between words: each of their signs counts as one. Thai, Lao, Myanmar, Khmer, kana, Han.
UNSPACED = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
)
#: Alphabets whose letters are mixed with Latin ones in broken words.
MIXED_SCRIPTS = ("Cyrillic", "Armenian", "Hebrew", "Arabic")
#: Letters of UTF-8 that was read as Latin-1: of other Latin letters, of punctuation, of Cyrillic and of Chinese.
MOJIBAKE_SIGNS = "ÃÂâÐÑï"

#: Characters below this have tables; above are rare Han signs and what is no text.
_TABLE = 0x20000
_SPACE, _UNSPACED, _ODD, _DIGIT, _LETTER = 32, 64, 128, 256, 512
#: Nothing is to be seen of these, and they are part of texts: spaces, and signs that join or part letters.
_FINE = frozenset({"Zs", "Zl", "Zp", "Cf"})


def script_numbers() -> dict[str, int]:
    """From 1 on, in the tables."""
    return {name: number for number, name in enumerate(SCRIPTS, 1)}


@cache
def lower_table() -> NDArray[np.uint32]:
    """The small letter of each character by itself; of the one that has two characters (U+0130) itself."""
    signs = "".join(map(chr, range(_TABLE))).replace("\u0130", "\0").replace("\u03a3", "\u03c3")
    table = np.frombuffer(signs.lower().encode("utf-32-le", "surrogatepass"), dtype=np.uint32).copy()
    table[0x130] = 0x130
    return table


@cache
def character_kinds() -> NDArray[np.uint16]:
    """The script's number, and whether it is white space, a sign that is a word, odd in a text, a digit, or a letter."""
    kinds = np.zeros(_TABLE, dtype=np.uint16)
    for name, number in script_numbers().items():
        for start, end in _ranges(SCRIPTS[name]):
            kinds[start:end] |= number
    for start, end in _ranges(UNSPACED):
        kinds[start:end] |= _UNSPACED
    for place in range(128, _TABLE):
        sign = chr(place)
        if sign.isspace():
            kinds[place] |= _SPACE
        if sign in MOJIBAKE_SIGNS or sign == "\ufffd" or (not sign.isprintable() and category(sign) not in _FINE):
            kinds[place] |= _ODD
        if sign.isdecimal():
            kinds[place] |= _DIGIT
        elif sign.isalnum():  # as [^\W\d_] has it
            kinds[place] |= _LETTER
    return kinds


def _ranges(text: str) -> list[tuple[int, int]]:
    """[start, end) of each range of a class of characters, as regular expressions have it."""
    found = re.findall(r"(.)(?:-(.))?", text)
    return [(ord(first), min(ord(last or first) + 1, _TABLE)) for first, last in found if ord(first) < _TABLE]
