"""What is odd in the form of an answer: thoughts that never end or are empty, answers that are missing or many."""

from __future__ import annotations

import re

import numpy as np

from rollscope.features.answers import answer_marks, marked_answers
from rollscope.features.base import Feature, FeatureSpan, SampleTexts
from rollscope.features.batches.text_batch import TextBatch, Values
from rollscope.features.batches.text_scan import Seen, TextFlag
from rollscope.features.notation import normal

#: Fewer signs than this in a think block are no thought.
MIN_THOUGHT = 3
#: Whole answers that say nothing and yet fool judges (arXiv 2507.08794): a single sign, an opener of reasoning.
_HOLLOW = re.compile(
    r"[\W_]*|[\W_]*(?:solution|answer|thought process"
    r"|let(?:['’]?s| us) (?:solve|think)[^.\n]{0,60}|解|решение|lösung|solución)[\W_]*",
    re.IGNORECASE,
)
_HOLLOW_CHARS = 120


def oddities(texts: SampleTexts) -> dict[str, FeatureSpan]:
    """Name -> where it is seen."""
    text = texts.response_text
    found: dict[str, FeatureSpan] = {}
    for start, end, closed in texts.thoughts:
        if not closed:
            found["unclosed_think"] = FeatureSpan(max(0, start - 7), start, "opened and never closed")
        elif len(text[start:end].strip()) < MIN_THOUGHT:
            found["empty_think"] = FeatureSpan(max(0, start - 7), end, "empty")
    part = texts.answer_part
    if len(part) <= _HOLLOW_CHARS and "unclosed_think" not in found and _HOLLOW.fullmatch(part):
        found["empty_answer"] = FeatureSpan(texts.answer_start, len(text), part.strip() or "nothing")
    answers = answer_marks(texts)
    before = max(0, len(part) - 200_000) + texts.answer_start
    if len(answers) > 1 and len({normal(part[-200_000:][first:last]) for first, last in answers}) > 1:
        found["several_answers"] = FeatureSpan(
            before + answers[0][0], before + answers[-1][1], f"{len(answers)} answers"
        )
    elif answers and not part[-200_000:][slice(*answers[-1])].strip():
        found["empty_answer"] = FeatureSpan(
            before + answers[-1][0], before + answers[-1][1], "the marked answer is empty"
        )
    if not answers:
        found["no_answer"] = FeatureSpan(max(0, len(text) - 200), len(text), "no marked answer")
    if texts.thoughts and texts.thoughts[0][0] > 8:
        head = text[: texts.thoughts[0][0]]
        if early := marked_answers(head):
            found["answer_before_think"] = FeatureSpan(*early[0], "before the first thinking block")
    return found


def form(texts: SampleTexts) -> list[str] | None:
    return None if texts.response is None else sorted(oddities(texts))


def _form_of(batch: TextBatch) -> Values:
    odd = TextFlag.UNCLOSED | TextFlag.LOOK_THOUGHTS | TextFlag.LOOK_ANSWER
    look = batch.has(odd) | batch.other_thoughts
    starts = batch.column(Seen.ANSWER_START).tolist()
    hollow = batch.has(TextFlag.LOOK_HOLLOW) & (batch.column(Seen.ANSWER_CHARS) <= _HOLLOW_CHARS)
    for place in np.flatnonzero(hollow & ~look).tolist():
        look[place] |= _HOLLOW.fullmatch(batch.texts[place].response_text, starts[place]) is not None
    usual = [[] if boxed else ["no_answer"] for boxed in batch.has(TextFlag.BOXED).tolist()]
    return batch.values(usual, look, form)


FEATURES = (
    Feature(
        name="text.format",
        type="strings",
        title="Form",
        short="form",
        about="What is odd in its form: unclosed_think, empty_think, answer_before_think, several_answers, no_answer, "
        "empty_answer.",
        compute=form,
        compute_batch=_form_of,
        version=4,
        kind="category",
    ),
)
