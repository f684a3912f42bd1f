"""`rollscope metrics`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.cli.conftest import Cli
from tests.fixtures import fixture_path


def test_series_have_a_name_a_section_and_points(cli: Cli, run_path: Path) -> None:
    series = {item["name"]: item for item in cli("metrics", run_path, "--json").json}
    assert all({*item} >= {"name", "section", "group", "points"} for item in series.values())
    rewards = [item for name, item in series.items() if "reward" in name and "mean" in name and "eval" not in name]
    assert [[0, pytest.approx(0.375)], [1, pytest.approx(0.385)], [2, pytest.approx(0.395)]] in [
        item["points"] for item in rewards
    ]


def test_series_by_name(cli: Cli, run_path: Path) -> None:
    everything = [item["name"] for item in cli("metrics", run_path, "--json").json]
    some = [item["name"] for item in cli("metrics", run_path, "--name", "*reward*", "--json").json]
    assert 0 < len(some) < len(everything)
    assert all("reward" in name for name in some)
    assert cli("metrics", run_path, "--name", "unicorn", "--json").json == []


def test_part_of_a_name_is_told_the_names_that_have_it(cli: Cli, run_path: Path) -> None:
    err = cli("metrics", run_path, "--name", "Reward").err
    assert err.startswith("no series matches 'Reward'; names with it: rollouts/reward/mean")
    assert "--limit 0` lists them all" in cli("metrics", run_path, "--name", "zzz").err


def test_logged_series_are_there_beside_the_derived_ones(cli: Cli) -> None:
    path = fixture_path("tinker_flat")
    logged = {name for line in (path / "metrics.jsonl").read_text().splitlines() for name in json.loads(line)}
    names = {item["name"] for item in cli("metrics", path, "--limit", "0", "--json").json}
    assert len(logged & names) > 3
    assert names - logged


def test_series_for_people(cli: Cli, run_path: Path) -> None:
    done = cli("metrics", run_path, "--limit", "2")
    assert done.out.splitlines()[0].split() == ["name", "points", "first", "last", "min", "max"]
    assert len(done.out.splitlines()) == 3
    assert "2 of" in done.err
