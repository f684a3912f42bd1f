"""A phrase that spreads among the best-paid answers: found in a draw of texts, counted in all of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from rollscope.arrays import Hashes, Rows
from rollscope.features.base import FeatureSpan, SampleTexts
from rollscope.features.batches.words import split_words
from rollscope.index import compute
from rollscope.query.insights.findings.model import CannotKnow, Found, Mask, Severity, SplitData
from rollscope.query.insights.findings.rewards.reward_bands import top_paid
from rollscope.query.insights.findings.rewards.reward_parts import verdict_column
from rollscope.query.insights.held_by_chance import chance_of, fewest_texts, most_by_chance, prompts_alike
from rollscope.query.language.writing import quoted

#: Texts that are read of each side, evenly drawn.
DRAWN = 400
#: Words of the sequences that are counted; a phrase is grown from one.
WORDS = 4
#: More than this share of the best-paid answers, and so many points more than at first (CHERRL, arXiv 2606.04923).
SHARE, RISE = 0.05, 0.03
#: Of all phrases that are looked at, so many (expected) pass by chance.
BY_CHANCE = 0.01
#: Of the range of rewards: a phrase pays that is paid so much more than its neighbours.
PAID = 0.03
MIN_TEXTS, MIN_PROMPTS, MAX_PHRASES = 8, 5, 3
#: Phrases that so many of their answers share are one.
SAME_TEXTS = 0.8
#: The first steps; where they have fewer answers than this, the first quarter.
EARLY = 100
#: Words that a phrase is grown to at most, and the share of its texts that must go along.
MAX_WORDS, ALONG = 30, 0.9

#: Rows of the split -> their responses; None where one cannot be read.
Read = Callable[[Rows], list[str | None]]
#: A phrase -> which rows of the split have it.
Count = Callable[[str], tuple[Mask, Mask]]


class _DrawnTexts(Struct):
    rows: Rows
    texts: list[str]
    words: list[list[bytes]]
    #: Of each text its distinct sequences.
    grams: list[Hashes]


def phrase(data: SplitData, read: Read, count: Count) -> Iterator[Found]:
    """A phrase spreads among the highest-reward answers."""
    _, paid = top_paid(data)
    number = len(data.step_numbers)
    if number < 4:
        raise CannotKnow("fewer than 4 steps")
    early = data.first
    if early.sum() < EARLY:
        early = data.step_codes < max(1, number // 4)
    late = paid & (data.step_codes >= number - max(1, number // 3))
    if late.sum() < MIN_TEXTS or early.sum() < MIN_TEXTS:
        raise CannotKnow("too few answers in the first or last steps")
    before, after = _drawn(early, read), _drawn(late, read)
    if not before.texts or not after.texts:
        raise CannotKnow("the responses could not be read")
    # Of the texts that are read, not of all rows, which may be a million.
    prompts = _prompts(data, after.rows) if data.has("prompt_hash") else []
    found: list[str] = []
    masks: list[Mask] = []
    for gram in _candidates(before, after, prompts):
        if len(found) == MAX_PHRASES:
            return
        holders = [place for place, grams in enumerate(after.grams) if _has(grams, gram)]
        if prompts and len({prompts[place] for place in holders}) < MIN_PROMPTS:
            continue
        found_phrase = _grown(after, holders, gram)
        if found_phrase is None or any(found_phrase in other or other in found_phrase for other in found):
            continue
        at_first = sum(found_phrase in text for text in before.texts) / len(before.texts)
        at_last = sum(found_phrase in text for text in after.texts) / len(after.texts)
        if at_last <= SHARE or at_last - at_first < RISE:
            continue
        mask, known = count(found_phrase)
        if any((mask & other).sum() > SAME_TEXTS * (mask | other).sum() for other in masks):
            continue  # a part of a phrase that was told, or a loop begun at another word
        found.append(found_phrase)
        masks.append(mask)
        yield Found(
            kind="phrase",
            title=f"A phrase spreads: “{found_phrase[:80]}”",
            where=f"response contains {quoted(found_phrase)}",
            mask=mask,
            known=known,
            why=f"{at_last:.0%} of the highest-reward answers in the last steps contain it, {at_first:.0%} of all at the start",
            spans=_spans(found_phrase),
            severity=_severity(data, mask, known),
            rise=0.01,
        )


def _prompts(data: SplitData, rows: Rows) -> list[int]:
    """A number for each row's prompt; a row without one is alone."""
    names = compute.take(data.table["prompt_hash"], rows).to_pylist()
    numbers: dict[object, int] = {}
    return [numbers.setdefault(place if name is None else (name,), len(numbers)) for place, name in enumerate(names)]


def _severity(data: SplitData, mask: Mask, known: Mask) -> Severity:
    """A phrase of better answers is how better answers sound. One that is paid more without being right more often is
    what pays."""
    verdict = verdict_column(data)
    right = data.numbers(verdict) if verdict else None
    if right is None and data.has("text.golden"):
        right = np.where(data.known("text.golden"), data.equals("text.golden", "equal").astype(float), np.nan)
    paid = data.difference(data.numbers("reward"), mask, known)
    better = None if right is None else data.difference(right, mask, known)
    if paid is None or better is None:
        return "medium"
    reach = data.reward_range(None)
    span = (reach[1] - reach[0]) if reach else 1.0
    return "high" if paid > PAID * span and better < 0.5 * paid / span else "low"


def _spans(found_phrase: str) -> Callable[[SampleTexts], Sequence[FeatureSpan]]:
    def spans(texts: SampleTexts) -> Sequence[FeatureSpan]:
        at = texts.response_text.find(found_phrase)
        return [FeatureSpan(at, at + len(found_phrase), found_phrase)] if at >= 0 else []

    return spans


