"""In which script a text is written, and whether it leaves the prompt's.

Scripts are recognised by ranges of characters, languages in Latin letters by their small words (`languages`).
"""

from __future__ import annotations

import re
from functools import lru_cache

import numpy as np

from rollscope.features.base import Feature, FeatureSpan, SampleTexts
from rollscope.features.batches.characters import SCRIPTS, script_numbers
from rollscope.features.batches.text_batch import TextBatch, Values
from rollscope.features.batches.text_scan import Seen, TextFlag, plain_english
from rollscope.features.batches.words import not_ascii
from rollscope.features.language.garbled import GARBLED
from rollscope.features.language.languages import is_small_word, other_languages, prompt_languages
from rollscope.features.question import question
from rollscope.features.tools import own_words

#: Who writes Japanese writes Han, too, and a few Han signs may be Japanese. Korean hardly uses them any more.
RELATED = {"Kana": {"Han"}, "Han": {"Kana"}}
#: So many Han signs without any kana are Chinese.
PLAINLY_CHINESE = 20
#: Stretches of another language in Latin letters: a single one is a formula such as “So the answer is”, a title, a quotation.
FEW_STRETCHES = 2
#: Letters of another script than this in a response are names and quotations, whatever their share.
FEW_LETTERS = 10
#: Texts of other scripts are full of terms and names in Latin letters. They are another language from so many words in a row
#: on, of which one is a small word. A prompt speaks it where such rows say at least this share of what it says, or
#: where so many of its letters are Latin.
LATIN_WORDS, LATIN_ROWS, LATIN_SHARE = 5, 0.25, 0.5
#: All the world uses Greek letters in formulas: a text speaks Greek from so many words in a row on.
GREEK_WORDS = 3
#: Where a sign stands for a syllable or a word, it says as much as so many letters of an alphabet.
SIGN_SAYS = {"Han": 3, "Kana": 2, "Hangul": 2}
#: Of a longer text so much of its beginning and of its end is looked at.
SAMPLED_CHARS = 100_000

_RUNS = {name: re.compile(f"[{ranges}]+") for name, ranges in SCRIPTS.items()}
_ASCII_LETTER = re.compile(r"[A-Za-z]")
_LATIN_ROW = re.compile(
    f"[{SCRIPTS['Latin']}]+(?:[ \\n,.;:!?'’\"“”()*-]{{1,3}}[{SCRIPTS['Latin']}]+){{{LATIN_WORDS - 1},}}"
)
_GREEK_ROW = re.compile(
    f"[{SCRIPTS['Greek']}]+(?:[ \\n,.;:!·'’\"“”«»()-]{{1,3}}[{SCRIPTS['Greek']}]+){{{GREEK_WORDS - 1},}}"
)
_MARKUP = re.compile(
    r"```.*?(?:```|\Z)|\$\$.{0,500}?\$\$|\$[^$\n]{1,400}\$|\\\[.{0,500}?\\\]|\\\(.{0,500}?\\\)|\\[A-Za-z]+|</?[A-Za-z][^<>\n]{0,60}>",
    re.DOTALL,
)
_WORD = re.compile(r"[^\W\d_]+")


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
    """As `letters`, but for a text of Latin letters only, without counting them."""
    if "letters" not in texts.kept:
        texts.kept["letters"] = _letters_or_latin(texts)
    found: dict[str, int] = texts.kept["letters"]
    return found


def _letters_or_latin(texts: SampleTexts) -> dict[str, int]:
    if len(texts.response_text) > 2 * SAMPLED_CHARS:
        return letters(texts.response_text)
    others = {script_of(sign) for sign in set(texts.not_ascii)} - {None}
    if others - {"Latin"}:
        return letters(texts.response_text, texts.not_ascii)
    return {"Latin": 1} if others or _ASCII_LETTER.search(texts.response_text) else {}


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
    prompt = question(prompt)
    counts = letters(prompt)
    used = {name for name, count in counts.items() if count >= 3}
    if "Latin" in used and not _speaks_latin(prompt, counts):
        used.discard("Latin")  # a term or a name: an answer in English is still in another language than the prompt
    if "Greek" in used and not _greek_rows(prompt):
        used.discard("Greek")
    found = used.union(*(RELATED.get(name, set()) for name in used))
    if counts.get("Han", 0) >= PLAINLY_CHINESE and not counts.get("Kana"):
        found.discard("Kana")
    return frozenset(found)


def _speaks_latin(prompt: str, counts: dict[str, int]) -> bool:
    if counts["Latin"] >= LATIN_SHARE * sum(counts.values()):
        return True
    rows = _letters_in(prompt, _latin_rows(prompt))
    others = sum(count * SIGN_SAYS.get(name, 1) for name, count in counts.items() if name != "Latin")
    return rows > 0 and rows >= LATIN_ROWS * (others + rows)


def _letters_in(text: str, rows: list[tuple[int, int]]) -> int:
    return sum(sum(map(str.isalpha, text[start:end])) for start, end in rows)


def _rows_of(script: str, text: str) -> list[tuple[int, int]]:
    """Where a script's letters are a language's words: of letters that stand in texts of all languages, sentences alone."""
    return _latin_rows(text) if script == "Latin" else _greek_rows(text)


def _greek_rows(text: str) -> list[tuple[int, int]]:
    """Where Greek letters are words: most of them longer than symbols, and not all in capitals as the corners of triangles."""
    rows = ((row, _WORD.findall(row[0])) for row in _GREEK_ROW.finditer(text))
    return [
        row.span()
        for row, words in rows
        if 2 * sum(len(word) > 2 and not word.isupper() for word in words) >= len(words)
    ]


