"""Runs are opened as the command line says, whichever of its paths they come from."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.fixtures import write_jsonl

from rollscope.cli.arguments import Arguments
from rollscope.cli.opening import one_run, refresh, run_at
from rollscope.errors import UsageError
from rollscope.settings import Settings
from rollscope.userdata.notes import NewNote


@pytest.fixture
def arguments(tmp_path: Path) -> Arguments:
    """Two files whose keys nobody could guess, and the flags that say what they are."""
    for name in ("a", "b"):
        write_jsonl(tmp_path / name / "odd.jsonl", [{"wish": "6 × 7?", "echo": "42", "gold": 0.25}] * 3)
    found = Arguments()
    found.path, found.run = str(tmp_path / "a"), None
    found.settings = Settings(map="prompt=wish,response=echo,reward=gold", notes_dir=str(tmp_path / "notes"))
    return found


def test_a_second_path_is_read_as_the_first_one_is(arguments: Arguments, tmp_path: Path) -> None:
    for run in (one_run(arguments), run_at(str(tmp_path / "b"), arguments)):
        assert [row.reward for row in run.samples().rows] == [0.25] * 3
        run.write_note(NewNote(address="train/0/0", text="seen"))
    assert one_run(arguments).samples(where="noted = true").total == 1
    [file] = (tmp_path / "notes").iterdir()
    assert len(file.read_text().splitlines()) == 2, "the notes of both lie where --notes-dir says"


def test_several_runs_are_named_and_the_rest_counted(arguments: Arguments, tmp_path: Path) -> None:
    for number in range(10):
        write_jsonl(tmp_path / "many" / f"run{number}" / "odd.jsonl", [{"wish": "", "echo": "", "gold": 1}])
    with pytest.raises(UsageError, match="holds 10 runs") as problem:
        run_at(str(tmp_path / "many"), arguments)
    assert problem.value.hint.endswith(f"{tmp_path}/many/run7 and 2 more")


def test_a_mapping_is_asked_for_only_where_a_key_was_guessed(
    arguments: Arguments, capsys: pytest.CaptureFixture[str]
) -> None:
    refresh(one_run(arguments))
    assert "--map" not in capsys.readouterr().err
    arguments.settings = Settings(map="prompt=wish")
    write_jsonl(Path(arguments.path) / "odd.jsonl", [{"wish": "6 × 7?", "output": "42", "score": 0.25}] * 3)
    refresh(one_run(arguments))
    assert "--map prompt=KEY" in capsys.readouterr().err
