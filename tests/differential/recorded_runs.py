"""Recorded runs with all that a recorder may meet, made by a number: resumed steps, several writers, sealed files, what was
learned later, evaluations, lines cut short. And what a reader of plain `json` finds in them."""

from __future__ import annotations

import json
import math
import random
import re
from collections.abc import Iterator
from pathlib import Path

import zstandard
from tests.differential.odd_runs import NAMES, TEXTS, USUAL, Kind, Plain, Record

from rollscope.record.output.sealing import seal

RECORDED = Kind("rollscope", {}, (), lambda step, _: f"train_iteration_{step:06d}")
SPLITS = ("train", "eval/aime24", "eval/b.c-d_e")
WRITERS = ("main", "rank1", "a-2")
_REWARDS = (*USUAL, -1, 1e-12, 1e200, -1e308, math.nan, math.inf, -math.inf)
_NUMBERS = (*USUAL, True, False, -0.0, 5e-324, 2**53, 1e308, math.nan, math.inf, None)
_AMOUNTS = (0, 1, 7, 7, 2**53 + 1, 2**62)
_WORDS = {
    "status": ("completed", "truncated", "aborted", "failed", "pending"),
    "stop_reason": ("stop", "length", "", "max turns"),
    "discard_reason": ("zero_advantage", "too long", ""),
    "env": ("math", "Code", "é"),
    "dataset": ("d", "D", ""),
}
_LEARNED = ("advantage", "reward", "final_reward", "discard_reason", "status", "stop_reason", "staleness")
_FILE = re.compile(r"(train|eval_(?P<name>.+))_iteration_(?P<step>\d+)_rollouts(\.(?P<writer>[^.]+))?\.jsonl(\.zst)?")


# Making


def write_run(root: Path, seed: int) -> Kind:
    chance = random.Random(f"recorded {seed}")
    root.mkdir(parents=True, exist_ok=True)
    odd = chance.choice([0.0, 0.2, 0.6])
    names = chance.sample(NAMES, chance.randrange(1, 5))
    writers = WRITERS[: chance.choice([1, 1, 2, 3])]
    for step in range(chance.randrange(1, 5)):
        for split in SPLITS:
            if split == "train" or chance.random() < 0.4:
                _write_step(root, split, step, writers, names, chance, odd)
    if not any(_FILE.fullmatch(path.name) for path in root.iterdir()):
        (root / "train_iteration_000000_rollouts.jsonl").write_bytes(b"")
    return RECORDED


def _write_step(
    root: Path, split: str, step: int, writers: tuple[str, ...], names: list[str], chance: random.Random, odd: float
) -> None:
    stem = f"{split.replace('/', '_')}_iteration_{step:06d}"
    for writer in writers:
        if writer != "main" and chance.random() < 0.3:
            continue
        ending = "" if writer == "main" else f".{writer}"
        lines: list[bytes] = []
        learned: list[bytes] = []
        # Each start of the run writes into the same file; who was not there for one wrote nothing for it.
        for attempt in range(chance.choice([1, 1, 2, 3])):
            if attempt and chance.random() < 0.3:
                continue
            for group in range(chance.randrange(1, 5)):
                names_of: list[int | str] = [group, f"prompt {group}", f"{group}"]
                name = chance.choice(names_of)
                for index in range(chance.randrange(1, 4)):
                    record = _record(split, step, attempt, writer, name, index, names, chance, odd)
                    lines.append(_line(record, chance, odd))
                    if chance.random() < odd:
                        learned += _learned(record, chance)
            if chance.random() < odd / 3:  # it was killed in the middle of a line
                lines.append(b'{"schema_version": 1, "rew')
        path = root / f"{stem}_rollouts{ending}.jsonl"
        path.write_bytes(b"".join(line + b"\n" for line in lines))
        if chance.random() < 0.3:
            seal(str(path))
        if learned:
            chance.shuffle(learned)
            (root / f"{stem}_annotations{ending}.jsonl").write_bytes(b"".join(line + b"\n" for line in learned))


