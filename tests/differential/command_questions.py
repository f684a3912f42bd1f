"""The questions that are asked on the command line, and those about what people wrote on samples."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from tests.differential import doors
from tests.differential.odd_runs import Plain
from tests.differential.plain_answers import any_filter, field_word, in_order, near, size_of, step_facts

from rollscope.userdata.notes import NewNote

if TYPE_CHECKING:
    from tests.differential.questions import Questions

_LABELS = ("hack", "Hack", "good one", "é")


def ask_commands(asked: Questions) -> Iterator[str]:
    chance, samples = asked.chance, asked.samples

    def ask(*words: object) -> Any:
        given = [words[0], asked.root, *words[1:]]
        return doors.command(*given, "--json", "--index-dir", asked.index, "--notes-dir", asked.notes)

    def differs(what: str, rows: list[dict[str, Any]], expected: list[Plain]) -> Iterator[str]:
        shown, right = [row["address"] for row in rows], [sample["address"] for sample in expected]
        if shown != right:
            yield f"{what}: {len(shown)} samples {shown[:4]}…, in the files {len(right)} {right[:4]}…"

    yield from asked.compare(doors.by_address(ask("samples", "--all", "--limit", 0)))
    text, test = any_filter(chance, asked.names)
    name = chance.choice([name for name in asked.names if name not in ("prompt", "response", "index")])
    found = in_order([sample for sample in samples if test(sample)], name, descending=True)
    rows = ask("samples", "--where", text, "--sort", f"-{name}", "--all", "--limit", 0)
    yield from differs(f"--where '{text}' --sort -{name}", rows, found)
    split = chance.choice(asked.splits)
    kept = [sample for sample in samples if sample["split"] == split and "discard_reason" not in sample]
    yield from differs(f"--split {split}", ask("samples", "--split", split, "--limit", 0), kept)
    lost = [sample for sample in samples if "discard_reason" in sample]
    yield from differs("--discarded", ask("samples", "--discarded", "--limit", 3), lost[:3])
    for row in ask("steps", "--split", split, "--limit", 0):
        facts = step_facts([s for s in samples if (s["split"], s["step"]) == (split, row["step"])])
        told = {**row, "pass_at": {int(k): value for k, value in row["pass_at"].items()}}
        for fact in ("samples", "discarded", "groups", "reward", "discard_reasons", "pass_at"):
            if not near(facts[fact], told[fact], size_of(facts["reward"])):
                yield f"steps: {split}/{row['step']} {fact}: {told[fact]!r}, in the files {facts[fact]!r}"
    counted = ask("sql", "SELECT split, count(*) n FROM samples GROUP BY split ORDER BY min(step), split")
    if {row["split"]: row["n"] for row in counted} != {
        split: sum(sample["split"] == split for sample in samples) for split in asked.splits
    }:
        yield f"sql: {counted}"
    word = chance.choice(["needle", "é", "🙂"])
    hits = [hit["address"] for hit in ask("search", word, "--in", "response", "--limit", 0)]
    said = [sample["address"] for sample in samples if word in sample["response"]]
    if hits != said:
        yield f"search {word}: {hits}, in the files {said}"
    sample = chance.choice(samples)
    shown = doors.one(ask("show", sample["address"]))
    for name, value in asked.expected()[sample["address"]].items():
        if name not in doors.ONLY_IN_ROWS and shown.get(name) != value:
            yield f"show {sample['address']} {name}: {shown.get(name)!r}, in the file {value!r}"


def ask_labels(asked: Questions) -> Iterator[str]:
    """Labels and ratings of some samples: filters find these samples and no others, also beside other conditions."""
    chance, samples = asked.chance, asked.samples
    labels: dict[str, set[str]] = {}
    ratings: dict[str, int] = {}
    for _ in range(chance.randrange(1, 5)):
        address, given = chance.choice(samples)["address"], chance.sample(_LABELS, chance.randrange(3))
        rating = chance.choice([None, 1, 3, 5])
        note = NewNote(address=address, text="" if given or rating else "read it", labels=given, rating=rating)
        asked.run.write_note(note)
        labels.setdefault(address, set()).update(given)
        if rating is not None:
            ratings[address] = rating
    number = chance.choice(asked.numbers)
    label = chance.choice(_LABELS)
    tests: dict[str, Callable[[Plain], bool]] = {
        "noted": lambda sample: sample["address"] in labels,
        "not noted": lambda sample: sample["address"] not in labels,
        f"label = {json.dumps(label)}": lambda sample: label in labels.get(sample["address"], ()),
        "label is missing": lambda sample: not labels.get(sample["address"]),
        "rating >= 3": lambda sample: ratings.get(sample["address"], 0) >= 3,
        "rating is missing": lambda sample: sample["address"] not in ratings,
        f"rating != 3 or {field_word(number)} is missing": lambda sample: (
            ratings.get(sample["address"], 3) != 3 or number not in sample
        ),
        f'not (label icontains "hack") and {field_word(number)} is not missing': lambda sample: (
            not {"hack", "Hack"} & labels.get(sample["address"], set()) and number in sample
        ),
    }
    for text, test in tests.items():
        expected = [sample["address"] for sample in samples if test(sample)]
        found = [row.address for row in asked.run.samples(where=text, discarded=None).rows]
        if found != expected:
            yield f"{text}: {found}, with labels {labels} and ratings {ratings} {expected}"
