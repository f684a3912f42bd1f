"""One step of training, or one evaluation at a step, while it is being recorded."""

from __future__ import annotations

import copy
import functools
import time
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from types import TracebackType
from typing import Any, Self, Unpack

import msgspec

from rollscope.model import Message
from rollscope.record.group import Group, RecordedSample
from rollscope.record.logtree.content import table_nodes
from rollscope.record.logtree.export import html_bytes, json_bytes
from rollscope.record.logtree.scopes import Scope, section_nodes, trace_scope
from rollscope.record.logtree.tree import Node, Trace, node
from rollscope.record.metrics import flatten, memory_size, sample_metrics
from rollscope.record.output import file_names
from rollscope.record.output.encode import encode_line
from rollscope.record.output.metrics_file import RowPart
from rollscope.record.report import group_nodes
from rollscope.record.samples.fields import SampleFields
from rollscope.record.samples.messages import Conversation
from rollscope.record.samples.ranges import DeclaredRanges
from rollscope.record.samples.schema import RolloutLine
from rollscope.record.samples.summaries import summary_line
from rollscope.record.session import Session


class _GroupRecord:
    """What the report keeps of a group: its place in the tree and its lines, without text beyond the logged groups."""

    def __init__(self, identity: int | str, logged: bool) -> None:
        self.section, self.body = section_nodes(f"Group {identity}", 2, {"data__group": identity})
        self.identity = identity
        self.logged = logged
        self.lines: list[RolloutLine] = []

    def finish(self, ranges: DeclaredRanges) -> Node:
        """The group's section with its samples beside what was logged."""
        section, body = section_nodes(f"Group {self.identity}", 2, {"data__group": self.identity})
        body.children = list(self.body.children)
        group_nodes(self.lines, ranges, section=section, body=body, transcripts=self.logged)
        return section


