"""What docs/filter-language.md says of operators and values."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from tests.fixtures import write_jsonl
from tests.test_docs import text_of

import rollscope
from rollscope.errors import RollscopeError
from rollscope.query.language.operators import OPERATORS
from rollscope.query.run import Run

RECORDS = (
    {"prompt": "p", "response": "", "reward": 0.0, "tags": ["easy", "maths"], "env": "Sums", "note": "a\nb"},
    {"prompt": "p", "response": "one\nTwo", "reward": 1.0, "tags": ["uneasy"], "env": "code"},
    {"prompt": "p", "response": "three", "reward": 2.0, "env": "zoo"},
)


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Run:
    folder = tmp_path_factory.mktemp("filters") / "run"
    write_jsonl(folder / "0.jsonl", RECORDS)
    return rollscope.open(folder, index_dir=str(folder.parent / "index"))


def picked(run: Run, where: str) -> list[float | None]:
    return [row.reward for row in run.samples(where=where).rows]


KINDS = {"numbers": "number", "texts": "string", "lists": "list", "`true`/`false`": "boolean"}


def test_the_table_says_which_fields_an_operator_takes() -> None:
    table = text_of("docs/filter-language.md").partition("| operator |")[2].partition("\n\n")[0]
    said: dict[str, set[str]] = {}
    for words, takes in [line.split(" | ")[:2] for line in table.splitlines() if line.startswith("| `")]:
        kinds = {kind for word, kind in KINDS.items() if word in takes}
        if takes.startswith("every field"):
            kinds = set(KINDS.values())
        for word in re.findall(r"`([^`]+)`", words):
            said[word.removesuffix(" (…)")] = said["="] if takes.startswith("the same as") else kinds
    said |= {f"not {word}": said[word] for word in ("contains", "icontains", "matches")}
    assert said.pop("==") == said["="]
    assert said == {operator.word: set(operator.takes) - {"text"} for operator in OPERATORS}


@pytest.mark.parametrize(
    ("where", "rewards"),
    [
        ('env < "a"', [0.0]),  # capitals come before small letters
        ('env = "code" or env == "zoo"', [1.0, 2.0]),
        ("response matches /two/i", [1.0]),
        ("response matches /two/", []),
        ("response matches /^Two$/m", [1.0]),
        ("response matches /^Two$/", []),
        ("response matches /one.Two/s", [1.0]),
        ("response matches /one.Two/", []),
        ('response matches "(?i)TWO"', [1.0]),
        ('tags = "easy"', [0.0]),
        ('tags contains "easy"', [0.0]),
        ('tags icontains "eas"', [0.0, 1.0]),
        ("tags matches /^ea/", [0.0]),
        ("tags is missing", [2.0]),
        ('response not contains "e"', [0.0]),
        ('env not matches "^z"', [0.0, 1.0]),
    ],
)
def test_a_condition_picks_what_the_page_says(run: Run, where: str, rewards: list[float]) -> None:
    assert picked(run, where) == rewards


def test_an_empty_text_is_no_missing_one(tmp_path: Path) -> None:
    with rollscope.record.start(tmp_path / "run", reports=False, code_dir=None) as run, run.iteration(0) as iteration:
        iteration.add(prompt="p", response="", env="told")
        iteration.add(prompt="p", reward=1.0, env="untold")
    opened = rollscope.open(tmp_path / "run")
    assert [row.env for row in opened.samples(where='response matches "^$"').rows] == ["told"]


@pytest.mark.parametrize("field", ["prompt", "response", "text", "golden"])
@pytest.mark.parametrize("condition", ["= 'x'", "is missing", "< 'x'", "in ('x')"])
def test_texts_of_the_files_take_nothing_but_the_three_operators(run: Run, field: str, condition: str) -> None:
    with pytest.raises(RollscopeError, match="contains"):
        run.samples(where=f"{field} {condition}")
