"""SkyRL: evaluations it dumps by default, `dumped_evals/{global_step_N_evals|eval_only}/{data source}.jsonl`.

Forks dump what was trained on in the same records, as `dumped_rollouts/global_step_N.jsonl`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from rollscope import render
from rollscope.formats.base import Claim, MetricRow, Source
from rollscope.formats.json_values import items, mapping, number, numbers_of, text
from rollscope.formats.lines.nested import NestedLines
from rollscope.formats.lines.sealed import has_plain_twin
from rollscope.formats.lines.step_files import first_keys, step_source
from rollscope.formats.run_files import read_lines
from rollscope.formats.stop_reasons import status_of
from rollscope.model import Message, Sample, numbers
from rollscope.render.chat import to_json
from rollscope.storage.store import Store

_FOLDER = re.compile(r"global_step_(\d+)_evals|eval_only")
_ROLLOUTS = "dumped_rollouts"
_ROLLOUT_FILE = re.compile(r"global_step_(\d+)(_rollouts)?\.jsonl(\.gz|\.zst)?")
_LINES = re.compile(r"(.+)\.jsonl(\.gz|\.zst)?")
_MARKS = frozenset({"input_prompt", "output_response", "score"})
_TOTALS = "aggregated_results.jsonl"


class SkyRLFormat(NestedLines):
    name = "skyrl"
    limits = (
        "SkyRL saves evaluations in readable form, and no training rollouts (some forks do): its recorder hook writes those.",
        "Step-wise evaluations are written a step a line, and nothing says which are one trajectory: each is one sample.",
        "Where no uid is written, samples of a step with an equal prompt are shown as one group.",
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
                match = _LINES.fullmatch(name)
                path = f"{folder}/{name}" if folder else name
                if match is not None and not name.startswith(_TOTALS) and not has_plain_twin(store, path):
                    # An evaluation without training has no step; beside others it must not be taken for their step 0.
                    apart = "eval_only-" if step is None and has_steps else ""
                    yield step_source(path, split=f"eval/{apart}{match[1]}", step=step or 0)

        yield from _rollouts(store)

    def samples(self, record: dict[str, Any], source: Source) -> Sequence[Sample]:
        extras = mapping(record.get("env_extras"))
        score, stop = record.get("score"), text(record.get("stop_reason"))
        parts = [value for item in items(score) if (value := number(item)) is not None]
        judged = (mapping(extras.get(key)).get("ground_truth") for key in ("reward_spec", "reward_model"))
        golden = next((value for value in judged if value not in (None, "")), None)
        asked, response = record.get("input_prompt"), str(record.get("output_response") or "")
        if isinstance(asked, list):
            said = render.messages_from_chat([{"role": "assistant", "content": response}] if response else [], turn=0)
            messages = [*render.messages_from_chat(asked, turn=None), *said]
        else:
            messages = render.split_conversation(str(asked or ""), response)
        if not response:
            messages.append(Message(role="assistant", turn=0))  # it said nothing, which is not the same as no answer
        return [
            Sample(
                group=text(record.get("uid")),
                messages=messages,
                # A score for each token is what the sample was paid at each; the total is their sum.
                reward=sum(parts) if isinstance(score, list) and parts else number(score),
                env=text(record.get("env_class")),
                dataset=text(record.get("data_source")),
                golden_answers={} if golden is None else {"ground_truth": _plain(golden)},
                stop_reason=stop,
                status=status_of(stop),
                metrics={
                    **numbers_of({key: value for key, value in record.items() if key not in _MARKS}),
                    **dict(numbers(mapping(record.get("env_metrics")), "env_metrics/")),
                },
            )
        ]

    def metric_files(self, store: Store) -> list[str]:
        return [path for path, _ in _totals(store)]

    def metrics(self, store: Store) -> Iterator[MetricRow]:
        for path, step in _totals(store):
            for record in read_lines(store, path):
                yield MetricRow(step=step, time=None, values=numbers_of(record))

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


def _rollouts(store: Store) -> list[Source]:
    """Training, where a fork dumps it: in the records of evaluations. Others are not ours to read."""
    folder = "" if store.name == _ROLLOUTS else _ROLLOUTS if _ROLLOUTS in store.folders() else None
    if folder is None:
        return []
    lead = f"{folder}/" if folder else ""
    found = sorted(
        (int(match[1]), lead + name) for name in store.files(folder) if (match := _ROLLOUT_FILE.fullmatch(name))
    )
    if not first_keys(store, [path for _, path in found])[0] >= _MARKS:
        return []
    return [step_source(path, split="train", step=step) for step, path in found]


def _totals(store: Store) -> Iterator[tuple[str, int]]:
    """Files of results over all samples, with their steps. An evaluation without training counts where it is all there is."""
    folders = list(_folders(store))
    stepless = all(step is None for _, step in folders)
    for folder, step in folders:
        path = f"{folder}/{_TOTALS}" if folder else _TOTALS
        if (stepless or step is not None) and store.exists(path):
            yield path, step or 0


def _plain(value: Any) -> str:
    return value if isinstance(value, str) else to_json(value)