#: Their letters are everywhere: variables, units, code, names. They are foreign only where they are sentences.
_EVERYWHERE = ("Latin", "Greek")


def _latin_rows(text: str) -> list[tuple[int, int]]:
    """Where Latin letters are a language's words, in a text of another script."""
    return [row.span() for row in _LATIN_ROW.finditer(text) if _is_said(_WORD.findall(row[0]))]


def _is_said(words: list[str]) -> bool:
    """Small words, and others not all in capitals: "Software in the Public Interest" is a name."""
    small = [is_small_word(word.lower()) for word in words]
    return any(small) and any(word[0].islower() for word, is_small in zip(words, small) if not is_small)


def foreign(texts: SampleTexts) -> float | None:
    """Missing without a prompt: then it is unknown what would be foreign."""
    if texts.response is None or not texts.prompt:
        return None
    used = _prompt_scripts(texts.prompt)
    if not used:
        return None
    spoken = other_languages(texts) if "Latin" in used else []
    strange = sum(letters for _, _, letters, _ in spoken) if len(spoken) >= FEW_STRETCHES else 0
    by_script = _foreign_script(texts, used)
    if strange < FEW_LETTERS or by_script is None:
        return by_script
    return max(by_script, min(1.0, strange / max(1, sum(letters(own_words(texts)).values()))))


def _foreign_of(batch: TextBatch) -> Values:
    letters = batch.scan.letters
    look = letters.sum(axis=1) != letters[:, script_numbers()["Latin"]]
    look |= batch.has(TextFlag.LOOK_LANGUAGE | TextFlag.LOOK_MARKS)
    look |= batch.has(TextFlag.OTHER_LANGUAGES) & batch.may_call_tools  # what tools said is no word between others
    look |= batch.column(Seen.WORDS) == 0
    prompts: dict[str | None, int] = {}
    places = [prompts.setdefault(texts.prompt, len(prompts)) for texts in batch.texts]
    plain = plain_english([prompt or "" for prompt in prompts])
    for prompt, place in prompts.items():
        plain[place] = plain[place] or (prompt is not None and _is_plain(prompt))
    look |= ~np.array(plain)[places]
    return batch.values(np.zeros(len(batch.texts)), look, foreign)


@lru_cache(maxsize=512)
def _is_plain(prompt: str) -> bool:
    """In Latin letters, and in no other language than English."""
    return "Latin" in _prompt_scripts(prompt) and prompt_languages(prompt) <= {"English"}


def _foreign_script(texts: SampleTexts, used: frozenset[str]) -> float | None:
    if "Latin" in used and not texts.not_ascii and texts.response_text.isascii():
        return 0.0
    words = own_words(texts)
    if len(words) > 2 * SAMPLED_CHARS:
        words = words[:SAMPLED_CHARS] + words[-SAMPLED_CHARS:]
    if not any(name not in used for name in _said_letters(texts)):
        return 0.0 if texts.response_text.strip() else None
    plain = prose(words)
    counts = letters(plain)
    everything = sum(counts.values())
    if not everything:
        return None
    strange = {name: count for name, count in counts.items() if name not in used}
    for name in _EVERYWHERE:
        if name in strange:
            strange[name] = _letters_in(plain, _rows_of(name, plain))
    total = sum(strange.values())
    return total / everything if total >= FEW_LETTERS else 0.0


def prose(text: str) -> str:
    """Without code, formulas and tags, whose letters are of no language."""
    return _MARKUP.sub(" ", text) if any(sign in text for sign in "`$\\<") else text


def foreign_span(texts: SampleTexts) -> FeatureSpan | None:
    """The longest stretch in a script or language that the prompt does not use."""
    used = _prompt_scripts(texts.prompt or "")
    words = own_words(texts)
    best: tuple[int, int] | None = None
    for name, ranges in SCRIPTS.items():
        if name in used:
            continue
        looked = words[: 2 * SAMPLED_CHARS]
        rows = (found.span() for found in re.finditer(f"[{ranges}](?:[{ranges}\\W\\d]*[{ranges}])?", looked))
        for start, end in _rows_of(name, looked) if name in _EVERYWHERE else rows:
            if best is None or end - start > best[1] - best[0]:
                best = start, end
    if best is None or best[1] - best[0] < FEW_LETTERS:
        if "Latin" in used and (spoken := other_languages(texts)):
            return _language_span(spoken)
        if best is None:
            return None
    seen = script_of(texts.response_text[best[0]])
    return FeatureSpan(best[0], best[1], f"{seen}; the prompt uses {', '.join(sorted(used)) or 'no letters'}")


def _language_span(found: list[tuple[int, int, int, str]]) -> FeatureSpan:
    """From the first stretch to the last of those in its language that follow each other."""
    start, end, _, name = found[0]
    for _, last, _, other in found[1:]:
        if other != name:
            break
        end = last
    return FeatureSpan(start, end, f"{name}; the prompt is not")


def _script_of(batch: TextBatch) -> Values:
    counts = batch.scan.letters
    latin = script_numbers()["Latin"]
    total, of_latin = counts.sum(axis=1), counts[:, latin]
    usual = ["Latin" if some else None for some in of_latin.tolist()]
    return batch.values(usual, total != of_latin, script)


FEATURES = (
    Feature(
        name="text.script",
        type="string",
        title="Script",
        about="The script of most letters of the response: Latin, Han, Cyrillic, …",
        compute=script,
        compute_batch=_script_of,
        kind="category",
    ),
    Feature(
        name="text.foreign",
        type="number",
        title="Foreign script",
        short="foreign",
        about="Share of its letters, without code and formulas, in a script or language that the prompt does not use.",
        compute=foreign,
        compute_batch=_foreign_of,
        version=11,
    ),
    GARBLED,
)
