"""xtuner: `train_rollout/train_rollout_{step}.jsonl` and `eval_rollout/eval_rollout_{step}.jsonl` of an experiment.

The first line of a file is a summary of it; every other line is a sample. What an agent said and called is in
`agent.messages`, else there is one prompt and one response. Before 1.0 the files were `rollout_idx_{step}_trajectory.jsonl`
and `eval_{step}_trajectory.jsonl`, and each record stood over several lines, as it did at first in the folders of today.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, ClassVar

from rollscope.formats.base import Claim, MetricRow, Scan, Source
from rollscope.formats.conversations.turns import conversation
from rollscope.formats.json_values import count, items, mapping, number, text
from rollscope.formats.lines.flat import chat, golden_answers
from rollscope.formats.lines.jsonl import ScanBuilder
from rollscope.formats.lines.lenient import Unreadable, decode_line
from rollscope.formats.lines.nested import NestedLines
from rollscope.formats.lines.sealed import is_sealed, plain_names, read_bytes
from rollscope.formats.lines.step_files import record_keys
from rollscope.formats.stop_reasons import status_of
from rollscope.model import STATUSES, Message, Sample, numbers
from rollscope.storage.store import Store

_FILE = re.compile(r"(train|eval)_rollout_(\d+)\.jsonl")
_OLDER = re.compile(r"(rollout_idx|eval)_(\d+)_trajectory\.jsonl")
_FOLDERS = ("train_rollout", "eval_rollout")
_SUMMARY = frozenset({"reward_mean", "total_len"})
_SAMPLE = frozenset({"prompt", "response", "reward"})
#: A record over several lines, which begins and ends at the beginning of one, or on one line.
_RECORD = re.compile(rb"^\{(?:\r?\n.*?^\}|[^\n]*\})[ \t]*\r?$", re.DOTALL | re.MULTILINE)
_OVER_LINES = re.compile(rb"\s*\{\s*\n")
_HEAD = 256 << 10
#: More than a file whose records stand over several lines has: it is read as a whole.
_WHOLE = 1 << 40
#: What became of a sample that was not trained on.
_DISCARDED = frozenset({"filtered", "skipped", "expired", "archived"})


class XtunerFormat(NestedLines):
    name = "xtuner"
    limits: ClassVar[tuple[str, ...]] = (
        "Groups that xtuner found invalid are not written.",
        "Advantages, token ids and log-probabilities are not written.",
    )

    def detect(self, store: Store) -> Claim | None:
        for source in self.sources(store):
            head = _head(store, source.path)
            for line in head.split(b"\n", 2)[:2] if source.appendable else [head]:
                keys = record_keys(line)
                if keys >= _SUMMARY or keys >= _SAMPLE:
                    return Claim(confidence=0.95, reasons=(f"{source.path} is named as xtuner's, and has its records",))
        return None

    def sources(self, store: Store) -> Iterable[Source]:
        """The experiment's folders, or files directly here."""
        for folder in (*_FOLDERS, ""):
            for pattern in (_FILE, _OLDER):
                names = plain_names(store, folder)
                matches = [match for name in names if (match := pattern.fullmatch(name))]
                found = sorted(
                    (match[1] == "eval", int(match[2]), f"{folder}/{names[match[0]]}".lstrip("/")) for match in matches
                )
                # One version writes all files of a folder.
                in_lines = bool(found) and not _OVER_LINES.match(_head(store, found[0][2]))
                for is_eval, step, path in found:
                    split = None if is_eval else "train"
                    yield Source(path=path, split=split, step=step, appendable=in_lines, packed=is_sealed(path))

    def scan(self, store: Store, source: Source, start: int, end: int) -> Scan:
        if source.appendable:
            return super().scan(store, source, start, end)
        data = read_bytes(store, source.path, 0, _WHOLE) if source.packed else store.read(source.path)
        places = [match.span() for match in _RECORD.finditer(data)]
        out = ScanBuilder(source, 0)
        whole = memoryview(data)
        self._add_batch(out, self.reader(store, source), [whole[a:b] for a, b in places], [a for a, _ in places], whole)
        out.end = end if source.packed else len(data)
        return out.result()

    def samples(self, record: dict[str, Any], source: Source) -> Sequence[Sample]:
        if not record.keys() & _SAMPLE and record.keys() >= _SUMMARY:
            return []
        if not record.keys() & {"prompt", "response", "agent"}:
            raise Unreadable("neither a summary nor a sample")
        sample = _sample(record)
        if source.split is None:
            sample.split = f"eval/{sample.dataset or sample.env or 'all'}"
        return [sample]

    def metric_files(self, store: Store) -> list[str]:
        return [source.path for source in self.sources(store)]

    def metrics(self, store: Store) -> Iterator[MetricRow]:
        """The summaries: what the trainer says of each file."""
        for source in self.sources(store):
            try:
                record = decode_line(_first_record(store, source))[0]
            except Unreadable:
                continue
            if record.keys() >= _SUMMARY and not record.keys() & _SAMPLE:
                kind = "rollout" if source.split == "train" else "eval_rollout"
                values = {f"{kind}/{name}": value for name, value in numbers(record)}
                yield MetricRow(step=source.step or 0, time=None, values=values)


