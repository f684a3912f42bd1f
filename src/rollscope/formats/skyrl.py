"""SkyRL: evaluations it dumps by default, `dumped_evals/{global_step_N_evals|eval_only}/{data source}.jsonl`."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from rollscope import render
from rollscope.formats.base import Claim, MetricRow, Source
from rollscope.formats.lines.nested import NestedLines, items, mapping, number, numbers_of, text
from rollscope.formats.lines.step_files import first_keys
from rollscope.formats.run_files import read_lines
from rollscope.formats.stop_reasons import status_of
from rollscope.model import Sample
from rollscope.render.chat import to_json
from rollscope.storage.store import Store

_FOLDER = re.compile(r"global_step_(\d+)_evals|eval_only")
_MARKS = frozenset({"input_prompt", "output_response", "score"})
_TOTALS = "aggregated_results.jsonl"


class SkyRLFormat(NestedLines):
    name = "skyrl"
    limits = (
        "SkyRL saves evaluations in readable form, and no training rollouts: its recorder hook writes those.",
        "No group is written: samples of a step with an equal prompt are shown as one.",
    )

    def detect(self, store: Store) -> Claim | None:
        keys, path = first_keys(store, [source.path for source in self.sources(store)])
        if not keys >= _MARKS:
            return None
        return Claim(confidence=0.95, reasons=(f"records with input_prompt, output_response and score in {path}",))

    def sources(self, store: Store) -> Iterable[Source]:
        folders = list(_folders(store))
        has_steps = any(step is not None for _, step in folders)
        for folder, step in folders:
            for name in store.files(folder):
                stem = name.removesuffix(".jsonl")
                if name not in (stem, _TOTALS):
                    # An evaluation without training has no step; beside others it must not be taken for their step 0.
                    apart = "eval_only-" if step is None and has_steps else ""
                    path = f"{folder}/{name}" if folder else name
                    yield Source(path=path, split=f"eval/{apart}{stem}", step=step or 0)

    def samples(self, record: dict[str, Any], source: Source) -> Sequence[Sample]:
        extras = mapping(record.get("env_extras"))
        score, stop = record.get("score"), text(record.get("stop_reason"))
        parts = [value for item in items(score) if (value := number(item)) is not None]
        golden = mapping(extras.get("reward_spec")).get("ground_truth")
        return [
            Sample(
                messages=render.split_conversation(
                    str(record.get("input_prompt") or ""), str(record.get("output_response") or "")
                ),
                # A score for each token is what the sample was paid at each; the total is their sum.
                reward=sum(parts) if isinstance(score, list) and parts else number(score),
                env=text(record.get("env_class")),
                dataset=text(record.get("data_source")),
                golden_answers={} if golden in (None, "") else {"ground_truth": _plain(golden)},
                stop_reason=stop,
                status=status_of(stop),
                metrics=numbers_of({key: value for key, value in record.items() if key not in _MARKS}),
            )
        ]

    def metric_files(self, store: Store) -> list[str]:
        found = [(f"{folder}/{_TOTALS}" if folder else _TOTALS, step) for folder, step in _folders(store)]
        return [path for path, step in found if step is not None and store.exists(path)]

    def metrics(self, store: Store) -> Iterator[MetricRow]:
        for path in self.metric_files(store):
            step = _FOLDER.search(path)
            for record in read_lines(store, path):
                if step is not None and step[1] is not None:
                    yield MetricRow(step=int(step[1]), time=None, values=numbers_of(record))

    def claims(self, store: Store, path: str) -> bool:
        return path.endswith((_TOTALS, "_training_input.pkl"))


def _folders(store: Store) -> Iterator[tuple[str, int | None]]:
    """The folders of evaluations with their steps, from the export's folder, its `dumped_evals` or one of them."""
    if match := _FOLDER.fullmatch(store.name):
        yield "", int(match[1]) if match[1] else None
        return
    above = "dumped_evals" if "dumped_evals" in store.folders() else ""
    found = [(name, match) for name in store.folders(above) if (match := _FOLDER.fullmatch(name))]
    for name, match in sorted(found, key=lambda item: int(item[1][1] or -1)):
        yield f"{above}/{name}" if above else name, int(match[1]) if match[1] else None


def _plain(value: Any) -> str:
    return value if isinstance(value, str) else to_json(value)
