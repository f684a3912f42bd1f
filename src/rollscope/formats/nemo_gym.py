"""NeMo-Gym: `gym eval run --output X.jsonl`, its failures in `X_failures.jsonl`; records of OpenAI's Responses API."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from rollscope.formats.base import Claim, Source
from rollscope.formats.conversations import conversation
from rollscope.formats.lines.nested import NestedLines, count, items, mapping, number, numbers_of, text
from rollscope.formats.lines.step_files import files_with
from rollscope.formats.responses_api import chat_of_items
from rollscope.model import Sample, TokenArrays
from rollscope.storage.store import Store

_MARKS = frozenset({"responses_create_params", "response", "reward"})
_FAILURES, _INPUTS = "_failures", "_materialized_inputs"
_GOLDEN = ("expected_answer", "ground_truth", "answer", "target", "solution")
_OWN = frozenset({*_MARKS, "_ng_task_index", "_ng_rollout_index", "_ng_attempt_index", "agent_ref"})


class NemoGymFormat(NestedLines):
    name = "nemo_gym"
    grouping = "recorded"
    limits = ("NeMo-Gym writes no training step: all samples are shown under step 0.",)

    def detect(self, store: Store) -> Claim | None:
        found = next(iter(self.sources(store)), None)
        if found is None:
            return None
        return Claim(confidence=0.95, reasons=(f"records with responses_create_params and response in {found.path}",))

    def sources(self, store: Store) -> Iterable[Source]:
        lines = [name for name in store.files() if name.endswith(".jsonl") and not name.endswith(f"{_INPUTS}.jsonl")]
        failed = [name for name in lines if name.endswith(f"{_FAILURES}.jsonl")]
        found = files_with(store, [name for name in lines if name not in failed], _MARKS)
        # A failure may have come before there was a response.
        stems = {name.removesuffix(".jsonl") for name in found}
        own = files_with(store, failed, frozenset({"responses_create_params"}))
        found += [name for name in failed if name.removesuffix(f"{_FAILURES}.jsonl") in stems or name in own]
        for name in sorted(found):
            stem = name.removesuffix(".jsonl")
            note = "failures" if name in failed else ""
            yield Source(path=name, split=f"eval/{stem.removesuffix(_FAILURES)}", step=0, note=note)

    def claims(self, store: Store, path: str) -> bool:
        return path.endswith((f"{_INPUTS}.jsonl", "_aggregate_metrics.json"))

    def samples(self, record: dict[str, Any], source: Source) -> Sequence[Sample]:
        asked, response = mapping(record.get("responses_create_params")), mapping(record.get("response"))
        usage = mapping(response.get("usage"))
        failure = text(record.get("_ng_failure_class"))
        known = {key: value for key, value in record.items() if key not in _OWN and not key.startswith("_ng_failure")}
        return [
            Sample(
                group=count(record.get("_ng_task_index")),
                env=text(mapping(record.get("agent_ref")).get("name")),
                messages=conversation([*_prompt(asked), *chat_of_items(items(response.get("output")))]),
                reward=number(record.get("reward")),
                metrics=numbers_of(known),
                golden_answers={key: _plain(record[key]) for key in _GOLDEN if record.get(key) not in (None, "")},
                status=_status(response, failure),
                stop_reason=text(mapping(response.get("incomplete_details")).get("reason")),
                discard_reason=failure or ("failed" if source.note else None),
                prompt_tokens=count(usage.get("input_tokens")),
                completion_tokens=count(usage.get("output_tokens")),
                total_tokens=count(usage.get("total_tokens")),
                tokens=_tokens(items(response.get("output"))),
                notes=_notes(record),
            )
        ]


def _prompt(asked: dict[str, Any]) -> list[Any]:
    given = asked.get("input")
    system = [{"role": "system", "content": asked["instructions"]}] if text(asked.get("instructions")) else []
    return [*system, *([{"role": "user", "content": given}] if isinstance(given, str) else chat_of_items(items(given)))]


def _status(response: dict[str, Any], failure: str | None) -> str | None:
    if failure:
        return "failed"
    return {"completed": "completed", "incomplete": "truncated", "failed": "failed", "cancelled": "aborted"}.get(
        str(response.get("status"))
    )


def _tokens(output: list[Any]) -> TokenArrays | None:
    """Written only where training capture was on."""
    arrays = TokenArrays()
    for item in map(mapping, output):
        ids, logprobs = items(item.get("generation_token_ids")), items(item.get("generation_log_probs"))
        arrays.ids = [*arrays.ids, *ids]
        arrays.logprobs = [*arrays.logprobs, *(logprobs if len(logprobs) == len(ids) else [None] * len(ids))]
    return arrays if arrays.ids else None


def _plain(value: Any) -> str:
    from rollscope.render.chat import to_json

    return value if isinstance(value, str) else to_json(value)


def _notes(record: dict[str, Any]) -> list[str]:
    return [
        f"{key.removeprefix('_ng_failure_')}: {value}"
        for key, value in record.items()
        if key == "_ng_failure_judge_error"
    ]
