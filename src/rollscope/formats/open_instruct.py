"""open-instruct: `{run}_rollouts_{shard}.jsonl` with token ids and no text, `{run}_metadata.jsonl` beside them.

Prompts that were left out of training lie in `{run}_filtered_rollouts_{shard}.jsonl`, with their reason and their texts.
Older versions append each step to `traces_{run}.jsonl`, as columns; some of them write texts beside the ids.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from rollscope.formats.base import Claim, Source
from rollscope.formats.json_values import count, items, mapping, number, numbers_of, text
from rollscope.formats.lines.flat import one_value
from rollscope.formats.lines.nested import NestedLines
from rollscope.formats.lines.sealed import is_sealed, plain_names
from rollscope.formats.lines.step_files import first_keys
from rollscope.formats.run_files import read_lines
from rollscope.formats.stop_reasons import status_of
from rollscope.model import Message, Sample, TokenArrays
from rollscope.render import split_conversation
from rollscope.storage.store import Store

_FILE = re.compile(r"(?P<run>.+?)(?P<filtered>_filtered)?_rollouts_(?P<shard>\d+)\.jsonl")
_OTHER_FILES = re.compile(r".+(_metadata|_trainer_logprobs_step\d+(_rank\d+)?)\.jsonl")
_TRACES = re.compile(r"traces_(?P<run>.+)\.jsonl")
_COLUMNS = frozenset({"training_step", "responses", "finish_reasons"})
#: A column of the older files -> what it is called now.
_NAMES = {
    "queries": "prompt_tokens", "responses": "response_tokens", "scores": "reward", "advantages": "advantage",
    "finish_reasons": "finish_reason", "ground_truths": "ground_truth", "datasets": "dataset",
    "raw_queries": "raw_prompt", "decoded_responses": "decoded_response",
}  # fmt: skip
_MARKS = frozenset({"step", "prompt_idx", "sample_idx", "prompt_tokens", "response_tokens"})
NO_TEXT = "Only token ids were written: the text needs the run's tokenizer."


class OpenInstructFormat(NestedLines):
    name = "open_instruct"
    grouping = "recorded"
    limits = (
        f"{NO_TEXT} Those of filtered prompts were written.",
        "Golden answers are token ids too.",
        "Log-probabilities of the trainer are packed over samples and ranks, and are not shown.",
    )

    def detect(self, store: Store) -> Claim | None:
        keys, path = first_keys(store, [source.path for source in self.sources(store)])
        if keys >= _MARKS:
            return Claim(
                confidence=1.0, reasons=(f"records with prompt_idx, sample_idx and response_tokens in {path}",)
            )
        if path.startswith("traces_") and keys >= _COLUMNS:
            return Claim(confidence=0.95, reasons=(f"columns of responses and finish_reasons by step in {path}",))
        return None

    def runs(self, store: Store) -> Sequence[str]:
        """Runs save into one folder, each under its name."""
        names = list(dict.fromkeys(run for run, _, _, _ in _shards(store)))
        return names if len(names) > 1 else ()

    def sources(self, store: Store) -> Iterable[Source]:
        return [
            Source(path=name, split="train", note=run, packed=is_sealed(name))
            for run, _, _, name in _shards(store)
            if not self.part or run == self.part
        ]

    def samples(self, record: dict[str, Any], source: Source) -> Sequence[Sample]:
        if "response_tokens" not in record and isinstance(record.get("responses"), list):
            return [_sample(row) for row in _rows(record)]
        return [_sample(record)]

    def config(self, store: Store) -> Any:
        names = [name for name in store.files() if name.endswith(f"{self.part}_metadata.jsonl")]
        found = [record for name in names for record in read_lines(store, name)]
        return (found[0] if len(found) == 1 else found) or None

    def claims(self, store: Store, path: str) -> bool:
        """What belongs to a run, and the samples of the other runs that were saved into its folder."""
        return any(pattern.fullmatch(path) is not None for pattern in (_OTHER_FILES, _FILE, _TRACES))


def _rows(record: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """A record for each sample of a step, as newer versions write them. A prompt's samples lie behind one another."""
    count = len(record["responses"])
    columns = {key: values for key in _NAMES if len(values := items(record.get(key))) == count}
    names = items(record.get("indices")) or columns.get("queries", [])
    places: dict[str, int] = {}
    for place in range(count):
        row = {_NAMES[key]: values[place] for key, values in columns.items()}
        row["advantage"] = one_value(row.get("advantage"))
        if len(names) == count:
            row["prompt_idx"] = places.setdefault(str(names[place]), len(places))
        yield {"step": record.get("training_step"), **row}


def _sample(record: dict[str, Any]) -> Sample:
    asked, answered = items(record.get("prompt_tokens")), items(record.get("response_tokens"))
    logprobs, golden = items(record.get("logprobs")), record.get("ground_truth")
    stop, discarded = text(record.get("finish_reason")), text(record.get("filter_reason"))
    dataset = record.get("dataset")
    question, answer = record.get("raw_prompt"), record.get("decoded_response")
    step = count(record.get("step"))
    step_known = step is not None and step >= 0
    notes = [] if isinstance(answer, str) else [NO_TEXT]
    return Sample(
        step=step if step is not None and step_known else 0,
        group=_group(record),
        dataset=text(dataset) or (", ".join(map(str, dataset)) if isinstance(dataset, list) else None),
        messages=_messages(question, answer, len(asked), len(answered)),
        reward=number(record.get("reward")),
        advantage=number(record.get("advantage")),
        discard_reason=discarded,
        golden_answers=_golden(golden),
        metrics=numbers_of(mapping(record.get("request_info"))),
        stop_reason=stop,
        status=status_of(stop),
        sampling_step=count(record.get("model_step")),
        prompt_tokens=len(asked) if "prompt_tokens" in record else None,
        completion_tokens=len(answered),
        total_tokens=len(asked) + len(answered) if "prompt_tokens" in record else None,
        tokens=TokenArrays(ids=answered, logprobs=logprobs if len(logprobs) == len(answered) else []),
        notes=notes if step_known else [*notes, "The trainer did not say its step."],
    )


def _group(record: dict[str, Any]) -> int | str | None:
    """The place of the prompt in its batch. A filtered prompt was no part of one: every one of them has the place 0."""
    if "filter_reason" not in record:
        return count(record.get("prompt_idx"))
    row = count(record.get("dataset_index"))
    return text(record.get("prompt_id")) or ("filtered" if row is None else f"filtered {row}")


def _golden(value: Any) -> dict[str, str]:
    if isinstance(value, str):
        return {"ground_truth": value} if value else {}
    if isinstance(value, list) and value and all(isinstance(item, str) for item in value):
        return {"ground_truth": "\n".join(value)}
    return {} if value in (None, []) else {"ground_truth (token ids)": str(value)}


def _messages(question: Any, answer: Any, asked: int, answered: int) -> list[Message]:
    if isinstance(question, str) and isinstance(answer, str):
        return split_conversation(question, answer)
    return [Message(role="prompt", tokens=asked), Message(role="assistant", tokens=answered, turn=0)]


def _shards(store: Store) -> list[tuple[str, bool, int, str]]:
    """(run, filtered prompts, number of the shard, file), in order."""
    names = plain_names(store).items()
    found = ((match, path) for name, path in names if (match := _FILE.fullmatch(name)))
    shards = sorted((match["run"], bool(match["filtered"]), int(match["shard"]), path) for match, path in found)
    older = [(match["run"], False, 0, path) for name, path in names if (match := _TRACES.fullmatch(name))]
    return shards or sorted(older)
