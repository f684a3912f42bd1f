"""Finding the runs at or below a folder, without walking into huge ones."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence, Set

from msgspec import Struct, structs

from rollscope.formats.detection_cache import detect_or_remember
from rollscope.formats.registry import Detection, detect
from rollscope.storage.store import SKIP_FOLDERS, Store

#: Folders in one another: `logs/user/experiment/trial/rollout/3` is ordinary.
MAX_DEPTH = 12
#: Directories looked at under one root; a tree of runs has far fewer above the runs themselves.
MAX_DIRECTORIES = 20_000
#: Hidden folders in which trainers keep runs: ART's, rLLM's.
HIDDEN_WITH_RUNS = frozenset({".art", ".rllm"})
#: Trainers that were told to write their samples there do so beside the checkpoints, not in them.
CHECKPOINTS = frozenset({"checkpoints", "ckpt"})
#: One checkpoint: its folders hold weights, and there are thousands of them. They are looked into only where nothing else is.
_ONE_CHECKPOINT = re.compile(r"(global_?steps?|checkpoint|ckpt|step|iter(ation)?|epoch|final|latest|best)?[-_]?\d*")
#: A claim below this is a guess: the folder is a run only if nothing inside it is one for certain.
CERTAIN = 0.5


class FoundRun(Struct):
    store: Store
    name: str
    detection: Detection


class RunFinder:
    """Finds the runs at or below a folder."""

    def __init__(
        self,
        only: Sequence[str] = (),
        mapping: Mapping[str, str] | None = None,
        skipped: Set[str] = SKIP_FOLDERS,
        claims: str | None = None,
        tell: Callable[[int], None] | None = None,
    ) -> None:
        """`claims` is the folder in which it is remembered which format claimed what; `tell` hears how many folders have
        been looked at."""
        self._only = only
        self._skipped = skipped
        self._mapping = mapping
        self._claims = claims if not only and not mapping else None
        self._left = MAX_DIRECTORIES
        self._tell = tell
        #: Folders whose own files were left out, since they could only be guessed and a known run lies among them.
        self.passed_over: list[str] = []

    @property
    def cut(self) -> bool:
        """The limit ended the search."""
        return self._left <= 0

    def runs(self, root: Store) -> list[FoundRun]:
        return self._find(root, "", MAX_DEPTH)

    def _find(self, store: Store, inner: str, depth: int, among_checkpoints: bool = False) -> list[FoundRun]:
        """`inner` is the path from the root to this folder."""
        self._left -= 1
        if self._tell is not None:
            self._tell(MAX_DIRECTORIES - self._left)
        detection = (
            detect(store, self._only, self._mapping)
            if self._claims is None
            else detect_or_remember(store, self._claims)
        )
        here = [] if detection is None else _runs_in(store, inner, detection)
        if detection is not None and (detection.claim.confidence >= CERTAIN or self._only):
            return here
        # A guess takes the folders that its files lie in, unless one of them is a run for certain. Folders beside them are
        # runs of their own: what is only guessed is not left out because something better lies near it.
        guessed = [source.path for source in detection.format.sources(store)] if detection else []
        covered = {path.split("/")[0] for path in guessed if "/" in path}
        below: list[FoundRun] = []
        certain: list[str] = []
        for name in store.folders() if depth > 0 else ():
            if self.cut:
                break
            if passes_by(name, self._skipped) or (among_checkpoints and _ONE_CHECKPOINT.fullmatch(name)):
                continue
            of_checkpoints = among_checkpoints or (name in CHECKPOINTS and name in self._skipped)
            found = self._find(store.sub(name), f"{inner}/{name}" if inner else name, depth - 1, of_checkpoints)
            if of_checkpoints:
                found = [item for item in found if item.detection.claim.confidence >= CERTAIN]
            if name in covered:
                found = [item for item in found if item.detection.claim.confidence >= CERTAIN]
                certain += [f"{item.store.address}/" for item in found]
            below += found
        if not certain:
            return [*here, *below]
        # Files of the runs themselves are not left out: they are shown there.
        if here and not all(f"{store.address}/{path}".startswith(tuple(certain)) for path in guessed):
            self.passed_over.append(store.address)
        return below


def passes_by(name: str, skipped: Set[str] = SKIP_FOLDERS) -> bool:
    """Folders of this name are not looked into."""
    return (name.startswith(".") and name not in HIDDEN_WITH_RUNS) or name in skipped - CHECKPOINTS


def _runs_in(store: Store, inner: str, detection: Detection) -> list[FoundRun]:
    """The run that this folder is, or the several ones that its files hold."""
    name = _name(store, inner, detection)
    parts = detection.format.runs(store)
    if not parts:
        return [FoundRun(store, name, detection)]
    return [
        FoundRun(store, f"{name}/{part}", structs.replace(detection, format=detection.format.of_run(part)))
        for part in parts
    ]


def each_once(found: Sequence[FoundRun]) -> dict[tuple[str, str], FoundRun]:
    """By path and part: a run that is given twice, or below a root that is given too, is one run. Of a run and a link to it
    (W&B's `latest-run`) the run's own name counts."""
    places: dict[tuple[str, str], FoundRun] = {}
    for item in sorted(found, key=lambda item: item.store.address != item.store.identity):
        places.setdefault((item.store.identity, item.detection.format.part), item)
    kept = {id(item) for item in places.values()}
    return {(item.store.address, item.detection.format.part): item for item in found if id(item) in kept}


def _name(store: Store, inner: str, detection: Detection) -> str:
    name = detection.format.run_name(store) or inner or store.name
    return name.encode("utf-8", "backslashreplace").decode()
