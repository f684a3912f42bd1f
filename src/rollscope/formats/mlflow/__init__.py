"""MLflow's SQLite store: a trace a rollout, its step and split in tags (verl: step, sample_index, rollout_n, validate)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import partial
from typing import Any

from rollscope.errors import NotFoundError
from rollscope.formats.base import Claim, MetricRow, Place, Source
from rollscope.formats.containers.database_runs import DatabaseRuns
from rollscope.formats.containers.sqlite import Sqlite, use_database
from rollscope.formats.json_values import decoded, items, mapping, number, text
from rollscope.formats.lines.lenient import Unreadable, printable, read_record
from rollscope.formats.mlflow.spans import MlflowSpan, plain, read_spans
from rollscope.formats.sample_rows import sample_columns
from rollscope.formats.stop_reasons import status_of
from rollscope.model import Sample, Skipped, as_number
from rollscope.storage.open_files import DAMAGED
from rollscope.storage.store import Store

_TRACES, _TAGS, _SPANS, _ABOUT = "trace_info", "trace_tags", "spans", "trace_request_metadata"
_TRACE = re.compile(r"[\w-]+")
_GOLDEN = ("answer", "ground_truth", "target", "expected_answer", "solution")
_STATUS = {"OK": "completed", "ERROR": "failed", "IN_PROGRESS": "pending"}


class MlflowFormat(DatabaseRuns):
    name = "mlflow"
    limits = (
        "A trace is a rollout where its tags say a step or a reward; other traces are not shown.",
        "The conversation is that of the last call of a model; without one, what the agent's loop or the trace gave out.",
        "The database must be a local file. Tables logged as artifacts are read only where no trace is a rollout.",
    )

    def detect(self, store: Store) -> Claim | None:
        runs = self.runs(store)
        if not runs:
            return None
        return Claim(
            confidence=0.9, reasons=(f"an MLflow store whose traces have steps or rewards, of {len(runs)} runs",)
        )

    def run_names(self, database: Sqlite) -> list[tuple[str, str]]:
        return _run_names(database)

    def run_rows(
        self, store: Store, database: Sqlite, run: str, path: str
    ) -> tuple[dict[str, list[Any]], list[Skipped]]:
        traces = [trace for trace, of_run in _rollouts(database) if of_run == run]
        places: list[tuple[str, int]] = []

        def samples() -> Iterator[Sample]:
            for trace in traces:
                sample = _sample(store, database, trace)
                places.append((sample.split, sample.step))
                yield sample

        columns = sample_columns(samples())
        columns |= {"split": [split for split, _ in places], "step": [step for _, step in places], "member": traces}
        columns |= {"offset": list(range(len(traces))), "length": [0] * len(traces), "line": [0] * len(traces)}
        return columns, []

    def metric_rows(self, database: Sqlite, run: str) -> list[MetricRow]:
        return _metrics(database, run)

    def load(self, store: Store, source: Source, place: Place) -> Sample:
        try:
            sample = use_database(store, source.path, partial(_sample, store, trace=place.member))
        except (*DAMAGED, Unreadable) as error:
            raise NotFoundError(f"{source.path} cannot be read: {error}", hint="Refresh the run.") from error
        return sample

    def claims(self, store: Store, path: str) -> bool:
        return path.startswith("mlruns/") or path.endswith((".db-wal", ".db-shm"))


def _run_names(database: Sqlite) -> list[tuple[str, str]]:
    if not (database.has(_TRACES, "request_id") and database.has(_TAGS, "key", "value", "request_id")):
        return []
    names = {str(run): str(label or run) for run, label in database.rows("runs", ["run_uuid", "name"])}
    runs = dict.fromkeys(run for _, run in _rollouts(database))
    return [(run, names.get(run, run) or "traces") for run in runs]


def _rollouts(database: Sqlite) -> list[tuple[str, str]]:
    """(trace, run) of the traces whose tags say a step or a reward, in the order in which they began. Traces that belong to
    no run, because other processes than the trainer's wrote them, say their experiment (verl)."""
    told = {trace for (trace,) in database.rows(_TAGS, ["request_id"], "key IN ('step', 'reward')")}
    of_run = dict(database.rows(_TAGS, ["request_id", "value"], "key = 'experiment_name'"))
    if _ABOUT in database.tables:
        of_run |= dict(database.rows(_ABOUT, ["request_id", "value"], "key = 'mlflow.sourceRun'"))
    order = database.rows(_TRACES, ["request_id"], order="timestamp_ms, rowid")
    return [(trace, str(of_run.get(trace) or "")) for (trace,) in order if trace in told]


