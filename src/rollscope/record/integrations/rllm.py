"""rLLM: an episode logger that records.

    from rollscope.record.integrations.rllm import install

    install("runs/my-run")     # before training, in the process that trains; needs episode_logging.log_episodes=true

or ``engine.episode_logger = RollscopeEpisodeLogger("runs/my-run")`` where the engine is at hand.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from typing import Any

from rollscope.record.integrations.shared import constant, harmless, numbers_of, shared_run, when_imported
from rollscope.record.iteration import Iteration
from rollscope.record.run import Run
from rollscope.record.samples.fields import SampleFields

#: Keys of a task that hold its reference answer.
GOLDEN_KEYS = ("ground_truth", "answer", "solution", "target")
_STATUS = {
    "env_done": "completed", "max_turns_exceeded": "truncated", "max_prompt_length_exceeded": "truncated",
    "max_response_length_exceeded": "truncated", "timeout": "aborted", "error": "failed", "unknown": None,
}  # fmt: skip


class RollscopeEpisodeLogger:
    """Has the methods of rLLM's ``EpisodeLogger``. ``also`` is another logger that is called with the same episodes."""

    def __init__(self, run: str | os.PathLike[str] | Run | None = None, *, also: Any = None) -> None:
        self.run = shared_run(run)
        self._also = also

    def log_episodes_batch(
        self, episodes: Iterable[Any], step: int, mode: str = "train", epoch: int = 0, *more: Any, **named: Any
    ) -> None:
        episodes = list(episodes)
        if self._also is not None:
            self._also.log_episodes_batch(episodes, step, mode, epoch, *more, **named)
        self.log_episodes(episodes, step, mode, epoch)

    def log_episodes(self, episodes: Iterable[Any], step: int, mode: str = "train", _epoch: int = 0) -> None:
        with harmless(lambda: self.run, f"rLLM's episodes of step {step}"):
            training = mode == "train"
            with self.run.iteration(step) if training else self.run.evaluation(mode, step) as iteration:
                for episode in episodes:
                    if episode is not None:
                        _add(iteration, episode)

    def log_episode(self, episode: Any, step: int, mode: str = "train", epoch: int = 0) -> None:
        self.log_episodes([episode], step, mode, epoch)


def install(run: str | os.PathLike[str] | Run | None = None) -> None:
    """Let rLLM's own ``EpisodeLogger`` record too, wherever the trainer makes one."""

    def patch(module: Any) -> None:
        write = module.EpisodeLogger.log_episodes_batch

        def recorded(
            self: Any, episodes: Any, step: int, mode: str = "train", epoch: int = 0, *more: Any, **named: Any
        ) -> Any:
            RollscopeEpisodeLogger(run).log_episodes(episodes, step, mode, epoch)
            return write(self, episodes, step, mode, epoch, *more, **named)

        module.EpisodeLogger.log_episodes_batch = recorded

    when_imported("rllm.utils.episode_logger", patch)


def _add(iteration: Iteration, episode: Any) -> None:
    task_id, _, _ = str(episode.id).rpartition(":")
    trajectories = list(episode.trajectories)
    for trajectory in trajectories:
        # The agents of one workflow are compared with their like, not with each other.
        group = task_id or str(episode.id)
        if len(trajectories) > 1:
            group = f"{group}/{trajectory.name}"
        iteration.add(group=group, **sample_fields(episode, trajectory))


def sample_fields(episode: Any, trajectory: Any) -> SampleFields:
    """One trajectory of an episode in the recorder's words."""
    steps = list(trajectory.steps)
    out: SampleFields = {"env": str(trajectory.name), "turns": [_turn(step) for step in steps]}
    messages = _messages(steps)
    first = next((place for place, item in enumerate(messages) if item.get("role") == "assistant"), len(messages))
    out["prompt"], out["response"] = messages[:first], messages[first:]
    if trajectory.reward is not None:
        out["reward"] = trajectory.reward
    out["metrics"] = numbers_of(getattr(episode, "metrics", None)) | {"is_correct": float(bool(episode.is_correct))}
    reason = getattr(episode, "termination_reason", None)
    if reason is not None:
        out["stop_reason"] = str(getattr(reason, "value", reason))
        if (status := _STATUS.get(out["stop_reason"])) is not None:
            out["status"] = status
    advantages = [_advantages(getattr(step, "advantage", None)) for step in steps]
    if all(advantages) and (advantage := constant([value for given in advantages for value in given])) is not None:
        out["advantage"] = advantage
    # A row of a dataset, or (in newer versions) a task that has its row as metadata.
    task = episode.task if isinstance(episode.task, Mapping) else getattr(episode.task, "metadata", None)
    if isinstance(task, Mapping):
        golden = {key: task[key] for key in GOLDEN_KEYS if isinstance(task.get(key), (str, int, float))}
        if golden:
            out["golden_answers"] = golden
        if isinstance(task.get("data_source"), str):
            out["dataset"] = task["data_source"]
    return out


def _advantages(given: Any) -> list[float]:
    """The advantage of the step, or one for each of its tokens."""
    if isinstance(given, (int, float)):
        return [given]
    return [value for value in given if value is not None] if isinstance(given, (list, tuple)) else []


def _messages(steps: list[Any]) -> list[dict[str, Any]]:
    """The conversation. Each step mostly has all messages so far; where it has not, they are strung together."""
    messages: list[dict[str, Any]] = []
    for step in steps:
        found = list(getattr(step, "chat_completions", None) or ())
        if not found and (answer := getattr(step, "model_response", None)):
            found = [{"role": "user", "content": str(step.observation)}] if step.observation is not None else []
            found.append({"role": "assistant", "content": answer})
        messages = messages + (found[len(messages) :] if _goes_on(messages, found) else found)
    return messages


def _goes_on(messages: list[dict[str, Any]], found: list[dict[str, Any]]) -> bool:
    """Whether these are the messages so far and more. Answers may have lost their thinking when they were sent again."""
    pairs = zip(messages, found)
    return len(found) >= len(messages) and all(
        before == again or before.get("role") == again.get("role") == "assistant" for before, again in pairs
    )


def _turn(step: Any) -> dict[str, Any]:
    turn: dict[str, Any] = {}
    if isinstance(getattr(step, "reward", None), (int, float)):
        turn["reward"] = step.reward
    for name, target in (("prompt_ids", "prompt_tokens"), ("response_ids", "completion_tokens")):
        if ids := getattr(step, name, None):
            turn[target] = len(ids)
    return turn
