"""Every `rollscope …` command that a page shows is run, on a run that has what the example speaks of, and succeeds."""

from __future__ import annotations

import json
import os
import re
import shutil
from pathlib import Path

import pytest
from tests.test_docs import PAGE_NAMES, commands_in, text_of

import rollscope
from rollscope.cli import main
from rollscope.cli.command_table import BY_NAME

#: Commands that are not run here, and why.
NOT_RUN = {
    "view": "serves until it is stopped: tests/server starts it for every test",
    "tui": "takes over a terminal: tests/tui drives it",
    "demo": "opens a browser, or writes where it was told: tests/cli/commands/test_viewers.py runs it",
}


def is_run(words: list[str]) -> bool:
    return words[0] in BY_NAME and words[0] not in NOT_RUN and not is_elsewhere(words)


def is_elsewhere(words: list[str]) -> bool:
    """It needs what a test has not: another machine, or a cluster."""
    return any(word == "ray" or "://" in word for word in words)


SHOWN = list(dict.fromkeys(json.dumps(words) for name in PAGE_NAMES for words in commands_in(text_of(name))))
RUN = [words for text in SHOWN if is_run(words := json.loads(text))]


def test_only_commands_with_a_reason_are_not_run() -> None:
    left = [words for text in SHOWN if not is_run(words := json.loads(text))]
    # Without a command's name the path is viewed.
    assert {words[0] for words in left if "/" not in words[0] and not is_elsewhere(words)} <= NOT_RUN.keys()
    assert len(RUN) > 35


@pytest.mark.parametrize("words", RUN, ids=" ".join)
def test_a_command_of_the_documentation_succeeds(
    words: list[str], folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(folder)
    monkeypatch.setenv("ROLLSCOPE_INDEX_DIR", str(folder / "index"))
    monkeypatch.setenv("ROLLSCOPE_NOTES_DIR", str(folder / "notes"))
    for written in ("converted", "bad.parquet"):
        if os.path.isdir(written):
            shutil.rmtree(written)
    status = main.run(words)
    out, err = capsys.readouterr()
    assert status == 0, err
    assert "Traceback" not in err
    if "--json" in words:
        json.loads(out)


#: (command's section in docs/cli.md, a call whose answer has the fields that it lists)
ANSWERS = (
    ("ls", ["runs"]),
    ("steps", ["runs/my-run"]),
    ("samples", ["runs/my-run"]),
    ("search", ["runs/my-run", "cannot"]),
    ("metrics", ["runs/my-run"]),
    ("export", ["runs/my-run", "--to", "all.csv"]),
    ("index", ["runs"]),
    ("doctor", ["runs"]),
)


@pytest.mark.parametrize(("command", "words"), ANSWERS, ids=[command for command, _ in ANSWERS])
def test_the_fields_that_the_page_lists_are_those_of_the_answer(
    command: str, words: list[str], folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(folder)
    monkeypatch.setenv("ROLLSCOPE_INDEX_DIR", str(folder / "index"))
    (section,) = re.findall(rf"^## `{command}`.*?(?=^## |\Z)", text_of("docs/cli.md"), re.DOTALL | re.MULTILINE)
    (written,) = re.findall(r"^(?:.*?[.] )?JSON(?: rows| hits| of a table)?: `([^`]*)`", section, re.MULTILINE)
    outermost = written.removeprefix("[{").removesuffix("}]")
    listed = set(re.findall(r"[a-z_]+", re.sub(r"(:? \[.*\]|\{[^{}]*\})", "", outermost, flags=re.DOTALL)))
    assert main.run([command, *words, "--json"]) == 0
    answer = json.loads(capsys.readouterr().out)
    row = answer[0] if isinstance(answer, list) else answer
    # An ellipsis at the end stands for more.
    assert row.keys() == listed or (outermost.endswith("…") and row.keys() > listed)


ASKED = re.findall(
    r"^(run\..*?)(?:  +#.*)?$", text_of("docs/python.md").partition("## Ask")[2].partition("## ")[0], re.M
)


@pytest.mark.parametrize("line", ASKED)
def test_a_question_of_the_python_page_is_answered(line: str, folder: Path) -> None:
    run = rollscope.open(folder / "runs" / "my-run", index_dir=str(folder / "index"))
    assert eval(line, {"run": run}) is not None
