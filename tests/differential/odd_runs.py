"""Runs full of odd values, made by a number, and what a reader of plain `json` finds in them.

The reader shares nothing with Rollscope but its documentation: whole files, one line after the other, one rule a field.
"""

from __future__ import annotations

import json
import math
import random
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

Record = dict[str, Any]
#: One sample as every door should say it: fields by name, `metrics.NAME`, `rewards.NAME`; what is missing is no entry.
Plain = dict[str, Any]

TEXTS = (
    "",
    " ",
    "needle in it",
    "Needle, GRÖßE",
    "数学 é \u2028 \x85",
    'a\\n"quoted"\tb\n',
    "\ud83d lone",
    "x" * 300,
    "I cannot",
    "🙂🙂",
)
NUMBERS = (
    *(0, 1, -1, 0.5, 1.0, -0.0, 1e-12, 2e-12, 1e308, -1e308, 1e200, 5e-324, math.nan, math.inf, -math.inf),
    *(2**53, 2**53 + 1, 2**63, -(2**63), 10**30, True, False, None),
)
USUAL = (0, 1, 0.25, 0.5, 0.75, 1.0)
NAMES = (
    "acc",
    "Acc",
    "ACC",
    "correct",
    "kl",
    "kl/mean",
    "a b",
    "ключ",
    'quo"te',
    "x.y",
    "pass@2/correct",
    "format ok?",
)
WORDS = ("completed", "truncated", "", None, "Completed", "failed", 7, True, "a\ud800b")
DATASETS = ("aime24", "aime24", "MATH 500", "a/b", "", None, 7, True, 0.5, "é", "train")
GROUPS = (0, 1, 2, "0", "a", "A", -3, 2**63, 0.5, math.nan, math.inf, True, "", "007", None)


class Kind(NamedTuple):
    """A trainer's layout: its keys by our names, where lines go, and what else its numbers are."""

    name: str
    keys: dict[str, str]
    ignored: tuple[str, ...]
    path: Callable[[int, random.Random], str]
    #: Texts under these keys are numbers too.
    number_texts: tuple[str, ...] = ()
    #: The step is the line's own.
    own_step: bool = False
    #: Where lines of evaluations go, and the split that a line of them is of.
    eval_path: Callable[[int], str] = lambda step: f"eval/{step}.jsonl"
    eval_split: Callable[[Record], str] = lambda record: "eval/validation"


RELAX = Kind(
    "relax",
    {
        "prompt": "prompt", "response": "response", "reward": "reward", "golden": "label", "group": "group_index",
        "dataset": "dataset", "status": "status", "prompt_tokens": "prompt_length",
        "completion_tokens": "response_length", "total_tokens": "total_length", "turns": "agent_turns",
    },
    ("rollout_id", "sample_index"),
    lambda step, _: f"train/{step}.jsonl",
    eval_split=lambda record: f"eval/{text_of(record.get('dataset') or 'all')}",
)  # fmt: skip
VERL = Kind(
    "verl",
    {
        "prompt": "input",
        "response": "output",
        "reward": "score",
        "golden": "gts",
        "group": "uid",
        "dataset": "data_source",
    },
    ("step", "request_id"),
    lambda step, _: f"{step + 1}.jsonl",
    ("acc", "accuracy", "correct", "score", "reward", "format", "format_reward", "acc_reward"),
    eval_path=lambda step: f"validation/{step + 1}.jsonl",
)
UNKNOWN = Kind(
    "jsonl",
    {
        "prompt": "question", "response": "completion", "reward": "score", "golden": "ground_truth", "group": "group_id",
        "step": "step", "env": "env", "tags": "tags", "advantage": "advantage", "status": "status",
        "stop_reason": "finish_reason", "discard_reason": "discard_reason", "completion_tokens": "completion_tokens",
        "sampling_step": "policy_version",
    },
    (),
    lambda _, chance: f"shard_{chance.choice('abc')}.jsonl",
    own_step=True,
    eval_path=lambda _: "validation/shard_a.jsonl",
    eval_split=lambda _: "eval/shard_a",
)  # fmt: skip
KINDS = {kind.name: kind for kind in (RELAX, VERL, UNKNOWN)}
_STOPS = {
    "stop": "completed",
    "completed": "completed",
    "length": "truncated",
    "truncated": "truncated",
    "failed": "failed",
}
_INTEGERS = ("prompt_tokens", "completion_tokens", "total_tokens", "sampling_step", "turns", "step")


# Making


