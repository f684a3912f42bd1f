"""Whose transcript is this? Joins logged groups to recorded ones, and the transcripts of a group to its trajectories,
only where it is certain.

Transcripts lie in the order in which rollouts finished and carry no index, so position proves nothing (it is wrong in a
fifth of real groups). What proves something: a heading with the index, the reward and metrics logged with a transcript,
and the texts a trajectory logged itself. A transcript is joined when it agrees with exactly one trajectory and that
trajectory with no other transcript; several that say the same, word for word, are interchangeable.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import zip_longest
from typing import Any

import msgspec
from msgspec import Struct

from rollscope.formats.tinker.logtree import LoggedGroup, LoggedTranscript, NumberTables
from rollscope.formats.tinker.summaries import steps_of
from rollscope.model import as_number

Trajectory = dict[str, Any]


class LogOrder(Struct, kw_only=True, frozen=True):
    """What the run's configuration says about which groups are logged, and in which order."""

    #: Groups are numbered as they lie in the page: true of synchronous training and of evaluations.
    as_logged: bool = True
    #: Groups from this number on leave nothing in the page; None where that is not known.
    limit: int | None = None


def match_groups(
    logged: Sequence[LoggedGroup], numbers: Mapping[int, NumberTables], order: LogOrder
) -> dict[int, LoggedGroup]:
    """group_idx -> its logged group, each used once. `numbers` are those of every group of the summaries file.

    Where every logged group has the numbers of the group at its own place, that is the order, and groups behind the
    last one were not logged, whatever their numbers. Where one has not (groups were left out of training, or the page
    is of another attempt), or the trainer does not keep the order, equal numbers prove something only where exactly one
    logged group and exactly one recorded group have them.
    """
    own = [position for position, group in enumerate(logged) if numbers.get(position) == group.numbers]
    if order.as_logged and len(own) == len(logged):
        matched = {position: logged[position] for position in own}
    else:
        here, there = Counter(group.numbers for group in logged), Counter(numbers.values())
        by_numbers = {group.numbers: group for group in logged}
        matched = {
            position: by_numbers[known] for position, known in numbers.items() if here[known] == there[known] == 1
        }
    if order.limit is None or not order.as_logged:
        return matched
    # A number counts the groups that finished, so the group's place in the batch is at least as high.
    return {position: group for position, group in matched.items() if position < order.limit}


def recorded_numbers(trajectories: Sequence[Trajectory]) -> NumberTables:
    """The lengths and rewards of a group's trajectories, as a page shows them."""
    found = []
    for trajectory in trajectories:
        turns = tuple((str(step.get("ob_len")), str(step.get("ac_len"))) for step in steps_of(trajectory))
        found.append((trajectory["traj_idx"], turns, _rounded(trajectory.get("total_reward"))))
    return tuple(sorted(found))


def join(group: LoggedGroup, trajectories: Sequence[Trajectory]) -> dict[int, LoggedTranscript]:
    """traj_idx -> its transcript."""
    numbered = {t.trajectory: t for t in group.transcripts if t.trajectory is not None}
    if numbered:
        return numbered
    known = {trajectory["traj_idx"]: trajectory for trajectory in trajectories}
    # Retries leave transcripts of rollouts that were thrown away; then a reward alone does not tell them apart.
    numbers_suffice = len(group.transcripts) <= len(known)
    kinds: dict[bytes, list[LoggedTranscript]] = {}
    for transcript in group.transcripts:
        kinds.setdefault(msgspec.json.encode([transcript.prompt, transcript.response]), []).append(transcript)
    possible: dict[bytes, set[int]] = {}
    proven: set[tuple[bytes, int]] = set()
    for kind, transcripts in kinds.items():
        found = {index: _best_agreement(transcripts, trajectory) for index, trajectory in known.items()}
        if "texts" in found.values():
            # Said by one trajectory word for word: it is not that of another, of which nothing is known.
            found = {index: agreement for index, agreement in found.items() if agreement == "texts"}
        possible[kind] = {index for index, agreement in found.items() if agreement is not None}
        accepted = ("texts", "numbers") if numbers_suffice else ("texts",)
        proven |= {(kind, index) for index, agreement in found.items() if agreement in accepted}
    if len(group.transcripts) == len(known) == 1:
        proven |= {(kind, index) for kind in kinds for index in possible[kind]}
    joined = {}
    for kind, indices in possible.items():
        exclusive = all(index not in others for index in indices for k, others in possible.items() if k != kind)
        if exclusive and len(indices) <= len(kinds[kind]) and all((kind, index) in proven for index in indices):
            joined.update(dict.fromkeys(indices, kinds[kind][0]))
    return joined


def _best_agreement(transcripts: Sequence[LoggedTranscript], trajectory: Trajectory) -> str | None:
    found = {_agreement(transcript, trajectory) for transcript in transcripts}
    return next((agreement for agreement in ("texts", "numbers", "") if agreement in found), None)


def _agreement(transcript: LoggedTranscript, trajectory: Trajectory) -> str | None:
    """What speaks for this being the trajectory's transcript: its "texts", its "numbers" (or that it, too, said only
    white space), nothing (""), or None where something contradicts it."""
    steps = steps_of(trajectory)
    turns = [message for message in transcript.response if message.get("role") == "assistant"]
    facts = _compared_facts(transcript.facts, trajectory)
    if len(turns) != len(steps) or any(logged != recorded for logged, recorded in facts):
        return None
    texts = [comparison for message, step in zip(turns, steps) for comparison in _compared_texts(message, step["logs"])]
    if any(said != logged for said, logged in texts):
        return None
    if any(said.strip() for said, _ in texts):
        return "texts"
    return "numbers" if facts or texts else ""


def _compared_texts(message: dict[str, Any], logs: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """(as in the transcript, as logged) of one turn's words and tool calls."""
    words = logs.get("assistant_content")
    if isinstance(words, str):
        yield _spoken(message), words
    logged = [text for i in range(len(logs)) if isinstance(text := logs.get(f"tool_call_{i}"), str)]
    calls = message.get("tool_calls")
    made = [_call_text(call) for call in calls] if isinstance(calls, list) else []
    if words is not None or logged:
        yield from zip_longest(made, logged, fillvalue="")


def _compared_facts(facts: dict[str, str], trajectory: Trajectory) -> list[tuple[str, str]]:
    """(as logged, as recorded) of everything that both sides name."""
    steps = steps_of(trajectory)
    recorded: dict[str, Any] = {}
    for step in steps:
        recorded.update(step.get("metrics", {}))
    recorded.update(trajectory.get("trajectory_metrics") or {})
    recorded["reward"] = sum(as_number(step.get("reward")) or 0.0 for step in steps)
    pairs = []
    for name, logged in facts.items():
        number = as_number(logged)
        if name in recorded and number is not None:
            pairs.append((_rounded(number), _rounded(recorded[name])))
    return pairs


def _call_text(call: Any) -> str:
    """`name(arguments)`, as environments log it."""
    function = call.get("function") if isinstance(call, dict) else None
    return f"{function.get('name')}({function.get('arguments')})" if isinstance(function, dict) else ""


def _spoken(message: dict[str, Any]) -> str:
    """A message's text without its thoughts: what an environment logs as `assistant_content`."""
    content = message.get("content")
    if isinstance(content, str):
        return content
    parts = content if isinstance(content, list) else []
    return "".join(str(part.get("text", "")) for part in parts if isinstance(part, dict) and part.get("type") == "text")


def _rounded(value: Any) -> str:
    number = as_number(value)
    return "" if number is None else f"{number:.3f}"
