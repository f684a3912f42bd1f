"""The table of commands: each row leads to a function, and its options say what they are."""

from __future__ import annotations

import shlex
from importlib import import_module

import pytest

from rollscope.cli.arguments import Command
from rollscope.cli.command_table import BY_NAME, COMMANDS


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command.name)
def test_a_command_s_function_is_there(command: Command) -> None:
    module, _, name = command.target.partition(":")
    assert callable(getattr(import_module(module), name))


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command.name)
def test_no_option_is_given_twice_and_each_has_a_sentence(command: Command) -> None:
    flags = [option.flag for option in command.options]
    assert len(flags) == len(set(flags))
    for option in command.options:
        assert option.help.endswith("."), option.flag


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command.name)
def test_examples_are_of_the_command_and_use_its_own_options(command: Command) -> None:
    flags = {option.flag for option in command.options}
    own = [example for example in command.examples if f"rollscope {command.name} " in f"{example} "]
    assert own or command.name == "view", "the default command may be left out"
    for example in own:
        words = shlex.split(example.partition("|")[0].replace("$(", " ").replace(")", " "))
        assert {word for word in words if word.startswith("--")} <= flags, example


def test_names_lead_to_their_commands() -> None:
    assert list(BY_NAME.values()) == list(COMMANDS)
