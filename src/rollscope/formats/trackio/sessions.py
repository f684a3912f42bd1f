"""trackio's session files: `traces/{project}/{run}/*.jsonl`, a trace a file, as the Hugging Face Hub shows them.

They are copies of the database's table `traces`, and are read where the folder is opened without its database. The first
line says what the trace is, each other line is a message.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, ClassVar

import msgspec

from rollscope.formats.base import Claim, Source
from rollscope.formats.containers.documents import DocumentFormat
from rollscope.formats.json_values import items, mapping
from rollscope.formats.lines.lenient import Unreadable, decode_line
from rollscope.formats.run_files import read_lines
from rollscope.formats.trackio import traces
from rollscope.model import Sample
from rollscope.storage.store import Store

_MARK, _SUFFIX = "trackio", ".jsonl"
_ROLES = {"toolResult": "tool"}


class TrackioSessionsFormat(DocumentFormat):
    name: ClassVar[str] = "trackio_sessions"
    limits: ClassVar[tuple[str, ...]] = (
        "Session files are trackio's copies of its traces: metrics, configurations and logged tables are in the database.",
        "A system prompt is written as developer, and spans are not written.",
        "A conversation's first assistant message is taken for the beginning of the response.",
    )

    def detect(self, store: Store) -> Claim | None:
        for source in self.sources(store):
            try:
                header = decode_line(store.first_line(source.path))[0]
            except (OSError, Unreadable):
                return None
            if header.get("type") != "session" or not isinstance(header.get(_MARK), dict):
                return None
            return Claim(confidence=0.95, reasons=(f"{source.path} is a session file of trackio",))
        return None

    def run_name(self, store: Store) -> str | None:
        """`{project}/{run}`: a run's folder has its own name alone."""
        return f"{store.parent_name}/{store.name}" if store.parent_name else None

    def sources(self, store: Store) -> Iterable[Source]:
        for name in store.files():
            if name.endswith(_SUFFIX):
                yield Source(path=name, appendable=False)

    def read(self, store: Store, path: str) -> Any:
        return list(read_lines(store, path))

    def records(self, document: Any, source: Source) -> Sequence[Any]:
        if not document or document[0].get("type") != "session":
            raise Unreadable("no session of trackio")
        return [document]

    def sample(self, record: Any, source: Source) -> Sample:
        told = mapping(record[0].get(_MARK))
        said = [_message(mapping(entry.get("message"))) for entry in record if entry.get("type") == "message"]
        row = (
            *(0, told.get("step"), told.get("key"), told.get("trace_index"), msgspec.json.encode(said)),
            *(msgspec.json.encode(mapping(told.get("metadata"))), record[0].get("timestamp"), None),
        )
        sample, found = traces.sample(row), traces.values(row)
        sample.split, sample.step = found["split"], found["step"]
        return sample


def _message(written: dict[str, Any]) -> dict[str, Any]:
    """As chat models have it: calls stand beside the content."""
    blocks = [block for block in items(written.get("content")) if isinstance(block, dict)]
    role = str(written.get("role") or "assistant")
    made: dict[str, Any] = {
        "role": _ROLES.get(role, role),
        "content": [block for block in blocks if block.get("type") != "toolCall"],
    }
    calls = [
        {
            "id": block.get("id"),
            "type": "function",
            "function": {"name": block.get("name"), "arguments": block.get("arguments")},
        }
        for block in blocks
        if block.get("type") == "toolCall"
    ]
    if calls:
        made["tool_calls"] = calls
    if "toolCallId" in written:
        made |= {"tool_call_id": written["toolCallId"], "name": written.get("toolName")}
    return made
