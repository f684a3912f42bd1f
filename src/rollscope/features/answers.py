"""The final answer as it was written, and whether it is the golden one. Comparing forgives notation (`notation`)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from rollscope.features.base import Feature, FeatureSpan, SampleTexts
from rollscope.features.batches.text_batch import TextBatch, Values
from rollscope.features.batches.text_scan import DigitsSeen, Seen, TextFlag
from rollscope.features.batches.words import not_ascii
from rollscope.features.notation import normal, number, same, with_fractions

#: A longer answer is kept up to here; a longer golden answer is no answer to compare with (tests, rubrics, code).
MAX_ANSWER, MAX_GOLDEN = 1_000, 200
#: Marked answers that are looked at, from the end.
MAX_MARKS = 50
#: Characters of the end in which an answer is looked for where it is not marked.
_END = 600

_TAGGED = re.compile(r"<answer>(.{0,2000}?)</answer>", re.DOTALL)
_HASHES = re.compile(r"(?<!\S)####(?!#)[ \t]*(\S[^\n]*)")
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
        # A boxed answer inside a tag counts once.
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
    text, start = texts.answer_part[-200_000:], max(texts.answer_start, len(texts.response_text) - 200_000)
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
    if texts.final is ...:
        found = answer_span(texts)
        texts.final = None if found is None or not found.value else found.value
    return texts.final


_PLAIN_NUMBER = re.compile(r"-?\d+(?:\.\d+)?")


def golden(texts: SampleTexts) -> str | None:
    """Missing without a golden answer, and where it is too long to be one."""
    return _golden(texts)


def _golden(texts: SampleTexts, other_digits: bool | None = None) -> str | None:
    """`other_digits`: whether the response has digits that are not ASCII, where that is known."""
    wanted = [found for text in texts.golden if (found := _wanted(text)) is not None]
    if texts.response is None or not wanted:
        return None
    given = answer(texts)
    choices = True
    for text in wanted:
        equal, choice = (False, False) if given is None else _is_equal(given, text)
        if equal:
            return "equal"
        choices = choices and choice
    if given is not None and choices:
        return "absent"  # a letter stands in every text: which one was chosen is what counts
    end = texts.response_text[-200_000:]
    for text in wanted:
        if _is_in(text, end, other_digits):
            return "contained"
    return "absent"


def _golden_of(batch: TextBatch) -> list[str | None]:
    others = batch.has(TextFlag.OTHER_DIGITS)
    wanted = [_digits_only(texts.golden[0]) if len(texts.golden) == 1 else "" for texts in batch.texts]
    numbers = batch.scan.find_digits(wanted)
    numbers[others | batch.unusual] = DigitsSeen.MAYBE
    found: list[str | None] = []
    for texts, other, number_wanted, seen in zip(batch.texts, others.tolist(), wanted, numbers.tolist()):
        if seen == DigitsSeen.MAYBE:
            found.append(_golden(texts, other))
            continue
        given = answer(texts) if texts.final is ... else texts.final
        if given is not None and (given == number_wanted or _is_equal(given, number_wanted)[0]):
            found.append("equal")
        else:
            found.append("contained" if seen == DigitsSeen.STANDS_ALONE else "absent")
    return found


@lru_cache(maxsize=1_024)
def _digits_only(golden: str) -> str:
    """Of a golden answer that is nothing but the digits which every number near enough to it has: those."""
    wanted = _wanted(golden)
    if wanted is None:
        return ""
    digits = _normal_and_value(wanted)[2]
    return digits if digits and digits == wanted.strip() and digits.isdigit() and digits.isascii() else ""


@lru_cache(maxsize=1_024)  # the samples of a group share theirs
def _wanted(text: str) -> str | None:
    """What of the text is compared with the golden answer; None if the text gives no answer."""
    bare = text.strip()
    return _last_of(text) if bare and len(text) <= MAX_GOLDEN and "\n" not in bare else None


@lru_cache(maxsize=4_096)  # and often their answers, too
def _is_equal(given: str, wanted: str) -> tuple[bool, bool]:
    """(whether it is, whether the wanted one is a choice)."""
    choice = _CHOICE.fullmatch(_DROPPED_TEXT.sub("", wanted).strip())
    return same(given, wanted) or (choice is not None and _chooses(given, choice[1])), choice is not None


#: A choice as golden answers have it, and at the beginning of a final answer: `(B) because`, `B. Paris`, `Option B`.
_CHOICE = re.compile(r"\(?([A-J])\)?\.?")
_CHOSEN = re.compile(r"(?:option|choice|answer)?\s*\**\(?([A-J])(?:\)|\.|:|,|\*|\s*\Z|\s+[-–—])", re.IGNORECASE)


def _chooses(given: str, letter: str) -> bool:
    chosen = _CHOSEN.match(_DROPPED_TEXT.sub("", given).strip())
    return chosen is not None and chosen[1].upper() == letter


_DROPPED_TEXT = re.compile(r"\\(?:text|mathrm|mathbf|textbf|textit|textrm|mathsf|boxed)(?![A-Za-z])\s*|[{}$]")


def _last_of(text: str) -> str:
    """Datasets write a whole solution whose answer is marked: the answer is compared."""
    spans = marked_answers(text)
    return text[spans[-1][0] : spans[-1][1]] if spans else text


def _is_in(wanted: str, text: str, other_digits: bool | None = None) -> bool:
    if _stands_alone(wanted.strip(), text):
        return True
    short, about, digits = _normal_and_value(wanted)
    if "{,}" in text:
        text = text.replace("{,}", "")
    if about is not None:
        text = text.replace("−", "-")
        if "/" in short and "frac" in text and _stands_alone(short, with_fractions(text)):
            return True
        if digits and other_digits is False:
            if "," in text:
                text = text.replace(",", "")
            near = " ".join(_runs_with((digits, "9999"), text))
            if not near:
                return False
        else:
            near = _digits_of(text)
        numbers = set(_PLAIN_NUMBER.findall(near))
        return any(abs(float(found) - about) <= _nearness(about) for found in numbers if len(found) < 300)
    return len(short) > 2 and short in normal(text)


#: A whole number of so many digits is further from its neighbours than any that is near enough to it.
_FEW_DIGITS = 5


@lru_cache(maxsize=1_024)
def _normal_and_value(wanted: str) -> tuple[str, float | None, str]:
    """Of a golden answer, which the samples of a group share: as it is compared, its value, and digits that every number
    near enough to that value has, but for those with many nines; "" where that cannot be said."""
    short = normal(wanted)
    if len(short) <= _FEW_DIGITS and short.isdigit() and short.isascii():  # as most are: no need for fractions
        return short, float(short), str(int(short))
    value = number(short)
    if value is None:
        return short, None, ""
    about = float(value)
    for places in range(5):
        digits = f"{abs(about):.{places}f}"
        # What is a little more begins with the same digits, what is a little less has four nines behind them.
        if float(digits) == abs(about) and _nearness(about) <= 10.0 ** -(places + 4):
            return short, about, digits
    return short, about, ""


def _nearness(value: float) -> float:
    """How far a number may be from this value and still be it."""
    return 1e-9 * max(1.0, abs(value))


_DIGIT = re.compile(r"\d")
#: For bytes.translate: what is in no number as a space; without commas, which stand inside of numbers.
_DIGITS = bytes(byte if byte in b"0123456789.-" else 32 for byte in range(256))


def _digits_of(text: str) -> str:
    """All of its numbers, and little else: one pass over bytes leaves the pattern a tenth to look at."""
    if not text.isascii() and _DIGIT.search(not_ascii(text)):
        return text.replace(",", "")
    return b" ".join(text.encode("utf-8", "surrogatepass").translate(_DIGITS, b",").split()).decode()


def _runs_with(some: tuple[str, ...], text: str) -> Iterator[str]:
    """Digits, points and signs in a row, wherever one of these is among them."""
    for digits in some:
        at = text.find(digits)
        while at >= 0:
            start, end = at, at + len(digits)
            while start and text[start - 1] in "0123456789.-":
                start -= 1
            while end < len(text) and text[end] in "0123456789.-":
                end += 1
            yield text[start:end]
            at = text.find(digits, end)


def _stands_alone(wanted: str, text: str) -> bool:
    """Whether it occurs as a word or number of its own: 2 does not occur in 12."""
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


def _answer_of(batch: TextBatch) -> Values:
    starts, ends = batch.column(Seen.BOXED_START).tolist(), batch.column(Seen.BOXED_END).tolist()
    usual = [
        texts.response_text[start:end].strip()[:MAX_ANSWER] or None
        for texts, start, end in zip(batch.texts, starts, ends)
    ]
    found = batch.values(usual, batch.has(TextFlag.LOOK_ANSWER) | batch.other_thoughts, answer)
    for texts, value in zip(batch.texts, found):
        texts.final = value
    return found


FEATURES = (
    Feature(
        name="text.answer",
        type="string",
        title="Final answer",
        short="answer",
        about="The final answer as written: the last \\boxed{}, <answer>, ####, or what follows “the answer is”.",
        compute=answer,
        compute_batch=_answer_of,
        version=3,
        kind="text",
    ),
    Feature(
        name="text.golden",
        type="string",
        title="Golden answer",
        short="golden",
        about="equal, contained or absent: the golden answer against the final answer, then the response.",
        compute=golden,
        compute_batch=_golden_of,
        version=6,
        kind="category",
    ),
)
