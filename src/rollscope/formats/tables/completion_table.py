"""Tables of completions, as logged to W&B, trackio or by ms-swift: which column is what, and a row as a sample.

Nothing marks the columns. They are recognised by their names and contents; the sample says what was guessed.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Any

import msgspec
import xxhash
from msgspec import Struct

from rollscope import render
from rollscope.formats.conversations.turns import answer_start, named_blocks
from rollscope.formats.json_values import decoded
from rollscope.formats.lines.flat import content_text
from rollscope.formats.lines.lenient import printable
from rollscope.formats.mapping import CANDIDATES, OWN_NAMES
from rollscope.formats.run_files import NOT_FINITE
from rollscope.formats.stop_reasons import status_of
from rollscope.formats.tables import nemo_gym_results
from rollscope.formats.tables.reward_totals import RewardReading
from rollscope.model import Message, Sample, Turn, as_integer, as_number

_TASK = "task"
_STEPS = ("step", "global_step", "gen_step", "training_step", "iteration")
_TEXTS = ("text", "conversation", "full_text", "trajectory")
_TOTALS = ("reward", "score", "total_reward", "final_reward")
_SCALARS = (
    "env",
    "dataset",
    "status",
    "stop_reason",
    "sampling_step",
    "prompt_tokens",
    "completion_tokens",
    "total_tokens",
)
_WIDE = re.compile(r"(input|output|score|label|gts?|ground_truth|answer|reward)s?_(\d+)")
_WIDE_NAMES = {"label": "label", "gt": "ground_truth", "gts": "ground_truth"}
_REWARD_NAME = re.compile(r"reward|score|(?<![a-z])acc(uracy)?(?![a-z])", re.IGNORECASE)
_GUESSED = "Roles are guessed from bare role lines."
_MESSAGES = re.compile(r'\s*\[\s*\{\s*"')


class Rules(Struct, frozen=True):
    """What the columns of one table are taken for."""

    columns: tuple[str, ...]
    prompt: str | None = None
    response: str | None = None
    #: Prompt and response in one: a text, or a list of messages.
    whole: str | None = None
    total: str | None = None
    advantage: str | None = None
    step: str | None = None
    group: str | None = None
    scalars: tuple[tuple[str, str], ...] = ()
    rewards: tuple[str, ...] = ()
    #: What the rewards add up to, where no column says it.
    reading: RewardReading = RewardReading()
    metrics: tuple[str, ...] = ()
    golden: tuple[str, ...] = ()
    extras: tuple[str, ...] = ()


def unfold(columns: Sequence[str], data: Sequence[Any]) -> tuple[list[str], list[list[Any]]]:
    """verl logs one row a validation, with columns input_1, output_1, score_1, input_2 …: one row per sample.
    A table of NeMo-Gym's results has its records in one column."""
    if list(columns) == [nemo_gym_results.COLUMN]:
        return nemo_gym_results.unfold_results(data)
    numbered = [(match, place) for place, name in enumerate(columns) if (match := _WIDE.fullmatch(name))]
    rows = [list(row) for row in data if isinstance(row, (list, tuple))]
    kinds = list(dict.fromkeys(match[1] for match, _ in numbered))
    if not {"input", "output"} <= set(kinds):
        return list(columns), rows
    shared = [place for place, name in enumerate(columns) if not _WIDE.fullmatch(name)]
    names = [columns[place] for place in shared] + [_WIDE_NAMES.get(kind, kind) for kind in kinds]
    numbers = sorted({int(match[2]) for match, _ in numbered})
    places = {(int(match[2]), match[1]): place for match, place in numbered}
    unfolded = []
    for row in rows:
        for number in numbers:
            cells = [_cell(row, places.get((number, kind))) for kind in kinds]
            if any(cell is not None for cell in cells):
                unfolded.append([*(_cell(row, place) for place in shared), *cells])
    return names, unfolded


def _cell(row: list[Any], place: int | None) -> Any:
    return row[place] if place is not None and place < len(row) else None


