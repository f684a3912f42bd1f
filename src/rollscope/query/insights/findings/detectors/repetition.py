"""Detectors of repetition: loops, repeated phrases, and answers that are the same throughout a group."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from rollscope.features import repetition
from rollscope.features.base import FeatureSpan, SampleTexts
from rollscope.query.insights.findings.model import CannotKnow, Found, SplitData, plain
from rollscope.query.insights.findings.over_steps.first_steps import usual_of
from rollscope.query.insights.findings.row_groups import groups_of_rows
from rollscope.query.insights.findings.spans import one_span

#: A text that compresses better than this says little new: where slime and miles compress by zlib, 10 times.
COMPRESSION = 7.0
#: A text repeats itself if more than this share of its three-word sequences are repeats, and if that exceeds what is usual in
#: the first steps by the margin. Boilerplate does, too, but what it says around the phrases it repeats is new: so the text must
#: also compress so many times better than is typical in the first steps, or repeat more than the last number.
REPETITION, REPETITION_MARGIN, COMPRESSES, PLAIN_REPETITION = 0.32, 0.12, 1.6, 0.7
#: Share of a group that gave nearly the same answer.
ALIKE = 0.5
#: Answers with at least this many words are not identical by chance.
LONG_WORDS = 20


def loop(data: SplitData) -> Iterator[Found]:
    """The end of an answer repeats."""
    data.need("text.loop")
    values = data.numbers("text.loop")
    yield Found(
        kind="loop",
        title="Answers end in a loop",
        where="text.loop > 0",
        mask=values > 0,
        known=np.isfinite(values),
        why="the response ends with the same text repeated",
        spans=one_span(repetition.loop_span),
    )


def repeated(data: SplitData) -> Iterator[Found]:
    """Answers repeat themselves."""
    data.need("text.repetition")
    values, ratio = data.numbers("text.repetition"), data.numbers("text.compression")
    # An answer that restates its thinking is not counted as repetition, and must not raise what counts as usual either.
    apart = data.numbers("text.repetition_apart")
    usual = usual_of(np.where(np.isfinite(apart), apart, values)[data.first], REPETITION_MARGIN)
    limit = round(max(REPETITION, usual + REPETITION_MARGIN), 3)
    plainly = round(max(PLAIN_REPETITION, usual + 2 * REPETITION_MARGIN), 3)
    at_first = ratio[data.first & np.isfinite(ratio)]
    dense = round(min(COMPRESSION, COMPRESSES * float(np.median(at_first))) if len(at_first) else COMPRESSION, 2)
    with np.errstate(invalid="ignore"):
        said_again = ((apart > limit) & (ratio > dense)) | (apart > plainly) | (ratio > COMPRESSION)
        mask = said_again & ~(data.numbers("text.loop") > 0)
    yield Found(
        kind="repetition",
        title="Answers repeat themselves",
        where="text.loop = 0 and "
        f"((text.repetition_apart > {plain(limit)} and text.compression > {plain(dense)}) "
        f"or text.repetition_apart > {plain(plainly)} or text.compression > {plain(COMPRESSION)})",
        mask=mask,
        known=np.isfinite(values),
        why=f"more than {limit:.0%} of its three-word sequences repeat others of its thinking, or of its answer, and it "
        f"compresses to less than 1/{dense:.1f} (usual in the first steps: 1/{dense / COMPRESSES:.1f}); or one of the two is "
        "plainly beyond that; it does not end in an exact loop",
        spans=one_span(_repeated_span),
    )


def _repeated_span(texts: SampleTexts) -> FeatureSpan | None:
    """A sequence of words that occurred earlier in the text; the longest kind that can be found."""
    text = texts.response_text[-repetition.COMPRESSED_CHARS * 4 :]
    before = len(texts.response_text) - len(text)
    words = text.split()
    for size in (12, 8, 5, 3):
        seen: dict[str, int] = {}
        for place in range(len(words) - size):
            gram = " ".join(words[place : place + size])
            if gram in seen:
                at = text.find(words[place], 0)
                first = text.find(gram)
                second = text.find(gram, first + 1) if first >= 0 else -1
                if second >= 0:
                    return FeatureSpan(before + second, before + second + len(gram), "repeats earlier text")
                return FeatureSpan(before + max(at, 0), len(texts.response_text), "repeats earlier text")
            seen[gram] = place
    return None


def duplicate(data: SplitData) -> Iterator[Found]:
    """Nearly identical answers in a group."""
    if not data.has("text.alike"):
        raise CannotKnow("no group has three samples")
    values = data.numbers("text.alike")
    words = data.numbers("text.words")[values > ALIKE]
    # Short answers may be identical by chance; long ones are not, however few they are.
    short = not len(words) or float(np.nanmedian(words)) < LONG_WORDS
    yield Found(
        kind="duplicate",
        title="Groups with nearly identical answers",
        where=f"text.alike > {plain(ALIKE)}",
        mask=values > ALIKE,
        known=np.isfinite(values),
        why="more than half of the group gave the same or nearly the same response",
        spans=lambda texts: [FeatureSpan(0, min(len(texts.response_text), 400), "the same as others in its group")],
        at_most="medium",
        rise=0.02,
        always=0.1 if short else 0.002,
        serious_share=0.5,
        serious_rise=0.02,
        together=float(groups_of_rows(data)[1].mean()),
    )
