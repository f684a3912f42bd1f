"""prime-rl and verifiers v1: `rollouts/step_N/{train,eval}/{all,effective}/traces.jsonl`, or an eval's `traces.jsonl`.

`all` has every trace that was finished, `effective` those that were trained on: a trace that is only in `all` was
discarded. A trace keeps its place in `all` and its values from `effective`, which is written later and knows more.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Sequence
from typing import Any, ClassVar

import msgspec

from rollscope.formats.base import Claim, Place, Source, Texts, message_starts
from rollscope.formats.lines.flat import text_and_parts
from rollscope.formats.lines.jsonl import JsonlFormat
from rollscope.formats.lines.lenient import Unreadable, decode_line
from rollscope.formats.lines.preview import record_beginning
from rollscope.formats.lines.row_reader import convert
from rollscope.formats.lines.sealed import is_sealed, plain_or_sealed, read_bytes
from rollscope.formats.lines.step_files import first_keys
from rollscope.formats.prime_rl import rows as scalars
from rollscope.formats.prime_rl.sample import (
    branches,
    build_sample,
    calls_of,
    golden_answers,
    graph,
    main_path,
    path_messages,
    task_messages,
    trace_of,
)
from rollscope.formats.prime_rl.token_exports import add_export
from rollscope.formats.run_files import RunFiles, read_config
from rollscope.model import Part, Sample
from rollscope.render import join_messages
from rollscope.storage.store import Store

_STEP = re.compile(r"step_(\d+)")
_TRACES = "traces.jsonl"
_RESOLVED = "configs/resolved"
_OTHER_FILES = re.compile(r"(configs|logs|token_exports)/.*|config\.toml|(rollouts/)?step_\d+/rank_\d+\.bin")
_SCALARS = ("env", "reward", "advantage", "status", "stop_reason", "discard_reason", "sampling_step",
            "prompt_tokens", "completion_tokens", "total_tokens")  # fmt: skip


class PrimeRlFormat(JsonlFormat, RunFiles):
    name = "prime_rl"
    limits: ClassVar[tuple[str, ...]] = (
        "Why a trace was left out is written only for errors and filters; else an advantage of 0 is taken as the reason.",
        "Advantages are per token: a sample shows one only where all its tokens have the same.",
        "Policy versions count from 0 and steps from 1: a sample of the newest policy shows a staleness of 1.",
        "A trace is a graph: the path to the last call is the conversation, what branches off is shown beside it.",
    )
    Row = scalars.Episode
    extras = False
    # Calls are shown in our words; a thought and pieces of content are joined with what follows them.
    reworded = rb'"tool_calls"|"reasoning|"content"\s*:\s*\['

    def detect(self, store: Store) -> Claim | None:
        keys, path = first_keys(store, [source.path for source in self.sources(store)])
        if keys >= {"traces", "task"}:
            return Claim(confidence=0.95, reasons=(f"verifiers episodes (traces, task) in {path}",))
        if keys >= {"nodes", "rewards"}:
            return Claim(confidence=0.95, reasons=(f"verifiers traces (nodes, rewards) in {path}",))
        return None

    def sources(self, store: Store) -> Iterable[Source]:
        # `train/all` and its like are parts of a step, which their files do not say: the run lies above.
        is_part = store.name in ("all", "effective") and store.parent_name in ("train", "eval")
        own = None if is_part else plain_or_sealed(store, _TRACES)
        if own is not None:
            # The traces of a training run that were put into one file say their steps.
            yield _source(own, split=None, step=None if _says_steps(store, own) else 0)
        base = "rollouts/" if "rollouts" in store.folders() else ""
        steps = [(int(match[1]), name) for name in store.folders(base[:-1]) if (match := _STEP.fullmatch(name))]
        for step, folder in sorted(steps):
            for kind, split in (("train", "train"), ("eval", None)):
                place = f"{base}{folder}/{kind}"
                judged = plain_or_sealed(store, f"{place}/effective/{_TRACES}")
                if (path := plain_or_sealed(store, f"{place}/all/{_TRACES}")) is not None:
                    yield _source(path, split, step, rank=1, note=scalars.JUDGED if judged else "")
                if judged is not None:
                    yield _source(judged, split, step)

    def columns(self, rows: list[Any], source: Source) -> dict[str, Sequence[Any]]:
        found: dict[str, Sequence[Any]] = dict(scalars.columns(rows, source, self.source_of))
        if not _is_own(source.path) or source.step is not None:
            return found
        told = [row for row in rows for _ in scalars.traces_of(row)]
        splits = found.get("split") or [None] * len(told)
        steps = [scalars.dispatch_step(row) or 0 for row in told]
        return {**found, "step": steps, "split": [split or "train" for split in splits]}

    def source_of(self, row: scalars.Episode, source: Source) -> Source:
        """What the row's file says of it; where files hold rows of all kinds, the row is asked."""
        trained = _is_own(source.path) and source.step is None and scalars.kind_of(row) == "train"
        return msgspec.structs.replace(source, split="train") if trained else source

    def samples_per_row(self, rows: list[Any]) -> list[int] | None:
        return [len(scalars.traces_of(row)) for row in rows]

    def sample(self, record: dict[str, Any], source: Source, place: Place) -> Sample:
        sample = build_sample(record, place.member)
        row = convert(record, scalars.Episode)
        traces = scalars.traces_of(row)
        source_of = self.source_of(row, source)
        for name, value in scalars.values(row, traces[int(place.member or 0) % len(traces)], source_of).items():
            kind, _, key = name.partition(".")
            if key:
                getattr(sample, kind)[key] = value
            elif kind in _SCALARS:
                setattr(sample, name, value)
        return sample

    def load(self, store: Store, source: Source, place: Place) -> Sample:
        sample = super().load(store, source, place)
        if place.split == "train" and isinstance(sample.record, dict):
            add_export(store, place.step, sample, sample.record, place.member)
        return sample

    def line_texts(self, line: bytes | memoryview, source: Source, place: Place) -> Texts:
        record = decode_line(line)[0]
        trace = trace_of(record, place.member)
        task = trace.get("task") or record.get("task")
        nodes = graph(trace)
        path = main_path(nodes, calls_of(trace))
        prompt: list[str] = []
        response: list[tuple[str, Sequence[Part]]] = []
        for node in (nodes[number] for number in path):
            message = node.get("message")
            text, parts = text_and_parts(message) if isinstance(message, dict) else ("", ())
            if response or node.get("sampled"):
                response.append((text, parts))
            else:
                prompt.append(text)
        if not path:
            prompt = [message.text for message in task_messages(task)]
        said = join_messages((text, parts) for text, parts in response if text)
        texts = [("prompt", "\n".join(filter(None, prompt))), ("response", said)]
        texts += [("golden", text) for text in golden_answers(task).values()]
        # What is shown beside the conversation is found, and is no part of its answer.
        beside = (message.text for branch in branches(nodes, path) for message in branch.messages)
        texts.append(("unmatched", "\n".join(filter(None, beside))))
        return [(name, text) for name, text in texts if text]

    def starts(self, store: Store, source: Source, place: Place, chars: int) -> Texts:
        nodes = graph(trace_of(record_beginning(store, source, place), place.member))
        return message_starts(path_messages(nodes, main_path(nodes, [])), chars)

    def config(self, store: Store) -> Any:
        """The resolved configs of all programs of the run, by name; else the older `config.toml`."""
        names = [name for name in store.files(_RESOLVED) if name.endswith(".json")]
        found = {name.removesuffix(".json"): read_config(store, f"{_RESOLVED}/{name}") for name in names}
        if found or not store.exists("config.toml"):
            return found or None
        try:
            return tomllib.loads(store.read("config.toml").decode("utf-8", "replace"))
        except (OSError, tomllib.TOMLDecodeError):
            return None

    def claims(self, store: Store, path: str) -> bool:
        return _OTHER_FILES.fullmatch(path) is not None


def _source(path: str, split: str | None, step: int | None, rank: int = 0, note: str = "") -> Source:
    return Source(path=path, split=split, step=step, rank=rank, note=note, packed=is_sealed(path))


def _is_own(path: str) -> bool:
    """The run's only file, not that of a step."""
    return "/" not in path and path.startswith(_TRACES)


def _says_steps(store: Store, path: str) -> bool:
    """Does the first line come from a training run? A line of more than a megabyte is taken for an eval's."""
    try:
        line = read_bytes(store, path, 0, 1 << 20).lstrip().partition(b"\n")[0]
        return scalars.kind_of(convert(decode_line(line)[0], scalars.Episode)) == "train"
    except (OSError, Unreadable, msgspec.ValidationError):
        return False
