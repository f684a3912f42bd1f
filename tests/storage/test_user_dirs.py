"""The user's own folders."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from rollscope.storage import user_dirs


@pytest.mark.skipif(sys.platform != "linux", reason="the variables of other systems are others")
def test_the_xdg_variables_decide(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("CACHE", "DATA", "STATE"):
        monkeypatch.setenv(f"XDG_{name}_HOME", str(tmp_path / name))
    assert user_dirs.cache_dir() == tmp_path / "CACHE" / "rollscope"
    assert user_dirs.data_dir() == tmp_path / "DATA" / "rollscope"
    assert user_dirs.state_dir() == tmp_path / "STATE" / "rollscope"


@pytest.mark.skipif(sys.platform != "linux", reason="the folders of other systems are others")
def test_without_them_they_lie_where_linux_has_them(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    for name in ("CACHE", "DATA", "STATE"):
        monkeypatch.delenv(f"XDG_{name}_HOME", raising=False)
    assert user_dirs.cache_dir() == tmp_path / ".cache" / "rollscope"
    assert user_dirs.data_dir() == tmp_path / ".local" / "share" / "rollscope"
    assert user_dirs.state_dir() == tmp_path / ".local" / "state" / "rollscope"
