"""What docs/settings.md says of variables and terminals."""

from __future__ import annotations

import os
import re
import sys
from pathlib import Path

import pytest
from tests.cli.conftest import on_terminal
from tests.server.client import serving
from tests.test_docs import text_of

from rollscope.settings import resolve

PAGE = text_of("docs/settings.md")


def test_a_switch_takes_every_word_of_the_page() -> None:
    (listed,) = re.findall(r"variable takes (.*?\))", " ".join(PAGE.split()))
    words = re.findall(r"`(\w+)`", listed)
    assert [resolve(environ={"ROLLSCOPE_AUTH": word}).auth for word in words] == [True, False] * (len(words) // 2)
    assert "`ROLLSCOPE_AUTH=0` is `--no-auth`" in PAGE
    assert resolve({"auth": False}, environ={}) == resolve(environ={"ROLLSCOPE_AUTH": "0"})


@pytest.mark.skipif(not Path("/proc/self/cmdline").exists(), reason="what others see of a process is read from /proc")
def test_a_token_is_seen_in_the_list_of_processes_only_where_it_is_a_flag(folder: Path) -> None:
    token = "correct-horse-battery-staple"
    runs = folder / "runs" / "a"
    for flags, env, seen in ((("--token", token), {}, True), ((), {"ROLLSCOPE_TOKEN": token}, False)):
        with serving(runs, flags=flags, host="0.0.0.0", env=env) as server:
            assert server.token == token
            assert (token.encode() in Path(f"/proc/{server.process.pid}/cmdline").read_bytes()) == seen


@pytest.mark.skipif(sys.platform == "win32", reason="there are no such terminals")
def test_headings_are_bold_unless_a_variable_says_no(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NO_COLOR", raising=False)
    assert "\x1b[1m" in on_terminal("show", folder / "PATH", "train/12/0")
    monkeypatch.setitem(os.environ, "NO_COLOR", "1")
    assert "\x1b[1m" not in on_terminal("show", folder / "PATH", "train/12/0")
