"""Whether a text leaves the prompt's language but not its script: languages in Latin letters, told by their small words.

A language's most frequent words make up a third of what is written in it, and hardly any of another language's text. So a
stretch of words with many small words of one language and few of those of the prompt is in that language. Nothing is said of
stretches in between: names, terms and code belong to none.
"""

from __future__ import annotations

import re
from functools import cache, lru_cache
from typing import Any

from rollscope.features.base import SampleTexts
from rollscope.features.batches.marks import LANGUAGES
from rollscope.features.batches.small_words import LANGUAGES_OF_WORD, LETTERS, SMALL_WORDS
from rollscope.features.question import question
from rollscope.features.tools import own_words

_ENGLISH = SMALL_WORDS["English"]
#: Language -> those of its small words that are English ones, too.
_ENGLISH_TOO = {name: words & _ENGLISH for name, words in SMALL_WORDS.items() if name != "English"}

#: Words that are judged together, and how many of a language's own they must have to be of it. One is enough beside
#: words that are, where none is of the prompt's language.
STRETCH, ENOUGH = 10, 3
#: Languages so near each other that few words tell them apart.
_NEAR = ({"Spanish", "Portuguese"}, {"Swedish", "Danish"}, {"Polish", "Czech"})
#: Those that share small words: a prompt with fewer than PLAIN of them may be in any.
_RELATED, PLAIN = {"Spanish", "Portuguese", "Italian", "French", "Romanian"}, 6
#: So many small words of a prompt are its language's, whatever else it has.
MANY = 4
#: A prompt that names a language, or asks for a translation, may ask for another one. The word alone says nothing: programs
#: are written in languages, too.
_ASKS = re.compile(
    r"translat|übersetz|traduc|tradui|tradur|tłumacz|przetłum|vertaal|(?:foreign|native|another|other|target|different"
    r"|natural|source|same|mother) (?:language|tongue)|langue étrang|fremdsprach|muttersprach|idioma extranj|lingua stranier"
    r"|\b(?:german|deutsch(?:e|en)?|spanish|español|castellano|french|français|italiano?|portugu[eê]s|portuguese|dutch"
    r"|nederlands|polish|polski|swedish|svenska|turkish|türkçe|english|englisch|inglés|anglais|inglese|inglês|vietnamese"
    r"|finnish|czech|danish|romanian|hungarian|indonesian|latin)\b",
    re.IGNORECASE,
)
_WORD = re.compile(r"[^\W\d_]+")
#: Of a longer text so much of its beginning and of its end is looked at.
SAMPLED_CHARS = 100_000


def _counts(words: list[str]) -> dict[str, int]:
    counts: dict[str, int] = {}
    for word in words:
        for name in LANGUAGES_OF_WORD.get(word, ()):
            counts[name] = counts.get(name, 0) + 1
    return counts


def is_small_word(word: str) -> bool:
    """Of any of the languages; in small letters."""
    return word in LANGUAGES_OF_WORD


@lru_cache(maxsize=512)
def prompt_languages(prompt: str) -> frozenset[str]:
    """The languages that a prompt may be in; empty where that is not plain, or where it speaks of languages."""
    if _asks(prompt):
        return frozenset()
    words = _WORD.findall(question(prompt)[-20_000:].lower())
    counts = _counts(words)
    best = max(counts.values(), default=0)
    names = {name for name, count in counts.items() if best >= 2 and count >= max(2, 0.4 * best)}
    if best < MANY and _may_be_of_another(set(words), frozenset(names)):
        return frozenset()
    if names & _RELATED and best < PLAIN:
        names |= _RELATED
    return frozenset(names.union(*(near for near in _NEAR if near & names)))


def _may_be_of_another(words: set[str], names: frozenset[str]) -> bool:
    """Whether few small words say little: they are one, said again (Portuguese "do … do", a program's "man"), or beside
    letters that these languages do not have ("in" and "an" in a German sentence with an ö)."""
    different = sum(not names.isdisjoint(LANGUAGES_OF_WORD.get(word, ())) for word in words)
    return different < 2 or any(_has_strange_letters(word, names) for word in words)


