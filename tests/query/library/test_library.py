"""From paths to runs: found without walking everywhere, named so that people and URLs can tell them apart."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.fixtures import fixture_path, write_jsonl
from tests.runs import write_relax
from tests.unprivileged import FORBIDDEN, as_nobody

import rollscope
from rollscope.errors import NotFoundError, UsageError
from rollscope.query.library import Library, finder


def names(*paths: Path) -> list[str]:
    return [run.name for run in Library(paths).runs()]


def test_a_directory_may_be_one_run_or_hold_many(tmp_path: Path) -> None:
    for name in ("a", "b", "team/c", "team/deep/er/d"):
        write_relax(tmp_path / "root" / name, steps=1)
    assert names(tmp_path / "root" / "a") == ["a"]
    assert names(tmp_path / "root") == ["a", "b", "team/c", "team/deep/er/d"]


def test_a_run_is_not_searched_for_runs(tmp_path: Path) -> None:
    write_relax(tmp_path / "run", steps=1)
    write_relax(tmp_path / "run" / "backup", steps=1)
    assert names(tmp_path / "run") == ["run"]


def test_a_run_beside_files_that_look_like_samples_is_found(tmp_path: Path) -> None:
    """A guess about the folder above does not hide what is certain below, nor the other way round."""
    write_jsonl(tmp_path / "root" / "notes.jsonl", [{"prompt": "p", "completion": "c", "reward": 1}])
    write_relax(tmp_path / "root" / "run", steps=1)
    assert names(tmp_path / "root") == ["root", "run"]


def test_folders_that_hold_no_runs_are_not_entered(tmp_path: Path) -> None:
    for name in (".git", ".cache", "node_modules", "__pycache__", ".venv", "weights", "runs"):
        write_relax(tmp_path / "root" / name / "x", steps=1)
    assert names(tmp_path / "root") == ["runs/x"]


def test_runs_beside_checkpoints_are_found_and_one_checkpoint_is_entered_only_where_nothing_else_is(
    tmp_path: Path,
) -> None:
    checkpoints = tmp_path / "root" / "checkpoints" / "project"
    write_relax(checkpoints / "global_step_10" / "x", steps=1)
    assert names(tmp_path / "root") == ["checkpoints/project/global_step_10/x"]
    write_relax(checkpoints / "rollouts", steps=1)
    assert names(tmp_path / "root") == ["checkpoints/project/rollouts"]
    write_relax(tmp_path / "root" / "run", steps=1)
    write_jsonl(checkpoints / "guessed" / "odd.jsonl", [{"prompt": "p", "completion": "c", "reward": 1}])
    assert names(tmp_path / "root") == ["checkpoints/project/rollouts", "run"]


def test_the_walk_is_bounded_and_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for number in range(30):
        write_relax(tmp_path / "root" / f"{number:02d}", steps=1)
    assert not Library([tmp_path / "root"]).truncated
    monkeypatch.setattr(finder, "MAX_DIRECTORIES", 10)
    found = Library([tmp_path / "root"])
    assert (len(found.runs()), found.truncated) == (9, True)
    for number in range(30):
        (tmp_path / "bare" / str(number)).mkdir(parents=True)
    with pytest.raises(NotFoundError, match="folders: the others were not looked into"):
        Library([tmp_path / "bare"])


def test_the_walk_goes_only_so_deep(tmp_path: Path) -> None:
    deep = "/".join(str(level) for level in range(12))
    write_relax(tmp_path / "root" / deep, steps=1)
    write_relax(tmp_path / "root" / deep.replace("/11", "/also/too-deep"), steps=1)
    assert names(tmp_path / "root") == [deep]


def test_runs_that_are_guessed_stand_beside_those_that_are_known(tmp_path: Path) -> None:
    record = {"question": "p", "completion": "c", "score": 1}
    write_relax(tmp_path / "root" / "known", steps=1)
    write_jsonl(tmp_path / "root" / "house" / "0.jsonl", [record])
    write_jsonl(tmp_path / "root" / "deep" / "er" / "house" / "step_1" / "a.jsonl", [record])
    assert names(tmp_path / "root") == ["deep/er/house", "house", "known"]


def test_a_guess_with_files_of_its_own_does_not_hide_the_runs_beside_them(tmp_path: Path) -> None:
    record = {"question": "p", "completion": "c", "score": 1}
    for place in ("0.jsonl", "eval/0.jsonl", "other/0.jsonl"):
        write_jsonl(tmp_path / "root" / place, [record])
    assert names(tmp_path / "root") == ["root", "other"]
    assert rollscope.open(tmp_path / "root", run="root").splits == ["train", "eval"]


def test_a_wandb_log_without_tables_is_told_to_be_unreadable_and_what_would_help(tmp_path: Path) -> None:
    log = tmp_path / "wandb" / "run-20261117_101010-abc" / "run-abc.wandb"
    log.parent.mkdir(parents=True)
    log.write_bytes(b":W&B")
    with pytest.raises(NotFoundError) as caught:
        Library([tmp_path])
    assert "binary log (.wandb) has metrics, no samples" in str(caught.value.hint)
    assert "log_completions" in str(caught.value.hint)


def test_files_that_a_known_run_among_them_hides_are_told(tmp_path: Path) -> None:
    record = {"question": "p", "completion": "c", "score": 1}
    write_jsonl(tmp_path / "root" / "0.jsonl", [record])
    write_jsonl(tmp_path / "root" / "rollouts" / "0.jsonl", [record])
    write_relax(tmp_path / "root" / "rollouts" / "known", steps=1)
    found = Library([tmp_path / "root"])
    assert [run.name for run in found.runs()] == ["rollouts/known"]
    assert [text for text in found.warnings if "were left out" in text and "--format jsonl" in text]


def test_links_out_of_the_root_are_not_followed(tmp_path: Path) -> None:
    write_relax(tmp_path / "secret" / "run", steps=1)
    write_relax(tmp_path / "root" / "own", steps=1)
    (tmp_path / "root" / "link").symlink_to(tmp_path / "secret" / "run")
    (tmp_path / "root" / "links").symlink_to(tmp_path / "secret")
    (tmp_path / "root" / "own" / "train" / "7.jsonl").symlink_to(tmp_path / "secret" / "run" / "train" / "0.jsonl")
    runs = Library([tmp_path / "root"]).runs()
    assert [run.name for run in runs] == ["own"]
    assert [row.step for row in runs[0].steps().steps] == [0]


def test_the_link_out_of_the_hazards_is_not_followed() -> None:
    run = rollscope.open(fixture_path("relax_hazards"))
    assert 11 not in [row.step for row in run.steps().steps]


def test_links_in_a_circle_end(tmp_path: Path) -> None:
    write_relax(tmp_path / "root" / "run", steps=1)
    (tmp_path / "root" / "around").symlink_to(".")
    assert "run" in names(tmp_path / "root")


def test_ids_are_unique_and_fit_into_a_url(tmp_path: Path) -> None:
    for name in ("run a", "run?a", "数学", "ü/run", "_.", "-"):
        write_relax(tmp_path / "root" / name, steps=1)
    other = write_relax(tmp_path / "other" / "run a", steps=1)
    runs = Library([tmp_path / "root", other]).runs()
    ids = [run.id for run in runs]
    assert len(ids) == len(set(ids)) == 7
    assert all(re.fullmatch(r"[A-Za-z0-9_.-]+", name) and name.strip(".") for name in ids)


def test_a_run_given_twice_is_one_run(tmp_path: Path) -> None:
    run = write_relax(tmp_path / "root" / "run", steps=1)
    found = Library([run, tmp_path / "root", run])
    assert len(found.runs()) == 1
    assert not found.rescan()
    assert len(found.runs()) == 1


def test_a_run_that_appears_later_never_takes_another_ones_id(tmp_path: Path) -> None:
    for folder in ("one", "two"):
        write_relax(tmp_path / folder / "something", steps=1)
    write_relax(tmp_path / "two" / "run", steps=1)
    found = Library([tmp_path / "one", tmp_path / "two"])
    (before,) = [run for run in found.runs() if run.name == "run"]
    write_relax(tmp_path / "one" / "run", steps=1)
    assert found.rescan()
    assert found.run("run") is before
    assert len({run.id for run in found.runs()}) == len(found.runs()) == 4


def test_runs_that_come_and_go(tmp_path: Path) -> None:
    write_relax(tmp_path / "root" / "a", steps=1)
    found = Library([tmp_path / "root"])
    assert not found.rescan()
    write_relax(tmp_path / "root" / "b", steps=1)
    assert found.rescan()
    first = found.run("a")
    (tmp_path / "root" / "b").rename(tmp_path / "elsewhere")
    assert found.rescan()
    assert [run.name for run in found.runs()] == ["a"]
    assert found.run("a") is first, "what is open stays open"


def test_a_run_is_found_by_id_name_and_path(tmp_path: Path) -> None:
    write_relax(tmp_path / "root" / "with space", steps=1)
    write_relax(tmp_path / "root" / "other", steps=1)
    found = Library([tmp_path / "root"])
    run = found.run("with space")
    assert found.run(run.id) is found.run(str(tmp_path / "root" / "with space")) is run
    with pytest.raises(NotFoundError, match="no run 'with spice'") as caught:
        found.run("with spice")
    assert "with space" in caught.value.hint


def test_several_runs_ask_for_a_choice(tmp_path: Path) -> None:
    for name in ("a", "b"):
        write_relax(tmp_path / "root" / name, steps=1)
    with pytest.raises(UsageError, match="holds 2 runs") as caught:
        rollscope.open(tmp_path / "root")
    assert "a, b" in caught.value.hint
    assert rollscope.open(tmp_path / "root", run="b").name == "b"


def test_a_file_stands_for_the_folder_it_lies_in(tmp_path: Path) -> None:
    path = write_relax(tmp_path / "run", steps=2)
    run = rollscope.open(path / "train" / "1.jsonl")
    assert [row.step for row in run.steps().steps] == [0, 1]
    assert any("1.jsonl lies among 2 files with samples" in warning for warning in run.warnings())


def test_a_file_that_is_all_there_is_of_its_run_is_opened_without_a_word(tmp_path: Path) -> None:
    path = write_relax(tmp_path / "run", steps=1)
    assert rollscope.open(path / "train" / "0.jsonl").warnings() == []


def test_a_path_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(NotFoundError, match=f"nothing at {tmp_path}/gone"):
        Library([tmp_path / "gone"])


def test_a_run_whose_name_is_no_utf8(tmp_path: Path) -> None:
    root = write_relax(tmp_path / os.fsdecode(b"caf\xe9"), steps=1)
    run = rollscope.open(root)
    assert run.name.encode().startswith(b"caf\\")
    assert run.path.encode().endswith(run.name.encode())
    assert run.samples().total == 8
    (below,) = Library([tmp_path]).runs()
    assert below.samples().total == 8


Command = Callable[[str, Path], tuple[int, str, str]]


@pytest.fixture
def command_as_nobody(open_folder: Path) -> Command:
    """(command, path) -> (status, stdout, stderr), as a user that may read only what everybody may."""
    readable = write_relax(open_folder / "readable", steps=1)

    def command(name: str, path: Path) -> tuple[int, str, str]:
        load = "import sys; from rollscope.cli.main import run; run([sys.argv[1], sys.argv[2], '--json'])"
        return as_nobody(load, "sys.exit(run([sys.argv[1], sys.argv[3], '--json']))", name, readable, path)

    return command


def test_a_directory_without_permission_is_told(open_folder: Path, command_as_nobody: Command) -> None:
    run = write_relax(open_folder / "run", steps=1)
    run.chmod(FORBIDDEN)
    status, out, err = command_as_nobody("ls", run)
    run.chmod(0o755)
    assert (status, out) == (1, "")
    assert f"no permission to read {run}" in err
    assert err.count("\n") == 1


def test_a_file_without_permission_is_told_and_the_others_open(open_folder: Path, command_as_nobody: Command) -> None:
    run = write_relax(open_folder / "run", steps=3)
    (run / "train" / "1.jsonl").chmod(FORBIDDEN)
    (report,) = json.loads(command_as_nobody("doctor", run)[1])
    steps = json.loads(command_as_nobody("steps", run)[1])
    (run / "train" / "1.jsonl").chmod(0o644)
    assert [item["file"] for item in report["skipped"]] == ["train/1.jsonl"]
    assert "ermission" in report["skipped"][0]["reason"]
    assert [row["step"] for row in steps if row["samples"]] == [0, 2]


def test_a_folder_of_a_run_without_permission_is_no_run(open_folder: Path, command_as_nobody: Command) -> None:
    run = write_relax(open_folder / "run", steps=1)
    (run / "train").chmod(FORBIDDEN)
    status, out, err = command_as_nobody("ls", run)
    (run / "train").chmod(0o755)
    assert (status, out) == (1, "")
    assert f"no run found in {run}" in err


def test_a_user_without_permission_gets_an_error_of_ours(open_folder: Path) -> None:
    run = write_relax(open_folder / "run", steps=1)
    run.chmod(FORBIDDEN)
    load = "import sys; from rollscope.errors import UnreadableError; from rollscope.query.library import Library"
    ask = "try: Library([sys.argv[1]])\nexcept UnreadableError as error: print(error)"
    status, out, err = as_nobody(load, ask, run)
    run.chmod(0o755)
    assert (status, err) == (0, "")
    assert "no permission" in out


def test_files_of_known_runs_are_not_said_to_be_left_out(tmp_path: Path) -> None:
    """A folder of digits and one of rollouts are parts of a guessed run by their names, and xtuner's by what is in them."""
    record = {"group_id": 1, "prompt": "q", "response": "a", "reward": 1.0}
    write_jsonl(tmp_path / "20261104081500" / "train_rollout" / "train_rollout_1.jsonl", [record])
    assert Library([tmp_path]).warnings == []
    write_jsonl(tmp_path / "mine.jsonl", [{"prompt": "q", "response": "a"}])
    assert [text for text in Library([tmp_path]).warnings if "were left out" in text]
