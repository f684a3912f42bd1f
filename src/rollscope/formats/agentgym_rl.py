"""AgentGym-RL: `step{N}/{rank}.json`, a list of conversations with an environment a file."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from itertools import islice
from typing import Any

from rollscope.formats.base import Claim, Source
from rollscope.formats.containers.documents import DocumentFormat
from rollscope.formats.conversations.turns import conversation
from rollscope.formats.json_values import items, mapping, number, numbers_of
from rollscope.formats.lines.lenient import Unreadable
from rollscope.model import Sample
from rollscope.storage.store import Store

_STEP = re.compile(r"step_?(\d+)")
_FILE = re.compile(r"\d+\.json")
_MARKS = (b'"item_id"', b'"conversations"')
#: Files that are asked whose they are, and bytes of each.
_LOOKED_AT, _HEAD = 8, 1 << 16
#: What AgentGym's environments put into the assistant's mouth before the first question.
_SET_PHRASE = re.compile(r"OK\b|Ok\b")


class AgentGymFormat(DocumentFormat):
    name = "agentgym_rl"
    grouping = "recorded"
    limits = ("AgentGym-RL writes conversations and rewards: no advantages, tokens or golden answers.",)

    def detect(self, store: Store) -> Claim | None:
        # The first may be empty, or still being written.
        for source in islice(self.sources(store), _LOOKED_AT):
            head = store.read(source.path, 0, _HEAD)
            if all(mark in head for mark in _MARKS):
                return Claim(confidence=0.9, reasons=(f"item_id and conversations in {source.path}",))
        return None

    def sources(self, store: Store) -> Iterable[Source]:
        steps = [(int(match[1]), name) for name in store.folders() if (match := _STEP.fullmatch(name))]
        for step, folder in sorted(steps):
            ranks = [name for name in store.files(folder) if _FILE.fullmatch(name)]
            for name in sorted(ranks, key=lambda name: int(name.removesuffix(".json"))):
                yield Source(path=f"{folder}/{name}", split="train", step=step, appendable=False)

    def records(self, document: Any, source: Source) -> Sequence[Any]:
        if not isinstance(document, list):
            raise Unreadable("no list of conversations")
        return [item for item in document if isinstance(item, dict) and "conversations" in item]

    def sample(self, record: Any, source: Source) -> Sample:
        told = [_message(item) for item in items(record.get("conversations"))]
        group = record.get("item_id")
        known = {key: value for key, value in record.items() if key not in ("item_id", "conversations", "reward")}
        return Sample(
            group=group if isinstance(group, (int, str)) else None,
            messages=conversation(told, answered_from=_first_answer(told)),
            reward=number(record.get("reward")),
            metrics=numbers_of(known),
        )


def _message(item: Any) -> dict[str, Any]:
    told = mapping(item)
    speaker = told.get("role") or {"human": "user", "gpt": "assistant"}.get(str(told.get("from")), told.get("from"))
    return {"role": speaker, "content": told.get("content", told.get("value"))}


def _first_answer(told: list[dict[str, Any]]) -> int | None:
    """The second assistant message where the first is the set phrase between two user messages."""
    start = 1 if told and told[0]["role"] == "system" else 0
    roles = [message["role"] for message in told[start : start + 3]]
    if roles == ["user", "assistant", "user"] and _SET_PHRASE.match(str(told[start + 1]["content"] or "")):
        return start + 3
    return None
