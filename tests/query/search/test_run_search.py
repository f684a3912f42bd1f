"""Search finds exactly what a plain reader finds, however the JSON was written and whichever way it is looked through.

The plain reader decodes every line with Python's json and looks into every text. The real one passes over lines by their
raw bytes, in this process or in others, mapped or read, in tasks of any size.
"""

from __future__ import annotations

import json
import random
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import hypothesis
import hypothesis.strategies as st
import pytest
import re2
from tests.fixtures import write_jsonl
from tests.runs import relax_record

import rollscope
from rollscope.errors import UsageError
from rollscope.index.rows import row_places
from rollscope.query.run import Run
from rollscope.query.search import scan as textscan
from rollscope.query.search import text_search as search
from rollscope.storage import local

Hits = list[tuple[str, str, int, int]]

#: Words that are hard to find: case folds beyond ASCII (Kelvin sign, long s), escapes, half of what they look like.
WORDS = [
    *(
        "kilo",
        "\u212aelvin",
        "Kelvin",
        "mi\u017fs",
        "MISS",
        "café",
        "CAFÉ",
        "Straße",
        "数学",
        "🙂",
        "ÅÅ",
        "ﬀ",
        "σίσυφος",
    ),
    *(
        "ΣΊΣΥΦΟΣ",
        "a/b",
        "</think>",
        '"quoted"',
        "back\\slash",
        "\\u0041",
        "\\n",
        "tab\there",
        "line\nbreak",
        "\r\n",
        "A",
    ),
    *(
        "x_{1}",
        "100%",
        "[1, 2]",
        "{'a': 1}",
        "-0.5",
        "\u2028",
        "\x7f",
        "\x00",
        "I cannot",
        "i CANNOT",
        "user",
        "<|im_end|>",
    ),
    *("  ", "."),
]
SHORT = {'"': '\\"', "\\": "\\\\", "/": "\\/", "\b": "\\b", "\f": "\\f", "\n": "\\n", "\r": "\\r", "\t": "\\t"}


def hostile_json(value: Any, chance: random.Random, escaped: float) -> str:
    """JSON in which any character may be an escape, in either case, and white space stands wherever it may."""
    space = chance.choice(["", " ", "  "])
    comma = f"{space},{space}"

    def inner(item: Any) -> str:
        return hostile_json(item, chance, escaped)

    if isinstance(value, dict):
        members = (f"{inner(key)}{space}:{space}{inner(item)}" for key, item in value.items())
        return f"{{{space}{comma.join(members)}{space}}}"
    if isinstance(value, list):
        return f"[{comma.join(map(inner, value))}]"
    if isinstance(value, str):
        return "".join(['"', *(_sign(sign, chance, escaped) for sign in value), '"'])
    return json.dumps(value)


def _sign(sign: str, chance: random.Random, escaped: float) -> str:
    must = sign in '"\\' or sign < " "
    if not must and chance.random() >= escaped:
        return sign
    if sign in SHORT and chance.random() < 0.5:
        return SHORT[sign]
    units = sign.encode("utf-16-be")
    form = chance.choice(["\\u{:04x}", "\\u{:04X}"])
    return "".join(form.format(int.from_bytes(units[at : at + 2])) for at in range(0, len(units), 2))


def some_text(chance: random.Random) -> str:
    return chance.choice(["", " ", "\n"]).join(chance.choices(WORDS, k=chance.randrange(8)))


def some_record(chance: random.Random) -> dict[str, Any]:
    """Flat texts, messages with calls, an answer; sometimes of an eval set."""
    prompt: Any = some_text(chance)
    if chance.random() < 0.2:
        call = {
            "id": "c",
            "function": {"name": "look", "arguments": json.dumps({"word": some_text(chance), "n": [1, 2]})},
        }
        prompt = [
            {"role": "user", "content": some_text(chance)},
            {"role": "assistant", "content": None, "tool_calls": [call]},
            {"role": "tool", "content": [{"type": "text", "text": some_text(chance)}]},
        ]
    record = relax_record(0, 0, prompt=prompt, response=some_text(chance), label=some_text(chance))
    return {**record, "dataset": chance.choice(["a", "b"])} if chance.random() < 0.3 else record


class Case:
    """A run of hostile lines, and what its texts are."""

    def __init__(self, folder: Path, chance: random.Random, lines: int) -> None:
        self.records = [some_record(chance) for _ in range(lines)]
        (folder / "train").mkdir(parents=True)
        for step in range(2):
            written = []
            for record in self.records[step::2]:
                escaped = chance.choice([0.0, 0.0, 0.0, 0.1, 1.0])
                written.append(hostile_json({**record, "rollout_id": step}, chance, escaped))
            (folder / "train" / f"{step}.jsonl").write_text("\n".join(written) + "\n", encoding="utf-8")
        self.run: Run = rollscope.open(folder)
        #: Address -> its texts in order, as the sample shows them.
        self.texts: dict[str, list[tuple[str, str]]] = {
            row.address: shown_texts(self.run.sample(row.address).record) for row in self.run.samples().rows
        }
        assert len(self.texts) == lines

    def naive(self, find: Callable[[str], tuple[int, int] | None], fields: tuple[str, ...] = ()) -> Hits:
        hits = []
        for address, texts in self.texts.items():
            for field, text in texts:
                span = find(text) if not fields or field in fields else None
                if span is not None:
                    hits.append((address, field, *span))
        return hits


