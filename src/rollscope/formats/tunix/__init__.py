"""Tunix: `trajectory_log_<time>.csv`, a row a trajectory, its lists written as Python literals; or a folder a trajectory,
`step<N>/<worker>/<trajectory>/` with `metadata.json` and a file a step (see `trajectory_folders`)."""

from __future__ import annotations

import ast
import csv
import io
import re
from collections.abc import Iterable, Sequence
from typing import Any

from rollscope.formats.base import Claim, Source
from rollscope.formats.containers.documents import MAX_DOCUMENT_BYTES, DocumentFormat
from rollscope.formats.conversations.turns import conversation
from rollscope.formats.json_values import items, mapping, number
from rollscope.formats.lines.lenient import Unreadable
from rollscope.formats.tunix.trajectory_folders import (
    METADATA,
    STATUS,
    STOPPED,
    is_metadata,
    latencies,
    read_trajectory,
    trajectory_folders,
    trajectory_sample,
)
from rollscope.model import Sample, TokenArrays
from rollscope.storage.store import Store

_FILE = re.compile(r"(trajectory_log|Trajectory\w*)(_\d+)?\.csv")
_MARKS = frozenset({"conversation_text", "trajectory_reward"})
#: Cells hold whole conversations; Python's default is 131,072 characters.
_MAX_CELL = 256 << 20
_GOLDEN = ("answer", "answers", "gold_answer", "ground_truth", "target", "solution", "expected_answer")
#: Numbers that Python writes and its literals have not.
_NO_LITERAL = re.compile(r"(?<![\w'\"])(-?)(nan|inf)(?![\w'\"])")


class TunixFormat(DocumentFormat):
    name = "tunix"
    grouping = "recorded"
    limits = (
        "Tunix writes the policy's version, which is taken for the step.",
        "Tunix writes no advantages.",
        "Prompts may be padded on the left: one id that is repeated at their beginning is not counted.",
        "Evaluations lie in the same table as training, and nothing tells them apart.",
    )

    def detect(self, store: Store) -> Claim | None:
        if (folder := next(trajectory_folders(store), None)) is not None:
            reason = f"{folder.path} is that of a trajectory with consumed_policy_version"
            return Claim(confidence=0.95, reasons=(reason,)) if is_metadata(store, folder.path) else None
        for source in self.sources(store):
            header = store.first_lines(source.path)
            names = set(next(csv.reader([header[0].decode("utf-8", "replace")]), [])) if header else set()
            if names >= _MARKS:
                return Claim(confidence=0.95, reasons=(f"{source.path} has conversation_text and trajectory_reward",))
        return None

    def sources(self, store: Store) -> Iterable[Source]:
        tables = [name for name in store.files() if _FILE.fullmatch(name)]
        for process, name in enumerate(sorted(tables), 1):
            yield Source(path=name, split="train", appendable=False, note=str(process) if process > 1 else "")
        yield from trajectory_folders(store)

    def read(self, store: Store, path: str) -> Any:
        if path.endswith(METADATA):
            return read_trajectory(store, path)
        stat = store.stat(path)
        if stat is not None and stat.size > MAX_DOCUMENT_BYTES:
            raise Unreadable(f"a table of {stat.size:,} bytes; more than {MAX_DOCUMENT_BYTES:,} are not read")
        csv.field_size_limit(_MAX_CELL)
        text = store.read(path).decode("utf-8", "replace").replace("\0", "\ufffd")
        rows = list(csv.DictReader(io.StringIO(text, newline="")))
        # A row that is being written ends before its last column, or in it.
        if rows and not text.endswith("\n"):
            rows.pop()
        return [row for row in rows if None not in row.values()]

    def records(self, document: Any, source: Source) -> Sequence[Any]:
        return items(document)

    def sample(self, record: Any, source: Source) -> Sample:
        if source.path.endswith(METADATA):
            return trajectory_sample(mapping(record))
        cells = {key: _literal(value) for key, value in mapping(record).items()}
        asked = mapping(cells.get("original_input"))
        ids, mask = items(cells.get("conversation_tokens")), items(cells.get("conversation_masks"))
        logprobs = items(cells.get("old_logprobs"))
        version = cells.get("policy_version")
        # Every process has a table of its own and counts groups from the beginning, also one that was resumed.
        group = cells.get("group_id")
        if source.note and isinstance(group, (int, str)):
            group = f"{group} ({source.note})"
        status = str(cells.get("status")).rpartition(".")[2].upper()
        # A trajectory that the filter of overlong ones took out has a mask without a token.
        masked_out = bool(ids) and len(mask) == len(ids) and not any(mask)
        return Sample(
            step=version if isinstance(version, int) and version >= 0 else 0,
            sampling_step=version if isinstance(version, int) and version >= 0 else None,
            group=group if isinstance(group, (int, str)) else None,
            messages=conversation(items(cells.get("conversation_text"))),
            reward=number(cells.get("trajectory_reward")),
            golden_answers={
                key: str(answer) for key in _GOLDEN if (answer := _only(asked.get(key))) not in (None, "", [])
            },
            status=STATUS.get(status),
            stop_reason=status.lower() if status in STOPPED else None,
            discard_reason=f"masked out: {status.lower()}" if masked_out else None,
            prompt_tokens=_without_padding(items(cells.get("prompt_tokens"))) or None,
            completion_tokens=sum(1 for value in mask if value) or None,
            timings=latencies(cells),
            tokens=TokenArrays(
                ids=ids,
                mask=mask if len(mask) == len(ids) else [],
                logprobs=_sampled(logprobs, mask, masked_out) if len(logprobs) == len(ids) else [],
            )
            if ids
            else None,
        )


def _sampled(logprobs: list[Any], mask: list[Any], masked_out: bool) -> list[float | None]:
    """Tokens of the environment were not sampled: the zeros written for them are no log-probabilities."""
    kept = [True] * len(logprobs) if masked_out or len(mask) != len(logprobs) else list(map(bool, mask))
    return [number(value) if value or is_kept else None for value, is_kept in zip(logprobs, kept)]


def _without_padding(ids: list[Any]) -> int:
    """How many there are behind the padding on the left: the same id over and over."""
    padding = next((place for place, value in enumerate(ids) if value != ids[0]), len(ids))
    return len(ids) - (padding if padding > 1 else 0)


def _only(value: Any) -> Any:
    """A row of a batch of one is a list of one."""
    return value[0] if isinstance(value, (list, tuple)) and len(value) == 1 else value


def _literal(cell: str) -> Any:
    """A Python literal as its value, anything else as the text it is. Nothing is evaluated."""
    for written in (cell, _NO_LITERAL.sub(lambda match: "None" if match[2] == "nan" else f"{match[1]}1e999", cell)):
        try:
            return ast.literal_eval(written)
        except (ValueError, SyntaxError, MemoryError, RecursionError):
            continue
    return cell
