"""A group of samples that share a prompt, while it is being recorded.

Samples are written when their group closes, with what is known of them by then; what is learned later is annotated.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self, Unpack

from rollscope.model import TokenArrays
from rollscope.record import logtree
from rollscope.record.logtree.scopes import Scope, node_scope
from rollscope.record.output.problems import RecordError
from rollscope.record.samples.annotations import annotation_line, apply
from rollscope.record.samples.fields import SampleFields, fill
from rollscope.record.samples.messages import Conversation
from rollscope.record.samples.schema import SCHEMA_VERSION, RolloutLine
from rollscope.record.samples.values import numbers

if TYPE_CHECKING:
    from rollscope.record.iteration import Iteration

ASYNC_STALENESS = "async_staleness"
ZERO_ADVANTAGE = "zero_advantage"


class RecordedSample:
    """A sample that was added. What becomes known later can be added to it, before and after it is written."""

    def __init__(self, group: Group, line: RolloutLine) -> None:
        self._group = group
        self.line = line
        self.written = False

    def annotate(self, **fields: Unpack[SampleFields]) -> None:
        """Add what was learned of it: an advantage, a reason to discard it, metrics, the trainer's log-probabilities. Its
        text cannot change. A sample that was written already gets a line in its iteration's annotations file."""
        iteration = self._group.iteration
        try:
            annotation = annotation_line(self.line, fields, self._group.complain)
        except RecordError:
            raise
        except Exception as error:  # noqa: BLE001  # whatever a caller's objects do, training goes on
            iteration.session.problems.report("sample", f"A sample could not be annotated: {error}.")
            return
        if self.written:
            iteration.session.annotate(annotation)
        else:
            apply(self.line, annotation)

    def discard(self, reason: str, *, staleness: int | None = None) -> None:
        """Say that it was not trained on: ``async_staleness`` (and by how many steps), ``zero_advantage``, or any reason."""
        if staleness is None:
            self.annotate(discard_reason=str(reason))
        else:
            self.annotate(discard_reason=str(reason), staleness=staleness)

    def set_advantage(self, advantage: Any) -> None:
        if self.written:
            self.annotate(advantage=advantage)
        else:  # the usual case, for every sample of a run
            values = numbers({"advantage": advantage}, "", self.line.nonfinite, self._group.complain)
            self.line.advantage = values.get("advantage")

    def set_tokens(self, tokens: TokenArrays | Mapping[str, Any]) -> None:
        """Per-token values of the response: ``ids, strings, logprobs, trainer_logprobs, reference_logprobs, entropy, mask,
        masked, advantage, versions, top``."""
        self.annotate(tokens=tokens)

    def add_metrics(self, metrics: Mapping[str, Any]) -> None:
        self.annotate(metrics=metrics)


def discard(sample: RecordedSample, reason: str, *, staleness: int | None = None) -> None:
    """Say that a sample was not trained on; see :meth:`RecordedSample.discard`."""
    sample.discard(reason, staleness=staleness)