def shown_texts(record: dict[str, Any]) -> list[tuple[str, str]]:
    prompt = record["prompt"]
    if isinstance(prompt, list):
        question, call, answer = prompt
        function = call["tool_calls"][0]["function"]
        called = f"{function['name']}({function['arguments']})"
        prompt = "\n".join(filter(None, [question["content"], called, answer["content"][0]["text"]]))
    texts = [("prompt", prompt), ("response", record["response"]), ("golden", record["label"])]
    return [(field, text) for field, text in texts if text]


def literal(needle: str) -> Callable[[str], tuple[int, int] | None]:
    def find(text: str) -> tuple[int, int] | None:
        at = text.find(needle)
        return (at, at + len(needle)) if at >= 0 else None

    return find


def expression(pattern: str, ignore_case: bool) -> Callable[[str], tuple[int, int] | None]:
    options = re2.Options()
    options.case_sensitive = not ignore_case
    compiled = re2.compile(pattern, options)

    def find(text: str) -> tuple[int, int] | None:
        found = compiled.search(text)
        return found.span() if found is not None else None

    return find


def some_needle(case: Case, chance: random.Random) -> str:
    """Mostly a piece of what is there, sometimes with its case changed, sometimes a word that may not be there."""
    text = chance.choice([text for texts in case.texts.values() for _, text in texts] or ["x"])
    start = chance.randrange(len(text))
    piece = text[start : start + chance.randrange(1, 12)] or "x"
    return chance.choice([piece, piece.swapcase(), piece.upper(), chance.choice(WORDS)])


def some_pattern(case: Case, chance: random.Random) -> str:
    piece = re2.escape(some_needle(case, chance))
    fixed = [r"\d+", "[kK]+", r"(?s)b.*k", r"\s\S"]
    return str(chance.choice([piece, f"(?i){piece}", f"{piece}.", f"^{piece}", f"({piece}|数)", *fixed]))


def found(hits: Iterator[Any]) -> Hits:
    return [(hit.address, hit.field, hit.start, hit.end) for hit in hits]


def quoted(text: str) -> str:
    """A text in the filter language."""
    signs = (f"\\u{ord(sign):04x}" if sign in '"\\\x7f' or sign < " " else sign for sign in text)
    return '"' + "".join(signs) + '"'


def check_search(case: Case, chance: random.Random) -> None:
    needle, pattern = some_needle(case, chance), some_pattern(case, chance)
    field = chance.choice(["prompt", "response", "golden"])
    assert found(case.run.search(needle)) == case.naive(literal(needle)), repr(needle)
    ignoring = expression(re2.escape(needle), True)
    assert found(case.run.search(needle, ignore_case=True)) == case.naive(ignoring), repr(needle)
    assert found(case.run.search(pattern, regex=True)) == case.naive(expression(pattern, False)), pattern
    assert found(case.run.search(needle, fields=[field])) == case.naive(literal(needle), (field,)), repr(needle)


def check_filters(case: Case, chance: random.Random) -> None:
    def filtered(where: str) -> list[str]:
        return [row.address for row in case.run.samples(where=where).rows]

    def addresses(hits: Hits) -> list[str]:
        return list(dict.fromkeys(address for address, *_ in hits))

    needle, pattern = some_needle(case, chance), some_pattern(case, chance)
    field = chance.choice(["prompt", "response", "golden"])
    everywhere = addresses(case.naive(literal(needle)))
    assert filtered(f"text contains {quoted(needle)}") == everywhere, repr(needle)
    kept = {row.address for row in case.run.samples(where="reward > 0.5").rows}
    some = [address for address in everywhere if address in kept]
    assert filtered(f"reward > 0.5 and text contains {quoted(needle)}") == some, repr(needle)
    ignoring = addresses(case.naive(expression(re2.escape(needle), True), (field,)))
    assert filtered(f"{field} icontains {quoted(needle)}") == ignoring, repr(needle)
    matched = addresses(case.naive(expression(pattern, False), (field,)))
    assert filtered(f"{field} matches {quoted(pattern)}") == matched, pattern


def many_cases(examples: int, lines: int) -> None:
    @hypothesis.settings(max_examples=examples, phases=(hypothesis.Phase.generate,))
    @hypothesis.given(st.randoms(use_true_random=True))
    def every_case(chance: random.Random) -> None:
        with tempfile.TemporaryDirectory() as folder:
            case = Case(Path(folder) / "run", chance, lines)
            for _ in range(12):
                check_search(case, chance)
            check_filters(case, chance)

    every_case()