def write_run(root: Path, seed: int) -> Kind:
    """A run of some kind under `root`, with anything that a line may hold."""
    chance = random.Random(seed)
    kind = chance.choice(list(KINDS.values()))
    odd = chance.choice([0.0, 0.1, 0.5])
    grouped = chance.choice([0.0, 0.6, 1.0])
    names = chance.sample(NAMES, chance.randrange(1, 6))
    files: dict[str, list[bytes]] = {}
    for step in range(chance.randrange(1, 5)):
        asked = [
            f"{chance.choice(TEXTS)} Q{number}"
            for number in range(chance.randrange(1, 9))
            for _ in range(chance.randrange(1, 4))
        ]
        if chance.random() < 0.5:
            chance.shuffle(asked)
        for number, prompt in enumerate(asked):
            record = _record(kind, step, number, prompt, names, chance, odd, grouped)
            files.setdefault(kind.path(step, chance), []).append(_line(record, chance, odd))
    if seed % 5 == 2:
        for step in range(0, 4, 2):
            for number in range(chance.randrange(1, 9)):
                record = _record(kind, step, number, f"asked {number // 2}", names, chance, odd, grouped / 2)
                if kind is RELAX:
                    record["dataset"] = chance.choice(DATASETS)
                files.setdefault(kind.eval_path(step), []).append(_line(record, chance, odd))
    if kind is UNKNOWN:  # what the first lines hold is what keys are learned from
        plain = [_usual(kind, 0, number, random.Random(number)) for number in range(32)]
        files = {path: [*(json.dumps(record).encode() for record in plain), *lines] for path, lines in files.items()}
    else:
        first = min(path for path in files if not path.startswith(("eval/", "validation/")))
        files[first].insert(0, json.dumps(_usual(kind, 0, 0, chance)).encode())
    for path, lines in files.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_bytes(b"\n".join(lines) + chance.choice([b"\n", b"\n\n", b"\r\n"]))
    return kind


def _usual(kind: Kind, step: int, number: int, chance: random.Random) -> Record:
    values = {
        "prompt": f"usual {number % 2}", "response": "said", "reward": 0.5, "golden": "17", "group": number % 2,
        "dataset": "d", "status": "completed", "env": "e", "tags": ["t"], "advantage": 0.1, "stop_reason": "stop",
        "prompt_tokens": 3, "completion_tokens": 4, "total_tokens": 7, "sampling_step": 0, "turns": 1, "step": step,
    }  # fmt: skip
    record = {key: values[name] for name, key in kind.keys.items() if name in values}
    return {"rollout_id": step, "sample_index": number, **record} if kind is RELAX else record


def _record(
    kind: Kind, step: int, number: int, prompt: str, names: list[str], chance: random.Random, odd: float, grouped: float
) -> Record:
    record = _usual(kind, step, number, chance)

    def put(name: str, value: Any) -> None:
        if name in kind.keys:
            record[kind.keys[name]] = value

    put("prompt", prompt)
    put("response", chance.choice(TEXTS))
    put("reward", chance.choice(USUAL))
    put("group", chance.randrange(3) if chance.random() < grouped else None)
    if chance.random() < 0.3:
        put("discard_reason", chance.choice(["zero_advantage", "too long", "", None]))
    for name in names:
        if chance.random() < 0.7:
            record[name] = chance.choice(NUMBERS) if chance.random() < odd else chance.choice(USUAL)
    if chance.random() < odd:
        put(
            "reward",
            chance.choice(
                [*NUMBERS, "0.5", "NaN", "x", [1, 2], [], {"score": 0.5, "format": 1}, {"a": math.nan}, {}, ""]
            ),
        )
    if chance.random() < odd:
        put("group", chance.choice(GROUPS))
    for name in ("status", "stop_reason", "dataset", "env"):
        if chance.random() < odd:
            put(name, chance.choice(["length", "stop", *WORDS] if name == "stop_reason" else WORDS))
    for name in ("prompt_tokens", "completion_tokens", "total_tokens", "sampling_step", "turns", "advantage"):
        if chance.random() < odd:
            put(name, chance.choice(NUMBERS))
    if chance.random() < odd / 8:
        put("step", chance.choice(["x", "7", "2.0", 1.5, 2.0, "", None, [1], {"n": 1}, math.nan, 2**70]))
    if chance.random() < odd:
        put("tags", chance.choice([["a b", "c"], [], None, ["easy"], ["", "x,y"]]))
    if chance.random() < odd:
        record["metrics"] = {"deep": chance.choice(NUMBERS), "More": {"deeper": 1}, "text": "no"}
    if chance.random() < odd:
        record[f"late{chance.randrange(3)}"] = chance.choice(NUMBERS)
    if number == 3 and chance.random() < 0.04:
        record.update({f"many{place:03}": place for place in range(220)})
    for name in [name for name in kind.keys.values() if name not in (kind.keys["prompt"], kind.keys["response"])]:
        if chance.random() < odd / 4:
            record.pop(name, None)
    return record


