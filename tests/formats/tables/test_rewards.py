"""What the rewards of a logged table add up to: as configured and logged, never against what was logged."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from tests.formats.containers.test_wandb_log import configured, log_bytes, logged
from tests.formats.opened import opened
from tests.formats.test_trackio import Project

from rollscope.formats.tables.rewards import configured_weights

#: Two groups of two; the total is 2 × good + 0.5 × short.
REWARDS = [(1.0, 1.0), (0.0, 2.0), (1.0, 0.0), (0.5, 1.0)]
WEIGHTED = [2.5, 1.0, 2.0, 1.5]
PLAIN = [2.0, 2.0, 1.0, 1.5]
LOGGED = {"train/rewards/good/mean": 0.625, "train/rewards/short/mean": 1.0}


def rows(totals: list[float] | None, rewards: Any = REWARDS) -> list[dict[str, Any]]:
    """As TRL writes them; the advantages are those of these totals."""
    found = []
    for place, (good, short) in enumerate(rewards):
        first = place // 2 * 2
        mean = sum(totals[first : first + 2]) / 2 if totals else 0.0
        row = {"step": 1, "prompt": f"p{first}", "completion": str(place), "good": good, "short": short}
        found.append(row | ({"advantage": totals[place] - mean} if totals else {}))
    return found


def trackio(root: Path, table: list[dict[str, Any]], before: dict[str, Any], config: dict[str, Any] | None) -> Path:
    project = Project(root / "maths.db")
    if config is not None:
        project.connection.execute("CREATE TABLE configs (run_id TEXT, run_name TEXT, config TEXT)")
        project.connection.execute("INSERT INTO configs VALUES ('id-a', 'a', ?)", (json.dumps(config),))
    project.log("a", 1, before)
    project.log("a", 2, {"completions": {"_type": "trackio.table", "_value": table}})
    project.connection.close()
    return root


def wandb(root: Path, table: list[dict[str, Any]], before: dict[str, Any], config: dict[str, Any] | None) -> Path:
    run = root / "wandb" / "offline-run-20261116_024621-abc"
    path = f"media/table/completions_2_{1:020x}.table.json"
    file = run / "files" / path
    file.parent.mkdir(parents=True)
    file.write_text(json.dumps({"columns": list(table[0]), "data": [list(row.values()) for row in table]}))
    told = {"completions._type": "table-file", "completions.path": path}
    messages = [] if config is None else [configured(**config)]
    (run / "run-abc.wandb").write_bytes(log_bytes([*messages, logged(1, **before), logged(2, **told)]))
    return root


BOTH = pytest.mark.parametrize("write", [trackio, wandb])


def shown(path: Path) -> tuple[list[float | None], str]:
    samples = opened(path)
    assert [sample.rewards for sample in samples] == [{"good": good, "short": short} for good, short in REWARDS]
    (note,) = {note for sample in samples for note in sample.notes}
    return [sample.reward for sample in samples], note


@BOTH
def test_weights_in_the_configuration_count(write: Any, tmp_path: Path) -> None:
    path = write(tmp_path, rows(WEIGHTED), {**LOGGED, "train/reward": 1.75}, {"reward_weights": [2.0, 0.5]})
    totals, note = shown(path)
    assert totals == WEIGHTED
    assert note == "The total is 2 × good, 0.5 × short: the weights in the run's configuration."


@BOTH
def test_a_configuration_without_weights_means_the_plain_sum(write: Any, tmp_path: Path) -> None:
    totals, note = shown(write(tmp_path, rows(PLAIN), {**LOGGED, "train/reward": 1.625}, {"reward_weights": None}))
    assert totals == PLAIN
    assert "gives them no weights" in note


@BOTH
def test_no_total_is_shown_against_the_logged_reward(write: Any, tmp_path: Path) -> None:
    totals, note = shown(write(tmp_path, rows(None), {**LOGGED, "train/reward": 1.75}, None))
    assert totals == [None] * 4
    assert "do not add up to the logged one" in note


@BOTH
def test_a_logged_reward_that_agrees_with_the_plain_sum(write: Any, tmp_path: Path) -> None:
    totals, note = shown(write(tmp_path, rows(None), {**LOGGED, "train/reward": 1.625}, None))
    assert totals == PLAIN
    assert "as their logged means say" in note


@BOTH
def test_no_total_is_shown_against_the_advantages(write: Any, tmp_path: Path) -> None:
    totals, note = shown(write(tmp_path, rows(WEIGHTED), LOGGED, None))
    assert totals == [None] * 4
    assert "the advantages contradict the sum" in note


@BOTH
def test_where_nothing_speaks_the_sum_is_called_a_guess(write: Any, tmp_path: Path) -> None:
    totals, note = shown(write(tmp_path, rows(None), LOGGED, None))
    assert totals == PLAIN
    assert "a guess" in note


@BOTH
def test_a_reward_function_called_reward_is_no_total(write: Any, tmp_path: Path) -> None:
    table = [{("reward" if name == "good" else name): value for name, value in row.items()} for row in rows(WEIGHTED)]
    before = {"train/rewards/reward/mean": 0.625, "train/rewards/short/mean": 1.0, "train/reward": 1.75}
    samples = opened(write(tmp_path, table, before, {"reward_weights": [2.0, 0.5]}))
    assert [sample.reward for sample in samples] == WEIGHTED
    assert samples[0].rewards == {"reward": 1.0, "short": 1.0}


@pytest.mark.parametrize(
    ("config", "weights"),
    [
        ({"reward_weights": [2, 0.5]}, (2.0, 0.5)),
        ({"reward_weights": None}, ()),
        ({"reward_weights": ["x", 1]}, None),
        ({"reward_weights": "2,0.5"}, None),
        ({"reward_weights": []}, None),
        ({}, None),
        (None, None),
    ],
)
def test_weights_are_read_as_they_are_written(config: Any, weights: Any) -> None:
    assert configured_weights(config) == weights


@BOTH
def test_the_logged_total_counts_where_the_weights_only_trained(write: Any, tmp_path: Path) -> None:
    """Some of TRL's versions before 1.0 log the plain sum, whatever the weights."""
    path = write(tmp_path, rows(WEIGHTED), {**LOGGED, "train/reward": 1.625}, {"reward_weights": [2.0, 0.5]})
    totals, note = shown(path)
    assert totals == PLAIN
    assert note == (
        "The total is the plain sum of the rewards, as it was logged; training weighted them: 2 × good, 0.5 × short."
    )


@BOTH
def test_no_total_is_shown_where_weights_and_log_disagree(write: Any, tmp_path: Path) -> None:
    path = write(tmp_path, rows(None), {**LOGGED, "train/reward": 9.0}, {"reward_weights": [2.0, 0.5]})
    totals, note = shown(path)
    assert totals == [None] * 4
    assert "do not give the logged reward" in note


@pytest.mark.parametrize(("logged", "total"), [((2.5 + 0 + 2 + 1.5) / 4, 2.5), ((2 + 0 + 1 + 1.5) / 4, 2.0)])
def test_rows_without_a_reward_tell_as_well(tmp_path: Path, logged: float, total: float) -> None:
    table = rows(None)
    table[1] |= {"good": 0.0, "short": None}
    before = {"train/rewards/good/mean": 0.625, "train/rewards/short/mean": 2 / 3, "train/reward": logged}
    (first, *_) = opened(wandb(tmp_path, table, before, {"reward_weights": [2.0, 0.5]}))
    assert first.reward == total
