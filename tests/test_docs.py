"""The documentation says what is there, all of it, and nothing else."""

from __future__ import annotations

import ast
import importlib.util
import re
import shlex
from functools import cache
from itertools import takewhile
from pathlib import Path
from types import SimpleNamespace

import pytest
from scripts.reference import filled, tables
from soak.__main__ import PARTS
from tests.docs.ledger import CLAIMS, KINDS, entries, entry_of
from tests.docs.sentences import blocks_in, pages, sentences
from tests.fixtures import REPOSITORY

from rollscope.cli.arguments import parse
from rollscope.cli.command_table import BY_NAME
from rollscope.cli.help import command_help
from rollscope.formats.registry import formats
from rollscope.record.integrations.shared import RUN_VARIABLE, TOKENS_VARIABLE
from rollscope.settings import SETTINGS

PAGE_NAMES = pages()


def text_of(name: str) -> str:
    return (REPOSITORY / name).read_text(encoding="utf-8")


@pytest.mark.parametrize("name", sorted(tables()))
def test_the_tables_of_flags_and_settings_are_the_program_s_own(name: str) -> None:
    page = text_of(f"docs/{name}")
    assert filled(page, tables()[name]) == page, "run `make docs`"


def test_every_setting_has_its_flag_its_variable_and_its_help_in_the_documentation() -> None:
    page = text_of("docs/settings.md")
    for setting in SETTINGS:
        assert setting.about.flag in page
        assert setting.env in page
        assert setting.about.help in page


@pytest.mark.parametrize("command", BY_NAME)
def test_every_command_and_flag_is_documented_and_in_its_help(command: str) -> None:
    pages = text_of("docs/cli.md") + text_of("docs/settings.md")
    assert f"## `{command}`" in pages
    for option in BY_NAME[command].options:
        assert f"`{option.flag}" in pages
        assert option.flag in command_help(BY_NAME[command])


def test_every_format_is_documented() -> None:
    table = text_of("docs/formats.md").partition("## ")[0]
    assert set(re.findall(r"^\| \[`(\w+)`\]\(formats/\1\.md\) \|", table, re.MULTILINE)) == set(formats())
    assert {page.stem for page in (REPOSITORY / "docs" / "formats").iterdir()} == set(formats())


@pytest.mark.parametrize("name", sorted(formats()))
def test_a_format_s_page_says_what_opens_how_it_is_written_and_what_is_missing(name: str) -> None:
    page = text_of(f"docs/formats/{name}.md")
    said = (
        "**What to open:**",
        "**Where the samples are:**",
        "**How to get these files:**",
        "## What is inferred",
        "## What is missing",
    )
    assert [part for part in said if part not in page] == []


def test_the_front_page_names_at_least_25_sources() -> None:
    table = text_of("README.md").partition("## Point it at your trainer")[2].partition("```")[0]
    named = [name for row in re.findall(r"^\| ([^|]+) \|", table, re.MULTILINE)[2:] for name in row.split(", ")]
    assert len(named) >= 25


@pytest.mark.parametrize("name", PAGE_NAMES)
def test_no_page_names_a_variable_that_is_none(name: str) -> None:
    # The recorder runs inside trainers and knows no settings of viewers; it has two variables of its own.
    known = {setting.env for setting in SETTINGS} | {RUN_VARIABLE, TOKENS_VARIABLE}
    assert set(re.findall(r"ROLLSCOPE_[A-Z_]*[A-Z]", text_of(name))) <= known


def commands_in(text: str) -> list[list[str]]:
    """The words of the `rollscope …` commands in a page's blocks for a shell."""
    shells = [block.text for block in blocks_in(text) if block.language.split(" ")[0] in ("console", "sh", "")]
    # Variables before a command are the shell's.
    lines = [re.sub(r"^(\$ )?([A-Z_]+=\S+ )*", "", line) for block in shells for line in block.splitlines()]
    shown = [line for line in lines if line.startswith("rollscope ") and "…" not in line and "[options]" not in line]
    # `|` and `>` end a command, unless they stand in quotes.
    words = (shlex.split(line, comments=True)[1:] for line in shown)
    return [list(takewhile(lambda word: word not in ("|", ">"), command)) for command in words]


@pytest.mark.parametrize("name", PAGE_NAMES)
def test_every_command_shown_on_a_page_is_one_that_the_program_takes(name: str) -> None:
    for words in commands_in(text_of(name)):
        command = BY_NAME.get(words[0])
        parse(command or BY_NAME["view"], words[1:] if command else words)


@pytest.mark.parametrize("name", PAGE_NAMES)
def test_flags_of_commands_in_running_text_exist(name: str) -> None:
    for command, rest in re.findall(r"`rollscope ([a-z]+) ([^`\n]*)`", text_of(name)):
        flags = {option.flag for option in BY_NAME[command].options} if command in BY_NAME else set()
        assert set(re.findall(r"--[a-z-]+", rest)) <= flags | {"--help"}


def test_the_command_check_reads_commands() -> None:
    page = "```console\n$ rollscope ls x   # all\nrun\nrollscope show x 'a > b' | less\n```\n"
    assert commands_in(page) == [["ls", "x"], ["show", "x", "a > b"]]