def _drawn(rows: Mask, read: Read) -> _DrawnTexts:
    places = np.flatnonzero(rows)
    if len(places) > DRAWN:
        places = places[np.linspace(0, len(places) - 1, DRAWN).astype(np.int64)]
    texts = read(places)
    kept = [(int(place), text[:40_000]) for place, text in zip(places, texts) if text]
    words = [split_words(text) for _, text in kept]
    return _DrawnTexts(
        np.array([place for place, _ in kept], dtype=np.int64),
        [text for _, text in kept],
        words,
        [np.unique(_grams(item)) for item in words],
    )


def _grams(words: list[bytes]) -> Hashes:
    """A number for each sequence of WORDS words, in their order."""
    from zlib import crc32

    if len(words) < WORDS:
        return np.empty(0, dtype=np.uint64)
    numbers = np.fromiter(map(crc32, words), dtype=np.uint64, count=len(words)) + np.uint64(1)
    found = np.zeros(len(words) - WORDS + 1, dtype=np.uint64)
    for place in range(WORDS):
        found *= np.uint64(0x9E3779B97F4A7C15)
        found ^= found >> np.uint64(29)
        found += numbers[place : place + len(found)]
    return found


def _has(grams: Hashes, gram: np.uint64) -> bool:
    place = int(np.searchsorted(grams, gram))
    return place < len(grams) and grams[place] == gram


def _candidates(before: _DrawnTexts, after: _DrawnTexts, prompts: list[int]) -> list[np.uint64]:
    """Sequences that are more frequent after than before by more than chance, the surest first. Those of a phrase are in
    the same texts, and count as one. What so few texts have that chance could bring it about is not looked at, wherever
    they stand: to look only at what is frequent after would be to look at what chance has gathered there."""
    n_a, n_b = len(before.texts), len(after.texts)
    if not n_a or not n_b:
        return []
    rare = fewest_texts(n_a, n_b, BY_CHANCE)
    there, counts = np.unique(np.concatenate([*before.grams, *after.grams]), return_counts=True)
    there = there[counts >= rare]
    if not len(there):
        return []
    first = np.unique(_names(there, [*before.grams, *after.grams]), return_index=True)[1]
    there = there[first]
    at_first, at_last = _held(there, before.grams).sum(axis=0), _held(there, after.grams)
    late = at_last.sum(axis=0)
    alone = most_by_chance(at_first + late, n_a, n_b, BY_CHANCE)
    enough = (late > SHARE * n_b) & (late >= MIN_TEXTS) & (late / n_b - at_first / n_a >= RISE)
    places = np.flatnonzero(enough)
    alike = prompts_alike(at_last[:, places], prompts)
    chance = np.array([chance_of(at_first[place], late[place], n_a, n_b) for place in places.tolist()]) / alike
    order = np.argsort(chance, kind="stable")
    return list(there[places[order[chance[order] <= alone]]][:60])


def _places(known: Hashes, grams: Hashes) -> NDArray[np.int64]:
    place = np.minimum(np.searchsorted(known, grams), len(known) - 1)
    found: NDArray[np.int64] = place[known[place] == grams]
    return found


def _names(known: Hashes, texts: list[Hashes]) -> Hashes:
    """Of each sequence a number that those have, too, which are in the same texts."""
    names = np.zeros(len(known), dtype=np.uint64)
    chance = np.random.default_rng(0).integers(1 << 63, size=len(texts), dtype=np.uint64)
    for grams, name in zip(texts, chance):
        names[_places(known, grams)] += name
    return names


def _held(known: Hashes, texts: list[Hashes]) -> NDArray[np.bool_]:
    """Which text (row) has which sequence."""
    order = np.argsort(known)
    held = np.zeros((len(texts), len(known)), dtype=bool)
    for row, grams in enumerate(texts):
        held[row, order[_places(known[order], grams)]] = True
    return held


def _grown(texts: _DrawnTexts, holders: list[int], gram: np.uint64) -> str | None:
    """The phrase as it is written: the sequence, and the words around it that nearly all of its texts share."""
    spots = {}
    for place in holders:
        found = np.flatnonzero(_grams(texts.words[place]) == gram)
        if len(found):
            spots[place] = int(found[0])
    if not spots:
        return None
    low, high = 0, WORDS
    while high - low < MAX_WORDS:
        right = _shared(texts, spots, high)
        left = _shared(texts, spots, low - 1)
        if right:
            high += 1
        elif left:
            low -= 1
        else:
            break
    return _surface(texts, spots, low, high)


def _shared(texts: _DrawnTexts, spots: dict[int, int], offset: int) -> bool:
    """Do nearly all of the texts have the same word there?"""
    words: dict[bytes, int] = {}
    for place, spot in spots.items():
        at = spot + offset
        if 0 <= at < len(texts.words[place]):
            words[texts.words[place][at]] = words.get(texts.words[place][at], 0) + 1
    return bool(words) and max(words.values()) >= ALONG * len(spots)


def _surface(texts: _DrawnTexts, spots: dict[int, int], low: int, high: int) -> str | None:
    """As most of the texts write it, with its case and white space."""
    import re

    forms: dict[str, int] = {}
    for place, spot in list(spots.items())[:60]:
        words = [word.decode("utf-8", "surrogatepass") for word in texts.words[place][max(0, spot + low) : spot + high]]
        found = re.search(r"\s*".join(map(re.escape, words)), texts.texts[place], re.IGNORECASE)
        if found:
            forms[found[0]] = forms.get(found[0], 0) + 1
    return max(forms, key=lambda form: forms[form]) if forms else None