def _record(
    split: str,
    step: int,
    attempt: int,
    writer: str,
    group: int | str,
    index: int,
    names: list[str],
    chance: random.Random,
    odd: float,
) -> Record:
    record: Record = {
        "split": split, "step": step, "index": index, "group": group, "attempt": attempt, "writer": writer,
        "schema_version": 1, "reward": chance.choice(_REWARDS) if chance.random() < odd else chance.choice(USUAL),
    }  # fmt: skip
    for name, words in _WORDS.items():
        if chance.random() < (0.15 if name == "discard_reason" else 0.7):
            record[name] = chance.choice(words)
    for name in ("prompt_tokens", "completion_tokens", "total_tokens", "num_turns"):
        if chance.random() < 0.7:
            record[name] = chance.choice(_AMOUNTS) if chance.random() < odd else chance.randrange(9)
    if chance.random() < 0.5:
        record["sampling_step"], record["staleness"] = max(0, step - 1), min(1, step)
    for name in ("advantage", "final_reward"):
        if chance.random() < 0.5:
            record[name] = chance.choice(_REWARDS) if chance.random() < odd else chance.choice(USUAL)
    record["metrics"] = {name: chance.choice(_NUMBERS if chance.random() < odd else USUAL) for name in names}
    record["rewards"] = {name: chance.choice(USUAL) for name in ("format", "x y") if chance.random() < odd}
    if chance.random() < odd:
        record["tags"] = chance.choice([["a b", "c"], [], ["easy"]])
    if chance.random() < odd / 4:
        del record["reward"]
    for space in ("metrics", "rewards"):
        record[space] = {name: value for name, value in record[space].items() if value is not None}
    record["messages"] = [
        {"role": "user", "parts": [{"type": "text", "text": _storable(f"{chance.choice(TEXTS)} Q{group}")}]},
        *_response(chance, odd),
    ]
    return record


def _response(chance: random.Random, odd: float) -> Iterator[Record]:
    """One answer in one part, or turns with tools between them, in parts that a word may run across; a message's turn
    before or behind its parts."""

    def message(role: str, turn: int, *kinds: str) -> Record:
        text = _storable(chance.choice(TEXTS))
        cuts = [0, *sorted(chance.randrange(len(text) + 1) for _ in kinds[1:]), len(text)]
        parts = [{"type": kind, "text": text[start:end]} for kind, start, end in zip(kinds, cuts, cuts[1:])]
        last = {"turn": turn, "parts": parts} if chance.random() < 0.5 else {"parts": parts, "turn": turn}
        return {"role": role, **last}

    if chance.random() >= odd:
        yield message("assistant", 0, "text")
        return
    for turn in range(chance.randrange(1, 3)):
        yield message("assistant", turn, "thinking", *chance.choice([("text",), ("text", "tool_call"), ("answer",)]))
        if chance.random() < 0.5:
            yield message("tool", turn, "tool_result")


def _learned(record: Record, chance: random.Random) -> Iterator[bytes]:
    """Lines about a sample that was written before, or about one that never was."""
    for _ in range(chance.randrange(1, 3)):
        found = {name: record[name] for name in ("writer", "attempt", "group", "index")}
        if chance.random() < 0.1:
            found["index"] = 99
        name = chance.choice(_LEARNED)
        if name in _WORDS:
            found[name] = chance.choice([word for word in _WORDS[name] if word])
        else:
            found[name] = chance.randrange(9) if name == "staleness" else chance.choice(_REWARDS)
        if chance.random() < 0.5:
            found["metrics"] = {chance.choice(["kl", "later"]): chance.choice([0.5, 1, math.inf, math.nan])}
        yield json.dumps(_named(found)).encode()