def _line(record: Record, chance: random.Random, odd: float) -> bytes:
    text = json.dumps(record, ensure_ascii=chance.random() < 0.5)
    line = text.encode("utf-8", "surrogatepass")
    if chance.random() < odd / 10:
        return chance.choice([b"", b"   ", b"[1, 2]", b"{", line[: len(line) // 2], line + b"\r", b"null"])
    return line


# Reading


def read_run(root: Path, kind: Kind) -> list[Plain]:
    """All samples in the order of the lists: train before evals, step by step, line by line."""
    found = list(_samples(root, kind))
    steps: dict[tuple[str, int], int] = {}
    for sample in found:
        step = sample["split"], sample["step"]
        sample["index"] = steps.get(step, 0)
        steps[step] = sample["index"] + 1
        sample["address"] = f"{sample['split']}/{sample['step']}/{sample['index']}"
    return sorted(found, key=lambda s: (s["split"] != "train", s["split"], s["step"], s["index"]))


def _samples(root: Path, kind: Kind) -> Iterator[Plain]:
    paths = sorted(root.rglob("*.jsonl"), key=lambda path: (int(path.stem) if path.stem.isdecimal() else 0, path.name))
    for path in paths:
        for line in path.read_bytes().split(b"\n"):
            record = _json(line)
            if record is not None and not _has_impossible_step(record, kind):
                step = 0 if kind.own_step else int(path.stem)
                evaluated = path.parent.name in ("eval", "validation")
                yield {**_sample(record, kind, step), "split": kind.eval_split(record) if evaluated else "train"}


def _has_impossible_step(record: Record, kind: Kind) -> bool:
    """What says a step that can be none belongs to no step, and is listed as skipped."""
    said = record.get(kind.keys["step"]) if kind.own_step else None
    return said not in (None, "") and integer(said) is None


def _json(line: bytes) -> Record | None:
    try:
        value = json.loads(line.decode("utf-8", "replace"))
    except ValueError:
        return None
    return value if isinstance(value, dict) else None


def _sample(record: Record, kind: Kind, step: int) -> Plain:
    def get(name: str) -> Any:
        return record.get(kind.keys[name]) if name in kind.keys else None

    found: Plain = {"split": "train", "step": step, "attempt": 0}
    for name in _INTEGERS:
        if (value := integer(get(name))) is not None:
            found[name] = value
    for name in ("status", "stop_reason", "discard_reason", "env", "dataset"):
        if (value := get(name)) not in (None, ""):
            found[name] = text_of(value)
    if (status := found.get("status", "").lower()) in _STOPS:
        found["status"] = _STOPS[status]
    if "status" not in found and isinstance(stop := get("stop_reason"), str) and stop.lower() in _STOPS:
        found["status"] = _STOPS[stop.lower()]
    if "sampling_step" in found:
        _put_number(found, "staleness", integer(found["step"] - found["sampling_step"]))
    if isinstance(tags := get("tags"), list) and tags:
        found["tags"] = tags
    _put_number(found, "advantage", number(get("advantage")))
    reward = get("reward")
    if isinstance(reward, dict):
        parts = {name: part for name, item in reward.items() if (part := number(item, texts=False)) is not None}
        found.update({f"rewards.{name}": value for name, value in parts.items()})
        reward = next((parts[name] for name in ("total", "score", "reward") if name in parts), None)
    elif isinstance(reward, list):
        reward = math.fsum(reward) if reward else None
    _put_number(found, "reward", number(reward))
    if (group := get("group")) is not None:
        found["group"] = text_of(
            group.rsplit("_", 2)[0] if kind is VERL and isinstance(group, str) and group.count("_") > 1 else group
        )
    found |= _metrics(record, kind)
    found["prompt"], found["response"] = get("prompt"), get("response")
    return found


def _metrics(record: Record, kind: Kind) -> Plain:
    nested: Plain = {}
    plain: Plain = {}
    for key, value in record.items():
        if key in kind.keys.values() or key in kind.ignored:
            continue
        if isinstance(value, dict):
            nested.update(_leaves(value, "" if key == "metrics" else f"{key}/"))
        else:
            _put_number(plain, f"metrics.{key}", number(value, texts=key in kind.number_texts))
    return nested | plain


def _leaves(values: dict[str, Any], prefix: str) -> Plain:
    found: Plain = {}
    for key, value in values.items():
        if isinstance(value, dict):
            found |= _leaves(value, f"{prefix}{key}/")
        else:
            _put_number(found, f"metrics.{prefix}{key}", number(value, texts=False))
    return found


def _put_number(found: Plain, name: str, value: float | None) -> None:
    if value is not None:
        found[name] = value


def number(value: Any, *, texts: bool = True) -> float | None:
    """A number as the line has it; one that no float holds exactly is missing."""
    if isinstance(value, str) and texts:
        if value in ("True", "False"):
            return float(value == "True")
        try:
            return float(value)
        except ValueError:
            return None
    if not isinstance(value, (bool, int, float)):
        return None
    return float(value) if isinstance(value, float) or int(float(value)) == value else None


def integer(value: Any) -> int | None:
    found: float | None = value if type(value) is int else number(value)
    if found is None or not math.isfinite(found) or found != int(found):
        return None
    return int(found) if -(2**63) <= int(found) < 2**63 else None


def text_of(value: Any) -> str:
    if isinstance(value, float) and not math.isfinite(value):
        return "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"
    return str(value).encode("utf-8", "backslashreplace").decode()
