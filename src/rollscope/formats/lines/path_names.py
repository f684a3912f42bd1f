"""The step and the split that a path says: folders before the file, and never the number in a dataset's name.

A number is a step where a word says so (`step_12`, `global_step_5_evals`, `rollouts-3`, `checkpoint-100`), or where it is
all of the name (`12.jsonl`, `rollout/4/…`). `aime24`, `math_500` and `part-00003` say none. An epoch counts as a step
where the path says no other.
"""

from __future__ import annotations

import re

_STEP = re.compile(
    r"(?:^|[^a-z])(?:global_?steps?|steps?|iter(?:ation)?s?|updates?|rollouts?|train|eval|val|test|checkpoints?|ckpt)[_.=-]?(\d+)(?!\d)",
    re.IGNORECASE,
)
_EPOCH = re.compile(r"(?:^|[^a-z])epochs?[_.=-]?(\d+)(?!\d)", re.IGNORECASE)
_DIGITS = re.compile(r"\d+")
_EVAL = re.compile(r"(?:^|[^a-z])(?:evals?|evaluations?|val|valid|validations?|test)(?:[^a-z]|$)", re.IGNORECASE)
_JUST_EVAL = re.compile(r"evals?|evaluations?|(?:eval|evaluation)[_-]?(?:rollouts?|data|results?)", re.IGNORECASE)
#: In a name that has a step, these say what the records are, not of which dataset.
_NO_DATASET = re.compile(
    r"samples?|rollouts?|generations?|generated|outputs?|results?|responses?|completions?|predictions?|records?"
    r"|rank|worker|shard|part|epoch|global|ckpt|checkpoint",
    re.IGNORECASE,
)
#: One of several files of one table.
_SHARD = re.compile(r"(part|shard|chunk|rank|worker|gpu|node|dp)[-_.]?\d+.*", re.IGNORECASE)
_TRAIN = re.compile(r"(?:^|[^a-z])train(?:ing)?(?:[^a-z]|$)", re.IGNORECASE)


def step_in_path(path: str) -> int | None:
    """`eval-rollout/3/17.jsonl` → 3; `global_step_5_evals/aime24.jsonl` → 5; `12.jsonl` → 12; `aime24.jsonl` → None."""
    *folders, name = path.split("/")
    parts = (*reversed(folders), _stem(name))
    found = next((step for part in parts if (step := _step_in_name(part)) is not None), None)
    return (
        found if found is not None else next((int(match[1]) for part in parts if (match := _EPOCH.search(part))), None)
    )


def split_in_path(path: str) -> str:
    """`train`, or `eval/NAME`: the outermost folder that says eval decides, then the file's own name."""
    *folders, name = path.split("/")
    stem = _stem(name)
    at = next((at for at, folder in enumerate(folders) if _EVAL.search(folder)), None)
    if at is None:
        return _named(stem) if _EVAL.search(stem) and not _TRAIN.search(stem) else "train"
    # A folder of evals holds a folder or a file per dataset.
    for part in (*folders[at + 1 :], stem):
        bare = part if _step_in_name(part) is None else _dataset_beside_step(part)
        if bare and not _EVAL.search(bare) and not _SHARD.fullmatch(bare) and bare.lower() != "data":
            return f"eval/{bare}"
    return _named(folders[at])


def _dataset_beside_step(part: str) -> str:
    """`aime24_step100` → aime24; `step100` and `samples_step100` name none."""
    bare = _STEP.sub("", part).strip("_.-= ")
    return bare if re.search("[a-z]", bare, re.IGNORECASE) and not _NO_DATASET.search(bare) else ""


def _named(part: str) -> str:
    """A folder's or file's own name, without its step: `val_math_step3` → eval/val_math."""
    part = part.removeprefix("split=")  # a partition of a table
    bare = _STEP.sub(lambda match: "" if _EVAL.search(match[0]) is None else match[0][: -len(match[1])], part)
    bare = bare.strip("_.- ") or part
    return "eval" if _JUST_EVAL.fullmatch(bare) else f"eval/{bare}"


def _step_in_name(part: str) -> int | None:
    if _DIGITS.fullmatch(part):
        return int(part)
    found = _STEP.findall(part)
    return int(found[-1]) if found else None


def _stem(name: str) -> str:
    """Without its ending, and without which of several files of one table it is (`train-00001-of-00004.parquet`)."""
    bare = re.sub(r"\.(jsonl|ndjson|json|parquet|arrow)(\.gz|\.zst)?$", "", name, flags=re.IGNORECASE)
    return re.sub(r"-\d+-of-\d+$", "", bare)
