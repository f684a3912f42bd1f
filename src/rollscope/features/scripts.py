"""In which script a text is written, whether it leaves the prompt's, and what in it is broken.

Scripts are told by ranges of characters, not by words: a text in another language of the same script is not seen.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

from rollscope.features.base import Feature, FeatureSpan, SampleTexts
from rollscope.features.batches.words import not_ascii

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
#: Who writes Japanese or Korean writes Han, too.
RELATED = {"Kana": {"Han"}, "Hangul": {"Han"}, "Han": {"Kana"}}
#: Letters that all the world uses in formulas do not make a text Greek.
SYMBOLS = frozenset({"Greek"})
#: Letters of another script than this in a response are names and quotations, whatever their share.
FEW_LETTERS = 10
#: Of a longer text so much of its beginning and of its end is looked at.
SAMPLED_CHARS = 100_000

_RUNS = {name: re.compile(f"[{ranges}]+") for name, ranges in SCRIPTS.items()}
_ASCII_LETTER = re.compile(r"[A-Za-z]")
_MARKUP = re.compile(
    r"```.*?(?:```|\Z)|\$\$.{0,500}?\$\$|\$[^$\n]{1,400}\$|\\\[.{0,500}?\\\]|\\\(.{0,500}?\\\)|\\[A-Za-z]+|</?[A-Za-z][^<>\n]{0,60}>",
    re.DOTALL,
)
_BROKEN = re.compile(
    "[\ufffd\x00-\x08\x0b\x0c\x0e-\x1a\x1c-\x1f\x7f-\x9f\ud800-\udfff\ue000-\uf8ff\ufff0-\ufff8\U000f0000-\U0010ffff]"
)
_MAYBE_UNASSIGNED = re.compile("[\u0378-\U000effff]")
#: A word in which letters of two alphabets stand side by side: "prоcess" with a Cyrillic о.
_MIXED = re.compile(
    f"[A-Za-z]{{2,}}[{SCRIPTS['Cyrillic']}{SCRIPTS['Armenian']}{SCRIPTS['Hebrew']}{SCRIPTS['Arabic']}]"
    f"|[{SCRIPTS['Cyrillic']}{SCRIPTS['Armenian']}{SCRIPTS['Hebrew']}{SCRIPTS['Arabic']}]{{2,}}[A-Za-z]"
)
_WORD = re.compile(r"[^\W\d_]+")
MOJIBAKE = re.compile('(?:Ã[\x80-\xbf¡-¿]|â€[\x80-\xbf™œž¦"“”]|Â[\xa0-\xbf]){2,}')


#: Among characters that are not ASCII: those of alphabets that get mixed with Latin, and those of mojibake.
_SUSPECT = re.compile(f"[{SCRIPTS['Cyrillic']}{SCRIPTS['Armenian']}{SCRIPTS['Hebrew']}{SCRIPTS['Arabic']}]|[ÃÂâ]")


def letters(text: str, other: str | None = None) -> dict[str, int]:
    """How many letters of each script. One pass for each script that is there. `other`: its characters that are not ASCII,
    where somebody knows them."""
    if len(text) > 2 * SAMPLED_CHARS:
        text, other = text[:SAMPLED_CHARS] + text[-SAMPLED_CHARS:], None
    counts = {"Latin": _ascii_letters(text)}
    if other is None:
        other = not_ascii(text)
    for name in {script for sign in set(other) if (script := script_of(sign)) is not None}:
        counts[name] = counts.get(name, 0) + sum(map(len, _RUNS[name].findall(other)))
    return {name: count for name, count in counts.items() if count}


def _said_letters(texts: SampleTexts) -> dict[str, int]:
    """As `letters`, but for a text of Latin letters only, whose number nobody asks for."""
    if "letters" not in texts.kept:
        texts.kept["letters"] = _letters_or_latin(texts)
    found: dict[str, int] = texts.kept["letters"]
    return found


def _letters_or_latin(texts: SampleTexts) -> dict[str, int]:
    if len(texts.said) > 2 * SAMPLED_CHARS:
        return letters(texts.said)
    others = {script_of(sign) for sign in set(texts.not_ascii)} - {None}
    if others - {"Latin"}:
        return letters(texts.said, texts.not_ascii)
    return {"Latin": 1} if others or _ASCII_LETTER.search(texts.said) else {}


#: For bytes.translate: all but control characters.
_FINE = bytes([9, 10, 13, *range(32, 127), *range(128, 256)])
#: For bytes.translate: what is no letter is dropped.
_NO_LETTERS = bytes(byte for byte in range(256) if not chr(byte).isalpha() or byte > 127)


def _ascii_letters(text: str) -> int:
    raw = text.encode("utf-8", "surrogatepass")
    return len(raw.translate(None, _NO_LETTERS))


@lru_cache(maxsize=20_000)
def script_of(sign: str) -> str | None:
    return next((name for name, pattern in _RUNS.items() if pattern.match(sign)), None)


def script(texts: SampleTexts) -> str | None:
    """The one that most letters are of; None of a text without letters."""
    if texts.response is None:
        return None
    counts = _said_letters(texts)
    return max(counts, key=lambda name: (counts[name], name)) if counts else None


@lru_cache(maxsize=512)
def _prompt_scripts(prompt: str) -> frozenset[str]:
    """The scripts that a prompt uses: a group's samples share one, so it is looked at once."""
    counts = letters(prompt)
    used = {name for name, count in counts.items() if count >= 3}
    return frozenset(used.union(*(RELATED.get(name, set()) for name in used)))