def _line(record: Record, chance: random.Random, odd: float) -> bytes:
    line = json.dumps(_named(record), ensure_ascii=chance.random() < 0.5).encode()
    if chance.random() < odd / 10:
        return chance.choice([b"", b"   ", b"[1, 2]", b"{", line[: len(line) // 2], line + b"\r", b"null"])
    return line


def _named(record: Record) -> Record:
    """What JSON has no word for is left out and named."""
    odd: dict[str, str] = {}

    def finite(values: Record, prefix: str = "") -> Record:
        kept = {}
        for name, value in values.items():
            if isinstance(value, float) and not math.isfinite(value):
                odd[prefix + name] = "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"
            else:
                kept[name] = finite(value, f"{name}/") if isinstance(value, dict) else value
        return kept

    found = finite(record)
    return {**found, "nonfinite": odd} if odd else found


def _storable(text: str) -> str:
    return text.encode("utf-8", "backslashreplace").decode()


# Reading


def read_run(root: Path, _: Kind = RECORDED) -> list[Plain]:
    """In the order of the lists. Of a step the newest attempt counts, whoever wrote it."""
    steps: dict[tuple[bool, str, int], list[tuple[str, Record]]] = {}
    for path in sorted(root.iterdir()):
        if match := _FILE.fullmatch(path.name):
            split = f"eval/{match['name']}" if match["name"] else "train"
            writer = match["writer"] or ""
            records = [(writer, record) for record in _records(path)]
            steps.setdefault((split != "train", split, int(match["step"])), []).extend(records)
    found: list[Plain] = []
    for (_is_eval, split, step), written in sorted(steps.items()):
        newest = max((record["attempt"] for _, record in written), default=0)
        told = sorted((item for item in written if item[1]["attempt"] == newest), key=lambda item: item[0])
        learned = list(_annotations(root, split, step))
        for index, (_writer, record) in enumerate(told):
            sample = _sample(record, [item for item in learned if _about(item, record)])
            found.append({**sample, "split": split, "step": step, "index": index, "address": f"{split}/{step}/{index}"})
    return found


def _records(path: Path) -> Iterator[Record]:
    data = path.read_bytes()
    if path.suffix == ".zst":
        data = zstandard.ZstdDecompressor().decompressobj(read_across_frames=True).decompress(data)
    for line in data.split(b"\n"):
        try:
            record = json.loads(line)
        except ValueError:
            continue
        if isinstance(record, dict):
            yield record


def _annotations(root: Path, split: str, step: int) -> Iterator[Record]:
    stem = f"{split.replace('/', '_')}_iteration_{step:06d}_annotations"
    for path in sorted(root.glob(f"{stem}*.jsonl")):
        yield from _records(path)


def _about(annotation: Record, record: Record) -> bool:
    return all(
        (type(annotation[name]), annotation[name]) == (type(record[name]), record[name])
        for name in ("writer", "attempt", "group", "index")
    )


def _sample(record: Record, annotations: list[Record]) -> Plain:
    found: Plain = {}
    for item in (record, *annotations):
        for name, value in item.items():
            if name in ("metrics", "rewards"):
                found.update({f"{name}.{key}": float(number) for key, number in value.items()})
            elif name not in ("messages", "nonfinite", "index", "writer", "schema_version", "num_turns"):
                found[name] = value
        for path, word in item.get("nonfinite", {}).items():
            found[path.replace("/", ".", 1) if path.startswith(("metrics/", "rewards/")) else path] = float(word)
    for name in ("reward", "advantage", "final_reward"):
        if name in found:
            found[name] = float(found[name])
    if "num_turns" in record:
        found["turns"] = record["num_turns"]
    found["group"] = str(record["group"])
    found = {name: value for name, value in found.items() if not (name in _WORDS and value == "") and value != []}
    prompt, *response = ("".join(part["text"] for part in message["parts"]) for message in record["messages"])
    return {**found, "prompt": prompt, "response": "\n".join(response)}
