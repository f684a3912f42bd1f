"""20,000 lines of every kind of damage: no crash, no hang, and no good line lost.

A good line is one that Python's json takes for an object. Each must be a sample, in order, with its own record. Lines are
tried hundreds to a file, so that good ones stand beside bad ones as they do in a real dump.
"""

from __future__ import annotations

import json
import random
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import hypothesis
import hypothesis.strategies as st
import pytest
from tests.formats.naive import naive_record, naive_reward, same_number
from tests.runs import relax_record

from rollscope import model
from rollscope.formats.fallback import FallbackFormat
from rollscope.formats.lines import jsonl
from rollscope.formats.lines.jsonl import NO_SAMPLE, JsonlFormat
from rollscope.formats.lines.lenient import printable
from rollscope.formats.mapping import from_note
from rollscope.formats.prime_rl import PrimeRlFormat
from rollscope.formats.relax import RelaxFormat
from rollscope.formats.rollscope import RollscopeFormat
from rollscope.formats.verifiers import VerifiersFormat
from rollscope.formats.verl import VerlFormat
from rollscope.index.index import Index
from rollscope.storage import local
from rollscope.storage.open_store import open_store

#: Lines a file holds, files a test makes: 4 tests × 25 files × 200 lines.
LINES = 200
FILES = 25

#: A file that fails is named by its seed; a smaller one that fails too would take minutes to find.
GENERATE = (hypothesis.Phase.generate,)

Line = Callable[[random.Random], bytes]


# What lines are made of


def real_record(chance: random.Random) -> dict[str, Any]:
    return relax_record(chance.randrange(5), chance.randrange(99), acc=chance.random(), note="x" * chance.randrange(90))


def encoded(record: dict[str, Any], chance: random.Random) -> bytes:
    text = json.dumps(
        record, ensure_ascii=chance.random() < 0.5, separators=chance.choice([None, (",", ":"), (" , ", " : ")])
    )
    return text.encode("utf-8", "surrogatepass")


def random_bytes(chance: random.Random) -> bytes:
    return chance.randbytes(chance.randrange(60))


SIGNS = ['{', '}', '[', ']', '"', ':', ',', '\\', "null", "true", "NaN", "-Infinity", "1e999", "-0", "\\u", "\\ud800", "0x1",
         "1" * 400, '"reward"', '"prompt"', '"a"', " ", "\t", "\r", "\0", "\ufeff", "é", "数", "\x1b", "\u2028"]  # fmt: skip


def random_signs(chance: random.Random) -> bytes:
    """Pieces of JSON in no order: sometimes an object."""
    inner = "".join(chance.choices(SIGNS, k=chance.randrange(12)))
    return (f'{{"reward": {inner}}}' if chance.random() < 0.5 else inner).encode()


KEYS = [
    *(
        "reward",
        "prompt",
        "response",
        "group_index",
        "status",
        "response_length",
        "label",
        "dataset",
        "metrics",
        "tags",
    ),
    *(
        "step",
        "messages",
        "input",
        "output",
        "score",
        "gts",
        "uid",
        "completion",
        "nonfinite",
        "turns",
        "tokens",
        "rewards",
    ),
    *("nodes", "traces", "task", "calls", "env", "info", "example_id", "error", "filters", "trajectory", "token_usage"),
    *("", "é", 'q"', "\\", "\0", "x_0", "<no prompt>", "\ud800"),
]
LEAVES = [None, True, False, 0, -1, 1.5, 10**25, -(10**400), float("nan"), float("inf"), "", "text", "0.5", "True",
          "<think>", "a" * 99, "\ud83d", "\0", "数", "<|im_start|>user\nhi<|im_end|>"]  # fmt: skip
REPLACEMENTS = [b"", b'"', b"}", b"{", b"\\", b",", b"NaN", b"\0", b"\xff"]


def random_value(chance: random.Random, depth: int = 0) -> Any:
    kind = chance.random()
    if depth > 3 or kind < 0.6:
        return chance.choice(LEAVES)
    if kind < 0.8:
        return [random_value(chance, depth + 1) for _ in range(chance.randrange(4))]
    return {chance.choice(KEYS): random_value(chance, depth + 1) for _ in range(chance.randrange(4))}