def find_rules(columns: Sequence[str], rows: Sequence[Sequence[Any]] = ()) -> Rules | None:
    """None where the columns are not those of completions."""
    names = [str(name) for name in columns]

    def pick(candidates: Iterable[str], taken: set[str]) -> str | None:
        return next((name for name in candidates if name in names and name not in taken), None)

    taken: set[str] = set()
    chosen: dict[str, str | None] = {}
    prompts = [name for name in CANDIDATES["prompt"] if name != "messages"]
    responses = [name for name in CANDIDATES["response"] if name not in _TEXTS]
    for key, candidates in (
        *(("step", _STEPS), ("prompt", prompts), ("response", responses), ("total", _TOTALS)),
        *(("advantage", CANDIDATES["advantage"]), ("group", CANDIDATES["group"])),
    ):
        chosen[key] = pick(candidates, taken)
        taken |= {chosen[key] or ""}
    if chosen["response"] is None or chosen["prompt"] is None:
        whole = pick(("messages", *_TEXTS), taken)
        if whole is not None and (chosen["total"] or chosen["advantage"] or chosen["step"]):
            chosen["whole"] = whole
            taken.add(whole)
        elif chosen["response"] is None:
            return None
    if chosen["group"] is not None:
        place = names.index(chosen["group"])
        named = [row[place] for row in rows if place < len(row) and row[place] is not None]
        if chosen["group"] in OWN_NAMES and named and len(set(map(repr, named))) == len(named):
            taken.discard(chosen["group"])  # a row's own name
            chosen["group"] = None
    scalars = []
    for field in _SCALARS:
        if (name := pick(CANDIDATES.get(field, ()), taken)) is not None:
            scalars.append((field, name))
            taken.add(name)
    return Rules(columns=tuple(names), scalars=tuple(scalars), **_others(names, rows, taken, chosen), **chosen)  # type: ignore[arg-type]


def _others(
    names: list[str], rows: Sequence[Sequence[Any]], taken: set[str], chosen: dict[str, str | None]
) -> dict[str, tuple[str, ...]]:
    """The columns that no name tells: numbers are rewards or metrics, texts are answers or extras."""
    first = names.index(chosen["response"]) if chosen["response"] in names else -1
    last = names.index(chosen["advantage"]) if chosen["advantage"] in names else -1
    kinds: dict[str, list[str]] = {"rewards": [], "metrics": [], "golden": [], "extras": []}
    for place, name in enumerate(names):
        if name in taken:
            continue
        values = [_number_word(row[place]) for row in rows if place < len(row) and row[place] is not None]
        if name in CANDIDATES["golden"]:
            kind = "golden"
        elif not values or not all(isinstance(value, (bool, int, float)) for value in values):
            kind = "extras"
        elif chosen["total"] is not None:
            kind = "rewards" if _REWARD_NAME.search(name) else "metrics"
        elif any(isinstance(value, float) for value in values) and (first < place < last or _REWARD_NAME.search(name)):
            kind = "rewards"
        else:
            kind = "metrics"
        kinds[kind].append(name)
    return {kind: tuple(found) for kind, found in kinds.items()}


def _number_word(value: Any) -> Any:
    """trackio puts a word where a number is not finite: no text makes a text of its column."""
    return NOT_FINITE.get(value, value) if isinstance(value, str) else value


def row_values(rules: Rules, row: dict[str, Any]) -> dict[str, Any]:
    """The index columns of one row."""
    asked = _prompt_text(rules, row)
    found: dict[str, Any] = {
        "step": as_integer(row.get(rules.step or "")),
        "group": row.get(rules.group or ""),
        "reward": total(rules, row),
        "advantage": as_number(row.get(rules.advantage or "")),
        "prompt_hash": xxhash.xxh3_64_intdigest(asked.encode("utf-8", "replace")) if asked else None,
        "response_bytes": len(content_text(row.get(rules.response or rules.whole or "")).encode("utf-8", "replace")),
    }
    found |= {field: row.get(name) for field, name in rules.scalars}
    if isinstance(found["group"], int) and found.get("env"):
        found["group"] = f"{found['env']}/{found['group']}"  # the tasks of each environment are counted from 0
    if found.get("status") is None and (ended := status_of(found.get("stop_reason"))) is not None:
        found["status"] = ended
    for kind, names in (("rewards", rules.rewards), ("metrics", rules.metrics)):
        for name in names:
            if (number := as_number(row.get(name))) is not None:
                found[f"{kind}.{name}"] = number
    return found


def row_sample(rules: Rules, row: dict[str, Any]) -> Sample:
    values = row_values(rules, row)
    messages, notes = _messages(rules, row)
    if rules.total is None and rules.reading.why:
        notes.append(rules.reading.why)
    extras = {name: row[name] for name in rules.extras if row.get(name) not in (None, "", [], {})}
    sample = Sample(
        messages=messages,
        reward=values["reward"],
        advantage=values["advantage"],
        rewards={name[8:]: value for name, value in values.items() if name.startswith("rewards.")},
        metrics={name[8:]: value for name, value in values.items() if name.startswith("metrics.")},
        golden_answers={name: _text(row[name]) for name in rules.golden if row.get(name) not in (None, "")},
        turns=[Turn(index=0, logs=printable(extras))] if extras else [],
        notes=notes,
        record=printable(row),
    )
    for field, _ in rules.scalars:
        value = values[field]
        kept = as_integer(value) if field.endswith(("tokens", "step")) else None if value is None else str(value)
        setattr(sample, field, kept)
    sample.status = sample.status or values.get("status")
    return sample


