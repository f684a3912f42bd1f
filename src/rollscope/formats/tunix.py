"""Tunix: `trajectory_log_<time>.csv`, a row a trajectory, its lists written as Python literals."""

from __future__ import annotations

import ast
import csv
import io
import re
from collections.abc import Iterable, Sequence
from typing import Any

from rollscope.formats.base import Claim, Source
from rollscope.formats.containers.documents import MAX_DOCUMENT_BYTES, DocumentFormat
from rollscope.formats.conversations import conversation
from rollscope.formats.lines.lenient import Unreadable
from rollscope.formats.lines.nested import items, mapping, number
from rollscope.model import Sample, TokenArrays
from rollscope.storage.store import Store

_FILE = re.compile(r"trajectory_log_\d+\.csv")
_MARKS = frozenset({"conversation_text", "trajectory_reward"})
#: Cells hold whole conversations; Python's default is 131,072 characters.
_MAX_CELL = 256 << 20
_STATUS = {
    "SUCCEEDED": "completed",
    "TRUNCATED": "truncated",
    "TIMEOUT": "aborted",
    "FAILED": "failed",
    "ERROR": "failed",
}
_GOLDEN = ("answer", "answers", "ground_truth", "target")


class TunixFormat(DocumentFormat):
    name = "tunix"
    grouping = "recorded"
    limits = ("Tunix writes the policy's version, which is taken for the step.", "Tunix writes no advantages.")

    def detect(self, store: Store) -> Claim | None:
        for source in self.sources(store):
            header = store.first_lines(source.path)
            names = set(next(csv.reader([header[0].decode("utf-8", "replace")]), [])) if header else set()
            if names >= _MARKS:
                return Claim(confidence=0.95, reasons=(f"{source.path} has conversation_text and trajectory_reward",))
        return None

    def sources(self, store: Store) -> Iterable[Source]:
        for name in store.files():
            if _FILE.fullmatch(name):
                yield Source(path=name, split="train", appendable=False)

    def read(self, store: Store, path: str) -> Any:
        stat = store.stat(path)
        if stat is not None and stat.size > MAX_DOCUMENT_BYTES:
            raise Unreadable(f"a table of {stat.size:,} bytes; more than {MAX_DOCUMENT_BYTES:,} are not read")
        csv.field_size_limit(_MAX_CELL)
        text = store.read(path).decode("utf-8", "replace").replace("\0", "\ufffd")
        rows = list(csv.DictReader(io.StringIO(text, newline="")))
        # A row that is being written ends before its last column.
        return [row for row in rows if None not in row.values()]

    def records(self, document: Any, source: Source) -> Sequence[Any]:
        return items(document)

    def sample(self, record: Any, source: Source) -> Sample:
        cells = {key: _literal(value) for key, value in mapping(record).items()}
        asked = mapping(cells.get("original_input"))
        ids, mask = items(cells.get("conversation_tokens")), items(cells.get("conversation_masks"))
        logprobs = items(cells.get("old_logprobs"))
        version = cells.get("policy_version")
        group = cells.get("group_id")
        status = str(cells.get("status"))
        return Sample(
            step=version if isinstance(version, int) and version >= 0 else 0,
            sampling_step=version if isinstance(version, int) and version >= 0 else None,
            group=group if isinstance(group, (int, str)) else None,
            messages=conversation(items(cells.get("conversation_text"))),
            reward=number(cells.get("trajectory_reward")),
            golden_answers={key: str(asked[key]) for key in _GOLDEN if asked.get(key) not in (None, "")},
            status=_STATUS.get(status.rpartition(".")[2].upper()),
            prompt_tokens=len(items(cells.get("prompt_tokens"))) or None,
            completion_tokens=sum(1 for value in mask if value) or None,
            timings=_latencies(cells),
            tokens=TokenArrays(
                ids=ids,
                mask=mask if len(mask) == len(ids) else [],
                logprobs=logprobs if len(logprobs) == len(ids) else [],
            )
            if ids
            else None,
        )


def _literal(cell: str) -> Any:
    """A Python literal as its value, anything else as the text it is. Nothing is evaluated."""
    try:
        return ast.literal_eval(cell)
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        return cell


def _latencies(cells: dict[str, Any]) -> dict[str, float]:
    found: dict[str, float] = {}
    for key in ("env_time", "reward_time"):
        for name, value in mapping(cells.get(key)).items():
            values = [
                seconds
                for item in (value if isinstance(value, list) else [value])
                if (seconds := number(item)) is not None
            ]
            if values:
                found[str(name).removesuffix("_latency")] = sum(values)
    return found
