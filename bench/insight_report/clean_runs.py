"""Runs without any trouble: drafts of samples that a format then writes."""

from __future__ import annotations

import json
import random
from dataclasses import dataclass, field

from bench.insight_report import prose

STEPS, GROUPS, MEMBERS = 40, 4, 8


@dataclass
class Call:
    name: str
    arguments: dict[str, object]
    result: str


@dataclass
class Draft:
    """A sample before it is written. What a trouble changes is changed here."""

    step: int
    group: int
    member: int
    env: str
    question: str
    golden: str | None
    thought: str | None
    said: str
    #: The final answer as it is written, in its marks.
    final: str
    right: bool
    reward: float
    status: str = "completed"
    components: dict[str, float] = field(default_factory=dict)
    calls: list[Call] = field(default_factory=list)
    staleness: int | None = None
    entropy: float | None = None
    mismatch: float | None = None
    #: Instead of all that was said.
    whole: str | None = None
    before: str = ""

    @property
    def response(self) -> str:
        if self.whole is not None:
            return self.whole
        thought = "" if self.thought is None else f"<think>\n{self.thought}\n</think>\n"
        return f"{self.before}{thought}{self.said}{' ' if self.final else ''}{self.final}"

    def end_with(self, text: str, keep: float = 0.5) -> None:
        """Whatever it said, it goes on like this from the middle."""
        response = self.response
        self.whole = response[: int(len(response) * keep)] + text


@dataclass
class Style:
    """What all samples of a run have in common."""

    language: str
    chars: int
    thinks: bool
    marks: str
    golden: str
    envs: int
    continuous: bool
    tools: bool = False
    tokens: bool = False
    components: bool = False


MARKS = {
    "boxed": "\\boxed{{{}}}",
    "tag": "<answer>{}</answer>",
    "hashes": "\n#### {}",
    "said": "The final answer is {}.",
    "bold": "**Answer:** {}",
}
GOLDEN = ("integer", "large", "decimal", "fraction", "tex", "choice", "words", "none")


def style_of(chance: random.Random, *, script: bool = True, golden: bool = False, marked: bool = False) -> Style:
    languages = prose.known_languages()
    return Style(
        language=chance.choice(["en", "en", "en", chance.choice(languages)]) if script else "en",
        chars=chance.choice((150, 400, 1000, 2500)),
        thinks=chance.random() < 0.6,
        marks=chance.choice(list(MARKS)[: 2 if marked else 5]),
        golden=chance.choice(GOLDEN[:-1] if golden else GOLDEN),
        envs=chance.choice((1, 1, 2, 3)),
        continuous=chance.random() < 0.3,
    )


def golden_of(kind: str, chance: random.Random) -> tuple[str, str]:
    """(the right answer, a wrong one)."""
    a, b = chance.sample(range(1000, 9999), 2)
    if kind == "integer":
        return str(a), str(b)
    if kind == "large":
        return f"{a},{chance.randint(100, 999)}", f"{b},{chance.randint(100, 999)}"
    if kind == "decimal":
        return f"{a / 100:.2f}", f"{b / 100:.2f}"
    if kind == "fraction":
        return f"{a}/{b + 1}", f"{b}/{a + 2}"
    if kind == "tex":
        return f"\\frac{{{a}}}{{{b}}}", f"\\frac{{{b}}}{{{a}}}"
    if kind == "choice":
        right, wrong = chance.sample("ABCDE", 2)
        return right, wrong
    words = [word for line in prose.lines("en")[::7] for word in line.split() if word.isalpha() and len(word) > 7]
    right, wrong = (" ".join(chance.sample(words, 2)) for _ in range(2))
    return right, wrong


def clean_run(chance: random.Random, style: Style, steps: int = STEPS) -> list[Draft]:
    drafts = []
    skill = chance.uniform(0.3, 0.7)
    for step in range(steps):
        for group in range(GROUPS):
            env = f"env{group % style.envs}"
            asked, wrong = golden_of(style.golden, chance)
            question = f"{prose.text(chance, 100, style.language)[:300]} ({step}.{group})"
            for member in range(MEMBERS):
                right = chance.random() < skill
                drafts.append(_draft(chance, style, step, group, member, env, question, asked, wrong, right))
    return drafts


def _draft(
    chance: random.Random, style: Style, step: int, group: int, member: int, env: str, question: str, asked: str, wrong: str,
    right: bool,
) -> Draft:  # fmt: skip
    told = asked if right else wrong
    reward = float(right)
    if style.continuous:
        reward = chance.betavariate(12, 2) if right else chance.betavariate(2, 12)
    draft = Draft(
        step=step,
        group=group,
        member=member,
        env=env,
        question=question,
        golden=None if style.golden == "none" else asked,
        thought=prose.text(chance, int(style.chars * chance.uniform(0.5, 1.5)), style.language)
        if style.thinks
        else None,
        said=prose.text(chance, int(style.chars * chance.uniform(0.3, 0.6)), style.language),
        final=MARKS[style.marks].format(told),
        right=right,
        reward=round(reward, 3),
    )
    if style.tools:
        for number in range(chance.randint(1, 3)):
            query = chance.choice(prose.lines("en"))[:40]
            # The documentation quotes tracebacks: as a tool's result that would be an error.
            results = [line for line in chance.choices(prose.lines("en"), k=8) if "Traceback (most recent" not in line]
            draft.calls.append(Call("search", {"query": query, "page": number}, results[0][:200]))
    if style.tokens:
        draft.staleness = chance.randint(0, 2)
        draft.entropy = chance.uniform(0.4, 1.2)
        draft.mismatch = chance.uniform(0.005, 0.03)
    if style.components:
        draft.components = {
            "correct": float(right),
            "format": round(chance.betavariate(2, 6), 2),
            "style": round(chance.uniform(0.2, 0.4), 2),
        }
        draft.reward = round(sum(draft.components.values()) / 3, 4)
    return draft


def arguments_of(call: Call) -> str:
    return json.dumps(call.arguments)
