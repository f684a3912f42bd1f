"""What telescope's archives say of a run."""

from __future__ import annotations

from collections import defaultdict
from pathlib import Path

import pytest
from tests.formats.data_telescope import (
    EVENTS,
    STEPS,
    write_archive,
)
from tests.formats.test_telescope import expected, the_run

from rollscope.formats.telescope import TelescopeFormat
from rollscope.storage.open_store import open_store


@pytest.mark.parametrize(
    "config", [None, "wandb_run_name:\n    value: null\n", "wandb_run_name:\n    value: [\n", "\0"]
)
def test_a_run_that_nobody_named_has_the_name_of_its_wandb_folder(tmp_path: Path, config: str | None) -> None:
    folder = tmp_path / "run-7" / "files"
    folder.mkdir(parents=True)
    if config is not None:
        (folder / "config.yaml").write_text(config)
    assert TelescopeFormat().run_name(open_store(folder)) == "run-7"


def test_step_metrics_come_from_all_archives() -> None:
    run = the_run()
    found: dict[int, dict[str, float]] = defaultdict(dict)
    for row in run.form.metrics(run.store):
        found[row.step].update(row.values)
        assert row.time is not None
    assert len(found) == expected()["trainer_steps_done"]
    for step, wanted in expected()["steps"].items():
        assert found[int(step)] == {name: float(value) for name, value in wanted["step_metrics"].items()}


def test_config_is_unwrapped_and_ranges_are_declared_per_environment() -> None:
    run = the_run()
    config = run.form.config(run.store)
    for key in ("group_size", "max_tokens", "number_of_steps"):
        assert config[key] == expected()[key]
    assert config["_custom_config"]["wandb_run_name"] == expected()["name"]
    assert "_wandb" not in config
    ranges = run.form.ranges(run.store)
    for env in expected()["envs"]:
        assert "reward" in ranges[env]
        assert ranges[env] == ranges[env.replace("_", "-")]
    assert (ranges["city_tools"]["reward"].min, ranges["city_tools"]["reward"].max) == (-0.5, 1.5)
    assert ranges["math_latex"]["metrics.think_chars"].higher_is_better is False
    assert ranges["math_holdout"]["metrics.pass@2/correct"].max == 1.0


def test_the_newest_metrics_of_a_step_come_last(tmp_path: Path) -> None:
    for name, value in (("block_0", 1.0), ("tail", 2.0)):
        rows = [{"step": 3, "section": "loss", "group": "policy", "metric": "kl/max", "value": value}]
        write_archive(tmp_path / "steps" / f"{name}.zip", {"metrics": rows}, suffixes=STEPS)
    event = {"event_type": "optimizer", "step": 3, "start_time": 10.0, "end_time": 12.5}
    write_archive(tmp_path / "events" / "tail.zip", {"trainer": [event]}, suffixes=EVENTS)
    found = [(row.step, row.time, row.values) for row in TelescopeFormat().metrics(open_store(tmp_path))]
    assert found == [(3, 12.5, {"loss/policy/kl/max": 1.0}), (3, 12.5, {"loss/policy/kl/max": 2.0})]