def random_json(chance: random.Random) -> bytes:
    """Objects whose values have all the wrong types, and now and then no object."""
    record = {chance.choice(KEYS): random_value(chance) for _ in range(chance.randrange(8))}
    return encoded(record if chance.random() < 0.9 else random_value(chance), chance)


def truncated(chance: random.Random) -> bytes:
    line = encoded(real_record(chance), chance)
    return line[: chance.randrange(len(line) + 1)]


def edited(chance: random.Random) -> bytes:
    """A real record with some bytes removed, doubled, exchanged or replaced."""
    line = bytearray(encoded(real_record(chance), chance))
    for _ in range(chance.randrange(1, 4)):
        start = chance.randrange(len(line))
        end = min(len(line), start + chance.randrange(1, 9))
        replacement = chance.choice(
            [b"", bytes(line[start:end]) * 2, chance.randbytes(3), b'"', b"}", b"{", b"\\", b",", b"NaN"]
        )
        line[start:end] = replacement
    return bytes(line)


def retyped(chance: random.Random) -> bytes:
    """A real record in which some values are something else altogether: always good."""
    record = real_record(chance)
    for key in chance.sample([*record, *KEYS], 3):
        record[key] = random_value(chance)
    return encoded(record, chance)


# What must come of them


def check(form: JsonlFormat, data: bytes, chance: random.Random) -> int:
    """Index a file of these bytes; every good line is a sample with its record. Returns how many there were."""
    good = [
        (number, line)
        for number, line in enumerate(data.split(b"\n"), 1)
        if line.strip() and naive_record(line) is not None
    ]
    with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryDirectory() as base:
        (Path(folder) / NAMES.get(form.name, "0.jsonl")).write_bytes(data)
        index = Index(open_store(folder), form, base=base)
        index.refresh()
        snapshot, store = index.snapshot, open_store(folder)
        assert not any(file.error for file in snapshot.manifest.files), snapshot.manifest.files[0].error
        table = snapshot.all_rows
        located = [snapshot.locate(table, row) for row in range(table.num_rows)]
        told = {item.line for item in snapshot.skipped()}
        lines = {item.line for item in located}
        places = [(item.place.split, item.place.step) for item in located]
        for before, after in zip(range(len(located)), range(1, len(located))):
            if places[before] == places[after]:
                assert located[before].line <= located[after].line, "samples of a step lie in the order of their lines"
        # A step or a group that no column can hold is told, and the line is not shown where it does not belong.
        unstorable = {
            item.line for item in snapshot.skipped() if item.reason.startswith(("its step is", "its group is"))
        }
        # In files of an unknown trainer a line that has nothing of a sample is no sample: that must be so.
        no_samples = {item.line for item in snapshot.skipped() if item.reason == NO_SAMPLE}
        for number, line in good:
            if number in no_samples:
                guessed = from_note(snapshot.manifest.files[0].source.note).keys
                named = [key for field, key in guessed.items() if field in ("prompt", "response", "reward", "group")]
                record = naive_record(line)
                assert record is not None
                assert all(record.get(key) is None for key in named), line
        # A column-wise record that is written twice counts once (ms-swift ends so).
        shown = {line for number, line in good if number in lines} if form.name == "jsonl" else set()
        missing = [line for number, line in good if number not in lines | unstorable | no_samples and line not in shown]
        assert not missing, f"{len(missing)} good lines lost, the first: {missing[0]!r}"
        for number, line in enumerate(data.split(b"\n"), 1):
            is_last = number == data.count(b"\n") + 1
            if line.removeprefix(b"\xef\xbb\xbf").strip() and number not in lines and not is_last and line not in shown:
                assert number in told, f"not a sample and not told: {line!r}"
        by_line = dict(good)
        for row in range(table.num_rows):
            place, number = located[row].place, located[row].line
            sample = form.load(store, located[row].source, place)
            model.encode_json(sample)
            form.texts(store, located[row].source, place)
            form.starts(store, located[row].source, place, 100)
            if number in by_line and isinstance(form, RelaxFormat):
                record = naive_record(by_line[number])
                assert record is not None
                assert_reward(record, table["reward"][row].as_py(), sample.reward)
        return len(good)