class Group(AbstractContextManager["Group"]):
    """Opened by :meth:`Iteration.group`. As a context manager it is also the place of its logtree calls."""

    def __init__(
        self,
        iteration: Iteration,
        identity: int | str,
        defaults: SampleFields,
        *,
        discard_zero_advantage: bool,
        logged: bool,
    ) -> None:
        self.id = identity
        self.samples: list[RecordedSample] = []
        self.iteration = iteration
        self._defaults = defaults
        self._discard_zero_advantage = discard_zero_advantage
        self._logged = logged
        self._scope: Scope | None = None
        self._next_index = 0
        self.complain = iteration.session.complain

    def add(self, messages: Conversation | None = None, **fields: Unpack[SampleFields]) -> RecordedSample:
        """Record one sample: a whole conversation (the first assistant message begins the response), or ``prompt`` and
        ``response``. All other fields are optional; see :class:`SampleFields`."""
        return self._add(self._take_index(), messages, fields)

    def _take_index(self) -> int:
        with self.iteration.session.lock:
            index = self._next_index
            self._next_index += 1
        return index

    def _add(self, index: int, messages: Conversation | None, fields: SampleFields) -> RecordedSample:
        iteration, session = self.iteration, self.iteration.session
        session.problems.raise_deferred()
        line = RolloutLine(
            schema_version=SCHEMA_VERSION,
            run_id=session.run_id,
            writer=session.writer_name,
            attempt=session.attempt,
            split=iteration.split,
            step=iteration.step,
            group=self.id,
            index=index,
            time=session.now(),
        )
        sample = RecordedSample(self, line)
        try:
            fill(line, messages, {**self._defaults, **fields}, self.complain)
        except RecordError:
            raise
        except Exception as error:  # noqa: BLE001  # whatever a caller's objects do, training goes on
            session.problems.report("sample", f"A sample could not be recorded: {type(error).__name__}: {error}.")
            return sample
        self.samples.append(sample)
        if iteration.closed:
            session.problems.report(
                "closed", f"A sample was added to {iteration.split} step {iteration.step} after it was closed."
            )
            self.write()
        return sample

    @contextmanager
    def rollout(self) -> Iterator[Rollout]:
        """One trajectory while it is being sampled: logtree calls inside land in its own section, so that concurrent
        rollouts never interleave. An exception is recorded as a failed sample, and raised again."""
        rollout = Rollout(self, self._take_index())
        with logtree.scope_details(f"Rollout {rollout.index} log", data__group=self.id, data__trajectory=rollout.index):
            try:
                yield rollout
            except BaseException as error:
                if rollout.sample is None and not isinstance(error, GeneratorExit):
                    rollout.record(status="failed", stop_reason=type(error).__name__)
                raise

    def set_advantages(self, advantages: Sequence[Any]) -> None:
        """Give each sample its advantage, in the order in which they were added."""
        values = list(advantages)
        if len(values) != len(self.samples):
            self.complain(f"group {self.id} has {len(self.samples)} samples and was given {len(values)} advantages")
        for sample, advantage in zip(self.samples, values):
            sample.set_advantage(advantage)

    def discard(self, reason: str, *, staleness: int | None = None) -> None:
        """Say that none of its samples so far was trained on."""
        for sample in self.samples:
            sample.discard(reason, staleness=staleness)

    def write(self) -> None:
        """Hand all samples that were not written yet to the writer. They can no longer change."""
        waiting = [sample for sample in self.samples if not sample.written]
        if self._discard_zero_advantage and has_zero_advantage([sample.line for sample in self.samples]):
            for sample in waiting:
                sample.line.discard_reason = sample.line.discard_reason or ZERO_ADVANTAGE
        for sample in waiting:
            sample.written = True
            self.iteration.write(sample.line)

    def close(self) -> None:
        self.write()
        self.iteration.forget(self)

    def after_fork(self) -> None:
        """In the child: samples added before the fork are the parent's to write."""
        self.samples = []

    def __enter__(self) -> Self:
        node = self.iteration.group_node(self.id) if self._logged else None
        self._scope = node_scope(self.iteration.trace, node, 3)
        self._scope.__enter__()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._scope is not None:
            self._scope.__exit__(kind, error, trace)
        self.close()


class Rollout:
    """A trajectory being sampled; see :meth:`Group.rollout`."""

    def __init__(self, group: Group, index: int) -> None:
        self.index = index
        self.sample: RecordedSample | None = None
        self._group = group

    def record(self, messages: Conversation | None = None, **fields: Unpack[SampleFields]) -> RecordedSample:
        """Add the sample to its group: the arguments are those of :meth:`Group.add`."""
        self.sample = self._group._add(self.index, messages, fields)
        return self.sample


def has_zero_advantage(lines: Sequence[RolloutLine]) -> bool:
    """Whether a group teaches nothing: its advantages are all 0 or, where none are known, its rewards all equal."""
    advantages = [line.advantage for line in lines if line.advantage is not None]
    if advantages:
        return len(advantages) == len(lines) and not any(advantages)
    rewards = [line.reward for line in lines]
    return len(rewards) > 1 and None not in rewards and len(set(rewards)) == 1
