"""Compares what is read from a fixture with the `<name>_expected.json` beside it, by the rules of the fixtures' README.

One object per sample: split, kind, step, group, reward, discarded, response_tail, advantage. null is not compared, and
groups are compared as a partition within split and step. A test says only `assert_as_expected("xtuner")`.
"""

from __future__ import annotations

import json
import math
import re
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from tests.fixtures import fixture_path

from rollscope.model import Message, Sample
from rollscope.query.library import Library

Expected = dict[str, Any]
TAIL = 20
_END = re.compile(r"(\s|<\|im_end\|>|<\|endoftext\|>|<\|eot_id\|>|<\|end\|>|<end_of_turn>|<eos>|</s>)+\Z")


def assert_as_expected(name: str, *, path: Path | None = None) -> None:
    """All samples of the fixture `name`, in all runs found there, are those of `name_expected.json`, and no others."""
    expected: list[Expected] = json.loads(fixture_path(f"{name}_expected.json").read_text())
    assert_samples(found_samples(path or fixture_path(name)), expected)


def found_samples(path: Path) -> list[Sample]:
    """Every sample below `path`, opened. Its group is made unique over the runs that were found."""
    found = []
    for run in Library([path]).runs():
        for row in run.samples(discarded=None).rows:
            sample = run.sample(row.address)
            assert (row.reward is None) == (sample.reward is None), f"{row.address}: list and sample differ in reward"
            sample.group = f"{run.id}:{row.group}"
            found.append(sample)
    return found


def assert_samples(found: Sequence[Sample], expected: Sequence[Expected]) -> None:
    partner = _matching(found, expected)
    missing = [wanted for wanted, position in zip(expected, partner) if position is None]
    extra = [_shown(found[position]) for position in range(len(found)) if position not in partner]
    assert (missing, extra) == ([], []), _difference(missing, extra)
    assert len(found) == len(expected)
    _assert_same_groups([found[position] for position in partner if position is not None], expected)


def _matching(found: Sequence[Sample], expected: Sequence[Expected]) -> list[int | None]:
    """For each expected sample the position of one that agrees with it, each used once (augmenting paths): with
    nulls that agree with anything, equal keys alone would not do."""
    agreeing = [[i for i, sample in enumerate(found) if agrees(sample, wanted)] for wanted in expected]
    owner: dict[int, int] = {}

    def place(wanted: int, tried: set[int]) -> bool:
        for position in agreeing[wanted]:
            if position not in tried:
                tried.add(position)
                if position not in owner or place(owner[position], tried):
                    owner[position] = wanted
                    return True
        return False

    for wanted in range(len(expected)):
        place(wanted, set())
    partner: list[int | None] = [None] * len(expected)
    for position, wanted in owner.items():
        partner[wanted] = position
    return partner


def agrees(sample: Sample, wanted: Expected) -> bool:
    known = {
        "split": sample.split,
        "kind": "train" if sample.split == "train" else "eval",
        "step": sample.step,
        "discarded": sample.discard_reason is not None,
    }
    return (
        all(wanted[name] is None or value == wanted[name] for name, value in known.items())
        and _same_number(sample.reward, wanted["reward"])
        and _same_number(sample.advantage, wanted["advantage"])
        and (wanted["response_tail"] is None or wanted["response_tail"] in response_tails(sample))
    )


def _same_number(value: float | None, wanted: float | None) -> bool:
    if wanted is None or value is None:
        return wanted is None
    return math.isclose(value, wanted, rel_tol=1e-6, abs_tol=1e-9) or (math.isnan(value) and math.isnan(wanted))


def response_tails(sample: Sample) -> set[str]:
    """How the final assistant text ends. A call in the text itself belongs to it and one beside it does not, which the
    parts do not tell apart: both readings count."""
    spoken = [message for message in sample.messages if message.role == "assistant" and message.turn is not None]
    last = spoken[-1:] or [Message(role="assistant")]
    with_text = [message for message in spoken if _text(message, calls=False).strip()][-1:]
    return {_tail(_text(message, calls)) for message in (*last, *with_text) for calls in (True, False)}


def _text(message: Message, calls: bool) -> str:
    left_out = {"thinking", "marker"} if calls else {"thinking", "marker", "tool_call"}
    return "".join(part.text for part in message.parts if part.type not in left_out)


def _tail(text: str) -> str:
    return _END.sub("", text.rpartition("</think>")[2])[-TAIL:]


def _assert_same_groups(found: Sequence[Sample], expected: Sequence[Expected]) -> None:
    """The same partition: equal counts of groups that hold equal samples. Which of two equal samples is which is left
    open, so members are compared by what they say."""
    ours: dict[Any, Counter[Any]] = {}
    theirs: dict[Any, Counter[Any]] = {}
    for sample, wanted in zip(found, expected):
        if wanted["group"] is None:
            continue
        place = (wanted["split"] or wanted["kind"], wanted["step"])
        member = (wanted["reward"], wanted["response_tail"], wanted["advantage"])
        ours.setdefault((place, sample.group), Counter())[member] += 1
        theirs.setdefault((place, wanted["group"]), Counter())[member] += 1
    assert _partition(ours) == _partition(theirs), "the samples agree, but not their groups"


def _partition(groups: dict[Any, Counter[Any]]) -> Counter[Any]:
    return Counter((place, frozenset(members.items())) for (place, _), members in groups.items())


def _shown(sample: Sample) -> str:
    values = (sample.address, sample.reward, sample.discard_reason, sample.advantage, sorted(response_tails(sample)))
    return "{} reward {}, discarded {}, advantage {}, ends {}".format(*values)


def _difference(missing: Sequence[Expected], extra: Sequence[str]) -> str:
    lines = [f"{len(missing)} expected samples are missing, {len(extra)} are not expected"]
    lines += [f"missing: {json.dumps(wanted)}" for wanted in missing[:5]]
    return "\n".join([*lines, *(f"not expected: {line}" for line in extra[:5])])
