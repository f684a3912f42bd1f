"""What a reward is made of, and which recorded value says whether the answer is right."""

from __future__ import annotations

import re

from rollscope.fields import VERDICTS
from rollscope.model import TOTAL_KEYS
from rollscope.query.insights.findings.model import SplitData
from rollscope.query.language.writing import member

#: Under these a record's components have the reward itself.
TOTALS = tuple(f"rewards.{key}" for key in TOTAL_KEYS)
#: Values beside the reward that are named as its components: "rewards/format", "format_reward".
_BESIDE = re.compile(
    r"metrics\.(?:(?:rewards?|reward_(?:components?|breakdown|details|parts)|component_rewards)[/.](.+)"
    r"|(.+)_rewards?|reward_(.+))"
)
#: Names of components that say it as well, but may be a graded score.
_GRADED = ("correctness", "exact_match", "resolved", "is_success", "is_solved", "answer_correctness", "math_verify")
_JUDGEMENTS = (*dict.fromkeys(name.partition(".")[2] for name in VERDICTS), *_GRADED)


def parts_of_reward(data: SplitData) -> dict[str, str]:
    """Column -> the component that it is. Some trainers' records have them beside the reward, as values like any other."""
    named = [name for name in data.table.column_names if data.has(name) and name not in TOTALS]
    own = {name: name.removeprefix("rewards.") for name in named if name.startswith("rewards.")}
    return own or {name: part for name in named if (part := _named_as_part(name)) not in (None, *TOTAL_KEYS)}


def _named_as_part(name: str) -> str | None:
    found = _BESIDE.fullmatch(name)
    return found[found.lastindex or 0] if found else None


def verdict_column(data: SplitData) -> str | None:
    """The column in which the trainer says whether an answer is right."""
    if (recorded := next((name for name in VERDICTS if data.has(name)), None)) is not None:
        return recorded
    by_part = {part: name for name, part in reversed(parts_of_reward(data).items())}
    return next((by_part[name] for name in _JUDGEMENTS if name in by_part), None)


def as_written(name: str) -> str:
    """A column as a filter names it."""
    space, _, rest = name.partition(".")
    return member(space, rest)