def test_search_equals_a_plain_reader() -> None:
    many_cases(examples=8, lines=40)


@pytest.mark.parametrize("mapped", [False, True])
def test_in_tasks_of_a_few_lines(monkeypatch: pytest.MonkeyPatch, mapped: bool) -> None:
    monkeypatch.setattr(row_places, "TASK_BYTES", 2_000)
    monkeypatch.setattr(local, "MAP_FROM", 0)
    monkeypatch.setattr(local, "_mapping_allowed", mapped)
    many_cases(examples=3, lines=30)


def test_in_other_processes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(search, "INLINE_BYTES", 0)
    monkeypatch.setattr(row_places, "TASK_BYTES", 5_000)
    many_cases(examples=3, lines=30)


def test_other_processes_map_large_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With a needle beside every seam of the tasks."""
    monkeypatch.setattr(search, "INLINE_BYTES", 0)
    monkeypatch.setattr(row_places, "TASK_BYTES", 3 << 20)
    filler = "nothing to see here " * 10_000
    records = [relax_record(0, index, response=f"{filler} number {index} ends") for index in range(40)]
    write_jsonl(tmp_path / "train" / "0.jsonl", records)
    run = rollscope.open(tmp_path)
    assert [hit.address for hit in run.search("number 1")] == [f"train/0/{i}" for i in (1, *range(10, 20))]
    assert [hit.address for hit in run.search("NUMBER 39", ignore_case=True)] == ["train/0/39"]
    assert [hit.address for hit in run.search(r"number \d7", regex=True)] == [f"train/0/{i}" for i in (17, 27, 37)]


def test_rows_in_another_order_than_their_bytes(tmp_path: Path) -> None:
    """Steps written in no order, evals of several sets in one file: each row is looked for at its own place."""
    steps = [3, 1, 2, 1, 3, 2, 1, 0] * 5
    records = [{"prompt": f"q{i}", "completion": f"word{i} end", "global_step": step} for i, step in enumerate(steps)]
    write_jsonl(tmp_path / "all.jsonl", records)
    run = rollscope.open(tmp_path)
    for needle in ("word7 ", "word39 ", "word0 "):
        (hit,) = run.search(needle)
        assert needle in run.raw(hit.address)
    assert len(list(run.search("word"))) == 40
    assert len(list(run.search("WORD", ignore_case=True))) == 40
    assert len(list(run.search("w.rd", regex=True))) == 40


def test_few_rows_far_apart_are_read_one_by_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A filter leaves over two samples at both ends of the file: what lies between is not read."""
    filler = "x" * 50_000
    rewards = [1.0, *[0.0] * 40, 1.0]
    records = [relax_record(0, i, reward=reward, response=f"here {filler}") for i, reward in enumerate(rewards)]
    write_jsonl(tmp_path / "train" / "0.jsonl", records)
    run = rollscope.open(tmp_path)
    run.refresh()
    monkeypatch.setattr(textscan, "_dense", lambda *_: pytest.fail("all of the file was read"))
    page = run.samples(where='reward > 0.5 and response contains "here"')
    assert [row.index for row in page.rows] == [0, 41]
    assert [hit.address for hit in run.search("HERE", ignore_case=True, where="reward > 0.5")] == [
        "train/0/0",
        "train/0/41",
    ]


def test_a_text_that_there_is_none_of_is_said_and_all_of_them_are_text(tmp_path: Path) -> None:
    write_jsonl(
        tmp_path / "train" / "0.jsonl", [relax_record(0, 0, prompt="needle", response="needle", label="needle")]
    )
    run = rollscope.open(tmp_path, index_dir=str(tmp_path / "index"))
    assert [hit.field for hit in run.search("needle", fields=["text"])] == ["prompt", "response", "golden"]
    with pytest.raises(UsageError, match="'answer'"):
        run.search("needle", fields=["answer"])


def test_numbers_of_golden_answers_are_found_as_they_are_shown(tmp_path: Path) -> None:
    golden = ['[1e5,1.50,"x 2",0.1e1]', "1e5", '{"a": 1.50, "b": [1e5, true,null]}', '"1e5"', '["1.50", "é"]']
    line = '{"prompt": "q", "response": "1.50", "reward": 1e0, "label": %s}\n'
    (tmp_path / "train").mkdir()
    (tmp_path / "train" / "0.jsonl").write_text("".join(line % value for value in golden))
    run = rollscope.open(tmp_path)

    def found(text: str) -> list[int]:
        hits = [int(hit.address.rpartition("/")[2]) for hit in run.search(text, fields=["golden"])]
        assert hits == [row.index for row in run.samples(where=f"golden contains {json.dumps(text)}").rows]
        return hits

    assert [found(text) for text in ("100000.0", "1.0", "1e5", "1.50")] == [[0, 1, 2], [0], [3], [4]]
    assert found("[100000.0,true,null]") == [2]
    assert [hit.address for hit in run.search("1.50", fields=["response"])] == [f"train/0/{i}" for i in range(5)]
