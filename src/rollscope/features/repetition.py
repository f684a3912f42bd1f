"""Texts that repeat themselves: exactly and at the end (a loop), or by and large (3-grams, compression)."""

from __future__ import annotations

import re
from functools import cache
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rollscope.features.base import MAX_READ_CHARS, Feature, FeatureSpan, SampleTexts
from rollscope.features.batches.text_batch import TextBatch, Values
from rollscope.features.batches.text_scan import Seen, TextFlag

#: A loop is looked for in this many characters at the end, with units up to MAX_PERIOD.
TAIL_CHARS = 4_096
MAX_PERIOD = 1_024
#: A unit must come this often and fill this much, or come less often and fill more.
REPEATS, CHARS = 4, 180
FEWER_REPEATS, MORE_CHARS = 3, 1_024
#: A count that goes on to the end ("311, 312, 313 …") is a loop whose unit has another number each time: from so many
#: times and so many characters on, where nobody lists things any more.
COUNTED, COUNTED_CHARS = 20, 500
#: Fewer words than this say nothing about repetition.
MIN_WORDS = 30
COMPRESSED_CHARS = 10_000
#: From this share of repeats on it is worth asking whether the answer only says the thinking once more.
ASKED = 0.2


def loop_length(text: str) -> tuple[int, int]:
    """(characters at the end that are one unit repeated, length of the unit); (0, 0) where there is no loop.

    An end that breaks off inside the unit counts: generation stops anywhere. White space after it is passed over."""
    text = text[: end_of_text(text)]
    tail = text[-TAIL_CHARS:]
    if len(tail) < CHARS:
        return 0, 0
    period = _period(tail)
    if not period:
        return _counting_length(tail)
    # The period holds at the end of the tail; how far back does it go in the whole text?
    return _reach(text, period), period


