"""A sample's texts: its own transcript from the logtree where one is its own for certain, else what its group shares.

Logtree files are megabytes of JSON, so they are parsed only when a sample is opened, and the last few are kept.
"""

from __future__ import annotations

from typing import Any

from msgspec import Struct

from rollscope import render
from rollscope.formats.base import Source
from rollscope.formats.run_files import read_config, read_lines
from rollscope.formats.tinker.join_transcripts import LogOrder, join, match_groups, recorded_numbers
from rollscope.formats.tinker.logtree import LoggedGroup, LoggedTranscript, Messages, NumberTables, read_logtree
from rollscope.model import Message, Sample, Transcript
from rollscope.storage.open_files import DAMAGED, KeptOpen
from rollscope.storage.store import Store

SUMMARIES = "_rollout_summaries.jsonl"
LOGTREE = "_logtree.json"
_NOT_LOGGED = (
    "No logged group is this sample's for certain; the trainer logs only the first groups (num_groups_to_log)."
)


class Recorded(Struct, kw_only=True):
    """The trajectories of a summaries file by group."""

    groups: dict[int, list[dict[str, Any]]]
    numbers: dict[int, NumberTables]


def _read_trajectories(store: Store, path: str) -> Recorded:
    groups: dict[int, list[dict[str, Any]]] = {}
    for record in read_lines(store, path):
        group = record.get("group_idx")
        if isinstance(record.get("traj_idx"), int) and isinstance(group, int):
            groups.setdefault(group, []).append(record)
    return Recorded(
        groups=groups, numbers={group: recorded_numbers(trajectories) for group, trajectories in groups.items()}
    )


_logtrees: KeptOpen[list[LoggedGroup]] = KeptOpen(read_logtree, limit=4, attempts=1)
_configs: KeptOpen[Any] = KeptOpen(read_config, limit=4, attempts=1)
_trajectories: KeptOpen[Recorded] = KeptOpen(_read_trajectories, limit=4, attempts=1)


def add_transcripts(store: Store, source: Source, sample: Sample) -> None:
    """Fills in the sample's messages, golden answer and unmatched transcripts. `sample` comes from its line and has
    what its steps logged as messages."""
    rebuilt, before = bool(sample.messages), len(sample.notes)
    if _join_transcript(store, source, sample):
        return
    if rebuilt:
        sample.notes.append("Rebuilt from what its steps logged, without thoughts; the trainer keeps no more of it.")
    elif len(sample.notes) == before and not sample.messages and not sample.unmatched:
        sample.notes.append("The trainer wrote no text of this sample, only its numbers.")


def _join_transcript(store: Store, source: Source, sample: Sample) -> bool:
    path = source.path.removesuffix(SUMMARIES) + LOGTREE
    position, trajectory = sample.record.get("group_idx"), sample.record.get("traj_idx")
    if not store.exists(path) or not isinstance(position, int):
        return False
    try:
        logged = _logtrees.use(store, path, list)
        recorded = _trajectories.use(store, source.path, lambda found: found)
        order = _order(store, source)
    except DAMAGED as error:
        sample.notes.append(f"The transcripts in {path} cannot be read: {error}")
        return False
    group = match_groups(logged, recorded.numbers, order).get(position)
    if group is None:
        sample.notes.append(_NOT_LOGGED)
        return False
    if not group.transcripts:
        return False
    joined = join(group, recorded.groups[position])
    own = joined.get(trajectory) if isinstance(trajectory, int) else None
    if own is not None:
        _use_transcript(sample, own)
        return True
    _use_group(sample, group, list(joined.values()))
    return False


def _order(store: Store, source: Source) -> LogOrder:
    config = _configs.use(store, "config.json", lambda found: found)
    if source.split != "train" or not isinstance(config, dict):
        return LogOrder()  # evaluators have limits of their own, which are not written down
    limit = config.get("num_groups_to_log")
    return LogOrder(
        as_logged=not config.get("stream_minibatch_config") and not config.get("async_config"),
        limit=limit if isinstance(limit, int) else None,
    )


def _use_transcript(sample: Sample, own: LoggedTranscript) -> None:
    said = _messages(own.response, turn=0)
    spoken = [message for message in said if message.role == "assistant"]
    if len(spoken) == len(sample.turns):
        # Here every assistant message is a turn, also two in a row.
        for turn, first, after in zip(sample.turns, spoken, [*spoken[1:], None]):
            first.tokens = turn.completion_tokens
            start = said.index(first)
            for message in said[start : said.index(after) if after else None]:
                message.turn = turn.index
    sample.messages = [*_prompt_messages(own), *said]
    sample.golden_answers = _reference(own)
    if own.trajectory is None:
        sample.notes.append(
            "The transcript carries no index; rewards, metrics or texts logged with it say it is this one's."
        )


def _use_group(sample: Sample, group: LoggedGroup, taken: list[LoggedTranscript]) -> None:
    prompts = [transcript.prompt for transcript in group.transcripts]
    if all(prompt == prompts[0] for prompt in prompts):
        sample.messages = [*_prompt_messages(group.transcripts[0]), *sample.messages]
    answers = [_reference(transcript) for transcript in group.transcripts]
    if all(answer == answers[0] for answer in answers):
        sample.golden_answers = answers[0]
    left = [transcript for transcript in group.transcripts if transcript not in taken]
    sample.unmatched = [_unmatched(transcript, number) for number, transcript in enumerate(left)]
    if left:
        sample.notes.append(
            f"{len(left)} transcript{'s' if len(left) > 1 else ''} of its group cannot be told to be anyone's for certain; "
            "this sample's may be among them."
        )


def _prompt_messages(transcript: LoggedTranscript) -> list[Message]:
    return _messages(transcript.prompt, turn=None)


def _messages(logged: Messages, *, turn: int | None) -> list[Message]:
    """Chat messages as ours. Calls that the trainer could not parse are shown as the model wrote them."""
    known = [{key: value for key, value in message.items() if key != "unparsed_tool_calls"} for message in logged]
    messages = render.messages_from_chat(known, turn=turn)
    for message, source in zip(messages, logged):
        for call in source.get("unparsed_tool_calls") or ():
            if isinstance(call, dict) and isinstance(call.get("raw_text"), str):
                message.parts += render.split_parts(call["raw_text"])
    return messages


def _unmatched(transcript: LoggedTranscript, number: int) -> Transcript:
    facts = ", ".join(f"{name} {value}" for name, value in transcript.facts.items() if name in ("reward", "correct"))
    return Transcript(
        title=f"{transcript.title} {number + 1}" + (f" ({facts})" if facts else ""),
        messages=_messages(transcript.response, turn=0),
    )


def _reference(transcript: LoggedTranscript) -> dict[str, str]:
    return {name: value for name, value in transcript.facts.items() if name == "reference_answer"}
