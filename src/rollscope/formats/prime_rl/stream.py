"""prime-rl since September 2026: all episodes in one stream of chunks, what was learned of them later in annotations.

`monitors/file/traces/stream/NNNNN.jsonl`, sealed chunks as seekable zstd; see `annotations` for the rest. A sample's
step is the least one that it was shipped for. What was never shipped was not trained on: it is discarded, and stands at
the step at which it was dispatched.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Iterator
from typing import Any

import msgspec

from rollscope.formats.base import Claim, MetricRow, Place, Scan, Source, Texts, message_starts, sample_texts
from rollscope.formats.lines.lenient import Unreadable
from rollscope.formats.lines.sealed import is_sealed, read_bytes
from rollscope.formats.lines.step_files import record_keys
from rollscope.formats.prime_rl import PrimeRlFormat
from rollscope.formats.prime_rl import rows as scalars
from rollscope.formats.prime_rl.annotations import Shipment, annotation, chunks, shipments, shipped_advantage, stream
from rollscope.formats.prime_rl.live import live_files, live_record
from rollscope.formats.prime_rl.token_streams import add_streams
from rollscope.formats.run_files import read_config, read_lines
from rollscope.model import Sample, as_number
from rollscope.storage.store import Store

#: Where the traces lie, seen from the run, from `monitors/file`, and from the folder itself.
_BASES = ("monitors/file/traces/", "traces/", "")
_LIVE = "live"
_METRICS = "metrics.jsonl"
_NOT_METRICS = frozenset({"step", "time", "producer"})


class PrimeRlStreamFormat(PrimeRlFormat):
    name = "prime_rl_stream"
    limits = (
        "A sample that was never shipped to the trainer counts as discarded; in a run that goes on it may still be shipped.",
        "Discarded samples have no step of their own: they stand at the one they were dispatched for.",
        "Advantages are per token: a sample shows one only where it was annotated with one, or all its tokens have the same.",
        "A rollout in flight stands at the step it was dispatched for, until it lands.",
        "Episodes of an evaluation that nothing was learned of later count as discarded only where others' were.",
        "A trace is a graph: the path to the last call is the conversation, what branches off is shown beside it.",
    )  # fmt: skip

    def detect(self, store: Store) -> Claim | None:
        base = _base(store)
        if base is None:
            return None
        # What is known of the traces is not asked for here: of a long run it takes a tenth of a second.
        for path in chunks(store, f"{base}stream").values():
            try:
                head = read_bytes(store, path, 0, 1 << 20)
            except (OSError, Unreadable) as error:
                return Claim(confidence=0.6, reasons=(f"{path} is a chunk of traces, but {error}",))
            line = head.lstrip().partition(b"\n")[0]
            if record_keys(line) & {"traces", "nodes"}:
                return Claim(confidence=0.97, reasons=(f"prime-rl's stream of episodes in {path}",))
        for path, _ in live_files(store, f"{base}{_LIVE}"):
            return Claim(confidence=0.8, reasons=(f"a rollout of prime-rl in flight, {path}",))
        return None

    def sources(self, store: Store) -> Iterable[Source]:
        base = _base(store)
        if base is None:
            return
        known = stream(store, base)
        for number, path in chunks(store, f"{base}stream").items():
            yield Source(path=path, packed=is_sealed(path), note=known.digests.get(number, known.digest))
        for path, trace in live_files(store, f"{base}{_LIVE}"):
            if trace not in known.landed:
                yield Source(path=path, appendable=False, rank=1, note=_LIVE)

    def source_now(self, store: Store, source: Source) -> Source:
        # Few files, and what is known of the annotations is kept as long as they stay as they are.
        return next((found for found in self.sources(store) if found.path == source.path), source)

    def source_of(self, row: scalars.Episode, source: Source) -> Source:
        """Lines of training and of evals lie in one stream; whatever was not shipped has a reason."""
        split = "eval/all" if scalars.kind_of(row) == "eval" else "train"
        return Source(path=source.path, split=split, note="" if source.note == _LIVE else scalars.UNSHIPPED)

    def columns(self, rows: list[Any], source: Source) -> dict[str, Any]:
        found = super().columns(rows, source)
        steps = [scalars.dispatch_step(row) for row in rows for _ in scalars.traces_of(row)]
        kinds = [self.source_of(row, source).split for row in rows for _ in scalars.traces_of(row)]
        splits = found.get("split") or [None] * len(steps)
        return {**found, "step": steps, "split": [split or kind for split, kind in zip(splits, kinds)]}

    def scan(self, store: Store, source: Source, start: int, end: int) -> Scan:
        if source.note == _LIVE:
            return self._scan_live(store, source)
        scan = super().scan(store, source, start, end)
        if not scan.rows:
            return scan
        base = _base_of(source.path)
        shipped, evaluated = shipments(store, base), stream(store, base).evaluated
        columns: dict[str, list[Any]] = {name: list(values) for name, values in scan.columns.items()}
        for name in ("step", "advantage", "discard_reason"):
            columns.setdefault(name, [None] * scan.rows)
        for row, key in enumerate(columns["key"]):
            shipment = shipped.get(key)
            if shipment is not None and shipment.step is not None:
                columns["step"][row], columns["discard_reason"][row] = shipment.step, None
                told = shipped_advantage(store, shipment)
                columns["advantage"][row] = columns["advantage"][row] if told is None else told
            elif columns["split"][row] != "train":
                over = (columns["step"][row] or 0) <= evaluated
                columns["discard_reason"][row] = _eval_reason(columns["discard_reason"][row], shipment, over)
        scan.columns = dict(columns)
        return scan

    def load(self, store: Store, source: Source, place: Place) -> Sample:
        if source.note == _LIVE:
            record = live_record(store.read(source.path), source.path)
            sample = self.sample(record, source, place)
            sample.status, sample.record = "pending", record
            sample.notes.append("This rollout is in flight: it grows turn by turn.")
            return sample
        sample = super().load(store, source, place)
        base = _base_of(source.path)
        shipment = shipments(store, base).get(_trace_id(sample.record, place.member))
        if place.split != "train" and (shipment is None or shipment.step is None):
            over = place.step <= stream(store, base).evaluated
            sample.discard_reason = _eval_reason(sample.discard_reason, shipment, over)
        if shipment is None:
            return sample
        found = [(producer, annotation(store, path, offset)) for producer, path, offset in shipment.places]
        told = [(producer, item) for producer, item in found if item is not None]
        if shipment.step is not None:
            sample.discard_reason = None
            told_advantage = shipped_advantage(store, shipment)
            sample.advantage = sample.advantage if told_advantage is None else told_advantage
        add_streams(sample, sample.record, place.member, [item for _, item in told])
        sample.record = {**sample.record, "annotations": [{"producer": producer, **item} for producer, item in told]}
        return sample

    def _scan_live(self, store: Store, source: Source) -> Scan:
        stat = store.stat(source.path)
        size = stat.size if stat else 0
        try:
            record = live_record(store.read(source.path), source.path)
            row = msgspec.convert(record, scalars.Episode, strict=False)
        except (OSError, Unreadable, msgspec.ValidationError):
            return Scan(columns={}, rows=0, end=size)  # it is being written, or has just landed
        columns: dict[str, list[Any]] = {name: values[:1] for name, values in self.columns([row], source).items()}
        step = columns["step"][0]
        newest = stream(store, _base_of(source.path)).step
        columns |= {"status": ["pending"], "step": [newest if step is None else step], "offset": [0], "length": [size]}
        columns |= {"line": [1], "member": [""]}
        return Scan(columns=dict(columns), rows=1, end=size, lines=1)

    def texts(self, store: Store, source: Source, place: Place) -> Texts:
        if source.note == _LIVE:
            return sample_texts(self.load(store, source, place))
        return super().texts(store, source, place)

    def line_texts(self, line: bytes | memoryview, source: Source, place: Place) -> Texts:
        if source.note == _LIVE:
            return sample_texts(self.sample(live_record(bytes(line), source.path), source, place))
        return super().line_texts(line, source, place)

    def starts(self, store: Store, source: Source, place: Place, chars: int) -> Texts:
        if source.note == _LIVE:
            return message_starts(self.load(store, source, place).messages, chars)
        return super().starts(store, source, place, chars)

    def metric_files(self, store: Store) -> list[str]:
        folders = [base.removesuffix("traces/") for base in _BASES if base]
        return [path for folder in folders if store.exists(path := folder + _METRICS)][:1]

    def metrics(self, store: Store) -> Iterator[MetricRow]:
        """Rows without a step are keyed by time: they count for the step that is in progress."""
        step = 0
        for path in self.metric_files(store):
            for row in read_lines(store, path):
                told = as_number(row.get("step"))
                step = int(told) if told is not None and told.is_integer() else step
                values = {
                    name: number
                    for name, value in row.items()
                    if name not in _NOT_METRICS
                    and not isinstance(value, str)
                    and (number := as_number(value)) is not None
                }
                yield MetricRow(step=step, time=as_number(row.get("time")), values=values)

    def config(self, store: Store) -> Any:
        """What the newest attempt resolved, else the files it was given."""
        for attempt in sorted(store.folders("configs"), key=_attempt, reverse=True):
            folder = f"configs/{attempt}"
            names = [name for name in store.files(f"{folder}/resolved") if name.endswith(".json")]
            found = {name[:-5]: read_config(store, f"{folder}/resolved/{name}") for name in names}
            for name in store.files(folder) if not found else ():
                if name.endswith(".toml"):
                    try:
                        found[name[:-5]] = tomllib.loads(store.read(f"{folder}/{name}").decode("utf-8", "replace"))
                    except (OSError, tomllib.TOMLDecodeError):
                        continue
            if found:
                return found
        return super().config(store)

    def claims(self, store: Store, path: str) -> bool:
        return path.startswith(("configs/", "logs/", "reports/", "monitors/"))


def _base(store: Store) -> str | None:
    return next((base for base in _BASES if _has_stream(store, base)), None)


def _has_stream(store: Store, base: str) -> bool:
    """Chunks, the single file, or a run so young that it has only rollouts in flight."""
    return bool(chunks(store, f"{base}stream")) or (base != "" and any(live_files(store, f"{base}{_LIVE}")))


def _base_of(path: str) -> str:
    return next(base for base in _BASES if path.startswith(base))


def _eval_reason(reason: str | None, shipment: Shipment | None, over: bool) -> str | None:
    """An evaluation is not shipped to any trainer. When it is over, its episodes are annotated but those that were left
    out; until then nothing is known of them."""
    if reason != scalars.NOT_SHIPPED:
        return reason
    effective = shipment.effective if shipment else None
    left_out = over if effective is None else not effective
    return "not in the effective cohort" if left_out else None


def _trace_id(record: Any, member: str) -> str:
    traces = record.get("traces") if isinstance(record, dict) else None
    number = int(member or 0)
    trace = traces[number] if isinstance(traces, list) and number < len(traces) else record
    return str((trace.get("id") if isinstance(trace, dict) else None) or record.get("id"))


def _attempt(name: str) -> int:
    digits = name.rpartition("_")[2]
    return int(digits) if digits.isdigit() else -1