def assert_reward(record: dict[str, Any], indexed: float | None, loaded: float | None) -> None:
    """The index and the sample agree, and with the record where its reward is a plain number."""
    assert same_number(indexed, loaded), printable(record.get("reward"))
    if type(record.get("reward")) in (int, float, type(None)):
        assert same_number(loaded, naive_reward(record.get("reward")))


def file_of(kinds: list[Line], chance: random.Random) -> bytes:
    lines = [chance.choice(kinds)(chance).replace(b"\n", b" ") for _ in range(LINES)]
    end = chance.choice([b"\n", b"\r\n", b"\n\n"])
    return chance.choice([b"", b"\xef\xbb\xbf"]) + end.join(lines) + chance.choice([b"", end])


def real(chance: random.Random) -> bytes:
    return encoded(real_record(chance), chance)


FORMATS = [RelaxFormat(), VerlFormat(), FallbackFormat(), RollscopeFormat(), PrimeRlFormat(), VerifiersFormat()]
#: What a format calls its file of samples, where it is not `{step}.jsonl`.
NAMES = {
    "rollscope": "train_iteration_000000_rollouts.jsonl",
    "prime_rl": "traces.jsonl",
    "verifiers": "results.jsonl",
}
KINDS: dict[str, list[Line]] = {
    "random bytes": [random_bytes, random_signs, real],
    "truncations": [truncated, real],
    "random JSON": [random_json, retyped],
    "edits of real records": [edited, real],
}


@pytest.mark.parametrize("kind", KINDS)
def test_no_good_line_is_lost(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    good = 0

    @hypothesis.settings(max_examples=FILES, phases=GENERATE)
    @hypothesis.given(
        st.randoms(use_true_random=True), st.sampled_from(FORMATS), st.sampled_from([500, 5_000, 1 << 20])
    )
    def every_file(chance: random.Random, form: JsonlFormat, batch: int) -> None:
        nonlocal good
        monkeypatch.setattr(jsonl, "BATCH_BYTES", batch)
        good += check(form, file_of(KINDS[kind], chance), chance)

    every_file()
    assert good > FILES * LINES // 20, "some lines were good"


def test_stretches_of_damaged_files_lose_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """Cut into chunks at any byte, mapped and unmapped: the same samples as in one piece."""

    @hypothesis.settings(max_examples=25, phases=GENERATE)
    @hypothesis.given(st.randoms(use_true_random=True), st.integers(50, 4000), st.booleans())
    def every_cut(chance: random.Random, chunk: int, mapped: bool) -> None:
        data = file_of([edited, real, random_signs], chance)
        monkeypatch.setattr("rollscope.index.changes.plan.CHUNK_BYTES", chunk)
        monkeypatch.setattr(local, "MAP_FROM", 0)
        monkeypatch.setattr(local, "_mapping_allowed", mapped)
        check(RelaxFormat(), data, chance)

    every_cut()


def test_files_that_grow_by_any_bytes_lose_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """Appended piece by piece, refreshed after each: in the end the same as all at once."""

    @hypothesis.settings(max_examples=15, phases=GENERATE)
    @hypothesis.given(st.randoms(use_true_random=True), st.sampled_from([200, 2_000, 1 << 26]))
    def every_growth(chance: random.Random, chunk: int) -> None:
        monkeypatch.setattr("rollscope.index.changes.plan.CHUNK_BYTES", chunk)
        data = file_of([edited, real], chance)
        with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryDirectory() as place:
            file = Path(folder) / "0.jsonl"
            index = Index(open_store(folder), RelaxFormat(), base=f"{place}/index")
            at = 0
            while at < len(data):
                step = chance.randrange(1, len(data) // 4 + 2)
                with file.open("ab") as out:
                    out.write(data[at : at + step])
                at += step
                index.refresh()
            whole = Index(open_store(folder), RelaxFormat(), base=f"{place}/other")
            whole.refresh()
            columns = ["offset", "length", "index", "reward"]
            grown, fresh = (each.snapshot.all_rows.select(columns).to_pylist() for each in (index, whole))
            assert repr(grown) == repr(fresh)
            assert index.snapshot.skipped() == whole.snapshot.skipped()

    every_growth()