def _counting_length(tail: str) -> tuple[int, int]:
    """(characters at the end that are one unit whose numbers keep counting, mean length of the unit)."""
    if not _may_count(tail):
        return 0, 0
    numbers = list(_NUMBER.finditer(tail))
    if len(numbers) <= COUNTED:
        return 0, 0
    values = [int(number[0]) for number in numbers]
    # What stands before each number, and after the last one as far as the end goes along.
    between = [tail[a.end() : b.start()] for a, b in pairwise(numbers)]
    for slots in range(1, _MAX_SLOTS + 1):
        times = _counted(values, between, slots)
        first = numbers[len(numbers) - times * slots] if times else None
        if first is not None and times >= COUNTED and len(tail) - first.start() >= COUNTED_CHARS:
            return len(tail) - first.start(), max(1, (len(tail) - first.start()) // times)
    return 0, 0


def _counted(values: list[int], between: list[str], slots: int) -> int:
    """How many units of this many numbers keep counting at the end: each number by its own step, at least one by more
    than 0."""
    if len(values) <= 2 * slots:
        return 0
    steps = [values[-slot] - values[-slot - slots] for slot in range(1, slots + 1)]
    if not any(steps):
        return 0
    place = len(values) - 1
    while place >= slots and values[place] - values[place - slots] == steps[(len(values) - 1 - place) % slots]:
        if place < len(between) and between[place] != between[place - slots]:
            break
        place -= 1
    return (len(values) - 1 - place) // slots


def _may_count(text: str) -> bool:
    """Whether its end has many numbers: asked about every text."""
    return len(_NUMBER.findall(text, max(0, len(text) - _LOOK_CHARS))) >= _LOOK_NUMBERS


_NUMBER = re.compile(r"\d{1,9}")
#: A unit may have so many numbers ("line 7 of 7"), and is at most about a hundred characters long.
_MAX_SLOTS = 3
#: As COUNT_CHARS and COUNT_NUMBERS in batches/text_scan.c, which has COUNTED, too, and TAIL_CHARS with room for what
#: `end_of_text` passes over.
_LOOK_CHARS, _LOOK_NUMBERS = 400, 5


def _needed(period: int) -> int:
    """Characters that must repeat with this period."""
    return min(max(CHARS, REPEATS * period), max(MORE_CHARS, FEWER_REPEATS * period))


def end_of_text(text: str) -> int:
    """Where it ends but for white space and a template's closing marks. So much white space that it is a loop is not passed
    over."""
    if not text or text[-CHARS:].isspace() or (text[-1] != ">" and not text[-1].isspace()):
        return len(text)
    found = _CLOSING.search(text, max(0, len(text) - 200))
    return found.start() if found else len(text)


_CLOSING = re.compile(r"(?:\s|<\|[a-z_]{1,24}\|>|</s>|<end_of_turn>)+\Z")


def _period(tail: str) -> int:
    """The smallest period that the end of the tail may have: the distance between its last characters and where they
    came before. Looking for them is a search at memory speed, where comparing all periods is not."""
    probe = tail[-32:]
    end = len(tail) - 1
    while True:
        # The last place before the end where the probe stands.
        found = tail.rfind(probe, max(0, len(tail) - 32 - MAX_PERIOD), end)
        if found < 0:
            return 0
        period = len(tail) - 32 - found
        needed = _needed(period)
        if needed <= len(tail) and tail[-needed + period :] == tail[-needed:-period]:
            return period
        end = found + 31


def _reach(text: str, period: int) -> int:
    """How many characters at the end repeat with this period. In doubling steps, then exactly."""
    length = len(text)
    known, step = period, max(period, 1_024)
    while known < length:
        upto = min(length, known + step)
        if text[length - upto + period : length - known + period] == text[length - upto : length - known]:
            known, step = upto, 2 * step
            continue
        low, high = known, upto
        while low + 1 < high:
            middle = (low + high) // 2
            if text[length - middle + period : length - low + period] == text[length - middle : length - low]:
                low = middle
            else:
                high = middle
        return low
    return length


def loop(texts: SampleTexts) -> int | None:
    return None if texts.response is None else loop_length(texts.response)[0]


def loop_span(texts: SampleTexts) -> FeatureSpan | None:
    length, period = loop_length(texts.response_text)
    if not length:
        return None
    end = end_of_text(texts.response_text)
    counts = texts.response_text[end - 2 * period : end - period] != texts.response_text[end - period : end]
    what = (
        f"a counting pattern, {length / period:.0f} times"
        if counts
        else f"{period} characters, {length / period:.0f} times"
    )
    return FeatureSpan(end - length, end, what)


def repetition(texts: SampleTexts) -> float | None:
    if texts.response is None or (stats := texts.stats).words < MIN_WORDS or stats.distinct is None:
        return None
    return 1.0 - stats.distinct / (stats.words - 2)


def repetition_apart(texts: SampleTexts) -> float | None:
    whole = repetition(texts)
    if whole is None or whole <= ASKED:
        return None
    thoughts = texts.thoughts
    if not thoughts or len(texts.response_text) > MAX_READ_CHARS:
        return whole
    # An answer that says once more what was thought is usual: it is written for the reader. What the thinking repeats of
    # itself, or the answer of itself, is not.
    thought, spoken, at = [], [], 0
    for start, end, _ in thoughts:
        spoken.append(texts.response_text[at:start])
        thought.append(texts.response_text[start:end])
        at = end
    spoken.append(texts.response_text[at:])
    repeats = sum(_repeats("\n".join(part)) for part in (thought, spoken))
    return min(whole, repeats / (texts.stats.words - 2))


def _repeats(text: str) -> int:
    """Sequences of three words that stood before."""
    stats = SampleTexts(response=text).stats
    return 0 if stats.distinct is None else stats.words - 2 - stats.distinct


def compression(texts: SampleTexts) -> float | None:
    if not texts.response:
        return None
    raw = texts.response[-COMPRESSED_CHARS:].encode("utf-8", "surrogatepass")
    size: int = _lz4().compress(raw).size
    return len(raw) / size


@cache
def _lz4() -> Any:
    """Repeats only, no frequencies of letters: those need tables for each text, which cost more than most texts."""
    import pyarrow as pa  # whoever only asks about a text in a sample needs none

    return pa.Codec("lz4_raw")


def _loop_of(batch: TextBatch) -> Values:
    look = batch.has(TextFlag.LOOK_LOOP | TextFlag.LOOK_COUNT | TextFlag.OTHER_DIGITS)
    last = batch.scan.last_bytes
    for place in np.flatnonzero((last <= ord(" ")) | (last >= 0x80)).tolist():
        look[place] |= batch.texts[place].response_text[-CHARS:].isspace()
    return batch.values(np.zeros(len(batch.texts), dtype=np.int64), look, loop)


def _repetition_of(batch: TextBatch) -> Values:
    return batch.values(_shares_of(batch), batch.unusual, repetition)


def _shares_of(batch: TextBatch) -> NDArray[np.float64]:
    words, distinct = batch.column(Seen.WORDS), batch.column(Seen.DISTINCT)
    return np.where(words < MIN_WORDS, np.nan, 1.0 - distinct / np.maximum(words - 2, 1))


def _repetition_apart_of(batch: TextBatch) -> Values:
    return batch.values(np.full(len(batch.texts), np.nan), _shares_of(batch) > ASKED, repetition_apart)


def _compression_of(batch: TextBatch) -> Values:
    compress, raw, starts = _lz4().compress, memoryview(batch.scan.raw), batch.scan.starts
    sizes = np.diff(starts)
    long = (batch.column(Seen.CHARS) > COMPRESSED_CHARS) | (sizes == 0)
    edges = starts.tolist()
    compressed = [
        # As bytes: an object of Arrow's own for each takes longer than half a kilobyte to compress.
        1 if apart else len(compress(raw[start:end], asbytes=True))
        for start, end, apart in zip(edges, edges[1:], (long | batch.unusual).tolist())
    ]
    return batch.values(sizes / np.array(compressed), long, compression)


FEATURES = (
    Feature(
        name="text.loop",
        type="integer",
        title="Loop",
        about="Characters at the end of the response that are one unit repeated, or a count that goes on; 0 without a loop.",
        compute=loop,
        compute_batch=_loop_of,
        version=4,
    ),
    Feature(
        name="text.repetition",
        type="number",
        title="Repetition",
        about="1 − distinct / all sequences of three words; missing below 30 words.",
        compute=repetition,
        compute_batch=_repetition_of,
        version=2,
    ),
    Feature(
        name="text.repetition_apart",
        type="number",
        title="Repetition, parts apart",
        about="The same within the thinking and within the answer: an answer that says the thinking once more repeats "
        "nothing. Missing where text.repetition is at most 0.2.",
        compute=repetition_apart,
        compute_batch=_repetition_apart_of,
        version=2,
    ),
    Feature(
        name="text.compression",
        type="number",
        title="Compression",
        about="Length / compressed length (LZ4) of the last 10,000 characters.",
        compute=compression,
        compute_batch=_compression_of,
        version=2,
    ),
)
