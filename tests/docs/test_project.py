"""What README and CONTRIBUTING say of the project: its tools, rules and files."""

from __future__ import annotations

import ast
import importlib
import inspect
import re
import tomllib
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
import soak.__main__
from soak import Figures, Violation
from soak.hostile import PLACES
from tests.browser.reading.test_untrusted import ATTACKS
from tests.fixtures import DATA
from tests.test_docs import text_of

import rollscope
from rollscope import record
from rollscope.fields import VERDICTS
from rollscope.formats.base import Format

SOURCE = Path(rollscope.__file__).parent
CONTRIBUTING = " ".join(text_of("CONTRIBUTING.md").split())
PROJECT: dict[str, Any] = tomllib.loads(text_of("pyproject.toml"))


def test_ci_calls_the_targets_that_people_call() -> None:
    called = set(re.findall(r"^make .*?([a-z-]+)$", text_of(".ci/run"), re.MULTILINE))
    assert called == {"check", "test"}
    assert called <= set(re.findall(r"run: make ([a-z-]+)", text_of(".github/workflows/ci.yml")))


def test_what_the_tests_of_object_stores_and_clusters_need_is_pinned_by_hash() -> None:
    lock = text_of("requirements-cloud.txt")
    pinned = {name.lower() for name in re.findall(r"^([A-Za-z0-9-]+)==", lock, re.MULTILINE)}
    wanted = {re.split(r"[=<>\[]", entry)[0].lower() for entry in PROJECT["dependency-groups"]["cloud"]}
    assert wanted - {"rollscope"} <= pinned
    assert {"obstore", "ray", "huggingface-hub"} <= pinned | {name.replace("_", "-") for name in pinned}
    entries = re.split(r"\n(?=[A-Za-z0-9])", re.sub(r"^#.*\n", "", lock, flags=re.MULTILINE).strip())
    assert [entry.splitlines()[0] for entry in entries if "--hash=sha256:" not in entry] == []
    assert not re.search(r"https?://|--(extra-)?index-url", lock)


def test_needed_versions_are_those_that_the_project_asks_for() -> None:
    python, node = re.findall(r"Python (3\.\d+)\+, Node (\d+)\+", text_of("README.md"))[0]
    assert PROJECT["project"]["requires-python"] == f">={python}"
    assert f"Node {node} or newer is needed" in text_of("Makefile")
    assert tuple(map(int, python.split("."))) == tuple(
        map(int, re.findall(r"sys\.version_info < \((\d+), (\d+)\)", text_of("Makefile"))[0])
    )


def test_every_trainer_of_the_front_page_has_a_format() -> None:
    table = text_of("README.md").partition("## Point it at your trainer")[2].partition("```")[0]
    rows = [row.split(", ") for row in re.findall(r"^\| ([^|]+) \|", table, re.MULTILINE)[2:]]
    known = text_of("docs/formats.md").partition("## ")[0].lower()
    rows = [row for row in rows if not row[0].startswith(("anything", "your own"))]
    assert [name for row in rows for name in row if name.lower() not in known] == []


def test_the_licence_is_the_one_that_is_named() -> None:
    assert text_of("README.md").rstrip().endswith(f"{PROJECT['project']['license']}.")
    assert "Apache License" in text_of("LICENSE")


def test_a_format_starts_from_the_classes_that_the_page_links_to() -> None:
    rows = re.findall(r"\[`(\w+)\.(\w+)`\]\((src/[\w/]+\.py)\)[^|]*\|([^|]*)\|", text_of("CONTRIBUTING.md"))
    assert len(rows) == 3
    for module, name, path, write in rows:
        assert Path(path).stem == module
        start = getattr(importlib.import_module(path[4:-3].replace("/", ".")), name)
        for part in re.findall(r"`(\w+)`", write):
            assert hasattr(start, part) or part in start.__annotations__ or part == "Row", (name, part)


def test_a_format_may_implement_what_the_page_lists() -> None:
    (listed,) = re.findall(r"Every format may also implement (.*?);", CONTRIBUTING)
    names = re.findall(r"`(\w+)`", listed)
    assert len(names) == 6
    assert [name for name in names if not inspect.isfunction(getattr(Format, name))] == []
    assert all(hasattr(Format, name) for name in ("runs", "line_texts", "texts_in_line"))


