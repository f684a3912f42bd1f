"""NeMo-Gym: `gym eval run --output X.jsonl`, its failures in `X_failures.jsonl`; records of OpenAI's Responses API.

`gym eval aggregate` puts the lines of shards (`X-rs0-chunk1.jsonl`) into X.jsonl and leaves them where they were: a line of a
shard that is also in the merged file counts once.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from operator import eq
from typing import Any

import xxhash

from rollscope.formats.base import Claim, Source
from rollscope.formats.conversations.responses_api import chat_of_items
from rollscope.formats.conversations.turns import conversation
from rollscope.formats.json_values import count, items, mapping, number, numbers_of, text
from rollscope.formats.lines.nested import NestedLines
from rollscope.formats.lines.sealed import is_sealed, plain_names
from rollscope.formats.lines.step_files import files_with
from rollscope.formats.stop_reasons import status_of
from rollscope.model import Sample, TokenArrays, numbers
from rollscope.storage.store import Store

#: A rollout that was not scored has no reward.
_MARKS = frozenset({"responses_create_params", "response"})
#: What an environment server's results have instead: their other keys are that server's.
_STAMPS = frozenset({"_ng_task_index", "_ng_rollout_index"})
_FAILURES, _INPUTS, _TOTALS = "_failures", "_materialized_inputs", "_aggregate_metrics"
_SHARD = re.compile(r"(?P<merged>.+?)([-_.](rs|chunk|shard|part|rank)[-_]?\d+)+")
#: What the environments of NeMo-Gym call the answer that they compare with.
GOLDEN = (
    *("expected_answer", "expected_output", "ground_truth", "answer", "target", "solution", "expected_action"),
    *("expected_judgement", "expected_args", "reference_solution", "reference_response", "gold_sql", "label"),
)
OWN = frozenset({*_MARKS, "reward", "reward_components", "mask_sample", "agent_ref"})


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
        paths = plain_names(store)

        def having(marks: frozenset[str], names: Iterable[str]) -> list[str]:
            known = {*files_with(store, [paths[name] for name in names], marks)}
            return [name for name in names if paths[name] in known]

        lines = [name for name in paths if name.endswith(".jsonl") and not name.endswith(f"{_INPUTS}.jsonl")]
        failed = [name for name in lines if name.endswith(f"{_FAILURES}.jsonl")]
        found = [name for name in lines if name not in failed]
        found = having(_MARKS, found) or having(_STAMPS, found)
        # A failure may have come before there was a response, or a request.
        stems = {name.removesuffix(".jsonl") for name in found}
        own = {*having(_MARKS - {"response"}, failed), *having(_STAMPS, failed)}
        found += [name for name in failed if name.removesuffix(f"{_FAILURES}.jsonl") in stems or name in own]
        sources = []
        for name in sorted(found):
            stem = name.removesuffix(".jsonl").removesuffix(_FAILURES)
            merged = _merged_into(store, stem, stems)
            note = "failures" if name in failed else "merged" if merged else ""
            rank = int(merged is not None and stem != merged)
            path, split = paths[name], f"eval/{merged or stem}"
            sources.append(Source(path=path, split=split, step=0, rank=rank, note=note, packed=is_sealed(path)))
        yield from sorted(sources, key=lambda source: (source.rank, source.path))

    def _add_batch(self, out: Any, reader: Any, lines: list[memoryview], starts: list[int], whole: memoryview) -> None:
        before = out.rows
        super()._add_batch(out, reader, lines, starts, whole)
        if out.source.note != "merged" or out.rows == before:
            return
        names = {at: xxhash.xxh3_128_hexdigest(line) for at, line in zip(starts, lines)}
        keys = out.columns.setdefault("key", [None] * out.rows)
        for row in range(before, out.rows):
            keys[row] = names[out.columns["offset"][row]]

    def claims(self, store: Store, path: str) -> bool:
        return path.removesuffix(".gz").removesuffix(".zst").endswith((f"{_INPUTS}.jsonl", f"{_TOTALS}.json"))

    def samples(self, record: dict[str, Any], source: Source) -> Sequence[Sample]:
        calls = [] if record.keys() & _MARKS else _calls(record)
        last = calls[-1] if calls else {}
        asked = asked_messages(mapping(record.get("responses_create_params") or last.get("request")))
        response = mapping(record.get("response") or record.get("_ng_failure_partial_response") or last.get("response"))
        # Of several calls each counted its own tokens.
        usage = mapping(response.get("usage")) if len(calls) < 2 else {}
        output = _spoken(items(response.get("output")))
        failure = text(record.get("_ng_failure_class"))
        known = {key: value for key, value in record.items() if key not in OWN and not key.startswith("_ng_")}
        stop = text(mapping(response.get("incomplete_details")).get("reason"))
        return [
            Sample(
                group=count(record.get("_ng_task_index")),
                env=text(mapping(record.get("agent_ref")).get("name")) or text(record.get("_ng_environment_server")),
                # What was asked may hold answers of an assistant, which this rollout did not give.
                messages=conversation(
                    [*asked, *chat_of_items(output)], answered_from=None if calls else len(asked) or None
                ),
                reward=number(record.get("reward")),
                rewards=numbers_of(record.get("reward_components")),
                metrics={**numbers_of(known), **dict(numbers(mapping(record.get("ng_perf")), "ng_perf/"))},
                golden_answers={key: _plain(record[key]) for key in GOLDEN if record.get(key) not in (None, "")},
                status="failed" if failure else _status(record, response, stop),
                stop_reason=stop,
                discard_reason=_discarded(record, failure) or ("failed" if source.note == "failures" else None),
                prompt_tokens=count(usage.get("input_tokens")),
                completion_tokens=count(usage.get("output_tokens")),
                total_tokens=count(usage.get("total_tokens")),
                tokens=_tokens(output),
                notes=_notes(record),
            )
        ]


def _merged_into(store: Store, stem: str, stems: set[str]) -> str | None:
    """The file that holds the lines of this shard, or itself where it is made of shards: it alone has totals."""
    match = _SHARD.fullmatch(stem)
    merged = match["merged"] if match else stem
    shards = [name for name in stems if (found := _SHARD.fullmatch(name)) and found["merged"] == merged]
    if merged not in stems or not shards or not store.exists(f"{merged}{_TOTALS}.json"):
        return None
    return None if any(store.exists(f"{name}{_TOTALS}.json") for name in shards) else merged


def asked_messages(asked: dict[str, Any]) -> list[Any]:
    given = asked.get("input")
    system = [{"role": "system", "content": asked["instructions"]}] if text(asked.get("instructions")) else []
    return [*system, *([{"role": "user", "content": given}] if isinstance(given, str) else chat_of_items(items(given)))]


def _calls(record: dict[str, Any]) -> list[dict[str, Any]]:
    """Of an episode in which several models spoke (a simulated user, judges) the calls of the one that is asked: each has
    all that was said before it."""
    return [call for call in map(mapping, items(record.get("invocations"))) if call.get("role") == "assistant"]


def _spoken(output: list[Any]) -> list[Any]:
    """The items in a row. Agents of Aviary's environments give a list for each turn: all that was said so far, where states
    of the environment before the last may be hidden."""
    told: list[Any] = []
    for turn in output:
        if not isinstance(turn, list):
            return output
        goes_on = len(turn) >= len(told) and all(map(eq, map(_name, told), map(_name, turn)))
        told = [*told, *(turn[len(told) :] if goes_on else turn)]
    return told


def _name(item: Any) -> list[Any]:
    return [mapping(item).get(key) for key in ("type", "role", "call_id")]


def _discarded(record: dict[str, Any], failure: str | None) -> str | None:
    """Why it was left out: it failed, or it was masked, which keeps it from training and from the scores."""
    if failure or record.get("mask_sample") is not True:
        return failure
    return text(record.get("failure_kind")) or "masked"


def _status(record: dict[str, Any], response: dict[str, Any], stop: str | None) -> str | None:
    if record.get("truncated") is True:  # an environment that ended before the agent did
        return "truncated"
    if response.get("status") == "incomplete":
        return "truncated" if stop is None else status_of(stop)
    return {"completed": "completed", "failed": "failed", "cancelled": "aborted"}.get(str(response.get("status")))


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
    """What the record says about a failure, in its own words."""
    return [
        f"{key.removeprefix('_ng_failure_')}: {value}"
        for key, value in record.items()
        if (key.startswith("_ng_failure_") or key == "failure_reason")
        and key not in ("_ng_failure_class", "_ng_failure_partial_response")
        and value not in (None, "")
    ]
