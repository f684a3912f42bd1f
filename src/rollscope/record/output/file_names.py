"""Names of the run's files, of evaluators in them, and of the process that writes."""

from __future__ import annotations

import os
import re
from typing import NamedTuple

from rollscope.record.samples.schema import MAIN_WRITER

#: Where launchers say which of several processes this is.
RANK_VARIABLES = ("RANK", "SLURM_PROCID", "OMPI_COMM_WORLD_RANK", "PMI_RANK")

_UNSAFE = re.compile(r"[^A-Za-z0-9_.-]+")


def sanitize(name: str) -> str:
    """An evaluator's name as it stands in file names: ``AIME 2025 (avg@2)`` → ``AIME_2025_avg_2``."""
    return _UNSAFE.sub("_", name).strip("._") or "unnamed"


def label_for(name: str, taken: dict[str, str]) -> str:
    """The label of evaluator ``name``. ``taken`` maps names to labels; two names never get one label, not even on a
    file system that ignores case."""
    if name in taken:
        return taken[name]
    base = label = sanitize(name)
    used = {other.lower() for other in taken.values()}
    count = 1
    while label.lower() in used:
        count += 1
        label = f"{base}-{count}"
    return label


def split_of(label: str) -> str:
    return f"eval/{label}"


class IterationFiles(NamedTuple):
    """The files of one split and step, of one writer."""

    report: str
    logtree: str
    summaries: str
    rollouts: str
    #: What was learned of its samples after they were written.
    annotations: str


def iteration_files(split: str, step: int, writer: str) -> IterationFiles:
    stem = f"{split.replace('/', '_', 1)}_iteration_{step:06d}"
    return IterationFiles(
        report=with_writer(f"{stem}.html", writer),
        logtree=with_writer(f"{stem}_logtree.json", writer),
        summaries=with_writer(f"{stem}_rollout_summaries.jsonl", writer),
        rollouts=with_writer(f"{stem}_rollouts.jsonl", writer),
        annotations=with_writer(f"{stem}_annotations.jsonl", writer),
    )


def with_writer(name: str, writer: str) -> str:
    """``metrics.jsonl`` → ``metrics.rank1.jsonl``; the main writer's files have plain names."""
    if writer == MAIN_WRITER:
        return name
    stem, _, extension = name.rpartition(".")
    return f"{stem}.{writer}.{extension}"


def rank() -> int:
    """Which of a launcher's processes this is; 0 when there is no launcher."""
    for variable in RANK_VARIABLES:
        value = os.environ.get(variable, "")
        if value.isdigit():
            return int(value)
    return 0


def process_name() -> str:
    """A writer name no other process of any host has: ``gpu07-4711``."""
    host = _UNSAFE.sub("-", os.uname().nodename).strip("._") or "host"
    return f"{host.replace('.', '-')}-{os.getpid()}"


def writer_name(name: str) -> str:
    """A writer name as it may stand in a file name: no dots, since they set it off."""
    return sanitize(name).replace(".", "-")
