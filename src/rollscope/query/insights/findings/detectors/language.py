"""Detectors of text that is garbled or in another language than the prompt."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from rollscope.features.language.garbled import garbled_span
from rollscope.features.language.scripts import foreign_span
from rollscope.query.insights.findings.model import CannotKnow, Found, SplitData, plain
from rollscope.query.insights.findings.over_steps.first_steps import usual_in
from rollscope.query.insights.findings.spans import one_span

#: Shares of an answer's characters and letters: fewer are no finding.
GARBLED, FOREIGN = 0.0005, 0.05
#: Text of which so much is broken is broken, however usual that is in the run.
MUCH_GARBLED = 0.05
#: Names and quotations make up less of an answer than this.
MUCH_FOREIGN = 0.2


def garbled(data: SplitData) -> Iterator[Found]:
    """Broken characters or words that mix alphabets."""
    data.need("text.garbled")
    values = data.numbers("text.garbled")
    limit = min(max(GARBLED, 3 * usual_in(data, "text.garbled", GARBLED)), MUCH_GARBLED)
    yield Found(
        kind="garbled",
        title="Garbled text",
        where=f"text.garbled > {plain(round(limit, 6))}",
        mask=values > round(limit, 6),
        known=np.isfinite(values),
        why="it has replacement, control or private-use characters, or words that mix alphabets",
        spans=one_span(garbled_span),
        # A few words that mix alphabets are natural in texts about programs, as many in the first steps as later.
        rise=0.005,
        always=0.005,
        serious_share=0.2,
        serious_rise=0.02,
    )


def language(data: SplitData) -> Iterator[Found]:
    """Answers leave the prompt's language."""
    if not data.has("text.foreign"):
        raise CannotKnow("no prompt contains letters to compare with")
    values = data.numbers("text.foreign")
    limit = round(max(FOREIGN, usual_in(data, "text.foreign", FOREIGN) + FOREIGN), 3)
    beyond = values[values > limit]
    yield Found(
        kind="language",
        title="Answers leave the prompt's language",
        where=f"text.foreign > {plain(limit)}",
        mask=values > limit,
        known=np.isfinite(values),
        why=f"more than {limit:.0%} of the letters belong to a script or language that the prompt does not use",
        spans=one_span(foreign_span),
        # Names and terms in another script are natural in some languages, in about as many answers at every step. Where
        # foreign letters make up much of the answers, they are not names, and no rise is needed.
        rise=0.005,
        always=0.005 if len(beyond) and float(np.median(beyond)) >= MUCH_FOREIGN else 1.0,
        serious_share=0.5,
        serious_rise=0.05,
    )
