"""Record a training run: metrics, every rollout, reports, checkpoints.

    from rollscope import record

    run = record.start("runs/my-run", config)
    with run.iteration(step) as it, it.group(prompt=question, env="math") as group:
        group.add(response=answer, reward=1.0)

Nothing here can hurt the training: calls return at once, and what goes wrong is a warning and a counter.
See ``docs/recorder.md``.
"""

from __future__ import annotations

from rollscope.model import Message, Part, Range, TokenArrays, Turn
from rollscope.record import logtree
from rollscope.record.checkpoints import SavedCheckpoint, last_checkpoint
from rollscope.record.group import ASYNC_STALENESS, ZERO_ADVANTAGE, Group, RecordedSample, Rollout, discard
from rollscope.record.iteration import Iteration
from rollscope.record.output.problems import RecordError
from rollscope.record.run import Run, start
from rollscope.record.samples.fields import SampleFields

__all__ = [
    "ASYNC_STALENESS",
    "ZERO_ADVANTAGE",
    "Group",
    "Iteration",
    "Message",
    "Part",
    "Range",
    "RecordError",
    "RecordedSample",
    "Rollout",
    "Run",
    "SampleFields",
    "SavedCheckpoint",
    "TokenArrays",
    "Turn",
    "discard",
    "last_checkpoint",
    "logtree",
    "start",
]