def _asks(prompt: str) -> bool:
    """By RE2 in a tenth of the time, where both fold the same letters: those of ASCII."""
    return bool(_quick_asks().search(prompt) if prompt.isascii() else _ASKS.search(prompt))


@cache
def _quick_asks() -> Any:
    import re2  # slow to import, and most commands compute no feature

    return re2.compile(f"(?i){_ASKS.pattern}")


def other_languages(texts: SampleTexts) -> list[tuple[int, int, int, str]]:
    """(start, end, letters, language) of the stretches in a language that the prompt is not in."""
    if "other_languages" not in texts.kept:
        texts.kept["other_languages"] = _other_languages(texts)
    found: list[tuple[int, int, int, str]] = texts.kept["other_languages"]
    return found


def _other_languages(texts: SampleTexts) -> list[tuple[int, int, int, str]]:
    own = prompt_languages(texts.prompt or "")
    if not own:
        return []
    if own == {"English"} and texts.marks is not None and len(texts.marks & _MARKS) < 2:
        return []  # nearly every sample: nothing but English was seen in it
    found: list[tuple[int, int, int, str]] = []
    words = own_words(texts)
    parts = [(0, words)]
    if len(words) > 2 * SAMPLED_CHARS:
        parts = [(0, words[:SAMPLED_CHARS]), (len(words) - SAMPLED_CHARS, words[-SAMPLED_CHARS:])]
    for before, text in parts:
        found += _stretches(text, before, own)
    return found


def _may_have_stretches(text: str, own: frozenset[str]) -> bool:
    """Whether ENOUGH words that are not the prompt's stand near each other: in most texts they do not."""
    words = _WORD.findall(text)
    strange = {
        word for word in set(words) if not word.isascii() or not own.issuperset(LANGUAGES_OF_WORD.get(word.lower(), ()))
    }
    places = [place for place, word in enumerate(words) if word in strange]
    return any(last - first < STRETCH for first, last in zip(places, places[ENOUGH - 1 :]))


def _stretches(text: str, before: int, own: frozenset[str]) -> list[tuple[int, int, int, str]]:
    if not _may_have_stretches(text, own):
        return []
    words = list(_WORD.finditer(text))
    small = [word[0].lower() for word in words]
    # What both the prompt's language and English say does not tell them apart.
    both = frozenset[str]() if "English" in own else frozenset().union(*(_ENGLISH_TOO[name] for name in own))
    # Of each stretch: the language it may be in, how many words say so, how many are of the prompt's languages.
    judged: list[tuple[str, int, int]] = []
    for place in range(0, len(words), STRETCH):
        # The last words are judged together with those before them.
        here = small[max(0, min(place, len(words) - STRETCH)) :][:STRETCH]
        counts = _counts([word for word in here if word not in both])
        ours = max((counts.get(name, 0) for name in own), default=0)
        others = {name: count for name, count in counts.items() if name not in own}
        name = max(others, key=lambda name: others[name], default="")
        marked = {
            word for word in here if _has_strange_letters(word, own) and name not in LANGUAGES_OF_WORD.get(word, ())
        }
        score = others.get(name, 0) + (len(marked) if _is_latin(marked) else 0)
        judged.append((name or "another language", score, ours))
    sure = [score >= ENOUGH and score >= 2 * ours for _, score, ours in judged]
    found = []
    for number, (name, score, ours) in enumerate(judged):
        beside = any(sure[max(0, number - 1) : number + 2])
        if sure[number] or (beside and score and not ours):
            chosen = slice(number * STRETCH, (number + 1) * STRETCH)
            spans = words[chosen]
            letters = sum(map(len, small[chosen]))
            found.append((before + spans[0].start(), before + spans[-1].end(), letters, name))
    return found


def _has_strange_letters(word: str, own: frozenset[str]) -> bool:
    """Whether it has letters that none of these languages has."""
    return (
        not word.isascii()
        and own <= LETTERS.keys()
        and any(sign > "\x7f" and not any(sign in LETTERS[name] for name in own) for sign in word)
    )


def _is_latin(words: set[str]) -> bool:
    return all("\u00df" <= sign <= "\u024f" or "\u1e00" <= sign <= "\u1eff" for sign in "".join(words) if sign > "\x7f")


_MARKS = frozenset(LANGUAGES)
