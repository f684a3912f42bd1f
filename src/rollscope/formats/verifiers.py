"""verifiers before v1: an eval's `results.jsonl` with its `metadata.json`; and prime-rl 0.6, whose
`rollouts/step_N/train_rollouts.jsonl` and `eval_rollouts_<env>.jsonl` hold the same records and say more about training.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Any, ClassVar

import msgspec
from msgspec import Struct

from rollscope.formats.base import Claim, Place, Source
from rollscope.formats.lines.flat import FlatFormat, Keys, row_struct
from rollscope.formats.lines.sealed import has_plain_twin, plain_or_sealed
from rollscope.formats.lines.step_files import first_keys, step_source
from rollscope.formats.run_files import RunFiles, read_config
from rollscope.model import Sample, TokenArrays, Turn, as_number
from rollscope.render.chat import to_json
from rollscope.storage.store import Store

_RESULTS, _METADATA = "results.jsonl", "metadata.json"
_MARKS = {"prompt", "completion", "reward"}
#: Until 0.1.5 an example was named by `id`, and times stood in the record itself.
_EXAMPLE, _OLDER_EXAMPLE = "example_id", "id"
_OLDER_TIMES = ("generation_ms", "scoring_ms", "total_ms")
_STEP = re.compile(r"step_(\d+)")
_ROLLOUTS = re.compile(r"(train_rollouts|eval_rollouts_(?P<env>.+))\.jsonl(\.gz|\.zst)?")
#: Keys that together say how a sample ended and whether it was trained on.
_OUTCOME = (
    "is_completed",
    "is_truncated",
    "error",
    "is_filtered",
    "filters",
    "token_usage",
    "group_id",
    _OLDER_EXAMPLE,
)


class VerifiersFormat(FlatFormat, RunFiles):
    name = "verifiers"
    limits = (
        "An eval has no training step: it is shown as step 0.",
        "Metrics are the environment's own; reward components are not told apart from them.",
        "Tokens of the prompt are counted over all calls of a rollout and so are not shown.",
        "Turns, token ids and logprobs are there only where the eval kept the column `trajectory`.",
    )
    keys: ClassVar[Keys] = Keys(
        prompt="prompt",
        response="completion",
        reward="reward",
        golden="answer",
        group=_EXAMPLE,
        env="env_name",
        advantage="advantage",
        stop_reason="stop_condition",
        sampling_step="policy_version",
        turns="num_turns",
        ignored=(
            "timing",
            "trajectory",
            "tool_defs",
            "info",
            "rollout_id",
            "eval_step",
            "error_chain",
            "long_error_chain",
            *_OLDER_TIMES,
        ),
    )

    def detect(self, store: Store) -> Claim | None:
        keys, path = first_keys(store, [source.path for source in self.sources(store)])
        beside = f" beside {_METADATA}" if store.exists(_METADATA) else ""
        name = _EXAMPLE if _EXAMPLE in keys else _OLDER_EXAMPLE if beside and path.startswith(_RESULTS) else None
        if not keys >= _MARKS or name not in keys:
            return None
        return Claim(confidence=0.9, reasons=(f"records with {name}, prompt and completion in {path}{beside}",))

    def run_name(self, store: Store) -> str | None:
        """`<env>--<model>/<id>`: the folder's own name is the id alone."""
        above = store.parent_name
        return f"{above}/{store.name}" if "--" in above and plain_or_sealed(store, _RESULTS) else None

    def sources(self, store: Store) -> Iterable[Source]:
        if (path := plain_or_sealed(store, _RESULTS)) is not None:
            metadata = read_config(store, _METADATA)
            env = metadata.get("env_id") if isinstance(metadata, dict) else None
            yield step_source(path, split=f"eval/{env or store.name}", step=0)
        base = "rollouts" if "rollouts" in store.folders() else ""
        steps = [(int(match[1]), name) for name in store.folders(base) if (match := _STEP.fullmatch(name))]
        for step, folder in sorted(steps):
            place = f"{base}/{folder}".lstrip("/")
            for name in store.files(place):
                match = _ROLLOUTS.fullmatch(name)
                if match is not None and not has_plain_twin(store, f"{place}/{name}"):
                    split = f"eval/{match['env']}" if match["env"] else "train"
                    yield step_source(f"{place}/{name}", split=split, step=step)

    def row_type(self, store: Store, source: Source) -> type[Struct]:
        return _row(self.keys)

    def columns(self, rows: list[Any], source: Source) -> dict[str, Sequence[Any]]:
        columns = super().columns(rows, source)
        outcomes = [{name: getattr(row, name) for name in _OUTCOME} for row in rows]
        columns["status"] = [_status(outcome) for outcome in outcomes]
        columns["discard_reason"] = [_discard_reason(outcome) for outcome in outcomes]
        columns["completion_tokens"] = [_output_tokens(outcome) for outcome in outcomes]
        named = ((row.group_id, row.group, row.id) for row in rows)
        columns["group"] = [next((name for name in names if name is not None), None) for names in named]
        return columns

    def sample(self, record: dict[str, Any], source: Source, place: Place) -> Sample:
        told = {key: value for key, value in record.items() if key not in _OUTCOME}
        sample = super().sample(told, source, place)
        sample.status, sample.discard_reason = _status(record), _discard_reason(record)
        sample.completion_tokens = _output_tokens(record)
        older = {name: record[name] for name in _OLDER_TIMES if name in record}
        sample.timings = _timings(record.get("timing") or older)
        trajectory = record.get("trajectory")
        steps = [step for step in trajectory if isinstance(step, dict)] if isinstance(trajectory, list) else []
        sample.turns = [_turn(number, step) for number, step in enumerate(steps)]
        sample.tokens = _tokens(steps)
        error = record.get("error")
        if error:
            sample.notes.append(f"Failed: {_told(error)}")
        return sample

    def config(self, store: Store) -> Any:
        return read_config(store, _METADATA) or read_config(store)

    def claims(self, store: Store, path: str) -> bool:
        return path == _METADATA


