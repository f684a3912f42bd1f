"""Texts that say the same again, told from texts that are full of set phrases."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

from tests.fixtures import write_jsonl
from tests.prose import prose

import rollscope

SET_PHRASES = (
    "This flag argument must be specified if any of the other arguments in this group are specified.",
    "The name of the resource may be given as a full identifier or as a short one.",
)


def words(chance: random.Random, count: int) -> list[str]:
    return prose(chance, 12 * count).split()[:count]


def text(chance: random.Random, again: bool) -> str:
    """About 250 words: set phrases between which there is news, or five times the same in other words here and there."""
    if again:
        said = words(chance, 40)
        turns = [" ".join(chance.choice(said) if chance.random() < 0.05 else word for word in said) for _ in range(5)]
        return "\n\n".join(turns) + " " + " ".join(words(chance, 8))
    return " ".join(f"{' '.join(words(chance, 16))}. {chance.choice(SET_PHRASES)}" for _ in range(8))


def test_set_phrases_between_news_are_no_repetition(tmp_path: Path) -> None:
    chance = random.Random(5)
    rows: list[dict[str, Any]] = []
    meant = set()
    for step in range(12):
        for index in range(16):
            # Set phrases are rare in the first steps: what is usual there says nothing of them.
            again, phrased = step >= 6 and index == 3, step >= 6 and index in (5, 6, 7)
            said = text(chance, again) if again or phrased else " ".join(words(chance, 200))
            if again:
                meant.add(f"train/{step}/{index}")
            rows.append({"step": step, "prompt": f"p{step}", "response": said, "reward": float(index % 2)})
    write_jsonl(tmp_path / "run" / "rollouts.jsonl", rows)
    run = rollscope.open(tmp_path / "run")
    (found,) = run.findings(kind="repetition")
    assert {row.address for row in run.samples(where=found.where)} == meant
    assert "compresses" in found.why
