"""`tokens` on the command line."""

from __future__ import annotations

from tests.cli.conftest import Cli
from tests.fixtures import fixture_path


def test_tokens_of_a_sample_are_summed_up_and_outliers_listed(cli: Cli) -> None:
    path = fixture_path("nemo_rl")
    lines = cli("tokens", path, "train/1/0").out.splitlines()
    assert lines[0].split() == ["value", "known", "mean", "min", "max"]
    assert any(line.startswith("ratio ") for line in lines)
    steps = cli("tokens", path, "--steps", "2:3").out.splitlines()
    assert [line.split()[:2] for line in steps[1:]] == [["2", "all"], ["2", "0–63"]]
