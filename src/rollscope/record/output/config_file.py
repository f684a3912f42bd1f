"""`config.json` of a run: the user's config, and under one key what the recorder itself has to say about the run."""

from __future__ import annotations

import datetime as dt
import json
from pathlib import Path
from typing import Any

import rollscope
from rollscope.record.output import file_names
from rollscope.record.samples.schema import CONFIG_KEY, SCHEMA_VERSION
from rollscope.record.samples.values import object_text, valid_tree
from rollscope.record.session import Session

CONFIG_FILE = "config.json"


class ConfigFile:
    """The contents of the file, which grow while the run does. It goes on from the file of the attempt before."""

    def __init__(self, session: Session, previous: dict[str, Any]) -> None:
        self._session = session
        self._user: dict[str, Any] = {key: value for key, value in previous.items() if key != CONFIG_KEY}
        own = recorder_part(previous)
        labels = own.get("evals")
        self._labels = session.evaluators
        self._labels |= labels if isinstance(labels, dict) else {}
        session.ranges.adopt(own.get("ranges"))
        self._started_at = _now()
        self._ended_at: str | None = None

    def add(self, config: dict[str, Any]) -> None:
        """Add to the user's config, or replace parts of it."""
        self._user |= config

    def end(self) -> None:
        """The run ends now: a viewer need not wait to see whether another step comes."""
        self._ended_at = _now()

    def known_label(self, evaluation: str) -> str | None:
        return self._labels.get(evaluation)

    def new_label(self, evaluation: str) -> str:
        """The name of an evaluation in file names; no two evaluations have the same."""
        return self._labels.setdefault(evaluation, file_names.label_for(evaluation, self._labels))

    def content(self) -> bytes:
        session = self._session
        own: dict[str, Any] = {
            "schema_version": SCHEMA_VERSION,
            "version": rollscope.__version__,
            "run_id": session.run_id,
            "attempt": session.attempt,
            "started_at": self._started_at,
        }
        if self._ended_at is not None:
            own["ended_at"] = self._ended_at
        if session.total_steps is not None:
            own["total_steps"] = session.total_steps
        if session.ranges.declared:
            own["ranges"] = session.ranges.declared
        if self._labels:
            own["evals"] = self._labels
        user = {f"{key}_" if key == CONFIG_KEY else key: value for key, value in self._user.items()}
        document = valid_tree({**user, CONFIG_KEY: own})
        return json.dumps(document, indent=2, ensure_ascii=False, default=object_text).encode() + b"\n"


def read_config(directory: Path) -> dict[str, Any]:
    """The file of an earlier attempt; empty where there is none that can be read."""
    try:
        content = json.loads((directory / CONFIG_FILE).read_bytes())
    except (OSError, ValueError):
        return {}
    return content if isinstance(content, dict) else {}


def recorder_part(config: dict[str, Any]) -> dict[str, Any]:
    """What the recorder itself wrote into a ``config.json``."""
    own = config.get(CONFIG_KEY)
    return own if isinstance(own, dict) else {}


def _now() -> str:
    return dt.datetime.now().astimezone().isoformat(timespec="seconds")
