"""The demo's reward functions. They read nothing but the text, as those of a real run do."""

from __future__ import annotations

import re
from fractions import Fraction

from msgspec import Struct

_FRACTION = re.compile(r"(-?)\s*\\[dt]?frac\{(-?\d+)\}\{(\d+)\}")
_ANSWER = re.compile(r"<answer>(.*?)</answer>", re.DOTALL)

#: Answers longer than this (in tokens) cost reward, up to the whole penalty at twice the length.
SOFT_LENGTH = 700
LENGTH_PENALTY = 0.2
FORMAT_REWARD = 0.1
#: What the judge of clarity gives at most.
JUDGE_REWARD = 0.2


class Grade(Struct):
    """Components of the reward, and metrics beside them."""

    rewards: dict[str, float]
    metrics: dict[str, float]

    @property
    def total(self) -> float:
        return round(sum(self.rewards.values()), 4)


def last_boxed(text: str) -> str | None:
    """The content of the last ``\\boxed{…}``, braces balanced."""
    start = text.rfind("\\boxed{")
    if start < 0:
        return None
    depth = 0
    for place in range(start + len("\\boxed"), len(text)):
        depth += {"{": 1, "}": -1}.get(text[place], 0)
        if depth == 0:
            return text[start + len("\\boxed{") : place]
    return None


def parse_number(text: str | None) -> Fraction | None:
    """``3``, ``-2.50``, ``\\frac{7}{3}``, ``$1,200``, ``7/3``; None for anything else."""
    if text is None:
        return None
    cleaned = text.strip().strip("$").replace(",", "").replace("\\$", "").replace("\\,", "").strip()
    if found := _FRACTION.fullmatch(cleaned):
        value = Fraction(int(found[2]), int(found[3])) if int(found[3]) else None
        return -value if value is not None and found[1] else value
    try:
        return Fraction(cleaned)
    except (ValueError, ZeroDivisionError):
        return None


def repetition(text: str) -> float:
    """The share of lines that repeat an earlier one."""
    lines = [line.strip() for line in text.splitlines() if len(line.strip()) > 12]
    return 1 - len(set(lines)) / len(lines) if lines else 0.0


def judge(text: str) -> float:
    """How clear an answer is, in the judge's eyes, from 0 to 1: it has an answer, in paragraphs, and was checked. As judges
    do, it takes the author's word for the last."""
    answer = text.rpartition("</think>")[2].strip()
    paragraphs = [part for part in answer.split("\n\n") if part.strip()]
    checked = re.search(r"\b(verified|checked)\b.*\bcorrect\b", answer) is not None
    return 0.0 if not answer else 0.1 + 0.2 * (len(paragraphs) >= 3) + 0.7 * checked


def grade_math(text: str, answer: Fraction, tokens: int) -> Grade:
    given = parse_number(last_boxed(text.rpartition("</think>")[2]))
    correct = given is not None and given == answer
    well_formed = text.count("<think>") == text.count("</think>") == 1 and last_boxed(text) is not None
    overlong = min(1.0, max(0.0, (tokens - SOFT_LENGTH) / SOFT_LENGTH))
    return Grade(
        rewards={
            "correct": float(correct),
            "format": FORMAT_REWARD if well_formed else 0.0,
            "judge": round(JUDGE_REWARD * judge(text), 4),
            "length": round(0.0 - LENGTH_PENALTY * overlong, 4),
        },
        metrics={
            "correct": float(correct),
            "format": float(well_formed),
            "has_boxed": float(last_boxed(text) is not None),
            "repetition": round(repetition(text), 4),
        },
    )


def grade_answer(text: str, answer: Fraction) -> float:
    """Whether the last ``<answer>`` of a conversation is the number asked for."""
    found = _ANSWER.findall(text)
    given = parse_number(found[-1].replace("$", "")) if found else None
    return float(given is not None and abs(given - answer) <= abs(answer) / 1000)
