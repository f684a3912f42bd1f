"""Any other JSONL: fields are matched by name, and what was guessed is said.

Also a plain folder of `{step}.jsonl` whose records no other format knows.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any, ClassVar

from rollscope.formats.base import Claim, Place, Source
from rollscope.formats.lines.flat import FlatFormat, Keys
from rollscope.formats.lines.lenient import BOM
from rollscope.formats.lines.step_files import first_keys, record_keys
from rollscope.model import Sample
from rollscope.storage.fingerprint import Sighting
from rollscope.storage.store import Store

#: The keys trainers are known to use, most telling first.
CANDIDATES: dict[str, tuple[str, ...]] = {
    "prompt": ("prompt", "input", "input_prompt", "question", "query", "instruction", "messages", "problem"),
    "response": (
        "completion",
        "output",
        "output_response",
        "response",
        "responses",
        "generation",
        "answer_text",
        "text",
    ),
    "reward": ("reward", "score", "total_reward", "rewards", "scores", "final_reward", "return"),
    "golden": (
        "gts",
        "golden_answers",
        "ground_truth",
        "label",
        "answer",
        "target",
        "solution",
        "expected_answer",
        "reference",
    ),
    "step": ("step", "global_step", "training_step", "iteration", "rollout_id"),
    "group": (
        "group_id",
        "group",
        "group_index",
        "group_idx",
        "uid",
        "prompt_idx",
        "prompt_id",
        "example_id",
        "task_id",
        "id",
    ),
    "dataset": ("dataset", "data_source"),
    "env": ("env", "env_name", "environment", "env_class", "source"),
    "tags": ("tags",),
    "advantage": ("advantage", "advantages"),
    "status": ("status",),
    "stop_reason": ("stop_reason", "finish_reason", "stop_condition"),
    "discard_reason": ("discard_reason",),
    "sampling_step": ("sampling_step", "sampling_client_step", "policy_version"),
    "prompt_tokens": ("prompt_tokens", "prompt_length", "prompt_len", "input_tokens", "num_prompt_tokens"),
    "completion_tokens": (
        "completion_tokens",
        "response_length",
        "response_tokens",
        "output_tokens",
        "num_completion_tokens",
    ),
    "total_tokens": ("total_tokens", "total_length", "seqlen"),
    "turns": ("turns", "num_turns", "agent_turns"),
}
_NUMBER = re.compile(r"(\d+)(?!.*\d)")
_NOT_SAMPLES = re.compile(r"(^|/)(metrics|checkpoints|timing|log|logs|events|trace)[^/]*\.jsonl$", re.IGNORECASE)
_PART = re.compile(r"(train|val|test|eval|rollout|step|iteration|epoch)\w*", re.IGNORECASE)


def guess_keys(keys: frozenset[str]) -> Keys:
    """The best candidate for each field that occurs; one key is used once."""
    chosen: dict[str, Any] = {}
    taken: set[str] = set()
    for name, candidates in CANDIDATES.items():
        for key in candidates:
            if key in keys and key not in taken:
                chosen[name] = key
                taken.add(key)
                break
    return Keys(**chosen)


class FallbackFormat(FlatFormat):
    name = "jsonl"
    last_resort = True
    keys: ClassVar[Keys] = Keys()
    limits = ("No known trainer's layout: fields were matched by their names and may be wrong.",)

    def detect(self, store: Store) -> Claim | None:
        sources = list(self.sources(store))
        keys, path = first_keys(store, [source.path for source in sources], tries=20)
        guess = guess_keys(keys)
        if guess.prompt is None and guess.response is None:
            return None
        mapped = ", ".join(f"{key} → {name}" for name in CANDIDATES if (key := getattr(guess, name)) is not None)
        return Claim(confidence=0.1, reasons=(f"guessed from the keys of {path}: {mapped}",))

    def sources(self, store: Store) -> Iterable[Source]:
        paths = [path for path in _candidates(store) if not _NOT_SAMPLES.search(path)]
        for path in sorted(paths, key=lambda path: (_step_in_name(path) is None, _step_in_name(path) or 0, path)):
            folder = path.split("/")[0] if "/" in path else ""
            split = f"eval/{folder}" if re.match(r"val|test|eval", folder, re.IGNORECASE) else "train"
            yield Source(path=path, split=split, step=self._step(store, path))

    def _step(self, store: Store, path: str) -> int | None:
        """The number in the name, unless the records say their step themselves."""
        if re.fullmatch(r"\d+", path.rsplit("/", 1)[-1].removesuffix(".jsonl")):
            return _step_in_name(path)
        if guess_keys(self._keys(store, path)).step is not None:
            return None
        return _step_in_name(path) or 0

    def _keys(self, store: Store, path: str) -> frozenset[str]:
        name = (store.address, path)
        known = _known_keys.get(name)
        if known is None or not known[0].is_current(store, path):
            if len(_known_keys) >= MAX_KNOWN:
                _known_keys.clear()
            known = _known_keys[name] = (Sighting(store, path), _keys_of(store, path))
        return known[1]

    def keys_for(self, store: Store, source: Source) -> Keys:
        return guess_keys(self._keys(store, source.path))

    def keys_for_record(self, record: dict[str, Any], source: Source) -> Keys:
        return guess_keys(frozenset(record))

    def sample(self, record: dict[str, Any], source: Source, place: Place) -> Sample:
        sample = super().sample(record, source, place)
        keys = self.keys_for_record(record, source)
        named = {name: key for name in CANDIDATES if (key := getattr(keys, name)) is not None and key != name}
        if named:
            sample.notes.append(
                "Guessed by name: " + ", ".join(f"{key} as {name}" for name, key in named.items()) + "."
            )
        return sample


#: Lines that are looked at to learn a file's keys, and the longest line that is read for it.
KEY_LINES = 20
KEY_BYTES = 256 << 20


#: Files whose keys are kept, by their paths.
MAX_KNOWN = 4096
_known_keys: dict[tuple[str, str], tuple[Sighting, frozenset[str]]] = {}


def _keys_of(store: Store, path: str) -> frozenset[str]:
    """Keys over the first records of a file: the first line alone may lack an optional one. Lines are read whole: what
    follows a text of 20 MB is as telling as what goes before it."""
    keys: set[str] = set()
    seen = 0
    try:
        with store.open(path) as file:
            for _ in range(KEY_LINES):
                line = file.readline(KEY_BYTES)
                keys |= record_keys(line.removeprefix(BOM))
                seen += len(line)
                if not line or seen >= KEY_BYTES // 4:
                    break
    except OSError:
        return frozenset()
    return frozenset(keys)


def _candidates(store: Store) -> list[str]:
    """Files directly here, and in folders that are parts of a run by their names; other folders are runs of their own."""
    folders = ["", *(name for name in store.folders() if _PART.match(name))]
    paths = [f"{folder}/{name}" if folder else name for folder in folders for name in store.files(folder)]
    return [path for path in paths if path.endswith((".jsonl", ".ndjson"))]


def _step_in_name(path: str) -> int | None:
    match = _NUMBER.search(path.rsplit("/", 1)[-1].removesuffix(".jsonl"))
    return int(match[1]) if match else None
