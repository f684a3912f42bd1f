"""open-instruct: `{run}_rollouts_{shard}.jsonl` with token ids and no text, `{run}_metadata.jsonl` beside them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Any

from rollscope.formats.base import Claim, Source
from rollscope.formats.lines.nested import NestedLines, count, items, mapping, number, numbers_of, text
from rollscope.formats.lines.step_files import first_keys
from rollscope.formats.run_files import read_lines
from rollscope.formats.stop_reasons import status_of
from rollscope.model import Message, Sample, TokenArrays
from rollscope.storage.store import Store

_FILE = re.compile(r"(?P<run>.+)_rollouts_(?P<shard>\d+)\.jsonl")
_MARKS = frozenset({"step", "prompt_idx", "sample_idx", "prompt_tokens", "response_tokens"})
NO_TEXT = "Only token ids were written: the text needs the run's tokenizer."


class OpenInstructFormat(NestedLines):
    name = "open_instruct"
    grouping = "recorded"
    limits = (NO_TEXT, "Golden answers are token ids too.")

    def detect(self, store: Store) -> Claim | None:
        keys, path = first_keys(store, [source.path for source in self.sources(store)])
        if not keys >= _MARKS:
            return None
        return Claim(confidence=1.0, reasons=(f"records with prompt_idx, sample_idx and response_tokens in {path}",))

    def runs(self, store: Store) -> Sequence[str]:
        """Runs save into one folder, each under its name."""
        names = list(dict.fromkeys(run for run, _, _ in _shards(store)))
        return names if len(names) > 1 else ()

    def sources(self, store: Store) -> Iterable[Source]:
        return [
            Source(path=name, split="train", note=run)
            for run, _, name in _shards(store)
            if not self.part or run == self.part
        ]

    def samples(self, record: dict[str, Any], source: Source) -> Sequence[Sample]:
        asked, answered = items(record.get("prompt_tokens")), items(record.get("response_tokens"))
        logprobs, golden = items(record.get("logprobs")), record.get("ground_truth")
        stop = text(record.get("finish_reason"))
        dataset = record.get("dataset")
        return [
            Sample(
                step=count(record.get("step")) or 0,
                group=count(record.get("prompt_idx")),
                dataset=text(dataset) or (", ".join(map(str, dataset)) if isinstance(dataset, list) else None),
                messages=[
                    Message(role="prompt", tokens=len(asked)),
                    Message(role="assistant", tokens=len(answered), turn=0),
                ],
                reward=number(record.get("reward")),
                advantage=number(record.get("advantage")),
                golden_answers={} if golden in (None, "", []) else {"ground_truth (token ids)": str(golden)},
                metrics=numbers_of(mapping(record.get("request_info"))),
                stop_reason=stop,
                status=status_of(stop),
                prompt_tokens=len(asked),
                completion_tokens=len(answered),
                total_tokens=len(asked) + len(answered),
                tokens=TokenArrays(ids=answered, logprobs=logprobs if len(logprobs) == len(answered) else []),
                notes=[NO_TEXT],
            )
        ]

    def config(self, store: Store) -> Any:
        names = [name for name in store.files() if name.endswith(f"{self.part}_metadata.jsonl")]
        found = [record for name in names for record in read_lines(store, name)]
        return (found[0] if len(found) == 1 else found) or None

    def claims(self, store: Store, path: str) -> bool:
        return path.endswith("_metadata.jsonl")


def _shards(store: Store) -> list[tuple[str, int, str]]:
    """(run, number of the shard, file), in order."""
    found = ((match, name) for name in store.files() if (match := _FILE.fullmatch(name)))
    return sorted((match["run"], int(match["shard"]), name) for match, name in found)
