"""Tinker Cookbook runs: one line of numbers per trajectory, and transcripts of some of them in a logtree file beside it.

Both layouts are read: `train_iteration_000010_rollout_summaries.jsonl` (until March 2026) and
`iteration_000010/train_rollout_summaries.jsonl`. A sample's scalars come from its line alone (`summaries`), its texts
from the logtree (`transcripts`).
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import ClassVar

import msgspec

from rollscope.formats.base import Claim, Grouping, Place, Scan, Source, Texts, sample_texts
from rollscope.formats.lines.step_files import first_keys, record_keys
from rollscope.formats.run_files import RunFiles, read_reports
from rollscope.formats.tinker.summaries import SummaryLines
from rollscope.formats.tinker.transcripts import LOGTREE, SUMMARIES, add_transcripts
from rollscope.model import Sample
from rollscope.storage.store import Store

_FLAT = re.compile(r"(train|eval_(?P<name>.+))_iteration_(?P<step>\d{6,})_rollout_summaries\.jsonl")
_IN_FOLDER = re.compile(r"(train|eval_(?P<name>.+))_rollout_summaries\.jsonl")
_FOLDER = re.compile(r"iteration_(\d{6,})")
_OTHER_FILES = re.compile(
    r"(metrics|checkpoints|timing_spans|trace_events)\.jsonl|metrics\.jsonl\.pre_resume_\d+|config\.json|code\.diff|logs\.log|"
    r"(iteration_\d+/)?(train|eval_.+)(_iteration_\d+)?(\.html|_logtree\.json)|"
    r"timing_gantt_\d+\.html|iteration_\d+/timing_gantt\.html"
)
_MARKS = {"group_idx", "traj_idx", "total_reward", "steps"}
_METRICS = "metrics.jsonl"


class TinkerFormat(RunFiles):
    # Not a JsonlFormat itself: a search over the lines alone would miss the texts, which are in other files.
    name: ClassVar[str] = "tinker"
    escaped_reports: ClassVar[bool] = True
    grouping: ClassVar[Grouping] = "recorded"
    limits: ClassVar[tuple[str, ...]] = (
        "Trajectories are recorded as numbers; only the first groups of an iteration (num_groups_to_log) have transcripts.",
        "Transcripts carry no index: where rewards, metrics and logged texts leave a doubt, they are shown as unmatched.",
        "A metric of several steps is the mean over the steps that emitted it.",
        "There are no advantages, and nothing marks groups that were left out of training for their constant reward.",
        "When groups were left out, per-tag metrics in metrics.jsonl may stand under the wrong tag.",
        "Asynchronous training writes no transcripts.",
    )
    _lines = SummaryLines()

    def detect(self, store: Store) -> Claim | None:
        paths = [source.path for source in self.sources(store)]
        keys, path = first_keys(store, paths)
        if keys >= _MARKS:
            return Claim(confidence=0.9, reasons=(f"trajectories with group_idx and traj_idx in {path}",))
        if named := [*paths, *read_reports(store)]:
            return Claim(confidence=0.5, reasons=(f"{named[0]} is named as the Tinker Cookbook names its files",))
        logged = record_keys(store.first_line(_METRICS)) if store.exists(_METRICS) else ()
        if any(key.startswith(("progress/batch", "env/all/")) for key in logged):
            return Claim(
                confidence=0.4, reasons=(f"{_METRICS} has the Tinker Cookbook's names; there are no rollouts",)
            )
        return None

    def sources(self, store: Store) -> Iterable[Source]:
        found: dict[tuple[str, int], str] = {}
        for name in store.files():
            if match := _FLAT.fullmatch(name):
                found[_split(match), int(match["step"])] = name
        for folder in store.folders():
            if step := _FOLDER.fullmatch(folder):
                for name in store.files(folder):
                    if match := _IN_FOLDER.fullmatch(name):
                        # A run that changed its layout on the way: the newer one counts.
                        found[_split(match), int(step[1])] = f"{folder}/{name}"
        for (split, number), path in sorted(found.items(), key=lambda item: (item[0][0] != "train", item[0])):
            yield Source(path=path, split=split, step=number, note=_transcripts_state(store, path))

    def source_now(self, store: Store, source: Source) -> Source:
        return msgspec.structs.replace(source, note=_transcripts_state(store, source.path))

    def source_path(self, path: str) -> str:
        return path.replace(LOGTREE, SUMMARIES)

    def scan(self, store: Store, source: Source, start: int, end: int) -> Scan:
        return self._lines.scan(store, source, start, end)

    def load(self, store: Store, source: Source, place: Place) -> Sample:
        sample = self._lines.load(store, source, place)
        add_transcripts(store, source, sample)
        return sample

    def texts(self, store: Store, source: Source, place: Place) -> Texts:
        """Also the transcripts of the group that may be this sample's: they are shown with it, so a search finds them."""
        sample = self.load(store, source, place)
        unmatched = "\n".join(message.text for transcript in sample.unmatched for message in transcript.messages)
        return [*sample_texts(sample), *([("unmatched", unmatched)] if unmatched else [])]

    def finished(self, store: Store) -> bool | None:
        """The loop saves a checkpoint of this name when it ends; a run that goes on from there saves others after it."""
        saved = self.checkpoints(store)
        return True if any(checkpoint.name == "final" for checkpoint in saved[-2:]) else None

    def claims(self, store: Store, path: str) -> bool:
        return _OTHER_FILES.fullmatch(path) is not None


def _split(match: re.Match[str]) -> str:
    return f"eval/{match['name']}" if match["name"] else "train"


def _transcripts_state(store: Store, path: str) -> str:
    """The transcripts are written when the iteration is over: what was read of a sample before is not all of it."""
    stat = store.stat(path.removesuffix(SUMMARIES) + LOGTREE)
    return "" if stat is None else f"{stat.size} {stat.version}"