def test_a_module_can_be_read_in_one_sitting() -> None:
    ((usual, most),) = re.findall(r"one sitting \(half of them have under (\d+) lines, all under (\d+)\)", CONTRIBUTING)
    sizes = sorted(path.read_text(encoding="utf-8").count("\n") for path in SOURCE.rglob("*.py"))
    assert sizes[len(sizes) // 2] < int(usual)
    assert sizes[-1] < int(most)


def test_types_are_strict_in_tests_too() -> None:
    assert PROJECT["tool"]["mypy"]["strict"] is True
    assert {"src", "tests"} <= set(PROJECT["tool"]["mypy"]["files"])


def test_every_run_of_the_test_data_is_described() -> None:
    page = (DATA / "README.md").read_text(encoding="utf-8")
    runs = [path.name for path in DATA.iterdir() if path.is_dir()]
    assert len(runs) > 35
    assert [name for name in runs if f"`{name}" not in page] == []


def test_every_dependency_has_a_sentence() -> None:
    lines = text_of("pyproject.toml").partition("\ndependencies = [")[2].partition("\n]")[0].splitlines()
    bare = [line for above, line in pairwise(lines) if line.startswith('  "') and not above.startswith("  #")]
    # Those that are said together with the one above them.
    assert [line.strip() for line in bare if not line.strip().startswith(('"uvloop', '"httptools'))] == []


def test_no_tokenizer_is_needed_or_imported() -> None:
    needed = " ".join(PROJECT["project"]["dependencies"])
    assert not re.search("tokenizers|transformers|tiktoken|sentencepiece", needed)
    imports = {
        alias.name
        for path in SOURCE.rglob("*.py")
        if "integrations" not in path.parts
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Import)
        for alias in node.names
    }
    assert imports.isdisjoint({"tokenizers", "transformers", "tiktoken"})


def test_the_rules_between_rooms_are_those_that_make_check_enforces() -> None:
    assert "lint-imports" in text_of("Makefile").partition("\ncheck-python:")[2].partition("\n\n")[0]
    contracts = text_of(".importlinter")
    assert contracts.count("[importlinter:contract:") >= 4
    for room in ("server", "tui", "cli", "record", "storage", "formats", "index", "query"):
        assert f"rollscope.{room}" in contracts


def test_no_text_of_a_sample_is_in_its_index(tmp_path: Path) -> None:
    with record.start(tmp_path / "run", reports=False, code_dir=None) as run, run.iteration(0) as iteration:
        for number in range(50):
            iteration.add(prompt=f"hidden-question-{number}", response=f"hidden-answer-{number}", reward=float(number))
    opened = rollscope.open(tmp_path / "run", index_dir=str(tmp_path / "index"))
    assert len(opened.samples(limit=100).rows) == 50
    written = [path.read_bytes() for path in (tmp_path / "index").rglob("*") if path.is_file()]
    assert written
    assert not any(b"hidden-" in content for content in written)


def test_the_names_of_verdicts_on_the_page_are_those_of_the_program() -> None:
    words = " ".join(text_of("docs/web.md").split())
    (listed,) = re.findall(r"the trainer calls (.*?), as a metric or a component", words)
    named = set(re.findall(r"`(\w+)`", listed))
    assert {name.partition(".")[2] for name in VERDICTS} == named
    assert {name.partition(".")[0] for name in VERDICTS} == {"metrics", "rewards"}


def test_a_part_of_the_soak_that_meets_what_must_not_happen_ends_with_status_1(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def run(long: bool) -> Figures:
        raise Violation("a sample is missing")

    monkeypatch.setattr("soak.kills.run", run)
    monkeypatch.setattr("sys.argv", ["soak", "--only", "kills"])
    assert soak.__main__.main() == 1
    assert "violations in: kills" in capsys.readouterr().out


def test_the_attacks_on_the_page_are_as_many_as_are_said() -> None:
    row = re.findall(r"^\| `hostile` \| (.*)$", text_of("docs/reliability.md"), re.MULTILINE)[0]
    assert row.startswith(f"{len(ATTACKS)} attacks in six contexts (")
    assert len(PLACES) == row.partition("(")[2].partition(")")[0].count(",") + 1 == 6
