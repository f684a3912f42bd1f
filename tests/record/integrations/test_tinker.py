"""The Tinker Cookbook's metrics logger, replaced by ours: same calls, same files."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
from tests.record.helpers import lines

from rollscope import record
from rollscope.record.integrations.tinker import RollscopeLogger


def test_the_calls_of_a_training_loop(tmp_path: Path) -> None:
    logger = RollscopeLogger(tmp_path)
    logger.log_hparams({"learning_rate": 1e-4, "wandb_api_key": "hunter2"})
    logger.log_metrics({"progress/batch": 0, "env/all/reward/total": np.float32(0.5)}, step=0)
    logger.log_metrics({"no step": 1})
    logger.log_long_text("notes/first run", "a long text")
    logger.sync()
    first, second = lines(tmp_path / "metrics.jsonl")
    assert (first["step"], first["env/all/reward/total"]) == (0, 0.5)
    assert "step" not in second
    assert (tmp_path / "notes_first_run.txt").read_text() == "a long text"
    logger.close()
    assert json.loads((tmp_path / "config.json").read_text())["learning_rate"] == 1e-4
    assert "hunter2" not in (tmp_path / "config.json").read_text()
    assert logger.get_logger_url() == tmp_path.as_uri()


def test_around_a_run_that_is_open(tmp_path: Path) -> None:
    with record.start(tmp_path) as run:
        logger = RollscopeLogger(run)
        logger.log_metrics({"a": 1}, step=3)
        assert logger.run is run
    assert lines(tmp_path / "metrics.jsonl")[0]["step"] == 3


def test_it_has_every_method_of_the_cookbook_s_logger() -> None:
    wanted = {"log_hparams", "log_metrics", "log_long_text", "close", "sync", "get_logger_url"}
    assert wanted <= set(dir(RollscopeLogger))
