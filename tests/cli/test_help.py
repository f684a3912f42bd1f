"""The help texts."""

from __future__ import annotations

import pytest
from tests.cli.conftest import Cli

from rollscope.cli.command_table import COMMANDS


def test_help_lists_every_command(cli: Cli) -> None:
    out = cli("--help").out
    for command in COMMANDS:
        assert f"  {command.name} " in out


@pytest.mark.parametrize("command", [command.name for command in COMMANDS])
def test_every_command_has_help_with_an_example(cli: Cli, command: str) -> None:
    done = cli(command, "--help")
    assert done.out.startswith(f"usage: rollscope {command}")
    assert "examples:" in done.out
    assert done.out == cli("help", command).out


def test_examples_are_seen_before_the_options_of_most_commands(cli: Cli) -> None:
    own, common = cli("samples", "--help").out.split("options that most commands have:")
    assert "rollscope samples runs/my-run --step 12" in own
    assert "rollscope samples" not in common


def test_a_command_s_own_options_come_before_those_of_most_commands(cli: Cli) -> None:
    own, common = cli("samples", "--help").out.split("options that most commands have:")
    assert "--sort" in own
    assert "--limit" in own
    assert "--index-dir" not in own
    assert "--index-dir" in common
    assert "--query-seconds" in common


def test_a_summary_that_ends_in_an_ellipsis_gets_no_full_stop(cli: Cli) -> None:
    assert "phrases …\n" in cli("findings", "--help").out


def test_the_overview_names_every_exit_status(cli: Cli) -> None:
    line = cli("--help").out.splitlines()[-1]
    assert all(f"{status} " in line for status in (0, 1, 2, 3))
