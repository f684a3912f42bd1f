"""What docs/insights.md says of answers, selections and patterns."""

from __future__ import annotations

import random
import re
from pathlib import Path

import numpy as np
import pytest
from msgspec import Struct
from tests.docs.conftest import Ask
from tests.fixtures import write_jsonl
from tests.test_docs import text_of

from rollscope.features.registry import registry
from rollscope.query.insights.compare_runs import PromptRow, RunComparison
from rollscope.query.insights.comparisons import DiffSide, GroupMember, GroupTree, SampleDiff
from rollscope.query.insights.contrast.fields import FieldContrast
from rollscope.query.insights.group_tree import TreeNode
from rollscope.query.insights.statistics import wilson
from rollscope.query.insights.word_diff import DiffPiece

PAGE = text_of("docs/insights.md")


@pytest.mark.parametrize(
    ("title", "answers"),
    [
        ("Two samples", (SampleDiff, DiffSide, DiffPiece)),
        ("A group as a tree", (GroupTree, GroupMember, TreeNode)),
        ("Two runs", (RunComparison, PromptRow)),
        ("What tells two selections apart", (FieldContrast,)),
    ],
)
def test_every_name_of_an_answer_is_on_the_page(title: str, answers: tuple[type[Struct], ...]) -> None:
    section = PAGE.partition(f"\n## {title}\n")[2].partition("\n## ")[0]
    named = set(re.findall(r"`([a-z_]+)`", section))
    for answer in answers:
        missing = set(answer.__struct_encode_fields__) - named
        assert not missing, f"{answer.__name__}: {sorted(missing)}"


def test_discarded_samples_are_contrasted_and_left_out_of_findings(ask: Ask, tmp_path: Path) -> None:
    chance = random.Random(3)
    words = [f"word{number}" for number in range(80)]
    records = [
        {
            "prompt": f"question {number}",
            "response": " ".join(chance.sample(words, 40)) + (" wait, no." * 60 if number % 2 else ""),
            "reward": chance.random(),
            "step": number // 20,
            "discard_reason": "stale" if number % 2 else None,
        }
        for number in range(120)
    ]
    run = write_jsonl(tmp_path / "run" / "all.jsonl", records).parent
    found = ask("contrast", run, "--a", "discarded", "--json").json
    assert (found["a"]["samples"], found["b"]["samples"]) == (60, 60)
    assert ask("findings", run, "--kind", "loop", "--json").json == []


def test_with_three_samples_a_side_the_intervals_always_overlap() -> None:
    def apart(size: int) -> bool:
        low, high = wilson(np.array([0.0, 1.0]), np.array([size, size]))
        return bool(high[0] < low[1])

    assert [size for size in range(1, 6) if apart(size)] == [4, 5]


def test_the_pattern_of_the_page_is_a_finding(ask: Ask, tmp_path: Path) -> None:
    (text,) = re.findall(r"```toml\n(\[promises\].*?)```", PAGE, re.DOTALL)
    patterns = tmp_path / "patterns.toml"
    patterns.write_text(text)
    records = [
        {"prompt": f"q{n}", "response": "It is 4." + " I promise this is correct." * (n % 2), "reward": n % 2}
        for n in range(40)
    ]
    run = write_jsonl(tmp_path / "run" / "0.jsonl", records).parent
    (finding,) = ask("findings", run, "--patterns", patterns, "--kind", "pattern:promises", "--json").json
    assert (finding["samples"], finding["severity"]) == (20, "medium")
    where = 'text.flags = "promises"'
    assert len(ask("samples", run, "--patterns", patterns, "--where", where, "--json").json) == 20


def test_the_table_of_features_names_all_that_there_are() -> None:
    table = PAGE.partition("| field | meaning |")[2].partition("\n\n")[0]
    cells = [line.split(" | ")[0] for line in table.splitlines() if line.startswith("| `")]
    assert {name for cell in cells for name in re.findall(r"`([\w.]+)`", cell)} == set(registry().names())
