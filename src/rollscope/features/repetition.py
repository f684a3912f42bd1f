"""Texts that repeat themselves: exactly and at the end (a loop), or by and large (3-grams, compression)."""

from __future__ import annotations

import re
from functools import cache
from typing import Any

from rollscope.features.base import Feature, FeatureSpan, SampleTexts

#: A loop is looked for in this many characters at the end, with units up to MAX_PERIOD.
TAIL_CHARS = 4_096
MAX_PERIOD = 1_024
#: Short units must come this often and fill this much; long ones that.
SHORT_PERIOD, SHORT_REPEATS, SHORT_CHARS = 60, 4, 180
LONG_REPEATS, LONG_CHARS = 3, 1_024
#: Fewer words than this say nothing about repetition.
MIN_WORDS = 30
COMPRESSED_CHARS = 10_000


def loop_length(text: str) -> tuple[int, int]:
    """(characters at the end that are one unit repeated, length of the unit); (0, 0) where there is no loop.

    An end that breaks off inside the unit counts: generation stops anywhere. White space after it is passed over."""
    text = text[: end_of_text(text)]
    tail = text[-TAIL_CHARS:]
    if len(tail) < SHORT_CHARS:
        return 0, 0
    period = _period(tail)
    if not period:
        return 0, 0
    # The period holds at the end of the tail; how far back does it go in the whole text?
    length = _reach(text, period)
    if period <= SHORT_PERIOD:
        enough = length >= max(SHORT_CHARS, SHORT_REPEATS * period)
    else:
        enough = length >= max(LONG_CHARS, LONG_REPEATS * period)
    return (length, period) if enough else (0, 0)


def end_of_text(text: str) -> int:
    """Where it ends but for white space and a template's closing marks."""
    if not text or (text[-1] != ">" and not text[-1].isspace()):
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
        needed = max(SHORT_CHARS, SHORT_REPEATS * period) if period <= SHORT_PERIOD else max(LONG_CHARS, 3 * period)
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
    length, period = loop_length(texts.said)
    if not length:
        return None
    end = end_of_text(texts.said)
    return FeatureSpan(end - length, end, f"{period} characters, {length / period:.0f} times")


def repetition(texts: SampleTexts) -> float | None:
    if texts.response is None or (stats := texts.stats).words < MIN_WORDS or stats.distinct is None:
        return None
    return 1.0 - stats.distinct / (stats.words - 2)


def compression(texts: SampleTexts) -> float | None:
    if not texts.response:
        return None
    raw = texts.response[-COMPRESSED_CHARS:].encode("utf-8", "surrogatepass")
    return len(raw) / len(_compressor().compress(raw))


@cache
def _compressor() -> Any:
    """Made once: making one costs more than a short text."""
    import zstandard

    return zstandard.ZstdCompressor(level=1, write_content_size=False, write_checksum=False)


FEATURES = (
    Feature(
        name="text.loop",
        type="integer",
        title="Loop",
        about="Characters at the end of the response that are one unit repeated; 0 when there is no loop.",
        compute=loop,
    ),
    Feature(
        name="text.repetition",
        type="number",
        title="Repetition",
        about="1 − distinct / all sequences of three words; missing below 30 words.",
        compute=repetition,
    ),
    Feature(
        name="text.compression",
        type="number",
        title="Compression",
        about="Length / compressed length (zstd, level 1) of the last 10,000 characters.",
        compute=compression,
    ),
)
