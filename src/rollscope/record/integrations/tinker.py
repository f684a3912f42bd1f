"""A drop-in for the loggers of ``tinker_cookbook.utils.ml_log``: same methods, same files, through the recorder.

It is matched by its methods, so that the cookbook need not be installed; where its ``MultiplexLogger`` or a training
loop takes a logger, it takes this one.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

from rollscope.record import naming
from rollscope.record.run import Run, start


class RollscopeLogger:
    """``RollscopeLogger(log_dir)``, or around a run that is already being recorded: ``RollscopeLogger(run)``."""

    def __init__(self, log_dir: str | os.PathLike[str] | Run, **options: Any) -> None:
        self.run = log_dir if isinstance(log_dir, Run) else start(log_dir, **options)

    def log_hparams(self, config: Any) -> None:
        """The training config, into ``config.json``."""
        self.run.set_config(config)

    def log_metrics(self, metrics: Mapping[str, Any], step: int | None = None) -> None:
        """One row of ``metrics.jsonl``."""
        self.run.log_metrics(metrics, step)

    def log_long_text(self, key: str, text: str) -> None:
        """A text of its own: ``<key>.txt`` in the run's directory."""
        self.run.write_text(f"{naming.sanitize(key)}.txt", text)

    def sync(self) -> None:
        self.run.flush()

    def close(self) -> None:
        self.run.close()

    def get_logger_url(self) -> str | None:
        """The run's directory; ``rollscope`` opens it."""
        return self.run.directory.as_uri()
