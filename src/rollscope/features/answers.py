"""The final answer as it was written, and whether it is the golden one.

Comparing forgives notation and nothing else: spaces, case, dollar signs, TeX's commands for spacing and units, commas in
numbers, fractions and decimals. It knows no algebra: x + 1 and 1 + x differ.
"""

from __future__ import annotations

import re
from fractions import Fraction
from functools import lru_cache

from rollscope.features.base import Feature, FeatureSpan, SampleTexts
from rollscope.features.batches.words import not_ascii

#: A longer answer is kept up to here; a longer golden answer is no answer to compare with (tests, rubrics, code).
MAX_ANSWER, MAX_GOLDEN = 1_000, 200
#: Marked answers that are looked at, from the end.
MAX_MARKS = 50
#: Characters of the end in which an answer is looked for where it is not marked.
_END = 600

_TAGGED = re.compile(r"<answer>(.{0,2000}?)</answer>", re.DOTALL)
_HASHES = re.compile(r"^####[ \t]*(\S[^\n]*)", re.MULTILINE)
_SAID = re.compile(
    r"(?:final answer|answer|solution|result)\s*(?:is|:|=|\*\*:?)+\s*\**\s*([^\n]{1,200}?)\s*\**\s*(?:\.(?=\s|\Z)|\n|\Z)",
    re.IGNORECASE,
)
_SAID_HAN = re.compile("(?:答案|结果)(?:是|为|：|:)+\\s*([^\n。]{1,200})")


def _boxed(text: str) -> list[tuple[int, int]]:
    """Places of what stands in \\boxed{…}, braces matched."""
    found = []
    at = text.find("\\boxed", _start_of_last(text, "\\boxed"))
    while at >= 0:
        start = at + 6
        while start < len(text) and text[start] == " ":
            start += 1
        if start < len(text) and text[start] == "{":
            depth = 0
            for place in range(start, min(len(text), start + 2 * MAX_ANSWER)):
                depth += (text[place] == "{") - (text[place] == "}")
                if depth == 0:
                    found.append((start + 1, place))
                    break
        at = text.find("\\boxed", at + 6)
    return found


def _start_of_last(text: str, mark: str) -> int:
    """Where the last so many of these marks begin: a text may hold any number of them."""
    at = len(text)
    for _ in range(MAX_MARKS):
        before = text.rfind(mark, 0, at)
        if before < 0:
            return 0
        at = before
    return at


def marked_answers(text: str) -> list[tuple[int, int]]:
    """Places of all answers that are marked as such, in order."""
    spans = _boxed(text) if "\\boxed" in text else []
    if "<answer>" in text:
        tagged = [found.span(1) for found in _TAGGED.finditer(text)]
        # An answer that boxes something inside its tag is said once.
        spans = [span for span in spans if not any(a <= span[0] < b for a, b in tagged)] + tagged
    if "####" in text:
        spans += [found.span(1) for found in _HASHES.finditer(text)]
    return sorted(spans)


def answer_marks(texts: SampleTexts) -> list[tuple[int, int]]:
    """Places of the marked answers in the last 200,000 characters of what was answered."""
    if "answer_marks" not in texts.kept:
        texts.kept["answer_marks"] = marked_answers(texts.answer_part[-200_000:])
    found: list[tuple[int, int]] = texts.kept["answer_marks"]
    return found


def answer_span(texts: SampleTexts) -> FeatureSpan | None:
    """Where the final answer stands in the response. What was only thought is no answer."""
    text, start = texts.answer_part[-200_000:], max(texts.answer_start, len(texts.said) - 200_000)
    if spans := answer_marks(texts):
        first, last = spans[-1]
        return FeatureSpan(start + first, start + last, text[first:last].strip()[:MAX_ANSWER])
    end = text[-_END:]
    for pattern in (_SAID, _SAID_HAN):
        if found := list(pattern.finditer(end)):
            first, last = found[-1].span(1)
            before = start + len(text) - len(end)
            return FeatureSpan(before + first, before + last, end[first:last].strip())
    return None


def answer(texts: SampleTexts) -> str | None:
    if not texts.response:
        return None
    if "answer" not in texts.kept:
        found = answer_span(texts)
        texts.kept["answer"] = None if found is None or not found.value else found.value
    said: str | None = texts.kept["answer"]
    return said


_DROPPED = re.compile(
    r"\\(?:left|right|displaystyle|textstyle|,|;|!|:| |quad|qquad|bigl?|bigr?|mathrm|mathbf|text|textbf|operatorname|mbox)"
    r"(?![A-Za-z])"
    r"|\^\{?\\circ\}?|[\s$°]|\\%|%|\\\(|\\\)|\\\[|\\\]|\*\*"
)
_FRACTION = re.compile(r"\\[dt]?frac\{([^{}]*)\}\{([^{}]*)\}|\\[dt]?frac(\d)(\d)")
_THOUSANDS = re.compile(r"(?<=\d),(?=\d{3}(?!\d))")
_ASSIGNED = re.compile(r"^[a-zA-Z](?:_\w)?=(?=[^=])")
_NUMBER = re.compile(r"[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:/\d+(?:\.\d+)?)?")
_PLAIN_NUMBER = re.compile(r"-?\d+(?:\.\d+)?")
_UNIT = re.compile(r"(?<=\d)(?:cm|mm|km|m|kg|g|s|h|hours?|minutes?|seconds?|degrees?|dollars?|units?|square\w*)\Z")