@pytest.mark.parametrize("name", PAGE_NAMES)
def test_links_to_files_and_headings_lead_somewhere(name: str) -> None:
    page = REPOSITORY / name
    for target in re.findall(r"\]\(([^)\s]+)\)", without_code(page.read_text(encoding="utf-8"))):
        if re.match(r"[a-z]+:", target):
            continue
        path, _, anchor = target.partition("#")
        linked = (page.parent / path).resolve() if path else page
        assert linked.exists(), f"{name} links to {target}"
        if anchor:
            assert anchor in anchors(linked), f"{name} links to {target}"


def without_code(text: str) -> str:
    return re.sub(r"```.*?```|`[^`\n]*`", "", text, flags=re.DOTALL)


def anchors(page: Path) -> set[str]:
    """Headings as GitHub names them."""
    headings = re.findall(r"^#+ (.+)$", page.read_text(encoding="utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("name", PAGE_NAMES)
def test_make_targets_that_a_page_names_exist(name: str) -> None:
    targets = set(re.findall(r"^([a-z-]+):", text_of("Makefile"), re.MULTILINE))
    assert set(re.findall(r"`make ([a-z-]+)", text_of(name))) <= targets


def test_the_python_on_the_front_page_records_a_run_and_reads_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    recording, reading = re.findall(r"```python\n(.*?)```", text_of("README.md"), re.DOTALL)
    answers = [SimpleNamespace(text=f"I cannot. {n}", reward=n / 8, advantage=n - 4.0) for n in range(8)]
    names: dict[str, object] = {"config": {"lr": 1e-6}, "batch": [("6 × 7?", answers)] * 5, "lr": 1e-6, "entropy": 0.3}
    exec(recording.replace("1000", "13") + "run.close()\n", names)
    exec(
        reading.replace("\nrun.samples", "\nframe = run.samples").replace("\nrun.sample(", "\nmessages = run.sample("),
        names,
    )
    assert len(names["frame"]) == 13 * 40  # type: ignore[arg-type]
    assert "I cannot. 5" in str(names["messages"])


def test_every_part_of_the_soak_is_described_and_has_figures() -> None:
    page = text_of("docs/reliability.md")
    methods, _, figures = page.partition("## Figures")
    for part in PARTS:
        assert f"| `{part}` |" in methods
        assert f"| `{part}` |" in figures
        assert (REPOSITORY / "soak" / f"{part}.py").exists()


def test_the_walks_of_the_architecture_name_files_that_exist() -> None:
    walks = text_of("docs/architecture.md").partition("## Where to make a change")[2].partition("## Glossary")[0]
    named = re.findall(r"`((?:src|web|tests|docs)/[\w./-]+|pyproject\.toml)`", walks)
    assert len(named) > 25
    assert [path for path in named if not (REPOSITORY / path).exists()] == []


@cache
def functions_in(path: str) -> frozenset[str]:
    tree = ast.parse((REPOSITORY / path).read_text(encoding="utf-8"))
    return frozenset(node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef))


def is_there(check: str) -> bool:
    if check.startswith("tests/"):
        path, _, name = check.partition("::")
        return (REPOSITORY / path).is_file() and name.startswith("test_") and name in functions_in(path)
    if check.startswith("web/"):
        path, _, title = check.partition(": ")
        return (REPOSITORY / path).is_file() and title in text_of(path)
    if check.startswith("python -m "):
        return importlib.util.find_spec(check.split()[2]) is not None
    if check.startswith("make "):
        return re.search(rf"^{check.split()[1]}:", text_of("Makefile"), re.MULTILINE) is not None
    return check.startswith("nothing: ")


@pytest.mark.parametrize("page", PAGE_NAMES)
def test_what_checks_a_sentence_is_there(page: str) -> None:
    for entry in entries(page):
        assert entry.checks, entry.said
        assert all(check.startswith(tuple(KINDS)) for check in entry.checks), entry
        assert [check for check in entry.checks if not is_there(check)] == [], entry.said


@pytest.mark.parametrize("page", PAGE_NAMES)
def test_an_entry_is_about_one_sentence_or_one_section(page: str) -> None:
    said = sentences(page)
    known = entries(page)
    sections = {sentence.section for sentence in said}
    for entry in known:
        about = sum(sentence.text.startswith(entry.said) for sentence in said) + (entry.said in sections)
        assert about == 1, (
            f"{about} sentences of {page} begin with {entry.said!r}: write what it says now into tests/docs/claims, after "
            "looking whether the tests below it still check that"
        )
    assert len({entry.said for entry in known}) == len(known)


@pytest.mark.parametrize("page", PAGE_NAMES)
def test_every_sentence_has_an_entry(page: str) -> None:
    known = entries(page)
    without = [sentence.text for sentence in sentences(page) if entry_of(sentence, known) is None]
    assert without == [], (
        "say in tests/docs/claims which test checks them (tests/docs/ledger.py says how), or write one"
    )


def test_every_file_of_claims_is_about_a_page() -> None:
    files = {f"{path.relative_to(CLAIMS).with_suffix('')}.md" for path in CLAIMS.rglob("*.txt")}
    assert files <= set(PAGE_NAMES)
