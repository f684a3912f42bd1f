"""Whether two short answers are the same but for their notation.

Forgiven are spaces, case, dollar signs, TeX's commands for spacing and fonts, signs that have a command (π and \\pi), commas in
numbers, units, fractions, decimals and powers of ten. It knows no algebra: x + 1 and 1 + x differ.
"""

from __future__ import annotations

import re
from fractions import Fraction

#: Signs as TeX or ASCII writes them.
_SIGNS = {
    **dict.fromkeys("−–‒﹣－", "-"),
    "½": "1/2",
    "¼": "1/4",
    "¾": "3/4",
    "⅓": "1/3",
    "⅔": "2/3",
    "⅕": "1/5",
    "⅛": "1/8",
    "⁄": "/",
    "∕": "/",
    "²": "^2",
    "³": "^3",
    "π": "\\pi",
    "∞": "\\infty",
    "√": "\\sqrt",
    "≤": "\\leq",
    "≥": "\\geq",
    "≠": "\\neq",
    "×": "*",
    "·": "*",
    "⋅": "*",
    "∪": "\\cup",
    "≈": "\\approx",
}
_OTHER_SIGNS = str.maketrans(_SIGNS)
_DROPPED = re.compile(
    r"\\(?:left|right|displaystyle|textstyle|,|;|!|:| |quad|qquad|bigl?|bigr?|mathrm|mathbf|mathsf|text|textbf|textit"
    r"|textrm|operatorname|mbox|approx)"
    r"(?![A-Za-z])"
    r"|\^\{?\\circ\}?|\\\$|[\s$°€£]|\\%|%|\\\(|\\\)|\\\[|\\\]|\*\*"
)
_TIMES = re.compile(r"\\(?:times|cdot)(?![A-Za-z])")
_AT_MOST = re.compile(r"\\(le|ge|ne)(?![A-Za-z])")
#: Braces around what is one word anyway stand in the way of finding a fraction's own.
_NEEDLESS = re.compile(r"(\\sqrt|\^|_)\{(\w+)\}")
_FRACTION = re.compile(r"\\[dt]?frac\{([^{}]*)\}\{([^{}]*)\}|\\[dt]?frac(\d)(\d)")
#: Three and a half.
_MIXED = re.compile(
    r"(?<![\d./^])(\d{1,6})(?:\s*\\[dt]?frac\{?(\d{1,6})\}?\{?(\d{1,6})\}?|\s+(\d{1,6})/(\d{1,6}))(?!\d)"
)
_THOUSANDS = re.compile(r"(?<=\d),(?=\d{3}(?!\d))")
#: As some countries write millions; with a single point it may be a decimal one.
_POINTS = re.compile(r"[+-]?\d{1,3}(?:\.\d{3}){2,}")
_ASSIGNED = re.compile(r"^[a-zA-Z](?:_\w)?=(?=[^=])")
_NUMBER = re.compile(r"([+-]?(?:\d+(?:\.\d*)?|\.\d+))(?:/(\d+(?:\.\d+)?)|(?:\*10\^|e)\(?([+-]?\d{1,2})\)?)?")
_POWER = re.compile(r"10\^\(?([+-]?\d{1,2})\)?")
_UNIT = re.compile(
    r"(?<=\d)(?:[ckm]?m|k?g|mg|s|h|[ck]?m/s|km/h|kmh|mph|ml|l|ft|lbs?|oz|min|sec|hrs?|hours?|minutes?|seconds?|days?|weeks?"
    r"|months?|years?|degrees?|dollars?|cents?|euros?|units?|(?:centi|milli|kilo)?(?:met(?:er|re)|gram)s?|lit(?:er|re)s?|miles?"
    r"|feet|foot|inch(?:es)?|percent|square\w*|cubic\w*)(?:\^?[23]|(?:per|/)[a-z]+)?\Z"
)
#: What is counted, in words: "7 apples" is 7, "7 million" and "7 modulo" are not.
_COUNTED = re.compile(
    r"([+-]?\d+(?:\.\d+)?)(?!thousand|hundred|[mbt]r?illion|dozen|score|mod|choose|pi\b|sqrt|times|or|and)[a-z]{3,}"
)


def normal(text: str) -> str:
    """The text in the form in which answers are compared."""
    if text.isdigit() and text.isascii():
        return text
    if not text.isascii():
        text = text.translate(_OTHER_SIGNS)
    if "\\" in text or "{" in text:
        text = text.replace("{,}", ",").replace("\\{", "{").replace("\\}", "}")
        text = _AT_MOST.sub(r"\\\1q", _TIMES.sub("*", _NEEDLESS.sub(r"\1\2", text)))
    text = _MIXED.sub(_as_fraction, text)
    text = with_fractions(text)
    text = _THOUSANDS.sub("", text)
    text = _DROPPED.sub("", text).replace("{", "").replace("}", "").lower()
    text = _ASSIGNED.sub("", text).lstrip(",;:!?'\"`~").rstrip(".,;:!?'\"`")
    if _POINTS.fullmatch(text):
        text = text.replace(".", "")
    return _UNIT.sub("", text)


def with_fractions(text: str) -> str:
    """The text with TeX's fractions written as a/b."""
    return _FRACTION.sub(lambda found: f"{found[1] or found[3]}/{found[2] or found[4]}", text)


def _as_fraction(found: re.Match[str]) -> str:
    whole, over, under = int(found[1]), int(found[2] or found[4]), int(found[3] or found[5])
    return f"{whole * under + over}/{under}" if over < under else found[0]


def number(text: str) -> Fraction | None:
    if len(text) > 60:
        return None
    if power := _POWER.fullmatch(text):
        return Fraction(10) ** int(power[1])
    found = _NUMBER.fullmatch(text)
    if found is None:
        return None
    try:
        return Fraction(found[1]) / Fraction(found[2] or 1) * Fraction(10) ** int(found[3] or 0)
    except (ValueError, ZeroDivisionError):
        return None


def same(one: str, other: str) -> bool:
    a, b = normal(one), normal(other)
    if a == b:
        return bool(a)
    if a.isdigit() and b.isdigit() and a.isascii() and b.isascii() and len(a) <= 60 and len(b) <= 60:
        return int(a) == int(b)
    first, second = number(a), number(b)
    if first is None and second is not None and (counted := _COUNTED.fullmatch(a)):
        first, a = number(counted[1]), counted[1]
    if first is None or second is None:
        return False
    if ("%" in one) != ("%" in other) and first == second * (100 if "%" in one else Fraction(1, 100)):
        return True
    return first == second or _rounds_to(first, a, second, b)


def _rounds_to(one: Fraction, a: str, other: Fraction, b: str) -> bool:
    """31861.25 and 31861.2 or 31861.3: the same but for the last decimals, where both have some."""
    places = min(len(text.partition(".")[2]) for text in (a, b))
    return places > 0 and "/" not in a + b and abs(one - other) < Fraction(1, 10**places)