def foreign(texts: SampleTexts) -> float | None:
    """Missing without a prompt: then nobody knows what would be foreign."""
    if texts.response is None or not texts.prompt:
        return None
    used = _prompt_scripts(texts.prompt)
    if not used:
        return None
    if "Latin" in used and not texts.not_ascii and texts.said.isascii():
        return 0.0
    said = texts.said
    if len(said) > 2 * SAMPLED_CHARS:
        said = said[:SAMPLED_CHARS] + said[-SAMPLED_CHARS:]
    if not any(name not in used and name not in SYMBOLS for name in _said_letters(texts)):
        return 0.0 if said.strip() else None
    counts = letters(prose(said))
    everything = sum(counts.values())
    if not everything:
        return None
    # Latin letters are everywhere: variables, units, code, names. They are foreign only where they are words.
    strange = {name: count for name, count in counts.items() if name not in used and name not in SYMBOLS}
    total = sum(strange.values())
    return total / everything if total >= FEW_LETTERS else 0.0


def prose(text: str) -> str:
    """Without code, formulas and tags, whose letters are of no language."""
    return _MARKUP.sub(" ", text) if any(sign in text for sign in "`$\\<") else text


def foreign_span(texts: SampleTexts) -> FeatureSpan | None:
    """The longest stretch in a script that the prompt does not use."""
    used = _prompt_scripts(texts.prompt or "")
    best: tuple[int, int] | None = None
    for name, ranges in SCRIPTS.items():
        if name in used or name in SYMBOLS:
            continue
        for found in re.finditer(f"[{ranges}](?:[{ranges}\\W\\d]*[{ranges}])?", texts.said[: 2 * SAMPLED_CHARS]):
            if best is None or found.end() - found.start() > best[1] - best[0]:
                best = found.span()
    if best is None:
        return None
    seen = script_of(texts.said[best[0]])
    return FeatureSpan(best[0], best[1], f"{seen}; the prompt is {', '.join(sorted(used)) or 'without letters'}")


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
    bad = sum(end - start for start, end in _broken_spans(text))
    return bad / len(text)


def _broken_spans(text: str) -> list[tuple[int, int]]:
    spans = [found.span() for found in _BROKEN.finditer(text)]
    if text.isascii():
        return spans
    unassigned = {sign for sign in set(text) if sign > "\u0377" and not _BROKEN.match(sign) and _is_broken(sign)}
    if unassigned:
        spans += [found.span() for found in re.finditer(f"[{re.escape(''.join(unassigned))}]", text)]
    spans += [found.span() for found in MOJIBAKE.finditer(text)]
    for found in _MIXED.finditer(text):
        start = found.start()
        while start and text[start - 1].isalpha():
            start -= 1
        word = _WORD.match(text, start)
        spans.append((start, word.end() if word else found.end()))
    return sorted(spans)


def garbled_span(texts: SampleTexts) -> FeatureSpan | None:
    """From the first broken character to the last of those near it."""
    text = texts.tail
    spans = _broken_spans(text)
    if not spans:
        return None
    before = len(texts.said) - len(text)
    start, end = spans[0]
    for first, last in spans[1:]:
        if first - end > 40:
            break
        end = max(end, last)
    names = {unicodedata.name(sign, f"U+{ord(sign):04X}") for sign in text[start:end] if _BROKEN.match(sign)}
    return FeatureSpan(
        before + start, before + end, ", ".join(sorted(names)[:3]) or "letters of two alphabets in one word"
    )


FEATURES = (
    Feature(
        name="text.script",
        type="string",
        title="Script",
        about="The script of most letters of the response: Latin, Han, Cyrillic, …",
        compute=script,
        kind="category",
    ),
    Feature(
        name="text.foreign",
        type="number",
        title="Foreign script",
        short="foreign",
        about="Share of its letters, without code and formulas, in a script that the prompt does not use.",
        compute=foreign,
    ),
    Feature(
        name="text.garbled",
        type="number",
        title="Garbled",
        about="Share of broken characters: U+FFFD, control, private and unassigned ones, words of mixed alphabets.",
        compute=garbled,
    ),
)
