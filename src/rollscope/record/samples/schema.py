"""What the recorder writes, line by line: one Struct per kind of line. No I/O.

The fields of a rollout line lie in the order in which a scanner wants them: scalars first, text last, so that an index
can stop reading early. A missing value is left out, never written as 0. ``docs/rollouts.schema.json`` says the same for
other languages, and a test holds the two together.
"""

from __future__ import annotations

from typing import Any

from msgspec import Struct

from rollscope.fields import Scalars
from rollscope.model import Message, TokenArrays, Turn

SCHEMA_VERSION = 1

#: The writer whose files have no writer in their name. Other processes and hosts write ``..._rollouts.<writer>.jsonl``.
MAIN_WRITER = "main"

#: Keys of a ``metrics.jsonl`` row that are no metrics. A metric of such a name is written as ``metric/<name>``.
METRIC_ROW_KEYS = frozenset({"step", "timestamp", "attempt", "writer", "nonfinite"})

#: The key of ``config.json`` that is ours; all others are the user's.
CONFIG_KEY = "rollscope"


class RolloutLine(Scalars, omit_defaults=True, kw_only=True):
    """One line of ``*_iteration_NNNNNN_rollouts*.jsonl``: one sample, whole. Its scalars are those of `fields.Scalars`.

    A number JSON has no word for (NaN, infinities) is left out (null within a per-token array) and named by its path in
    ``nonfinite``: ``{"reward": "NaN", "metrics/kl": "Infinity", "turns/0/reward": "-Infinity"}``.
    """

    schema_version: int
    run_id: str | None = None
    writer: str
    attempt: int
    split: str
    step: int
    group: int | str
    index: int
    rewards: dict[str, float] = {}
    metrics: dict[str, float] = {}
    num_turns: int | None = None
    time: float | None = None
    timings: dict[str, float] = {}
    nonfinite: dict[str, str] = {}
    golden_answers: dict[str, str] = {}
    messages: list[Message] = []
    turns: list[Turn] = []
    tokens: TokenArrays | None = None


class SummaryStep(Struct, kw_only=True):
    """One model response in a summary line."""

    step_idx: int
    ob_len: int | None
    ac_len: int | None
    reward: float | None
    episode_done: bool
    metrics: dict[str, Any]
    logs: dict[str, Any]


class SummaryLine(Struct, kw_only=True):
    """One line of ``*_iteration_NNNNNN_rollout_summaries.jsonl``: one trajectory in numbers; no key is ever absent."""

    schema_version: int
    split: str
    iteration: int
    group_idx: int | str
    traj_idx: int
    tags: list[str]
    sampling_client_step: int | None
    total_reward: float | None
    final_reward: float | None
    trajectory_metrics: dict[str, Any]
    steps: list[SummaryStep]
    final_ob_len: int | None
