"""How a server behaves unless it is told otherwise."""

from __future__ import annotations

from dataclasses import FrozenInstanceError

import pytest

from rollscope.server.options import ServerOptions
from rollscope.settings import SETTINGS


def test_they_cannot_change_while_a_server_runs() -> None:
    with pytest.raises(FrozenInstanceError):
        ServerOptions().port = 1  # type: ignore[misc]


def test_where_a_server_listens_is_what_the_settings_say() -> None:
    defaults = {setting.name: setting.default for setting in SETTINGS}
    assert (ServerOptions().host, ServerOptions().port) == (defaults["host"], defaults["port"])
