"""One sample, whole: its row joined with the prompt, generations, environment responses, tool calls and the rest.

The texts of a message are what the environment saw; the model's own input, with all special tokens, is the record's
``raw_string``. Each text is its own zstd frame and is decompressed only here.
"""

from __future__ import annotations

from typing import Any

import zstandard

from rollscope import render
from rollscope.errors import NotFoundError
from rollscope.formats.base import Place, Texts
from rollscope.formats.lines.lenient import printable
from rollscope.formats.telescope.archive import Archive
from rollscope.formats.telescope.tables import Variant, known, status_of, variant_of
from rollscope.model import Message, Part, PartType, Sample, Turn

#: Measured by the inference server, in seconds; all zero where it was not asked (multi-turn samples).
_TIMINGS = ("queue_time", "ttft", "prefill_time", "decode_time", "inference_time", "e2e_latency")
_TOOL_FIELDS = ("tool_name", "arguments", "result", "success", "error", "exit_code", "truncated")

_OFFERED: frozenset[PartType] = frozenset({"tools"})

TableRow = dict[str, Any]


class _LooseRow(TableRow):
    """A row that other versions of the archive may have written: a column that it has not is None."""

    def __missing__(self, column: str) -> None:
        return None


class Joined:
    """The rows of all tables that belong to one sample."""

    def __init__(self, archive: Archive, place: Place) -> None:
        self._archive = archive
        self._zstd = zstandard.ZstdDecompressor()
        self.variant = variant_of(place.member)
        table = archive.table(place.member)
        if place.offset >= table.num_rows:
            raise _moved_error(archive)
        self.row = self._read(table.rows([place.offset])[0])
        if self.row[self.variant.step_column] != place.step:
            raise _moved_error(archive)
        self._key = self.variant.of_sample(self.row)
        #: Cancelled before it was dispatched: it shares the id -1 with others, and nothing else exists of it.
        self._anonymous = self.variant.fate != "eval" and (self.row["sample_id"] or 0) < 0

    def of(self, table: str, *order: str) -> list[TableRow]:
        """The sample's rows in the table, in the order of the named columns."""
        name = f"{table}{self.variant.suffix}"
        if self._anonymous or not self._archive.has(name):
            return []
        rows = self._rows(name, self._key)
        return sorted(rows, key=lambda row: tuple(row.get(column) or 0 for column in order))

    def prompt(self) -> TableRow:
        name = f"prompts{self.variant.suffix}"
        rows = self._rows(name, self.variant.of_prompt(self.row)) if self._archive.has(name) else []
        return rows[0] if rows else {}

    def _rows(self, name: str, key: dict[str, Any]) -> list[TableRow]:
        table = self._archive.table(name)
        column, *others = key
        numbers = table.find(column, key[column], **{other: key[other] for other in others if other in table.names})
        return [self._read(row) for row in table.rows(numbers)]

    def _read(self, row: TableRow) -> TableRow:
        texts = ((name, self._text(value) if isinstance(value, bytes) else value) for name, value in row.items())
        return _LooseRow(texts)

    def _text(self, frame: bytes) -> str:
        # The frame need not say its size, so it is read as a stream.
        return self._zstd.decompressobj().decompress(frame).decode("utf-8", "replace") if frame else ""


def _moved_error(archive: Archive) -> NotFoundError:
    return NotFoundError(
        f"{archive.path} was rewritten since it was indexed, and this sample is not where it was",
        hint="Refresh the run.",
    )


def load_texts(archive: Archive, place: Place) -> Texts:
    """What a search looks at; a third of the tables."""
    joined = Joined(archive, place)
    prompt = joined.prompt()
    generations = joined.of("generations", "agent_id", "generation_idx")
    replies = _by_turn(joined.of("env_responses", "agent_id", "generation_idx"))
    response = [
        row["content"] for generation in generations for row in (generation, *replies.get(_turn_key(generation), ()))
    ]
    texts = [
        ("prompt", "\n".join(filter(None, (prompt.get("system_prompt"), prompt.get("prompt"))))),
        ("response", "\n".join(response)),
        *(("golden", answer["value"]) for answer in joined.of("golden_answers")),
    ]
    return [(name, text) for name, text in texts if text]