def _first_record(store: Store, source: Source) -> bytes:
    head = _head(store, source.path)
    if source.appendable:
        return head.partition(b"\n")[0]
    match = _RECORD.search(head)
    return match[0] if match else b""


def _head(store: Store, path: str) -> bytes:
    try:
        return read_bytes(store, path, 0, _HEAD)
    except (OSError, Unreadable):
        return b""


def _sample(record: dict[str, Any]) -> Sample:
    agent = mapping(record.get("agent"))
    reward = number(record.get("reward"))
    parts = dict(numbers(mapping(record.get("reward_payload"))))
    if parts.get("score") == reward:
        parts.pop("score", None)
    status, stop = text(record.get("status")) or text(agent.get("status")), text(record.get("finish_reason"))
    ended = status_of(stop)
    discarded = status if status in _DISCARDED else None
    prompt_tokens, completion_tokens = count(record.get("prompt_len")), count(record.get("response_len"))
    known = None not in (prompt_tokens, completion_tokens)
    error = text(record.get("error_msg"))
    counts = {"tool_turns": number(agent.get("tool_turns")), "version": number(record.get("version"))}
    return Sample(
        messages=_messages(record, agent),
        group=next(
            (told for key in ("group_id", "action_id") if isinstance(told := record.get(key), (int, str))), None
        ),
        env=text(record.get("task_name")),
        dataset=_dataset(record.get("data_source")),
        reward=reward,
        rewards=parts,
        metrics={name: value for name, value in counts.items() if value is not None},
        golden_answers=golden_answers("label", record.get("label")),
        # A sample that ran into the limit is completed for xtuner.
        status=ended if ended == "truncated" or status not in STATUSES else status,
        stop_reason=stop,
        discard_reason=discarded,
        prompt_tokens=prompt_tokens,
        completion_tokens=completion_tokens,
        total_tokens=(prompt_tokens or 0) + (completion_tokens or 0) if known else None,
        notes=[f"Error: {error}"] if error else [],
    )


def _dataset(source: Any) -> str | None:
    """A name, or the weights of its judgers by theirs."""
    if isinstance(source, dict):
        return ", ".join(str(name) for name, weight in source.items() if weight) or None
    return text(source)


def _messages(record: dict[str, Any], agent: dict[str, Any]) -> list[Message]:
    prompt, told = record.get("prompt"), items(agent.get("messages"))
    if told:
        asked = prompt if isinstance(prompt, list) and told[: len(prompt)] == prompt else None
        return conversation(told, answered_from=None if asked is None else len(asked))
    return [*chat(prompt, "user", None), *chat(record.get("response"), "assistant", 0)]
