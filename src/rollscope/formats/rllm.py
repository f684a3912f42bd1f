"""rLLM: an episode a file, of training (`episodes/{train|val}_step_N_epoch_E/`) or of an evaluation (`episodes/`)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Any

from rollscope.formats.base import Claim, Source
from rollscope.formats.containers.documents import DocumentFormat, read_json
from rollscope.formats.conversations import conversation
from rollscope.formats.folders import folder_named
from rollscope.formats.lines.lenient import Unreadable
from rollscope.formats.lines.nested import items, mapping, number, numbers_of, text
from rollscope.formats.stop_reasons import status_of
from rollscope.model import Message, Sample, TokenArrays, Turn
from rollscope.storage.store import Store

_FOLDER = re.compile(r"(?P<mode>train|val|test|eval)_step_(?P<step>\d+)_epoch_\d+")
_EPISODE = re.compile(r"episode_.+\.json")
_GOLDEN = ("ground_truth", "answer", "answers", "target", "solution", "expected_answer")
_STATUS = {"env_done": "completed", "max_turns_exceeded": "truncated", "max_prompt_length_exceeded": "truncated",
           "max_response_length_exceeded": "truncated", "timeout": "aborted", "error": "failed"}  # fmt: skip


class RllmFormat(DocumentFormat):
    name = "rllm"
    grouping = "recorded"
    limits = ("The training logger drops tokens, log-probabilities and advantages.",)

    def detect(self, store: Store) -> Claim | None:
        found = next(iter(self.sources(store)), None)
        if found is None:
            return None
        head = store.read(found.path, 0, 1 << 20)
        if b'"trajectories"' not in head:
            return None
        return Claim(confidence=0.95, reasons=(f"{found.path} is an episode with trajectories",))

    def sources(self, store: Store) -> Iterable[Source]:
        prefix = folder_named(store, "episodes")
        if prefix is None:
            return
        yield from self._training(store, prefix)
        names = [name for name in store.files(prefix.rstrip("/")) if _EPISODE.fullmatch(name)]
        if names:
            split = f"eval/{self._benchmark(store)}"
            for name in names:
                yield Source(path=f"{prefix}{name}", split=split, step=0, appendable=False)

    def _training(self, store: Store, prefix: str) -> Iterable[Source]:
        found = [(match, name) for name in store.folders(prefix.rstrip("/")) if (match := _FOLDER.fullmatch(name))]
        for match, folder in sorted(
            found, key=lambda item: (item[0]["mode"] != "train", int(item[0]["step"]), item[1])
        ):
            split = "train" if match["mode"] == "train" else f"eval/{match['mode']}"
            for name in store.files(f"{prefix}{folder}"):
                if _EPISODE.fullmatch(name):
                    path = f"{prefix}{folder}/{name}"
                    yield Source(path=path, split=split, step=int(match["step"]), appendable=False)

    def _benchmark(self, store: Store) -> str:
        try:
            told = mapping(read_json(store, "meta.json")) if store.exists("meta.json") else {}
        except (OSError, Unreadable):
            told = {}
        return text(told.get("benchmark")) or store.name

    def records(self, document: Any, source: Source) -> Sequence[Any]:
        """One sample a trajectory: an episode of several agents has several."""
        episode = mapping(document)
        if "trajectories" not in episode:
            raise Unreadable("no episode: it has no trajectories")
        # An episode that came to nothing has none: what was asked, and how it ended, is all there is.
        trajectories = items(episode.get("trajectories")) or [{}]
        return [{**episode, "trajectories": [mapping(trajectory)]} for trajectory in trajectories]

    def sample(self, record: Any, source: Source) -> Sample:
        (trajectory,) = record["trajectories"]
        task, steps = mapping(record.get("task")), [mapping(step) for step in items(trajectory.get("steps"))]
        stop = text(record.get("termination_reason"))
        correct = record.get("is_correct")
        verdict = {"is_correct": float(correct)} if isinstance(correct, bool) else {}
        told = {**mapping(task.get("metadata")), **task}
        tokens = _tokens(steps)
        return Sample(
            group=_group(record),
            tags=[agent] if (agent := text(trajectory.get("name"))) is not None else [],
            messages=_messages(task, steps),
            reward=number(trajectory.get("reward")),
            rewards=numbers_of(trajectory.get("signals")),
            metrics={**numbers_of(record.get("metrics")), **verdict},
            golden_answers={key: str(told[key]) for key in _GOLDEN if told.get(key) not in (None, "")},
            stop_reason=stop,
            status=_STATUS.get(stop.lower(), status_of(stop)) if stop else None,
            advantage=_one_advantage(tokens),
            turns=[_turn(place, step) for place, step in enumerate(steps)],
            completion_tokens=len(tokens.ids) if tokens else None,
            timings={**numbers_of(record.get("timing")), **numbers_of(trajectory.get("timing"))},
            tokens=tokens,
        )

    def claims(self, store: Store, path: str) -> bool:
        return path.endswith(("batch_summary.json", "meta.json", "results.json"))


def _group(record: dict[str, Any]) -> str | None:
    """The task: by its hash where there is one, else the part of `task:rollout` before the colon."""
    if (known := text(record.get("task_hash"))) is not None:
        return known
    episode = text(record.get("episode_id")) or text(record.get("id"))
    return episode.rpartition(":")[0] or episode if episode else None


def _messages(task: dict[str, Any], steps: list[dict[str, Any]]) -> list[Message]:
    """Each step holds the whole conversation so far; where one does not go on from the last, both are shown."""
    told: list[Any] = []
    for step in steps:
        chat = items(step.get("chat_completions"))
        told = chat if chat[: len(told)] == told or not told else [*told, *chat]
    if told:
        return conversation(told)
    question = text(task.get("question")) or text(task.get("instruction")) or ""
    answers = [{"role": "assistant", "content": step.get("model_response")} for step in steps]
    return conversation([{"role": "user", "content": question}, *answers])


def _turn(place: int, step: dict[str, Any]) -> Turn:
    return Turn(
        index=place,
        reward=number(step.get("reward")),
        prompt_tokens=len(items(step.get("prompt_ids"))) or None,
        completion_tokens=len(items(step.get("response_ids"))) or None,
        timings=numbers_of(step.get("timing")),
    )


def _tokens(steps: list[dict[str, Any]]) -> TokenArrays | None:
    arrays = TokenArrays()
    versions: list[int | str] = []
    for step in steps:
        ids = items(step.get("response_ids"))
        arrays.ids = [*arrays.ids, *ids]
        for name, key in (("logprobs", "logprobs"), ("advantage", "advantage")):
            given = items(step.get(key))
            setattr(arrays, name, [*getattr(arrays, name), *(given if len(given) == len(ids) else [None] * len(ids))])
        version = step.get("weight_version")
        versions += [version if isinstance(version, (int, str)) else ""] * len(ids)
    arrays.versions = versions if any(version != "" for version in versions) else []
    return arrays if arrays.ids else None


def _one_advantage(tokens: TokenArrays | None) -> float | None:
    """The advantage where all tokens that have one have the same."""
    known = {value for value in tokens.advantage if value is not None} if tokens else set()
    return float(known.pop()) if len(known) == 1 else None