class Iteration(AbstractContextManager["Iteration"]):
    """Opened by :meth:`Run.iteration` and :meth:`Run.evaluation`. Samples are written as their groups close; the report,
    the summaries and the metrics row when the iteration does."""

    def __init__(self, session: Session, split: str, step: int, *, title: str, prefix: str = "") -> None:
        self.session = session
        self.split = split
        self.step = step
        self.closed = False
        self.trace = Trace(title, session.directory / self._files().report)
        self._prefix = prefix
        self._started = time.perf_counter()
        self._groups: dict[int | str, _GroupRecord] = {}
        self._open: list[Group] = []
        self._metrics: dict[str, Any] = {}
        self._nonfinite: dict[str, str] = {}
        self._timings: dict[str, float] = {}
        self._scopes: list[Scope] = []

    # -- samples -------------------------------------------------------------------------------------------------------

    def group(
        self,
        group: int | str | None = None,
        *,
        discard_zero_advantage: bool | None = None,
        **defaults: Unpack[SampleFields],
    ) -> Group:
        """Open a group. ``defaults`` are fields that its samples share: ``prompt``, ``env``, ``golden_answers``, …
        ``discard_zero_advantage`` marks all its samples when none of them can teach anything."""
        identity = self.session.next_group(self.split, self.step) if group is None else group
        wanted = (
            self.session.options.discard_zero_advantage if discard_zero_advantage is None else discard_zero_advantage
        )
        with self.session.lock:
            logged = self._record(identity).logged
            opened = Group(self, identity, defaults, discard_zero_advantage=wanted, logged=logged)
            self._open.append(opened)
        return opened

    def add(
        self, messages: Conversation | None = None, *, group: int | str | None = None, **fields: Unpack[SampleFields]
    ) -> RecordedSample:
        """Record one sample at once, alone or as the next one of ``group``. It can no longer change."""
        with self.session.lock:
            known = None if group is None else next((item for item in self._open if item.id == group), None)
        target = known or self.group(group, discard_zero_advantage=False)
        sample = target.add(messages, **fields)
        target.write()
        if group is None:
            target.close()
        return sample

    def write(self, line: RolloutLine) -> None:
        """Queue a finished sample, and keep what the report needs of it."""
        with self.session.lock:
            if not self.closed:
                record = self._record(line.group)
                messages = line.messages if record.logged else _question(line)
                record.lines.append(msgspec.structs.replace(line, tokens=None, messages=messages))
        self.session.append(self._files().rollouts, line, size=_text_size(line))

    def forget(self, group: Group) -> None:
        with self.session.lock:
            if group in self._open:
                self._open.remove(group)

    def group_node(self, identity: int | str) -> Node:
        """Where a group's logtree content goes."""
        return self._record(identity).body

    def _record(self, identity: int | str) -> _GroupRecord:
        record = self._groups.get(identity)
        if record is None:
            limit = self.session.options.num_groups_to_log
            record = _GroupRecord(identity, limit < 0 or len(self._groups) < limit)
            self._groups[identity] = record
            self.trace.root.add(record.section)
        return record

    # -- metrics -------------------------------------------------------------------------------------------------------

    def log_metrics(self, metrics: Mapping[str, Any]) -> None:
        """Add to the iteration's row of ``metrics.jsonl``, which is written when it closes (or at ``flush()``)."""
        values, nonfinite = flatten(metrics, self.session.complain)
        with self.session.lock:
            self._metrics |= values
            self._nonfinite |= nonfinite

    @contextmanager
    def timer(self, name: str) -> Iterator[None]:
        """Time a stage: ``time/<name>`` in the iteration's row, summed over all uses."""
        started = time.perf_counter()
        try:
            yield
        finally:
            with self.session.lock:
                self._timings[name] = self._timings.get(name, 0.0) + time.perf_counter() - started

    # -- the end -------------------------------------------------------------------------------------------------------

    def flush(self) -> None:
        """Queue all that was accepted so far: samples of open groups, metrics."""
        with self.session.lock:
            opened = list(self._open)
            metrics, self._metrics = self._metrics, {}
            nonfinite, self._nonfinite = self._nonfinite, {}
        for group in opened:
            group.write()
        if metrics:
            self._submit_row(metrics, nonfinite)

    def close(self) -> None:
        """Write the iteration's report, summaries and metrics. Called by ``with``."""
        with self.session.lock:
            if self.closed:
                return
            opened = list(self._open)
        for group in opened:
            group.close()
        session = self.session
        with session.lock:
            self.closed = True
            # A group opened but never filled leaves no trace.
            records = [record for record in self._groups.values() if record.lines or record.body.children]
            metrics, self._metrics = self._metrics, {}
            nonfinite, self._nonfinite = self._nonfinite, {}
            timings = {f"time/{name}": seconds for name, seconds in self._timings.items()}
        timings["time/total"] = time.perf_counter() - self._started
        lines = [line for record in records for line in record.lines]
        files = self._files()
        size = sum(_text_size(line) for line in lines)
        session.replace(files.summaries, lambda: _summaries(lines, session), size=size)
        self._submit_row(metrics, nonfinite, lines=lines, timings=timings)
        if session.options.reports:
            # The tree is made once, by whichever of the two files is written first.
            finished = functools.cache(lambda: self._finished_trace(records))
            session.replace(files.logtree, lambda: json_bytes(finished()), size=size)
            session.replace(files.report, lambda: html_bytes(finished()), size=size)

    def seal(self) -> None:
        """Let its samples be compressed, if the run asks for it: nothing more is expected."""
        if self._groups:
            self.session.seal(self._files().rollouts)

    def reopen(self) -> None:
        """Continue a step that was closed: its files are written again, with what is added."""
        self.closed = False
        self._started = time.perf_counter()
        self._timings = {}

    def _submit_row(
        self,
        metrics: dict[str, Any],
        nonfinite: dict[str, str],
        *,
        lines: list[RolloutLine] | None = None,
        timings: dict[str, float] | None = None,
    ) -> None:
        session, now, prefix = self.session, self.session.now(), self._prefix
        progress: dict[str, float] = {}
        if session.total_steps and not prefix:
            progress["progress/done_frac"] = min(1.0, (self.step + 1) / session.total_steps)

        def make() -> RowPart:
            derived = progress | (sample_metrics(lines) if lines else {}) | (timings or {})
            return RowPart(
                self.step,
                session.attempt,
                now,
                values={prefix + name: value for name, value in metrics.items()},
                derived={prefix + name: value for name, value in derived.items()},
                nonfinite={prefix + name: value for name, value in nonfinite.items()},
                writer=None if session.is_main else session.writer_name,
                evaluation=bool(prefix),
            )

        session.add_metrics(make, size=memory_size(metrics))

    def _finished_trace(self, records: list[_GroupRecord]) -> Trace:
        """The trace with its samples. Runs on the writer thread, and leaves the tree that is being logged to alone."""
        trace = copy.copy(self.trace)
        trace.root = Node("body", dict(self.trace.root.attrs), list(_overview(records)))
        finished = {id(record.section): record.finish(self.session.ranges) for record in records}
        for child in list(self.trace.root.children):
            if not _is_group(child):
                trace.root.add(child)
            elif id(child) in finished:
                trace.root.add(finished[id(child)])
        return trace

    def _files(self) -> file_names.IterationFiles:
        return file_names.iteration_files(self.split, self.step, self.session.writer_name)

    def after_fork(self) -> None:
        """In the child: what was accepted before the fork is the parent's to write."""
        for group in self._open:
            group.after_fork()
        self._groups = {}
        self._metrics, self._nonfinite, self._timings = {}, {}, {}
        self.trace = Trace(self.trace.title, self.session.directory / self._files().report)

    def __enter__(self) -> Self:
        scope = trace_scope(self.trace)
        self._scopes.append(scope)
        scope.__enter__()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._scopes.pop().__exit__(kind, error, trace)
        if not self._scopes:
            self.close()


def _question(line: RolloutLine) -> list[Message]:
    """The message that a group's heading quotes."""
    prompt = [message for message in line.messages if message.turn is None]
    return prompt[-1:]


def _text_size(line: RolloutLine) -> int:
    text = sum(len(part.text) for message in line.messages for part in message.parts)
    return text if line.tokens is None else text + 32 * len(line.tokens.ids or line.tokens.logprobs)


def _summaries(lines: list[RolloutLine], session: Session) -> bytes:
    return b"".join(encode_line(summary_line(line), session.problems) for line in lines)


def _is_group(child: str | Node) -> bool:
    return isinstance(child, Node) and child.tag == "section" and "data-group" in child.attrs


def _overview(records: list[_GroupRecord]) -> list[Node]:
    """How the iteration went, on top of its report."""
    lines = [line for record in records for line in record.lines]
    rewards = [line.reward for line in lines if line.reward is not None]
    discarded: dict[str, int] = {}
    for line in lines:
        if line.discard_reason:
            discarded[line.discard_reason] = discarded.get(line.discard_reason, 0) + 1
    rows: list[list[Any]] = [["groups", len(records)], ["samples", len(lines)]]
    if rewards:
        rows.append(["mean reward", sum(rewards) / len(rewards)])
    rows += [[f"discarded: {reason.replace('_', ' ')}", count] for reason, count in discarded.items()]
    with_text = sum(record.logged for record in records)
    note = f"Transcripts of {with_text} of {len(records)} groups are on this page (num_groups_to_log)."
    return [*table_nodes([], rows), node("p", note, css="lt-p lt-sub")]
