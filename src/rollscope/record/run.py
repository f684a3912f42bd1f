"""A run being recorded: the object that a training loop calls. No call here can harm the training."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from pathlib import Path
from types import TracebackType
from typing import Any, Unpack

from rollscope.record import checkpoints, lifecycle
from rollscope.record.code_diff import DIFF_FILE, CodeDiff, code_directory
from rollscope.record.config import config_dict
from rollscope.record.group import RecordedSample
from rollscope.record.iteration import Iteration
from rollscope.record.metrics import flatten, memory_size
from rollscope.record.output import file_names, ownership
from rollscope.record.output.config_file import CONFIG_FILE, ConfigFile, read_config, recorder_part
from rollscope.record.output.metrics_file import RowPart
from rollscope.record.output.problems import Problems, RecordError
from rollscope.record.output.write_jobs import WriteJob
from rollscope.record.output.writer import DEFAULT_QUEUE_BYTES, Writer
from rollscope.record.samples.annotations import annotation_line
from rollscope.record.samples.fields import SampleFields
from rollscope.record.samples.ranges import ANY_ENV, RangeLike
from rollscope.record.samples.schema import SCHEMA_VERSION, RolloutLine
from rollscope.record.samples.values import as_count
from rollscope.record.session import RecorderOptions, Session

#: How many closed iterations can still be reopened with everything they had.
KEPT_ITERATIONS = 4
#: How long `flush()` waits for a disk that hangs, and `close()` for one that is full.
FLUSH_SECONDS, CLOSE_SECONDS = 30.0, 5.0


def start(
    directory: str | os.PathLike[str],
    config: Any = None,
    *,
    total_steps: int | None = None,
    num_groups_to_log: int = 4,
    reports: bool = True,
    discard_zero_advantage: bool = False,
    seal: bool = False,
    mask_secrets: bool = True,
    code_dir: str | os.PathLike[str] | None = None,
    strict: bool = False,
    writer: str | None = None,
    attempt: int | None = None,
    run_id: str | None = None,
    queue_bytes: int = DEFAULT_QUEUE_BYTES,
    handle_sigterm: bool = True,
    clock: Callable[[], float] = time.time,
) -> Run:
    """Record a training run into ``directory``. If a run is already there, it is continued as a new attempt.

    ``config``: a dict, dataclass, attrs, pydantic, msgspec or chz object, argparse Namespace; secrets are masked unless
    ``mask_secrets`` is off. ``total_steps`` gives ``progress/done_frac``. ``num_groups_to_log`` groups of each iteration
    have transcripts in its report (0: none, -1: all); ``reports`` off writes no reports at all. ``discard_zero_advantage``
    marks the groups that cannot teach anything. ``seal`` compresses the samples of finished iterations. ``code_dir`` is in
    the repository whose diff is saved (default: where the script is). ``strict`` raises what would otherwise be a warning.
    ``writer`` names this process if several write one run; by default its rank, or host and process id. ``clock`` gives
    the time of records.
    """
    path = Path(directory).absolute()
    problems = Problems(strict=strict)
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        problems.report("directory", f"{path} cannot be made: {error.strerror}.", hint="Training goes on unrecorded.")
    previous = read_config(path)
    own = recorder_part(previous)
    known = own.get("attempt")
    owner = ownership.claim(
        path, writer=writer, attempt=attempt, known_attempt=known if isinstance(known, int) else None
    )
    session = Session(
        path,
        ownership=owner,
        problems=problems,
        writer=Writer(path, problems, queue_bytes=queue_bytes),
        options=RecorderOptions(
            num_groups_to_log=num_groups_to_log,
            reports=reports,
            discard_zero_advantage=discard_zero_advantage,
            seal=seal,
            clock=clock,
        ),
        total_steps=total_steps,
        run_id=run_id or own.get("run_id"),
    )
    run = Run(session, mask_secrets=mask_secrets, previous=previous, handle_sigterm=handle_sigterm)
    run._begin(config, Path(code_dir) if code_dir is not None else code_directory())
    return run


class Run(AbstractContextManager["Run"]):
    """Made by :func:`start`. Safe to use from threads and asyncio tasks, and after a fork."""

    def __init__(self, session: Session, *, mask_secrets: bool, previous: dict[str, Any], handle_sigterm: bool) -> None:
        self._session = session
        self._mask_secrets = mask_secrets
        self._config = ConfigFile(session, previous)
        self._iterations: dict[tuple[str, int], Iteration] = {}
        self._diff = CodeDiff(lambda diff: session.replace(DIFF_FILE, lambda: diff, size=len(diff)))
        session.writer.on_start = lifecycle.close_with_worker_process
        session.writer.on_recreated = self._lost_files
        lifecycle.watch(self, sigterm=handle_sigterm)

    # -- what it is ----------------------------------------------------------------------------------------------------

    @property
    def directory(self) -> Path:
        return self._session.directory

    @property
    def attempt(self) -> int:
        """0 for the first start of the run, one more for each later one."""
        return self._session.attempt

    @property
    def writer(self) -> str:
        return self._session.writer_name

    @property
    def closed(self) -> bool:
        return self._session.closed

    @property
    def errors(self) -> int:
        """How many problems there were. The log has a warning for each kind, at most once a minute."""
        return self._session.problems.count

    @property
    def last_error(self) -> str | None:
        return self._session.problems.last

    def report_problem(self, message: str) -> None:
        """Count something that an integration could not record; raises in a strict run."""
        self._session.problems.report("integration", message)

    # -- config --------------------------------------------------------------------------------------------------------

    def set_config(self, config: Any) -> None:
        """Add to the run's config, or replace parts of it."""
        self._config.add(config_dict(config, mask_secrets=self._mask_secrets, complain=self._session.complain))
        self._write_config()

    def set_total_steps(self, steps: int | None) -> None:
        """For ``progress/done_frac``, if it becomes known only after the start."""
        self._session.total_steps = steps
        self._write_config()

    def declare_range(
        self,
        env: str = ANY_ENV,
        *,
        reward: RangeLike | None = None,
        metrics: Mapping[str, RangeLike] | None = None,
    ) -> None:
        """The range of an environment's reward and metrics (``*``: of all), and which end is good, for the viewers'
        colours. A range is ``(min, max)``, or a mapping with ``min``, ``max``, ``higher_is_better``."""
        self._guard("declare_range", lambda: self._session.ranges.declare(env, reward=reward, metrics=metrics))
        self._write_config()

    # -- the loop ------------------------------------------------------------------------------------------------------

    def iteration(self, step: int) -> Iteration:
        """One step of training: ``with run.iteration(step) as it: …``"""
        return self._open("train", step, title=f"Training iteration {step}")

    def evaluation(self, name: str, step: int) -> Iteration:
        """One evaluation at a step. Its metrics are named ``<name>/…``."""
        label = self._label(str(name))
        return self._open(
            file_names.split_of(label), step, title=f"Evaluation {name}, iteration {step}", prefix=f"{name}/"
        )

    def log_metrics(self, metrics: Mapping[str, Any], step: int | None = None) -> None:
        """Add to the row of ``step`` in ``metrics.jsonl`` now; without a step, write a row of its own."""
        session = self._session
        session.problems.raise_deferred()
        try:
            values, nonfinite = flatten(metrics, session.complain)
            part = RowPart(as_count(step), session.attempt, session.now(), values, nonfinite=nonfinite)
        except RecordError:
            raise
        except Exception as error:  # noqa: BLE001  # a caller's objects may raise anything
            session.problems.report("metrics", f"Metrics of step {step} were not recorded: {error}.")
            return
        if not session.is_main:
            part.writer = session.writer_name
        session.add_metrics(lambda: part, size=memory_size(values))

    def annotate(
        self,
        step: int,
        group: int | str,
        index: int,
        *,
        evaluation: str | None = None,
        writer: str | None = None,
        attempt: int | None = None,
        **fields: Unpack[SampleFields],
    ) -> None:
        """Add what became known later to a sample's record, given its step, its group and its position in the group. For
        callers that do not have the sample itself (``sample.annotate``), such as another process. ``writer`` and
        ``attempt`` say who recorded it; by default this process and attempt."""
        session = self._session
        line = RolloutLine(
            schema_version=SCHEMA_VERSION,
            run_id=session.run_id,
            writer=session.writer_name if writer is None else writer,
            attempt=session.attempt if attempt is None else attempt,
            split="train" if evaluation is None else file_names.split_of(self._label(evaluation)),
            step=step,
            group=group,
            index=index,
            time=session.now(),
        )
        annotation = self._guard("annotate", lambda: annotation_line(line, fields, session.complain))
        if annotation is not None:
            session.annotate(annotation)

    def discard(self, sample: RecordedSample, reason: str, *, staleness: int | None = None) -> None:
        """Say that a sample was not trained on: ``async_staleness``, ``zero_advantage`` or any other reason."""
        sample.discard(reason, staleness=staleness)

    def write_text(self, name: str, text: str) -> None:
        """Write a separate file in the run's directory."""
        file = file_names.with_writer(file_names.sanitize(name), self._session.writer_name)
        content = str(text).encode("utf-8", "backslashreplace")
        self._session.replace(file, lambda: content, size=len(content))

    # -- checkpoints ---------------------------------------------------------------------------------------------------

    def checkpoint(
        self,
        name: str | None = None,
        *,
        step: int | None = None,
        state_path: str | os.PathLike[str] | None = None,
        sampler_path: str | os.PathLike[str] | None = None,
        loop_state: Mapping[str, Any] | None = None,
        **extra: Any,
    ) -> None:
        """Record a checkpoint that was saved. ``loop_state`` comes back from :meth:`resume` as it is now, if there is a
        ``state_path``: without weights to load there is nothing to go on from."""
        if loop_state is not None and state_path is None and sampler_path is None:
            self._session.complain("a checkpoint has a loop state and no state_path: resume() will not return it")
        saved = checkpoints.SavedCheckpoint(
            name=name if name is not None else ("checkpoint" if step is None else f"{step:06d}"),
            batch=step,
            state_path=None if state_path is None else os.fspath(state_path),
            sampler_path=None if sampler_path is None else os.fspath(sampler_path),
            loop_state=dict(loop_state or {}),
            attempt=self._session.attempt,
            time=self._session.now(),
            extra=extra,
        )
        line = self._guard("checkpoint", lambda: checkpoints.checkpoint_line(saved))
        if line is not None:
            file = file_names.with_writer(checkpoints.CHECKPOINTS_FILE, self._session.writer_name)
            self._session.append_made(file, lambda: line, size=len(line))

    def last_checkpoint(self) -> checkpoints.SavedCheckpoint | None:
        """The newest checkpoint with a state path that, if local, still exists."""
        self.flush()
        return checkpoints.last_checkpoint(self.directory)

    def resume(self) -> checkpoints.SavedCheckpoint | None:
        """The checkpoint to continue from, or None for a run that starts afresh. ``checkpoint.batch`` is its step and
        ``checkpoint.loop_state`` what was saved with it."""
        return self.last_checkpoint()

    # -- the end -------------------------------------------------------------------------------------------------------

    def flush(self, timeout: float = FLUSH_SECONDS, *, sync: bool = False) -> bool:
        """Wait until everything accepted is in the files (and, with ``sync``, out of the operating system's cache).
        False if something could not be written."""
        for iteration in list(self._iterations.values()):
            iteration.flush()
        self._diff.wait(timeout)
        done = self._session.writer.flush(timeout, sync=sync)
        self._session.problems.raise_deferred()
        return done

    def close(self) -> None:
        """Close what is open and write everything. Called by ``with``, at exit and on SIGTERM."""
        if self._session.closed:
            return
        for iteration in list(self._iterations.values()):
            iteration.close()
            iteration.seal()
        self._diff.wait(CLOSE_SECONDS)
        self._session.fold_metrics()
        self._config.end()
        self._write_config()
        self._session.closed = True
        lost = self._session.writer.close(CLOSE_SECONDS)
        self._session.ownership.release()
        lifecycle.unwatch(self)
        if lost:
            self._session.problems.defer(
                "lost", f"{lost:,} records of {self.directory} were lost: the disk did not take them until the end."
            )
        self._session.problems.raise_deferred()

    def after_fork(self) -> None:
        self._diff.after_fork()
        self._session.after_fork()
        for iteration in self._iterations.values():
            iteration.after_fork()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    # -- within --------------------------------------------------------------------------------------------------------

    def _begin(self, config: Any, code_dir: Path) -> None:
        if not self._session.is_main:
            return
        self._config.add(config_dict(config, mask_secrets=self._mask_secrets, complain=self._session.complain))
        self._write_config()
        self._diff.start(code_dir)

    def _open(self, split: str, step: int, *, title: str, prefix: str = "") -> Iteration:
        self._session.problems.raise_deferred()
        with self._session.lock:
            number = self._guard("iteration", lambda: as_count(step))
            key = split, number or 0
            iteration = self._iterations.pop(key, None)
            if iteration is None:
                iteration = Iteration(self._session, *key, title=title, prefix=prefix)
            elif iteration.closed:
                iteration.reopen()
            closed = [other for other, item in self._iterations.items() if item.closed]
            for other in closed[:-KEPT_ITERATIONS]:
                self._iterations.pop(other).seal()
            self._iterations[key] = iteration
            return iteration

    def _label(self, name: str) -> str:
        with self._session.lock:
            if known := self._config.known_label(name):
                return known
            label = self._config.new_label(name)
        self._write_config()
        return label

    def _write_config(self) -> None:
        if self._session.is_main:
            content = self._guard("config", self._config.content)
            if content is not None:
                self._session.replace(CONFIG_FILE, lambda: content, size=len(content))

    def _lost_files(self) -> list[WriteJob]:
        """What to write again after the run's directory was deleted. Runs on the writer thread."""
        jobs = []
        if self._session.is_main:
            jobs.append(_whole(CONFIG_FILE, self._config.content()))
            if self._diff.content is not None:
                jobs.append(_whole(DIFF_FILE, self._diff.content))
        return jobs

    def _guard(self, what: str, action: Callable[[], Any]) -> Any:
        """The action's result. If it raises, that is counted and warned about, and the result is None."""
        try:
            return action()
        except RecordError:
            raise
        except Exception as error:  # noqa: BLE001  # a caller's objects may raise anything
            self._session.problems.report(what, f"{what} failed: {type(error).__name__}: {error}.")
            return None


def _whole(file: str, content: bytes) -> WriteJob:
    job = WriteJob(file, lambda: content, whole=True)
    job.content = content
    return job
