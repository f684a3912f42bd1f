"""Words to commands: help, versions, wrong usage, settings."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path

import pytest
from tests.cli.conftest import COMMAND, Cli, write_run
from tests.fixtures import write_jsonl

import rollscope


def test_version(cli: Cli) -> None:
    assert cli("--version").out == f"rollscope {rollscope.__version__}\n"


def test_the_installed_command_is_the_same_as_the_module() -> None:
    script = Path(sys.executable).with_name("rollscope")
    done = subprocess.run([script, "--version"], capture_output=True, text=True, check=True)
    assert done.stdout == f"rollscope {rollscope.__version__}\n"


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ([], "rollscope PATH"),
        (["samples"], "PATH is missing: rollscope samples PATH [options]"),
        (["sampels", "."], "did you mean `rollscope samples`?"),
        (["insights", "."], "no path 'insights': `rollscope --help` lists the commands"),
        (["samples", ".", "--srot", "reward"], "did you mean --sort?"),
        (["samples", ".", "--zzz"], "`rollscope samples --help` lists them"),
        (["samples", ".", "--sort"], "--sort needs a value"),
        (["samples", ".", "--limit", "many"], "--limit needs a whole number, not 'many'"),
        (["samples", ".", "--limit", "-1"], "0 or more"),
        (["samples", ".", "--step", "x"], "--step needs a whole number"),
        (["samples", ".", "--json=yes"], "--json takes no value"),
        (["samples", ".", "--all", "--discarded"], "--all and --discarded cannot be given together"),
        (["show", ".", "train/0/0", "--json", "--raw"], "cannot be given together"),
        (["ls", ".", "--watch", "polling"], "no option --watch"),
        (["view", ".", "--watch", "staring"], "--watch is one of auto, events, polling"),
        (["export", "."], "--to FILE is missing"),
        (["steps", ".", "extra"], "'extra' is one word too many"),
        (["completion", "tcsh"], "SHELL is one of bash, zsh, fish"),
        (["search", ".", ""], "PATTERN is empty"),
        (["samples", ""], "PATH is empty"),
        (["ls", ".", ""], "PATH is empty"),
    ],
)
def test_wrong_usage_is_one_line_and_exit_status_2(cli: Cli, words: list[str], said: str) -> None:
    assert said in cli(*words, status=2).err


@pytest.mark.parametrize("command", ["ls", "steps", "samples", "metrics", "index", "doctor", "view"])
def test_a_missing_path_is_exit_status_1_and_names_it(cli: Cli, command: str) -> None:
    assert "/no/such/run" in cli(command, "/no/such/run", status=1).err


def test_a_path_without_a_command_is_viewed(cli: Cli) -> None:
    assert "/no/such/run" in cli("/no/such/run", "--port", "0", status=1).err
    assert "/no/such/run" in cli("--no-browser", "/no/such/run", status=1).err


def test_a_folder_without_a_run_says_what_was_looked_for(cli: Cli, tmp_path: Path) -> None:
    assert str(tmp_path) in cli("ls", tmp_path, status=1).err


def test_a_file_name_cannot_write_escapes_to_the_terminal(cli: Cli) -> None:
    err = cli("ls", "/no/\x1b[31mred\nrun", status=1).err
    assert "\x1b" not in err


def test_flags_and_paths_come_in_any_order(cli: Cli, run_path: Path) -> None:
    expected = cli("samples", run_path, "--sort", "-reward", "--limit", "3", "--json").out
    assert cli("samples", "--limit=3", "--json", "--sort", "-reward", run_path).out == expected
    assert cli("samples", "--limit=3", "--json", "--sort=-reward", "--", run_path).out == expected


def test_a_pattern_that_begins_with_a_dash(cli: Cli, tmp_path: Path) -> None:
    record = {"prompt": "p", "response": "use --force", "reward": 0}
    write_jsonl(tmp_path / "0.jsonl", [record])
    assert len(cli("search", tmp_path, "--json", "--", "--force").json) == 1


def test_a_setting_comes_from_the_flag_then_the_environment_then_the_default(cli: Cli, run_path: Path) -> None:
    assert len(cli("samples", run_path, "--json").json) == 50
    assert len(cli("samples", run_path, "--json", ROLLSCOPE_LIMIT="3").json) == 3
    assert len(cli("samples", run_path, "--json", "--limit", "2", ROLLSCOPE_LIMIT="3").json) == 2
    assert len(cli("samples", run_path, "--json", ROLLSCOPE_LIMIT="").json) == 50
    assert len(cli("steps", run_path, "--json", ROLLSCOPE_LIMIT="2").json) == 2


def test_a_wrong_variable_is_named(cli: Cli, run_path: Path) -> None:
    assert "ROLLSCOPE_PORT needs a whole number" in cli("ls", run_path, status=2, ROLLSCOPE_PORT="http").err


def test_the_index_goes_where_it_is_told_and_never_into_the_run(cli: Cli, run_path: Path, tmp_path: Path) -> None:
    before = sorted(run_path.rglob("*"))
    cli("index", run_path, "--index-dir", tmp_path / "elsewhere")
    assert any((tmp_path / "elsewhere").rglob("*"))
    assert sorted(run_path.rglob("*")) == before


def test_debug_shows_where_an_error_comes_from() -> None:
    done = subprocess.run([*COMMAND, "ls", "/no/such", "--debug"], capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert "Traceback" in done.stderr


def test_a_reader_that_leaves_early_is_no_error(run_path: Path) -> None:
    process = subprocess.Popen(
        [*COMMAND, "samples", run_path, "--limit", "0", "--json"], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    assert process.stdout is not None
    process.stdout.close()
    _, err = process.communicate()
    assert (process.returncode, err) == (0, b"")


@pytest.mark.parametrize("command", [["samples", "--limit", "0"], ["ls", "--json"], ["metrics"]])
def test_a_full_disk_is_one_line(run_path: Path, command: list[str]) -> None:
    with open("/dev/full", "w") as full:
        done = subprocess.run(
            [*COMMAND, *command, run_path], stdout=full, stderr=subprocess.PIPE, text=True, check=False
        )
    assert done.returncode == 1
    assert done.stderr == "rollscope: No space left on device\n"


def test_closed_streams_are_no_fault(run_path: Path) -> None:
    for closed in (">&-", "2>&-"):
        program = f'exec "$@" {closed}'
        done = subprocess.run(["sh", "-c", program, "sh", *COMMAND, "ls", run_path], capture_output=True, check=False)
        assert done.returncode == 0
        assert done.stderr == b""


def test_output_is_utf_8_whatever_the_locale(cli: Cli, run_path: Path) -> None:
    assert "数7" in cli("show", run_path, "train/1/7", LC_ALL="C", PYTHONUTF8="0", PYTHONCOERCECLOCALE="0").out


def test_ctrl_c_is_quiet(tmp_path: Path) -> None:
    write_run(tmp_path, steps=1, samples=2000)
    process = subprocess.Popen(
        [*COMMAND, "samples", tmp_path, "--limit", "0", "--json"], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    assert process.stdout is not None
    process.stdout.read(1)  # it has begun, and cannot finish: the pipe holds less than it has to say
    process.send_signal(signal.SIGINT)
    _, err = process.communicate()
    assert (process.returncode, err) == (128 + signal.SIGINT, b"")
