"""The completion scripts, run by the shells themselves where they are installed."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest
from tests.cli.conftest import Cli

from rollscope.cli.command_table import COMMANDS


def shell(name: str) -> str:
    found = shutil.which(name)
    if found is None:
        pytest.skip(f"{name} is not installed")
    return found


def bash_completes(script: Path, *words: str) -> list[str]:
    program = f'source "{script}"; COMP_WORDS=("$@"); COMP_CWORD=$(( $# - 1 )); _rollscope; printf "%s\\n" "${{COMPREPLY[@]}}"'
    done = subprocess.run([shell("bash"), "-c", program, "bash", *words], capture_output=True, text=True, check=True)
    assert done.stderr == ""
    return done.stdout.split()


def test_bash_completes_commands_flags_and_choices(cli: Cli, tmp_path: Path) -> None:
    script = tmp_path / "rollscope.bash"
    script.write_text(cli("completion", "bash").out)
    assert bash_completes(script, "rollscope", "sam") == ["samples"]
    assert bash_completes(script, "rollscope", "samples", "--so") == ["--sort"]
    assert bash_completes(script, "rollscope", "completion", "") == ["bash", "zsh", "fish"]
    assert bash_completes(script, "rollscope", "view", "--watch", "p") == ["polling"]
    assert bash_completes(script, "rollscope", "./run", "--no-b") == ["--no-browser"], "a path is viewed"
    assert bash_completes(script, "rollscope", "ls", str(script)[:-5]) == [str(script)]


def test_fish_completes_commands_flags_and_choices(cli: Cli, tmp_path: Path) -> None:
    script = tmp_path / "rollscope.fish"
    script.write_text(cli("completion", "fish").out)

    def completes(line: str) -> list[str]:
        program = f"source {script}; complete -C '{line}'"
        command = [shell("fish"), "--no-config", "-c", program]
        done = subprocess.run(command, capture_output=True, text=True, check=True, env={"HOME": str(tmp_path)})
        assert done.stderr == ""
        return [row.split("\t")[0] for row in done.stdout.splitlines()]

    assert "samples" in completes("rollscope sam")
    # From version 4 on, fish goes on with flags that only have these letters somewhere.
    assert completes("rollscope samples --so")[0] == "--sort"
    assert completes("rollscope completion ") == ["bash", "fish", "zsh"]
    assert completes("rollscope view --watch p") == ["polling"]


def test_zsh_takes_the_script_and_knows_every_flag(cli: Cli, tmp_path: Path) -> None:
    script = tmp_path / "_rollscope"
    script.write_text(cli("completion", "zsh").out)
    program = (
        f'autoload -U compinit && compinit -u -d {tmp_path}/dump && source {script} && print -r -- "$_comps[rollscope]"'
    )
    done = subprocess.run([shell("zsh"), "-f", "-c", program], capture_output=True, text=True, check=True)
    assert (done.stdout, done.stderr) == ("_rollscope\n", "")


@pytest.mark.parametrize("name", ["bash", "zsh", "fish"])
def test_every_command_and_flag_is_in_every_script(cli: Cli, name: str) -> None:
    script = cli("completion", name).out
    for command in COMMANDS:
        assert command.name in script
        for option in command.options:
            assert option.flag.removeprefix("--" if name == "fish" else "") in script
