"""Engines by name, and what is said where one cannot be had."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import pytest
from tests.runs import write_relax

import rollscope
from rollscope.errors import MissingExtraError, UsageError
from rollscope.index.engines import ENGINES, engine_by_name
from rollscope.index.engines.local import LocalEngine
from rollscope.settings import SETTINGS


def test_every_engine_can_be_chosen_by_the_setting() -> None:
    setting = next(setting for setting in SETTINGS if setting.name == "engine")
    assert setting.about.choices == tuple(ENGINES)


def test_runs_share_the_process_s_one_engine(tmp_path: Path) -> None:
    runs = [rollscope.open(write_relax(tmp_path / name)) for name in ("a", "b")]
    assert runs[0]._index.engine is runs[1]._index.engine is engine_by_name("local")
    assert isinstance(engine_by_name("local"), LocalEngine)


def test_an_unknown_engine_is_one_clear_sentence(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="there is no engine 'steam'"):
        rollscope.open(write_relax(tmp_path), engine="steam")


def test_ray_that_is_not_installed_is_one_clear_sentence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    found = importlib.util.find_spec
    monkeypatch.setattr("rollscope.index.engines.ray.find_spec", lambda name: None if name == "ray" else found(name))
    with pytest.raises(MissingExtraError, match="Ray, which is not installed") as caught:
        rollscope.open(write_relax(tmp_path), engine="ray")
    assert caught.value.hint == "pip install 'rollscope[ray]'"
