"""AReaL: `{rollout|eval-rollout}/<policy version>/<task id>.jsonl`, one line a sample of the task's group."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, ClassVar

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from rollscope import render
from rollscope.formats.base import Claim, Place, Scan, Source
from rollscope.formats.conversations.turns import NOTHING_SAID
from rollscope.formats.folders import folder_named
from rollscope.formats.lines.flat import FlatFormat, Keys
from rollscope.formats.lines.row_reader import Reader, RecordReader
from rollscope.formats.lines.sealed import plain_names, read_bytes
from rollscope.formats.lines.step_files import first_keys, step_source
from rollscope.formats.sample_rows import sample_columns
from rollscope.model import Message, Sample
from rollscope.storage.store import Store

_FOLDERS = {"rollout": "train", "eval-rollout": "eval/rollout"}
#: Runs of output tokens by the version that sampled them; dumps that have it count only the prompt in `prompt_len`.
_VERSIONS = "version_rle"
#: Who wrote a stretch of the text, as newer dumps say it. What the policy did not sample came from the environment.
_SPEAKERS = {"prompt": "user", "gen": "assistant", "context": "tool"}
_MARKS = frozenset({"task_id", "sample_idx", "tail_version", "completion"})


#: More than a file of one task has.
_WHOLE = 1 << 40


class _Numbered(Struct):
    sample_idx: int | None = None


_PLACE = msgspec.json.Decoder(_Numbered)


class ArealFormat(FlatFormat):
    name = "areal"
    limits = (
        "Rejected trajectories are dumped like the others, and nothing tells them apart.",
        "In older dumps prompt_len counts every token that was not trained on: in several turns it is more than the prompt.",
        "AReaL writes no advantages and no golden answers.",
    )
    keys: ClassVar[Keys] = Keys(
        prompt="prompt",
        response="completion",
        reward="reward",
        group="task_id",
        prompt_tokens="prompt_len",
        total_tokens="seqlen",
        ignored=("sample_idx", "head_version", "tail_version"),
    )

    def detect(self, store: Store) -> Claim | None:
        keys, path = first_keys(store, [source.path for source in self.sources(store)])
        if not keys >= _MARKS:
            return None
        return Claim(confidence=0.95, reasons=(f"records with task_id, sample_idx and tail_version in {path}",))

    def sources(self, store: Store) -> Iterable[Source]:
        for folder, split in _FOLDERS.items():
            prefix = folder_named(store, folder)
            if prefix is None:
                continue
            versions = [name for name in store.folders(prefix.rstrip("/")) if name.isdecimal()]
            for version in sorted(versions, key=int):
                found = plain_names(store, f"{prefix}{version}")
                for name in sorted(found, key=_task):
                    if name.endswith(".jsonl"):
                        yield step_source(f"{prefix}{version}/{found[name]}", split=split, step=int(version))

    def reader(self, store: Store, source: Source) -> Reader:
        # Which tokens were sampled stands in a list, which must be looked into.
        keys, _ = first_keys(store, [source.path])
        return RecordReader(lambda record: record) if _VERSIONS in keys else super().reader(store, source)

    def scan(self, store: Store, source: Source, start: int, end: int) -> Scan:
        found = super().scan(store, source, start, end)
        groups = list(found.columns.get("group", ()))
        for row, (offset, group) in enumerate(zip(found.columns.get("offset", ()), groups)):
            if row == 0:
                dumps = _later_dumps(read_bytes(store, source.path, 0, _WHOLE if source.packed else found.end))
            if group is not None and offset in dumps:
                groups[row] = f"{group} ({dumps[offset]})"
        return replace(found, columns={**found.columns, "group": groups}) if groups else found

    def columns(self, rows: list[Any], source: Source) -> dict[str, Sequence[Any]]:
        if isinstance(rows[0], dict):
            place = Place(offset=0, length=0)
            return dict(sample_columns([self.sample(row, source, place) for row in rows]))
        columns = super().columns(rows, source)
        columns["completion_tokens"] = [_sampled(row.prompt_tokens, row.total_tokens) for row in rows]
        return columns

    def question_and_answer(self, record: dict[str, Any], source: Source) -> tuple[Any, Any]:
        asked, said = super().question_and_answer(record, source)
        if _VERSIONS in record or not isinstance(asked, str) or not isinstance(said, str):
            return asked, said
        # In several turns older dumps are cut anywhere, since what tools said counts as the prompt's.
        starts = render.answer_starts(asked)
        if not starts or NOTHING_SAID.fullmatch(asked, starts[-1]):
            return asked, said
        whole = asked + said
        return whole[: starts[0]], whole[starts[0] :]

    def sample(self, record: dict[str, Any], source: Source, place: Place) -> Sample:
        sample = super().sample(record, source, place)
        head, runs = record.get("head_version"), record.get(_VERSIONS)
        if isinstance(runs, list):
            lengths = [run[1] for run in runs if isinstance(run, list) and len(run) == 2 and type(run[1]) is int]
            sample.completion_tokens = sum(lengths) if len(lengths) == len(runs) else None
            sample.sampling_step = head if isinstance(head, int) and head >= 0 else None
        else:
            sample.completion_tokens = _sampled(sample.prompt_tokens, sample.total_tokens)
        if isinstance(head, int) and head >= 0:
            sample.notes.append(f"Its oldest token was sampled by policy version {head}.")
        if (told := _segment_messages(record)) and not any(
            part.type == "marker" for said in sample.messages for part in said.parts
        ):
            sample.messages = told
            sample.notes.append(
                "The text has no template's markers: what the policy did not sample is shown as a tool's."
            )
        return sample


def _segment_messages(record: dict[str, Any]) -> list[Message]:
    """The messages by `segments`: which stretches of the text were the prompt's, the policy's, and neither's."""
    segments = record.get("segments")
    if not isinstance(segments, list) or not all(isinstance(segment, dict) for segment in segments):
        return []
    told = [(_SPEAKERS.get(str(segment.get("role"))), segment.get("text")) for segment in segments]
    whole = "".join(text for _, text in told if isinstance(text, str))
    if whole != f"{record.get('prompt')}{record.get('completion')}" or not all(role for role, _ in told):
        return []
    chat = [{"role": role, "content": text} for role, text in told]
    first = next((place for place, (role, _) in enumerate(told) if role == "assistant"), len(told))
    messages = render.messages_from_chat(chat[:first], turn=None)
    messages += render.messages_from_chat(chat[first:], turn=0)
    for message in messages:
        message.guessed = message.role == "tool"
    return messages


def _later_dumps(data: bytes) -> dict[int, int]:
    """Where each line begins that is not of its file's first dump, and of which it is: every rank counts its tasks from 0,
    and so does a resumed run, so that tasks of one number share a file. Their samples are numbered from 0 each."""
    found: dict[int, int] = {}
    offset, last, dump = 0, -1, 1
    for line in data.split(b"\n"):
        try:
            place = _PLACE.decode(line).sample_idx
        except (msgspec.DecodeError, UnicodeDecodeError):
            place = None
        if place is not None:
            dump += place <= last
            last = place
        if dump > 1:
            found[offset] = dump
        offset += len(line) + 1
    return found


def _sampled(others: Any, all_tokens: Any) -> int | None:
    """`prompt_len` is what is left of all tokens without those that the policy sampled: also in several turns."""
    return all_tokens - others if type(others) is int and type(all_tokens) is int else None


def _task(name: str) -> tuple[int, str]:
    stem = name.removesuffix(".jsonl")
    return (int(stem) if stem.isdecimal() else -1, stem)
