"""A planted phrase in `contrast`: does it come among the first five?"""

from __future__ import annotations

import random
import tempfile
from pathlib import Path

import rollscope
from bench.insight_report.clean_runs import clean_run, style_of
from bench.insight_report.measured import RATES
from bench.insight_report.troubles.text import PHRASES
from bench.insight_report.written_formats import FORMATS

FIRST = 5


def phrase_in_contrast(seed: int) -> tuple[bool, str]:
    """The phrase in well-paid answers, at one of the rates, from some step on; best against worst paid."""
    chance = random.Random(f"contrast {seed}")
    style = style_of(chance, script=False)
    drafts = clean_run(chance, style)
    said = PHRASES[seed % len(PHRASES)]
    rate, start = RATES[seed % len(RATES)], chance.choice((0, 8, 20))
    hit = [draft for draft in drafts if draft.step >= start and draft.reward > 0.5 and chance.random() < rate]
    for draft in hit:
        draft.said = f"{said} {draft.said}" if chance.random() < 0.5 else f"{draft.said} {said}"
    format_ = list(FORMATS)[seed % len(FORMATS)]
    with tempfile.TemporaryDirectory() as folder:
        FORMATS[format_](Path(folder) / "train_run", drafts)
        run = rollscope.open(Path(folder) / "train_run", index_dir=f"{folder}/index")
        found = run.contrast("reward > 0.5", "reward <= 0.5", limit=FIRST)
    words = _letters(said)
    seen = [phrase.text for phrase in found.phrases[:FIRST]]
    there = any(_letters(text) in words and len(_letters(text)) >= 4 for text in seen)
    return there, f"{format_}, seed {seed}, {rate:.0%} from step {start}, {len(hit)} planted; {seen}"


def _letters(text: str) -> str:
    return "".join(sign for sign in text.lower() if sign.isalnum())
