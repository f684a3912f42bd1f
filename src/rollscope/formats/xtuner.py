"""xtuner: `train_rollout/train_rollout_{step}.jsonl` and `eval_rollout/eval_rollout_{step}.jsonl` of an experiment.

The first line of a file is a summary of it; every other line is a sample. What an agent said and called is in
`agent.messages`, else there is one prompt and one response.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, ClassVar

from rollscope.formats.base import Claim, MetricRow, Source
from rollscope.formats.conversations import conversation
from rollscope.formats.lines.flat import chat, golden_answers
from rollscope.formats.lines.lenient import Unreadable, decode_line
from rollscope.formats.lines.nested import NestedLines, count, items, mapping, number, text
from rollscope.formats.lines.step_files import record_keys
from rollscope.formats.stop_reasons import status_of
from rollscope.model import STATUSES, Message, Sample, numbers
from rollscope.storage.store import Store

_FILE = re.compile(r"(train|eval)_rollout_(\d+)\.jsonl")
_FOLDERS = ("train_rollout", "eval_rollout")
_SUMMARY = frozenset({"reward_mean", "total_len"})
_SAMPLE = frozenset({"prompt", "response", "reward"})
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
            for line in store.first_lines(source.path, count=2):
                keys = record_keys(line)
                if keys >= _SUMMARY or keys >= _SAMPLE:
                    return Claim(confidence=0.95, reasons=(f"{source.path} is named as xtuner's, and has its records",))
        return None

    def sources(self, store: Store) -> Iterable[Source]:
        """The experiment's folders, or files directly here."""
        found = []
        for folder in (*_FOLDERS, ""):
            names = [match for name in store.files(folder) if (match := _FILE.fullmatch(name))]
            found += [(match[1] == "eval", int(match[2]), f"{folder}/{match[0]}".lstrip("/")) for match in names]
        for is_eval, step, path in sorted(found):
            yield Source(path=path, split=None if is_eval else "train", step=step)

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
                record = decode_line(store.first_line(source.path))[0]
            except Unreadable:
                continue
            if record.keys() >= _SUMMARY and not record.keys() & _SAMPLE:
                kind = "rollout" if source.split == "train" else "eval_rollout"
                values = {f"{kind}/{name}": value for name, value in numbers(record)}
                yield MetricRow(step=source.step or 0, time=None, values=values)


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
    tool_turns = number(agent.get("tool_turns"))
    return Sample(
        messages=_messages(record, agent),
        group=record.get("group_id") if isinstance(record.get("group_id"), (int, str)) else None,
        env=text(record.get("task_name")),
        dataset=text(record.get("data_source")),
        reward=reward,
        rewards=parts,
        metrics={} if tool_turns is None else {"tool_turns": tool_turns},
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


def _messages(record: dict[str, Any], agent: dict[str, Any]) -> list[Message]:
    prompt, told = record.get("prompt"), items(agent.get("messages"))
    if told:
        asked = prompt if isinstance(prompt, list) and told[: len(prompt)] == prompt else None
        return conversation(told, answered_from=None if asked is None else len(asked))
    return [*chat(prompt, "user", None), *chat(record.get("response"), "assistant", 0)]
