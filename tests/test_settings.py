"""The one table of settings."""

from __future__ import annotations

import pytest

from rollscope.cli.command_table import COMMANDS
from rollscope.errors import UsageError
from rollscope.settings import SETTINGS, Settings, resolve


def test_without_flags_and_variables_the_defaults_are_in_force() -> None:
    assert resolve(environ={}) == Settings()


def test_each_setting_can_be_set_by_its_variable() -> None:
    texts = {str: "text", int: "7", float: "2.5", bool: "0"}
    values = {str: "text", int: 7, float: 2.5, bool: False}
    for setting in SETTINGS:
        text = setting.about.choices[-1] if setting.about.choices else texts[setting.type]
        value = setting.about.choices[-1] if setting.about.choices else values[setting.type]
        assert getattr(resolve(environ={setting.env: text}), setting.name) == value


def test_a_flag_wins_over_a_variable_and_a_variable_over_a_commands_own_default() -> None:
    environ = {"ROLLSCOPE_LIMIT": "7"}
    assert resolve({"limit": 3}, {"limit": 0}, environ).limit == 3
    assert resolve({}, {"limit": 0}, environ).limit == 7
    assert resolve({}, {"limit": 0}, {}).limit == 0


def test_an_empty_variable_is_none_but_for_the_mask() -> None:
    settings = resolve(environ={setting.env: "" for setting in SETTINGS})
    assert settings == Settings(mask_str="")


@pytest.mark.parametrize(
    ("variable", "text"),
    [
        ("ROLLSCOPE_PORT", "http"),
        ("ROLLSCOPE_PORT", "-1"),
        ("ROLLSCOPE_QUERY_SECONDS", "nan"),
        ("ROLLSCOPE_AUTH", "maybe"),
        ("ROLLSCOPE_WATCH", "staring"),
    ],
)
def test_a_wrong_value_names_its_variable(variable: str, text: str) -> None:
    with pytest.raises(UsageError, match=variable):
        resolve(environ={variable: text})


def test_every_setting_is_a_flag_of_some_command() -> None:
    flags = {option.setting.name for command in COMMANDS for option in command.options if option.setting}
    assert flags == {setting.name for setting in SETTINGS}


def test_no_two_settings_share_a_flag() -> None:
    flags = [setting.about.flag for setting in SETTINGS]
    assert len(flags) == len({*flags})