def normal(text: str) -> str:
    """What is compared."""
    if text.isdigit() and text.isascii():
        return text
    text = _FRACTION.sub(lambda found: f"{found[1] or found[3]}/{found[2] or found[4]}", text)
    text = _THOUSANDS.sub("", text)
    text = _DROPPED.sub("", text).replace("{", "").replace("}", "").lower()
    text = _ASSIGNED.sub("", text).strip(".,;:!?'\"`")
    return _UNIT.sub("", text)


def number(text: str) -> Fraction | None:
    if len(text) > 60 or not _NUMBER.fullmatch(text):
        return None
    try:
        over, _, under = text.partition("/")
        return Fraction(over) / Fraction(under or 1)
    except (ValueError, ZeroDivisionError):
        return None


def same(a: str, b: str) -> bool:
    a, b = normal(a), normal(b)
    if a == b:
        return bool(a)
    if a.isdigit() and b.isdigit() and a.isascii() and b.isascii() and len(a) <= 60 and len(b) <= 60:
        return int(a) == int(b)
    one, other = number(a), number(b)
    return one is not None and other is not None and (one == other or _rounds_to(one, a, other, b))


def _rounds_to(one: Fraction, a: str, other: Fraction, b: str) -> bool:
    """31861.25 and 31861.2 or 31861.3: the same but for the last decimals, where both have some."""
    places = min(len(text.partition(".")[2]) for text in (a, b))
    return places > 0 and "/" not in a + b and abs(one - other) < Fraction(1, 10**places)


def golden(texts: SampleTexts) -> str | None:
    """Missing without a golden answer, and where it is too long to be one."""
    known = [text for text in texts.golden if text.strip() and len(text) <= MAX_GOLDEN and "\n" not in text.strip()]
    if texts.response is None or not known:
        return None
    said = answer(texts)
    wanted = [_last_of(text) for text in known]
    if said is not None and any(same(said, text) for text in wanted):
        return "equal"
    return "contained" if any(_is_in(text, texts.said[-200_000:]) for text in wanted) else "absent"


def _last_of(text: str) -> str:
    """Datasets write a whole solution whose answer is marked: the answer is compared."""
    spans = marked_answers(text)
    return text[spans[-1][0] : spans[-1][1]] if spans else text


def _is_in(wanted: str, text: str) -> bool:
    if _stands_alone(wanted.strip(), text):
        return True
    short, about = _normal_and_value(wanted)
    if about is not None:
        numbers = set(_PLAIN_NUMBER.findall(_digits_of(text)))
        return any(abs(float(found) - about) <= 1e-9 * max(1.0, abs(about)) for found in numbers if len(found) < 300)
    return len(short) > 2 and short in normal(text)


@lru_cache(maxsize=1_024)
def _normal_and_value(wanted: str) -> tuple[str, float | None]:
    """Of a golden answer, which the samples of a group share."""
    short = normal(wanted)
    value = number(short)
    return short, None if value is None else float(value)


_DIGIT = re.compile(r"\d")
#: For bytes.translate: what is in no number as a space; without commas, which stand inside of numbers.
_DIGITS = bytes(byte if byte in b"0123456789.-" else 32 for byte in range(256))


def _digits_of(text: str) -> str:
    """All of its numbers, and little else: one pass over bytes leaves the pattern a tenth to look at."""
    if not text.isascii() and _DIGIT.search(not_ascii(text)):
        return text.replace(",", "")
    return b" ".join(text.encode("utf-8", "surrogatepass").translate(_DIGITS, b",").split()).decode()


def _stands_alone(wanted: str, text: str) -> bool:
    """As a word or number of its own: 2 is not in 12."""
    at = text.find(wanted)
    while at >= 0:
        end = at + len(wanted)
        before, after = text[at - 1 : at] if at else "", text[end : end + 2]
        if not (
            before == "." or _in_word(before) or _in_word(after[:1]) or (after[:1] == "." and after[1:].isdecimal())
        ):
            return True
        at = text.find(wanted, at + 1)
    return False


def _in_word(sign: str) -> bool:
    return sign.isalnum() or sign == "_"


FEATURES = (
    Feature(
        name="text.answer",
        type="string",
        title="Final answer",
        short="answer",
        about="The final answer as written: the last \\boxed{}, <answer>, ####, or what follows “the answer is”.",
        compute=answer,
        kind="text",
    ),
    Feature(
        name="text.golden",
        type="string",
        title="Golden answer",
        short="golden",
        about="equal, contained or absent: the golden answer against the final answer, then the response.",
        compute=golden,
        kind="category",
    ),
)
