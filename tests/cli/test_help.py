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
