"""MLflow's SQLite store: a trace a rollout, its step and split in tags (verl: step, sample_index, rollout_n, validate)."""

from __future__ import annotations

from functools import partial
from typing import Any

from rollscope.errors import NotFoundError
from rollscope.formats.base import Claim, MetricRow, Place, Source
from rollscope.formats.containers.database_runs import DatabaseRuns
from rollscope.formats.containers.sqlite import Sqlite, use_database
from rollscope.formats.conversations import conversation
from rollscope.formats.lines.lenient import Unreadable, printable
from rollscope.formats.lines.nested import decoded, items, mapping, text
from rollscope.formats.sample_rows import sample_columns
from rollscope.model import Message, Sample, Skipped, as_number
from rollscope.render.chat import to_json
from rollscope.storage.open_files import DAMAGED
from rollscope.storage.store import Store

_TRACES, _TAGS, _SPANS, _ABOUT = "trace_info", "trace_tags", "spans", "trace_request_metadata"
_MODEL_CALLS = frozenset({"CHAT_MODEL", "LLM"})
_STATUS = {"OK": "completed", "ERROR": "failed", "IN_PROGRESS": "pending"}


class MlflowFormat(DatabaseRuns):
    name = "mlflow"
    limits = (
        "A trace is a rollout where its tags say a step or a reward; other traces are not shown.",
        "The conversation is that of the last call of a model; without one, the inputs and outputs of the trace.",
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

    def run_rows(self, database: Sqlite, run: str, path: str) -> tuple[dict[str, list[Any]], list[Skipped]]:
        pairs = _all(database, run)
        columns = sample_columns([sample for _, sample in pairs])
        columns["split"] = [sample.split for _, sample in pairs]
        columns["step"] = [sample.step for _, sample in pairs]
        columns["member"] = [trace for trace, _ in pairs]
        columns["offset"] = list(range(len(pairs)))
        columns["length"] = columns["line"] = [0] * len(pairs)
        return columns, []

    def metric_rows(self, database: Sqlite, run: str) -> list[MetricRow]:
        return _metrics(database, run)

    def load(self, store: Store, source: Source, place: Place) -> Sample:
        try:
            sample = use_database(store, source.path, partial(_sample, trace=place.member))
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
    """(trace, run) of the traces whose tags say a step or a reward, in the order in which they began."""
    told = {trace for (trace,) in database.rows(_TAGS, ["request_id"], "key IN ('step', 'reward')")}
    of_run = (
        dict(database.rows(_ABOUT, ["request_id", "value"], "key = 'mlflow.sourceRun'"))
        if _ABOUT in database.tables
        else {}
    )
    order = database.rows(_TRACES, ["request_id"], order="timestamp_ms, rowid")
    return [(trace, str(of_run.get(trace) or "")) for (trace,) in order if trace in told]


def _all(database: Sqlite, run: str) -> list[tuple[str, Sample]]:
    return [(trace, _sample(database, trace)) for trace, of_run in _rollouts(database) if of_run == run]


def _sample(database: Sqlite, trace: str) -> Sample:
    wanted = ["status", "execution_time_ms", "input_tokens", "output_tokens"]
    info = next(iter(database.rows(_TRACES, wanted, "request_id = ?", [trace])), None)
    if info is None:
        raise Unreadable(f"there is no trace {trace} any more")
    status, milliseconds, asked, answered = info
    tags = {str(key): str(value) for key, value in database.rows(_TAGS, ["key", "value"], "request_id = ?", [trace])}
    spans = _spans(database, trace)
    step, group = as_number(tags.get("step")), tags.get("sample_index")
    # Tags are texts, whatever was tagged: these two are numbers by their names.
    sample = Sample(
        split="eval/validation" if tags.get("validate", "").lower() == "true" else "train",
        step=int(step) if step is not None else 0,
        group=int(group) if group is not None and group.isdecimal() else group,
        env=text(tags.get("env")),
        messages=_messages(spans),
        reward=as_number(tags.get("reward")),
        status=_STATUS.get(str(status)),
        prompt_tokens=asked if isinstance(asked, int) else None,
        completion_tokens=answered if isinstance(answered, int) else None,
        timings={"total": milliseconds / 1000} if isinstance(milliseconds, int) else {},
    )
    sample.record = printable({"trace": trace, "tags": tags, "spans": [content for _, _, content in spans]})
    return sample


def _spans(database: Sqlite, trace: str) -> list[tuple[Any, str, dict[str, Any]]]:
    if _SPANS not in database.tables:
        return []
    columns = ["parent_span_id", "type", "content"]
    return [_span(row) for row in database.rows(_SPANS, columns, "trace_id = ?", [trace], "start_time_unix_nano")]


def _span(row: tuple[Any, ...]) -> tuple[Any, str, dict[str, Any]]:
    parent, kind, content = row
    return parent, str(kind or ""), mapping(decoded(content))


def _messages(spans: list[tuple[Any, str, dict[str, Any]]]) -> list[Message]:
    calls = [span for span in spans if span[1] in _MODEL_CALLS]
    roots = [span for span in spans if span[0] is None]
    for _, _, content in (*reversed(calls), *roots):
        given, made = (_attribute(content, f"mlflow.span{name}") for name in ("Inputs", "Outputs"))
        asked = items(mapping(given).get("messages")) or [{"role": "user", "content": _plain(given)}]
        first = next((place for place, item in enumerate(asked) if mapping(item).get("role") == "assistant"), None)
        answer = made if isinstance(made, dict) and "role" in made else {"role": "assistant", "content": _plain(made)}
        return conversation([*asked, answer], answered_from=first if first is not None else len(asked))
    return []


def _attribute(content: dict[str, Any], name: str) -> Any:
    """Attributes are JSON within JSON."""
    value = mapping(content.get("attributes")).get(name)
    return decoded(value) if isinstance(value, str) else value


def _metrics(database: Sqlite, run: str) -> list[MetricRow]:
    if not database.has("metrics", "key", "value", "timestamp", "run_uuid", "step"):
        return []
    rows = database.rows("metrics", ["step", "timestamp", "key", "value"], "run_uuid = ?", [run], "timestamp")
    return [
        MetricRow(step=int(step), time=time / 1000, values={str(key): float(value)})
        for step, time, key, value in rows
        if isinstance(value, (int, float)) and isinstance(time, int)
    ]


def _plain(value: Any) -> str:
    return value if isinstance(value, str) else "" if value is None else to_json(value)
