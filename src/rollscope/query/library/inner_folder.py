"""People open a folder inside a run: the one with its samples, one step of it. What lies above says more about them.

`completions` of TRL without the `trainer_state.json` above it has no names of rewards, slime's `rollout_data` without
`train_data` beside it no advantages, and one step of rLLM's episodes looks like anything.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from rollscope.formats.registry import Detection, detect
from rollscope.storage.store import Kind, Store

#: What trainers call folders inside a run. Others are runs, or folders of them: what is above them is not looked at.
_INNER = re.compile(
    r"completions|rollout_data|(eval-)?rollouts?|rollout_result|episodes|trajectories|dumped_evals|dumped_data|buffer"
    r"|(train|eval)_rollout|train|training|val|valid|validation|eval|evals|test|all|effective|monitors|file|traces|stream"
    r"|files|media|table"  # W&B's
    r"|\d+|((train|val|eval|test|global)_)?(step|iteration|iter)_?\d+\w*",
    re.IGNORECASE,
)
#: `rollouts/step_3/train/all` lies four folders in its run.
_LEVELS = 4
#: How sure a format must be of what lies above.
_SURE = 0.8


def run_around(folder: Store, only: Sequence[str] = ()) -> tuple[Store, bool]:
    """(the folder of the run that this folder is the inside of, or the folder itself; whether the run has more samples
    than lie in the folder).

    A folder that a format knows stays what it is, unless the same format finds exactly the same samples from above. A folder
    that none knows is part of the run above it that has samples in it."""
    here = detect(folder, only) if _INNER.fullmatch(folder.name) else None
    known = here is not None and here.claim.confidence >= _SURE
    asked = [here.format.name] if here is not None and known else only
    found, has_more = folder, False
    store, inside = folder, ""
    for _ in range(_LEVELS):
        if not _INNER.fullmatch(store.name):
            break
        inside = f"{store.name}/{inside}"
        store = store.parent()
        above = detect(store, asked)
        if above is None or above.claim.confidence < _SURE:
            continue
        share = _share(above, store, inside)
        if known and share < 1:
            break
        if share:
            found, has_more = store, has_more or share < 1
            known, asked, inside = True, [above.format.name], ""
    return found, has_more


def _share(detection: Detection, store: Store, inside: str) -> float:
    """How many of the run's files with samples lie in this folder of it, from 0 to 1."""
    paths = [source.path for source in detection.format.sources(store)]
    return sum(path.startswith(inside) for path in paths) / len(paths) if paths else 0.0


def files_beside(given: Store, found: Iterable[tuple[Store, Detection]]) -> str | None:
    """What to say of a file that was given, where other files have samples that are shown with it."""
    if given.kind() is not Kind.FILE:
        return None
    files = {(store.address, source.path) for store, detection in found for source in detection.format.sources(store)}
    return f"{given.address} lies among {len(files):,} files with samples: all are shown" if len(files) > 1 else None