def total(rules: Rules, row: dict[str, Any]) -> float | None:
    if rules.total is not None:
        return as_number(row.get(rules.total))
    return rules.reading.total_of([as_number(row.get(name)) for name in rules.rewards]) if rules.rewards else None


def _messages(rules: Rules, row: dict[str, Any]) -> tuple[list[Message], list[str]]:
    if rules.whole is not None:
        return whole_messages(_whole(rules, row))
    prompt, response = _prompt(rules, row), as_messages(row.get(rules.response or ""))
    if isinstance(prompt, list) or isinstance(response, list):
        asked = prompt if isinstance(prompt, list) else [{"role": "user", "content": _text(prompt)}]
        said = response if isinstance(response, list) else [{"role": "assistant", "content": _text(response)}]
        return [*render.messages_from_chat(asked, turn=None), *render.messages_from_chat(said, turn=0)], []
    messages = render.split_conversation(_text(prompt), _text(response))
    if len(messages) == 2 and not any(part.type == "marker" for message in messages for part in message.parts):
        messages = render.split_bare_roles(_text(prompt), _text(response))
    guessed = any(message.guessed for message in messages)
    return messages, [_GUESSED] if guessed else []


def _prompt(rules: Rules, row: dict[str, Any]) -> Any:
    """prime-rl logs evaluations without a prompt: it is in the task, an object as text."""
    if rules.prompt is not None:
        return as_messages(row.get(rules.prompt))
    task = decoded(row.get(_TASK))
    data = task.get("data", task) if isinstance(task, dict) else None
    prompt, system = (data.get("prompt"), data.get("system_prompt")) if isinstance(data, dict) else (None, None)
    if isinstance(prompt, list):
        prompt = [message for message in prompt if isinstance(message, dict)]
    if not isinstance(system, str) or not system or not prompt:
        return prompt if isinstance(prompt, (str, list)) else None
    asked = prompt if isinstance(prompt, list) else [{"role": "user", "content": prompt}]
    return [{"role": "system", "content": system}, *asked]


def _prompt_text(rules: Rules, row: dict[str, Any]) -> str:
    """The text of the prompt, by which samples of one group are known."""
    if rules.whole is None:
        return content_text(_prompt(rules, row) if rules.prompt is None else row.get(rules.prompt))
    value = _whole(rules, row)
    if isinstance(value, list):
        return content_text(value[: _first_answer(value)])
    text = _text(value)
    first_word = answer_start(text)
    return text[: render.bare_answer_start(text) if first_word is None else first_word]


def _whole(rules: Rules, row: dict[str, Any]) -> Any:
    value = as_messages(row.get(rules.whole or ""))
    return (named_blocks(value) or value) if isinstance(value, str) else value


def _first_answer(messages: list[Any]) -> int:
    spoken = (
        place for place, item in enumerate(messages) if isinstance(item, dict) and item.get("role") == "assistant"
    )
    return next(spoken, len(messages))


def whole_messages(value: Any) -> tuple[list[Message], list[str]]:
    """A conversation in which the answer is not marked: it begins with the assistant's first message."""
    if isinstance(value, list):
        first = _first_answer(value)
        prompt = render.messages_from_chat(value[:first], turn=None)
        return [*prompt, *render.messages_from_chat(value[first:], turn=0)], []
    text = _text(value)
    first_word = answer_start(text)
    if first_word is None and (first_word := render.bare_answer_start(text)) is not None:
        return render.split_bare_roles(text[:first_word], text[first_word:]), [_GUESSED]
    if first_word is None:
        said = render.split_conversation("", text)
        return said, ["Prompt and response are one text here, and nothing marks where the response begins."]
    return render.split_conversation(text[:first_word], text[first_word:]), []


def as_messages(value: Any) -> Any:
    """A list of messages that was logged as text is one again."""
    if isinstance(value, str) and _MESSAGES.match(value):
        try:
            found = msgspec.json.decode(value)
        except (msgspec.DecodeError, UnicodeError, RecursionError):  # half a character is text too
            return value
        if isinstance(found, list) and all(isinstance(item, dict) and "role" in item for item in found):
            return found
    return value


def _text(value: Any) -> str:
    if value is None:
        return ""
    return value if isinstance(value, str) else msgspec.json.encode(printable(value)).decode()