def load_sample(archive: Archive, place: Place) -> Sample:
    joined = Joined(archive, place)
    variant, row = joined.variant, joined.row
    prompt = joined.prompt()
    generations = joined.of("generations", "agent_id", "generation_idx")
    responses = joined.of("env_responses", "agent_id", "generation_idx")
    calls = joined.of("tool_calls", "agent_id", "generation_idx", "tool_call_idx")
    infos = joined.of("info_turns", "agent_id", "generation_idx", "tool_call_idx")
    turn_metrics = joined.of("turn_metrics")
    metrics = joined.of("rollouts_metrics")
    answers = joined.of("golden_answers")
    tags = joined.of("sample_tags")
    main = [generation for generation in generations if not generation["agent_id"]]
    last_stop = main[-1]["stop_reason"] if main else None
    interrupted = variant.fate == "cancelled"
    return Sample(
        split=place.split,
        step=place.step,
        group=row["sample_idx"] if variant.fate == "eval" else row["group_id"],
        env=row.get("env") or prompt.get("env") or None,
        tags=[f"{tag['tag_name']}={tag['tag_value']}" for tag in tags],
        messages=_prompt_messages(prompt) + _turn_messages(generations, responses, _by_turn(calls)),
        reward=None if interrupted else row.get("reward"),
        advantage=None if interrupted else row.get("advantage"),
        metrics={metric["metric_name"]: metric["value"] for metric in metrics},
        golden_answers={answer["key"]: answer["value"] for answer in answers if answer["value"] is not None},
        status=status_of(variant.fate, row["stop_reason"], last_stop),
        stop_reason=row["stop_reason"] or last_stop or None,
        discard_reason=row.get("discard_reason") or None,
        sampling_step=row.get("model_step"),
        staleness=None if (row["sample_id"] or 0) < 0 else row.get("off_policy_steps"),
        prompt_tokens=known(main[0]["prompt_tokens"]) if main else None,
        completion_tokens=known(sum(generation["tokens"] or 0 for generation in generations)),
        total_tokens=known(row.get("total_tokens")),
        turns=_turns(generations, _by_turn(responses), _by_turn(calls), _by_turn(infos), _by_turn(turn_metrics)),
        timings={
            name: row[column]
            for name, column in (("reward", "compute_reward_time"), ("metrics", "compute_eval_metrics_time"))
            if row.get(column)
        },
        notes=_notes(variant, generations),
        source={"file": archive.path, "member": f"{place.member}.parquet", "row": place.offset},
        record=printable(
            {
                "samples_data": row,
                "prompts": prompt,
                "generations": generations,
                "env_responses": responses,
                "tool_calls": calls,
                "info_turns": infos,
                "rollouts_metrics": metrics,
                "golden_answers": answers,
                "sample_tags": tags,
            }
        ),
    )


def _notes(variant: Variant, generations: list[TableRow]) -> list[str]:
    if variant.fate == "cancelled":
        return ["This sample was interrupted; the trainer keeps its prompt and nothing else."]
    if len(generations) > 1:
        return ["The environment's answer to the last turn, and that turn's tool calls, are not logged by the trainer."]
    return []


TurnsBySample = dict[tuple[int, int], list[TableRow]]


def _by_turn(rows: list[TableRow]) -> TurnsBySample:
    turns: TurnsBySample = {}
    for row in rows:
        turns.setdefault(_turn_key(row), []).append(row)
    return turns


def _turn_key(row: TableRow) -> tuple[int, int]:
    return row["agent_id"], row["generation_idx"]


def _prompt_messages(prompt: TableRow) -> list[Message]:
    return [
        # A prompt only talks about thinking and calling.
        Message(role=role, parts=render.split_parts(prompt[column], kinds=_OFFERED), tokens=known(prompt[tokens]))
        for role, column, tokens in (
            ("system", "system_prompt", "tokens_system_prompt"),
            ("user", "prompt", "tokens_prompt"),
        )
        if prompt.get(column)
    ]


def _turn_messages(generations: list[TableRow], responses: list[TableRow], calls: TurnsBySample) -> list[Message]:
    replies = _by_turn(responses)
    messages = []
    for index, generation in enumerate(generations):
        agent, turn = generation["agent_id"], _turn_key(generation)
        messages.append(
            Message(
                role="assistant",
                name=f"agent {agent}" if agent else None,
                parts=render.split_parts(generation["content"] or ""),
                tokens=known(generation["tokens"]),
                turn=index,
            )
        )
        called = [call["tool_name"] for call in calls.get(turn, [])]
        for reply in replies.get(turn, []):
            by_tool = reply["turn_type"] == "tool_result"
            part = Part(type="tool_result" if by_tool else "text", text=reply["content"] or "")
            if by_tool and len(called) == 1:
                part.name = called[0]
            messages.append(
                Message(
                    role="tool" if by_tool else "environment",
                    # Environments may name their turns ("feedback"); the two ordinary names say no more than the role.
                    name=None
                    if reply["turn_type"] in (None, "tool_result", "env_response", "")
                    else reply["turn_type"],
                    parts=[part],
                    tokens=known(reply["tokens"]),
                    turn=index,
                )
            )
    return messages


def _turns(
    generations: list[TableRow],
    replies: TurnsBySample,
    calls: TurnsBySample,
    infos: TurnsBySample,
    metrics: TurnsBySample,
) -> list[Turn]:
    turns = []
    for index, generation in enumerate(generations):
        turn = _turn_key(generation)
        timings = {name: generation[name] for name in _TIMINGS if generation.get(name)}
        if seconds := sum(reply["response_time"] or 0.0 for reply in replies.get(turn, [])):
            timings["env_response"] = seconds
        logs: dict[str, Any] = {}
        for info in infos.get(turn, []):
            call = info["tool_call_idx"]
            logs[info["info_key"] if call is None or call < 0 else f"{info['info_key']} (tool call {call})"] = info[
                "info_value"
            ]
        for call in calls.get(turn, []):
            fields = {name: call[name] for name in _TOOL_FIELDS if call.get(name) not in (None, "", -1)}
            logs[f"tool call {call['tool_call_idx']}"] = fields
        turns.append(
            Turn(
                index=index,
                metrics={metric["metric_name"]: metric["value"] for metric in metrics.get(turn, [])},
                logs=logs,
                prompt_tokens=known(generation["prompt_tokens"]),
                completion_tokens=known(generation["tokens"]),
                stop_reason=generation["stop_reason"] or None,
                timings=timings,
            )
        )
    return turns