def _sample(store: Store, database: Sqlite, trace: str) -> Sample:
    wanted = ["status", "execution_time_ms", "input_tokens", "output_tokens", "experiment_id"]
    info = next(iter(database.rows(_TRACES, wanted, "request_id = ?", [trace])), None)
    if info is None:
        raise Unreadable(f"there is no trace {trace} any more")
    status, milliseconds, asked, answered, experiment = info
    tags = {str(key): str(value) for key, value in database.rows(_TAGS, ["key", "value"], "request_id = ?", [trace])}
    spans = _spans(database, trace) or _written_spans(store, experiment, trace)
    said = read_spans(spans)
    step, group = as_number(tags.get("step")), tags.get("sample_index")
    judged, expected = _assessments(database, trace)
    # Tags are texts, whatever was tagged: these are numbers by their names.
    reward, advantage = (as_number(tags.get(name, judged.get(name))) for name in ("reward", "advantage"))
    sample = Sample(
        split="eval/validation" if tags.get("validate", "").lower() == "true" else "train",
        step=int(step) if step is not None else 0,
        group=int(group) if group is not None and group.isdecimal() else group,
        env=text(tags.get("env")),
        messages=said.messages,
        reward=said.reward if reward is None else reward,
        advantage=advantage,
        metrics={name: value for name, value in judged.items() if name not in ("reward", "advantage")},
        golden_answers={**{name: tags[name] for name in _GOLDEN if tags.get(name)}, **expected},
        status=_STATUS.get(str(status)),
        stop_reason=said.stop_reason,
        prompt_tokens=asked if isinstance(asked, int) else said.prompt_tokens,
        completion_tokens=answered if isinstance(answered, int) else said.completion_tokens,
        timings={"total": milliseconds / 1000} if isinstance(milliseconds, int) else {},
        tokens=said.tokens,
        notes=said.notes,
    )
    if sample.status in (None, "completed"):
        sample.status = status_of(said.stop_reason) or sample.status
    sample.record = printable({"trace": trace, "tags": tags, "spans": [content for _, _, content in spans]})
    return sample


def _assessments(database: Sqlite, trace: str) -> tuple[dict[str, float], dict[str, str]]:
    """(numbers that somebody gave the trace, what was expected of it) by their names."""
    columns = ["name", "assessment_type", "value"]
    if not database.has("assessments", "trace_id", *columns):
        return {}, {}
    judged: dict[str, float] = {}
    expected: dict[str, str] = {}
    for name, kind, value in database.rows("assessments", columns, "trace_id = ?", [trace], "rowid"):
        found = decoded(value)
        if kind == "expectation" and found is not None:
            expected[str(name)] = plain(found)
        elif kind == "feedback" and (judgement := number(found)) is not None:
            judged[str(name)] = judgement
    return judged, expected


def _spans(database: Sqlite, trace: str) -> list[MlflowSpan]:
    if _SPANS not in database.tables:
        return []
    columns = ["parent_span_id", "type", "content"]
    return [_span(row) for row in database.rows(_SPANS, columns, "trace_id = ?", [trace], "start_time_unix_nano")]


def _written_spans(store: Store, experiment: Any, trace: str) -> list[MlflowSpan]:
    """MLflow before 3.5 kept no spans in its database: each trace has a file beside it."""
    path = f"mlruns/{experiment}/traces/{trace}/artifacts/traces.json"
    if not (_TRACE.fullmatch(trace) and isinstance(experiment, int) and store.exists(path)):
        return []
    try:
        written = [mapping(item) for item in items(read_record(store.read(path)).get("spans"))]
    except (OSError, Unreadable):
        return []
    kinds = (decoded(mapping(content.get("attributes")).get("mlflow.spanType")) for content in written)
    return [(content.get("parent_span_id") or None, str(kind or ""), content) for content, kind in zip(written, kinds)]


def _span(row: tuple[Any, ...]) -> MlflowSpan:
    parent, kind, content = row
    return parent, str(kind or ""), mapping(decoded(content))


def _metrics(database: Sqlite, run: str) -> list[MetricRow]:
    if not database.has("metrics", "key", "value", "timestamp", "run_uuid", "step"):
        return []
    # An experiment that traces name is the name of the trainer's run.
    named = [uuid for uuid, name in database.rows("runs", ["run_uuid", "name"]) if run in (uuid, name)]
    found = run if run in named or not named else named[-1]
    rows = database.rows("metrics", ["step", "timestamp", "key", "value"], "run_uuid = ?", [found], "timestamp")
    return [
        MetricRow(step=int(step), time=time / 1000, values={str(key): float(value)})
        for step, time, key, value in rows
        if isinstance(value, (int, float)) and isinstance(time, int)
    ]
