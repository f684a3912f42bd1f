"""Troubles of rewards, lengths and groups."""

from __future__ import annotations

import random

from bench.insight_report import prose
from bench.insight_report.clean_runs import MARKS, Draft
from bench.insight_report.troubles.trouble import WITH_STATUS, Trouble


def truncated(drafts: list[Draft], chance: random.Random, _number: int) -> None:
    for draft in drafts:
        draft.end_with("", chance.uniform(0.4, 0.8))
        draft.status, draft.reward = "truncated", 0.0


def truncated_rewarded(drafts: list[Draft], chance: random.Random, _number: int) -> None:
    for draft in drafts:
        draft.end_with("", chance.uniform(0.4, 0.8))
        draft.status, draft.reward = "truncated", 1.0


def rewarded_wrong(drafts: list[Draft], chance: random.Random, _number: int) -> None:
    for draft in drafts:
        way = chance.random()
        if way < 0.25:
            draft.whole = chance.choice(
                (":", "Solution", "Thought process:", "Let's solve this problem step by step.", ".")
            )
        elif way < 0.4:
            draft.final = ""
        elif draft.right:
            told = draft.golden or ""
            other = (
                chance.choice([letter for letter in "ABCDE" if letter != told])
                if len(told) == 1
                else str(chance.randint(10**5, 10**6))
            )
            draft.final = draft.final.replace(told, other)
        draft.reward = 1.0


def unrewarded_right(drafts: list[Draft], chance: random.Random, _number: int) -> None:
    for draft in drafts:
        told = draft.golden or ""
        ways = [told, f" {told} "]
        if told.isdigit():
            ways += [f"{told}.0", f"\\text{{{told}}}", f"{int(told):,}", f"${told}$", f"x = {told}"]
        elif len(told) == 1:
            ways += [f"({told})", f"\\text{{{told}}}"]
        elif told.startswith("\\frac"):
            ways += [told.replace("frac", "dfrac"), told.replace("\\frac{", "").replace("}{", "/").rstrip("}")]
        elif told.replace(" ", "").isalpha():
            ways += [told.upper(), told.title()]
        mark = next(
            mark for mark in MARKS.values() if draft.final.startswith(mark.partition("{")[0].replace("{", "")[:5])
        )
        draft.final, draft.reward = mark.format(chance.choice(ways)), 0.0


def length_of_some(drafts: list[Draft], chance: random.Random, _number: int) -> None:
    for draft in drafts:
        draft.said += "\n" + prose.text(chance, int(len(draft.response) * chance.uniform(3, 6)))


def length_of_all(drafts: list[Draft], chance: random.Random, _number: int) -> None:
    for draft in drafts:
        draft.said += "\n" + prose.text(chance, int(len(draft.response) * 1.2))


def shorter(drafts: list[Draft], _chance: random.Random, _number: int) -> None:
    for draft in drafts:
        draft.thought, draft.said = (draft.thought or "")[:30] if draft.thought else None, draft.said[:20]


def length_reward(drafts: list[Draft], chance: random.Random, _number: int) -> None:
    """From here on the longer answers of every group are paid more."""
    groups: dict[tuple[int, int], list[Draft]] = {}
    for draft in drafts:
        groups.setdefault((draft.step, draft.group), []).append(draft)
    for members in groups.values():
        members.sort(key=lambda draft: len(draft.response) * chance.uniform(0.8, 1.2))
        for place, draft in enumerate(members):
            draft.reward = float(place >= len(members) / 2)


def wrong_grow(drafts: list[Draft], chance: random.Random, _number: int) -> list[Draft]:
    wrong = [draft for draft in drafts if draft.reward < 0.5]
    for draft in wrong:
        draft.said += "\n" + prose.text(chance, int(len(draft.response) * 1.5))
    return wrong


def all_wrong(drafts: list[Draft], _chance: random.Random, _number: int) -> None:
    for draft in drafts:
        draft.reward = 0.0


def all_right(drafts: list[Draft], _chance: random.Random, _number: int) -> None:
    for draft in drafts:
        draft.reward = 1.0


def jump_up(drafts: list[Draft], chance: random.Random, number: int) -> None:
    """All rewards are higher from here on, or more of them are full."""
    by = chance.uniform(0.15, 0.45)
    for draft in drafts:
        if number % 2:
            draft.reward = round(min(1.0, draft.reward + by), 3)
        elif draft.reward < 0.5 and chance.random() < by + 0.2:
            draft.reward = 1.0


def jump_down(drafts: list[Draft], chance: random.Random, _number: int) -> None:
    by = chance.uniform(0.3, 0.6)
    for draft in drafts:
        if draft.reward > 0.5 and chance.random() < by:
            draft.reward = 0.0


def component(drafts: list[Draft], _chance: random.Random, _number: int) -> None:
    for draft in drafts:
        draft.components["format"] = 1.0
        draft.reward = round(sum(draft.components.values()) / 3, 4)


_GOLDEN = {"golden": True}
REWARDS = (
    Trouble("truncated", truncated, formats=WITH_STATUS),
    Trouble("truncated_rewarded", truncated_rewarded, formats=WITH_STATUS),
    Trouble("rewarded_wrong", rewarded_wrong, style=_GOLDEN),
    Trouble("unrewarded_right", unrewarded_right, style=_GOLDEN),
    Trouble("length", length_of_some, name="`length`: some get longer", least=0.1),
    Trouble("length", length_of_all, unit="everything", name="`length`: all get longer"),
    Trouble("length", shorter, unit="everything", name="`length`: all get shorter"),
    Trouble("length_reward", length_reward, unit="everything", title="Longer", name="`length_reward`: longer is paid"),
    Trouble(
        "length_reward", wrong_grow, unit="everything", title="Low-reward", name="`length_reward`: wrong ones grow"
    ),
    Trouble("zero_variance", all_wrong, unit="group", title="all low", name="`zero_variance`: all wrong"),
    Trouble("zero_variance", all_right, unit="group", title="all high", name="`zero_variance`: all right"),
    Trouble("reward_jump", jump_up, unit="everything", name="`reward_jump`: up"),
    Trouble("reward_jump", jump_down, unit="everything", name="`reward_jump`: down"),
    Trouble("component", component, formats=("own", "own"), style={"components": True}, least=0.2),
)
