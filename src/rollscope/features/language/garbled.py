"""What in a text is broken: characters that mean nothing, text read in a wrong encoding, words of two alphabets."""

from __future__ import annotations

import re
import unicodedata

import numpy as np

from rollscope.features.base import Feature, FeatureSpan, SampleTexts
from rollscope.features.batches.characters import MIXED_SCRIPTS, MOJIBAKE_SIGNS, SCRIPTS
from rollscope.features.batches.text_batch import TextBatch, Values
from rollscope.features.batches.text_scan import TextFlag

#: Fewer broken characters (or words of two alphabets) than this are a slip, unless they are such a share of the text.
FEW_BROKEN, MUCH_BROKEN = 3, 0.01

_BROKEN = re.compile(
    "[\ufffd\x00-\x08\x0b\x0c\x0e-\x1a\x1c-\x1f\x7f-\x9f\ud800-\udfff\ue000-\uf8ff\ufff0-\ufff8\U000f0000-\U0010ffff]"
)
#: A word in which letters of two alphabets stand side by side: "prоcess" with a Cyrillic о.
_OTHERS = "".join(SCRIPTS[name] for name in MIXED_SCRIPTS)
_MIXED = re.compile(f"[A-Za-z]{{2,}}[{_OTHERS}]|[{_OTHERS}]{{2,}}[A-Za-z]")
_WORD = re.compile(r"[^\W\d_]+")
#: UTF-8 that was read as Latin-1 or as Windows' own: "Ã©" for é, "â€™" for ’. No language writes these pairs, nor more than one
#: in a row of those of Cyrillic ("Ð¿Ñ€" for пр) and of three of Chinese ("ä¸­æ–‡" for 中文).
_CONTINUED = "\x80-\xbf€‚ƒ„…†‡ˆ‰Š‹ŒŽ‘’“”•–—˜™š›œžŸ"
MOJIBAKE = re.compile(
    f"(?:[ÃÂ][{_CONTINUED}]|â[\x80€][{_CONTINUED}])+|(?:[ÐÑ][{_CONTINUED}]){{2,}}|(?:[ã-ï][{_CONTINUED}]{{2}}){{2,}}"
)


#: Among characters that are not ASCII: those of alphabets that get mixed with Latin, and those of mojibake.
_SUSPECT = re.compile(f"[{_OTHERS}{MOJIBAKE_SIGNS}]")


#: For bytes.translate: all but control characters.
_FINE = bytes([9, 10, 13, *range(32, 127), *range(128, 256)])


def _is_broken(sign: str) -> bool:
    return unicodedata.category(sign) == "Cn"


def garbled(texts: SampleTexts) -> float | None:
    if not texts.response:
        return None
    text = texts.tail
    other = texts.not_ascii
    fine = other.isprintable() and "\ufffd" not in other and not _SUSPECT.search(other)
    if fine and not text.encode("utf-8", "surrogatepass").translate(None, _FINE):
        return 0.0  # nothing is left of its bytes: it has no control characters
    return sum(end - start for start, end in _broken_spans(text)) / len(text)


def _broken_spans(text: str) -> list[tuple[int, int]]:
    spans = [found.span() for found in _BROKEN.finditer(text)]
    if text.isascii():
        return _beyond_a_slip(spans, text)
    unassigned = {sign for sign in set(text) if sign > "\u0377" and not _BROKEN.match(sign) and _is_broken(sign)}
    if unassigned:
        spans += [found.span() for found in re.finditer(f"[{re.escape(''.join(unassigned))}]", text)]
    spans += [found.span() for found in MOJIBAKE.finditer(text)]
    for found in _MIXED.finditer(text):
        start = found.start()
        while start and text[start - 1].isalpha():
            start -= 1
        word = _WORD.match(text, start)
        end = word.end() if word else found.end()
        if _is_mixed_up(text[start:end]):
            spans.append((start, end))
    return _beyond_a_slip(sorted(spans), text)


def _is_mixed_up(word: str) -> bool:
    """Whether letters of another alphabet stand within a word, or a single one that looks like a Latin one at its end. A
    term with an article or an ending of the text's own language is none: كـCtrl, PDFы."""
    pieces = _PIECES.findall(word)
    return len(pieces) > 2 or any(len(piece) == 1 and piece in _LOOKALIKES for piece in pieces)


#: A word's stretches of Latin and of other letters.
_PIECES = re.compile(f"[{SCRIPTS['Latin']}]+|[^{SCRIPTS['Latin']}]+")
_LATIN = re.compile(f"[{SCRIPTS['Latin']}]")
#: Cyrillic letters that look the same as Latin ones.
_LOOKALIKES = frozenset("аеорсухіјѕАВЕКМНОРСТХУІЈЅ")


def _is_one_letter_off(word: str) -> bool:
    """Whether a single letter of a longer word is of another alphabet than the rest."""
    latin = sum(len(piece) for piece in _PIECES.findall(word) if _LATIN.match(piece))
    return len(word) > 3 and word.isalpha() and min(latin, len(word) - latin) == 1


def _beyond_a_slip(spans: list[tuple[int, int]], text: str) -> list[tuple[int, int]]:
    """A character that was cut in two, a word with an ending of another alphabet: every long text may have one."""
    if len(spans) == 1 and _is_one_letter_off(text[slice(*spans[0])]):
        return []  # mistyped, however short the text
    much = sum(end - start for start, end in spans) >= MUCH_BROKEN * len(text)
    return spans if len(spans) >= FEW_BROKEN or much else []


def garbled_span(texts: SampleTexts) -> FeatureSpan | None:
    """From the first broken character to the last of those near it."""
    text = texts.tail
    spans = _broken_spans(text)
    if not spans:
        return None
    before = len(texts.response_text) - len(text)
    start, end = spans[0]
    for first, last in spans[1:]:
        if first - end > 40:
            break
        end = max(end, last)
    names = {unicodedata.name(sign, f"U+{ord(sign):04X}") for sign in text[start:end] if _BROKEN.match(sign)}
    return FeatureSpan(
        before + start, before + end, ", ".join(sorted(names)[:3]) or "letters of two alphabets in one word"
    )


def _garbled_of(batch: TextBatch) -> Values:
    return batch.values(np.zeros(len(batch.texts)), batch.has(TextFlag.LOOK_GARBLED), garbled)


GARBLED = Feature(
    name="text.garbled",
    type="number",
    title="Garbled",
    about="Share of broken characters: U+FFFD, control, private and unassigned ones, words of mixed alphabets.",
    compute=garbled,
    compute_batch=_garbled_of,
    version=6,
)
