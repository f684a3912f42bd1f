"""rLLM: an episode a file, of training (`episodes/{train|val}_step_N_epoch_E/`) or of an evaluation (`episodes/`)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Any

from rollscope.formats.base import Claim, Source
from rollscope.formats.containers.documents import DocumentFormat, read_json
from rollscope.formats.conversations.turns import conversation
from rollscope.formats.folders import folder_named
from rollscope.formats.json_values import items, mapping, number, numbers_of, text
from rollscope.formats.lines.lenient import Unreadable
from rollscope.formats.stop_reasons import status_of
from rollscope.model import Message, Sample, TokenArrays, Turn
from rollscope.render.chat import to_json
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
        # `TerminationReason.ENV_DONE`, where it was written by its name in the code.
        stop = (text(record.get("termination_reason")) or "").rpartition(".")[2] or None
        correct = record.get("is_correct")
        verdict = {"is_correct": float(correct)} if isinstance(correct, bool) else {}
        told = {**mapping(task.get("metadata")), **task}
        tokens = _tokens(steps)
        return Sample(
            group=_group(record),
            tags=[agent] if (agent := text(trajectory.get("name"))) is not None else [],
            messages=_messages(task, steps, mapping(trajectory.get("message_nodes"))),
            reward=number(trajectory.get("reward")),
            rewards=numbers_of(trajectory.get("signals")),
            metrics={**numbers_of(record.get("metrics")), **verdict},
            golden_answers={key: str(told[key]) for key in _GOLDEN if told.get(key) not in (None, "")},
            stop_reason=stop,
            status=_status(stop.lower()) if stop else None,
            advantage=_one_advantage(tokens, steps),
            turns=[_turn(place, step) for place, step in enumerate(steps)],
            completion_tokens=len(tokens.ids) if tokens else None,
            timings={**numbers_of(record.get("timing")), **numbers_of(trajectory.get("timing"))},
            tokens=tokens,
            notes=_errors(mapping(record.get("metadata")).get("error")),
        )

    def claims(self, store: Store, path: str) -> bool:
        return path.endswith(("batch_summary.json", "meta.json", "results.json"))


def _group(record: dict[str, Any]) -> str | None:
    """The task: by its hash or its own name where there is one, else the part of `task:rollout` before the colon."""
    known = text(record.get("task_hash")) or text(mapping(record.get("task")).get("id"))
    if known is not None:
        return known
    episode = text(record.get("episode_id")) or text(record.get("id"))
    return episode.rpartition(":")[0] or episode if episode else None


def _status(stop: str) -> str | None:
    return "failed" if stop.endswith("_error") else _STATUS.get(stop, status_of(stop))


def _errors(told: Any) -> list[str]:
    """What an episode says of its own breakdown."""
    words = text(mapping(told).get("message")) or text(told)
    return [f"Error: {words}"] if words else []


def _messages(task: dict[str, Any], steps: list[dict[str, Any]], nodes: dict[str, Any]) -> list[Message]:
    """Each step holds the whole conversation so far; where one does not go on from the last, both are shown."""
    told: list[Any] = []
    for step in steps:
        chat = _chat(step, nodes)
        told = [*told, *chat[len(told) :]] if _goes_on(told, chat) else [*told, *chat]
    if told:
        return conversation(told)
    question = task.get("question") or task.get("instruction") or task.get("prompt")
    asked = [{"role": "user", "content": question}] if question else []
    return conversation([*asked, *_interactions(steps, question)])


def _chat(step: dict[str, Any], nodes: dict[str, Any]) -> list[Any]:
    """The conversation of a step: a list, or in compact episodes the last of a chain of messages that steps share."""
    given = step.get("chat_completions")
    reference = items(mapping(given).get("messages_ref")) or items(step.get("chat_completions_ref"))
    if not reference:
        return items(given)
    found: list[Any] = []
    place = reference[0]
    while isinstance(place, str) and len(found) <= len(nodes):
        node = mapping(nodes.get(place))
        found.append(node.get("m"))
        place = node.get("p")
    return found[::-1]


def _goes_on(told: list[Any], chat: list[Any]) -> bool:
    """Whether `chat` is what was told and more. Earlier answers may have lost their thinking when they were sent again."""
    if len(chat) < len(told):
        return False
    pairs = ((mapping(before), mapping(again)) for before, again in zip(told, chat))
    return all(before == again or (before.get("role") == again.get("role") == "assistant") for before, again in pairs)


def _interactions(steps: list[dict[str, Any]], question: Any) -> list[dict[str, Any]]:
    """Steps without a conversation: what was observed, and what was answered or done."""
    found: list[dict[str, Any]] = []
    for step in steps:
        seen = next((step[key] for key in ("observation", "input") if step.get(key) not in (None, "", {}, [])), None)
        if seen is not None and (found or seen != question):
            found.append({"role": "user", "content": seen if isinstance(seen, str) else to_json(seen)})
        said = next((step[key] for key in ("model_response", "output") if step.get(key) not in (None, "")), None)
        if said is None:
            said = step.get("action")
            found.append({"role": "assistant", "reasoning_content": text(step.get("thought"))})
        else:
            found.append({"role": "assistant"})
        found[-1]["content"] = said if said is None or isinstance(said, str) else to_json(said)
    return found


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
            value = step.get(key)
            given = [value] * len(ids) if number(value) is not None else items(value)
            setattr(arrays, name, [*getattr(arrays, name), *(given if len(given) == len(ids) else [None] * len(ids))])
        version = step.get("weight_version")
        versions += [version if isinstance(version, (int, str)) else ""] * len(ids)
    arrays.versions = versions if any(version != "" for version in versions) else []
    return arrays if arrays.ids else None


def _one_advantage(tokens: TokenArrays | None, steps: list[dict[str, Any]]) -> float | None:
    """The advantage where all tokens, or all steps, that have one have the same."""
    found = tokens.advantage if tokens else [number(step.get("advantage")) for step in steps]
    known = {value for value in found if value is not None}
    return float(known.pop()) if len(known) == 1 else None