@lru_cache(maxsize=4)
def _row(keys: Keys) -> type[Struct]:
    return msgspec.defstruct("Row", [(name, Any, None) for name in _OUTCOME], bases=(row_struct(keys),), kw_only=True)


def _status(outcome: dict[str, Any]) -> str | None:
    if outcome.get("error"):
        return "failed"
    if outcome.get("is_truncated"):
        return "truncated"
    return "completed" if outcome.get("is_completed") else None


def _told(error: Any) -> Any:
    """What went wrong, in the words that say most."""
    if not isinstance(error, dict):
        return error
    return next(filter(None, map(error.get, ("message", "error_chain_repr", "error"))), None) or to_json(error)


def _discard_reason(outcome: dict[str, Any]) -> str | None:
    """prime-rl 0.6 names the filters that took a sample out of the batch."""
    if not outcome.get("is_filtered"):
        return None
    filters = outcome.get("filters")
    hit = [str(name) for name, value in filters.items() if value] if isinstance(filters, dict) else []
    return ", ".join(hit) or "filtered"


def _output_tokens(outcome: dict[str, Any]) -> int | None:
    usage = outcome.get("token_usage")
    return _count(usage.get("output_tokens")) if isinstance(usage, dict) else None


def _timings(timing: Any) -> dict[str, float]:
    """Seconds; until 0.1.12 milliseconds, by other names."""
    found: dict[str, float] = {}
    for name, value in timing.items() if isinstance(timing, dict) else ():
        seconds = as_number(value.get("duration") if isinstance(value, dict) else value)
        if seconds is not None and name != "start_time":
            found[name.removesuffix("_ms")] = seconds / 1000 if name.endswith("_ms") else seconds
    return found


def _turn(number: int, step: dict[str, Any]) -> Turn:
    response = step.get("response")
    response = response if isinstance(response, dict) else {}
    usage, message = response.get("usage"), response.get("message")
    usage = usage if isinstance(usage, dict) else {}
    advantage = as_number(step.get("advantage"))
    stop = message.get("finish_reason") if isinstance(message, dict) else None
    return Turn(
        index=number,
        reward=as_number(step.get("reward")),
        metrics={} if advantage is None else {"advantage": advantage},
        prompt_tokens=_count(usage.get("prompt_tokens")),
        completion_tokens=_count(usage.get("completion_tokens")),
        stop_reason=str(stop) if stop else None,
    )


def _tokens(steps: list[dict[str, Any]]) -> TokenArrays | None:
    """Of a rollout of one call: those of several overlap, each prompt holding the calls before."""
    tokens = steps[0].get("tokens") if len(steps) == 1 else None
    if not isinstance(tokens, dict):
        return None
    names = {"ids": "completion_ids", "mask": "completion_mask", "logprobs": "completion_logprobs"}
    try:
        return msgspec.convert({name: tokens.get(key) or [] for name, key in names.items()}, TokenArrays, strict=False)
    except msgspec.ValidationError:
        return None


def _count(value: Any) -> int | None:
    number = as_number(value)
    return int(number) if number is not None and number.is_integer() else None
