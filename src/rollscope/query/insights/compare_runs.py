"""One run against another, prompt by prompt."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Literal, get_args

import numpy as np
import pyarrow as pa
import xxhash
from msgspec import Meta, Struct
from numpy.typing import NDArray

from rollscope.arrays import Floats, Hashes, Ints
from rollscope.errors import UsageError
from rollscope.index import compute
from rollscope.index.rows.run_order import rows_by_parts
from rollscope.model import Range
from rollscope.query.insights.statistics import LARGE, RESAMPLES, mean_interval, paired_test, wilson

PromptClass = Literal["fixed", "broken", "both", "neither", "mixed", "unknown"]
CLASSES: tuple[PromptClass, ...] = get_args(PromptClass)
#: Which prompts are listed: those of a class, or those whose mean reward is lower or higher in b.
Only = PromptClass | Literal["lower", "higher"]
ONLY: tuple[Only, ...] = ("lower", "higher", *CLASSES)

RULE = (
    "A prompt is solved in a run when its mean reward lies above the middle of its environment's range. fixed: only in b; "
    "broken: only in a; both; neither; mixed: in one only, but the Wilson 95 % intervals of the two means, taken as shares "
    "of the range, overlap; unknown: the environment has only one reward."
)
METHOD = (
    f"Prompts are matched by the hash of their text and by environment. Every matched prompt counts once. ci: 95 %, "
    f"{RESAMPLES:,} bootstrap resamples of prompts; p: paired permutation test with as many sign changes; both with a fixed "
    f"seed, and by the normal distribution above {LARGE:,} prompts."
)


class PromptRow(Struct, kw_only=True, rename={"class_": "class"}):
    prompt: Annotated[str | None, Meta(description="How it begins.")]
    env: str | None
    a_n: int
    a_mean: float
    b_n: int
    b_mean: float
    delta: float
    class_: Annotated[PromptClass, Meta(description="See `rule`.")]
    a_example: Annotated[str, Meta(description="The address of its first sample in a.")]
    b_example: str
    a_rewards: Annotated[
        list[float] | None,
        Meta(description="Its rewards in ascending order, evenly drawn where there are more than asked for."),
    ] = None
    b_rewards: list[float] | None = None
    golden: Annotated[
        list[str] | None,
        Meta(description="The starts of its golden answers, as `a_example` has them; null unless asked for."),
    ] = None


class RunComparison(Struct, kw_only=True):
    """Run b against run a, over the prompts that both have."""

    a: str
    b: str
    matched: Annotated[int, Meta(description="Prompts with rewards in both.")]
    only_a: int
    only_b: int
    unknown_prompt: Annotated[int, Meta(description="Samples of both whose prompt is not known: left out.")]
    without_reward: Annotated[int, Meta(description="Samples of both without a finite reward: left out.")]
    a_mean: float | None
    b_mean: float | None
    delta: Annotated[float | None, Meta(description="b_mean - a_mean.")]
    ci: Annotated[tuple[float, float] | None, Meta(description="95 % interval of delta; null below two prompts.")]
    p: float | None
    classes: dict[str, int]
    rule: str
    method: str
    asked: Annotated[int, Meta(description="Prompts that were asked for: all that match, or those of `only`.")]
    rows: Annotated[list[PromptRow], Meta(description="The first of those, the greatest differences first.")]

    def regressed(self, allowed: float) -> bool:
        """Is b worse than a by more than that? Where nothing could be compared, nothing shows that it is not."""
        return self.delta is None or self.delta < -allowed


class Prompts(Struct):
    """The prompts of a selection, by key: how many rewards, their mean, environment, and the row of its first sample."""

    keys: Hashes
    counts: Ints
    means: Floats
    envs: list[str | None]
    env_codes: Ints
    first_rows: Ints
    unknown_prompt: int
    without_reward: int


class _Part(Struct):
    """Of one part of a run: as `Prompts`, with sums."""

    keys: Hashes
    counts: Ints
    sums: Floats
    env_codes: Ints
    first_rows: Ints


def prompts_of(table: pa.Table, rows: Ints) -> Prompts:
    parts: list[_Part] = []
    codes: dict[str | None, int] = {}
    unknown_prompt = without_reward = 0
    for start, each, own in rows_by_parts(table, rows):
        picked = _picked(each, own)
        known = compute.plain(compute.is_valid(picked["prompt_hash"]))
        rewards: Floats = compute.floats(picked["reward"])
        finite = np.isfinite(rewards)
        unknown_prompt += int((~known).sum())
        without_reward += int((known & ~finite).sum())
        parts.append(_part(picked, own + start, np.flatnonzero(known & finite), rewards, codes))
    if not parts:
        parts.append(_part(table.slice(0, 0), rows, rows, np.zeros(0), codes))
    joined = [np.concatenate(columns) for columns in zip(*((p.keys, p.env_codes, p.first_rows) for p in parts))]
    keys, first, inverse = np.unique(joined[0], return_index=True, return_inverse=True)
    counts = np.zeros(len(keys), dtype=np.int64)
    sums = np.zeros(len(keys))
    np.add.at(counts, inverse, np.concatenate([part.counts for part in parts]))
    np.add.at(sums, inverse, np.concatenate([part.sums for part in parts]))
    return Prompts(
        keys=keys,
        counts=counts,
        means=sums / np.maximum(counts, 1),
        envs=list(codes),
        env_codes=joined[1][first],
        first_rows=joined[2][first],
        unknown_prompt=unknown_prompt,
        without_reward=without_reward,
    )


def rewards_of(table: pa.Table, rows: Ints, keys: Hashes, most: int) -> dict[int, list[float]]:
    """The rewards of these prompts in ascending order: of each at most so many, evenly drawn, both ends among them."""
    found: dict[int, list[Floats]] = {}
    for _, each, own in rows_by_parts(table, rows):
        picked = _picked(each, own)
        rewards: Floats = compute.floats(picked["reward"])
        usable = np.flatnonzero(compute.plain(compute.is_valid(picked["prompt_hash"])) & np.isfinite(rewards))
        own_keys = _keys(picked, *_environments(picked))[usable]
        wanted = np.isin(own_keys, keys)
        order = np.argsort(own_keys[wanted], kind="stable")
        sorted_keys, values = own_keys[wanted][order], rewards[usable][wanted][order]
        names, starts = np.unique(sorted_keys, return_index=True)
        for key, part in zip(names.tolist(), np.split(values, starts[1:])):
            found.setdefault(key, []).append(part)
    return {key: _evenly(np.sort(np.concatenate(parts)), most) for key, parts in found.items()}


def _evenly(values: Floats, most: int) -> list[float]:
    places = np.linspace(0, len(values) - 1, min(len(values), most)).round().astype(np.int64)
    return [float(value) for value in values[places]]


def _picked(table: pa.Table, rows: Ints) -> pa.Table:
    names = [name for name in ("prompt_hash", "env", "reward") if name in table.column_names]
    return compute.take(table.select(names), rows)


def _keys(picked: pa.Table, envs: list[str | None], codes: Ints) -> Hashes:
    """A prompt's key: its text's hash and its environment. It means nothing where the hash is not known."""
    hashes = compute.plain(compute.fill_null(picked["prompt_hash"], pa.scalar(0, pa.uint64()))).astype(np.uint64)
    salts = [xxhash.xxh3_64_intdigest((env or "").encode("utf-8", "surrogatepass")) for env in envs]
    return np.asarray(hashes ^ np.array(salts, dtype=np.uint64)[codes])


def _part(picked: pa.Table, rows: Ints, usable: Ints, rewards: Floats, all_codes: dict[str | None, int]) -> _Part:
    """Its environments get numbers in `all_codes`."""
    envs, codes = _environments(picked)
    all_keys = _keys(picked, envs, codes)[usable]
    keys, first, inverse = np.unique(all_keys, return_index=True, return_inverse=True)
    numbers = np.array([all_codes.setdefault(env, len(all_codes)) for env in envs], dtype=np.int64)
    return _Part(
        keys=keys,
        counts=np.bincount(inverse, minlength=len(keys)),
        sums=np.bincount(inverse, weights=rewards[usable], minlength=len(keys)).astype(np.float64),
        env_codes=numbers[codes[usable][first]],
        first_rows=rows[usable[first]],
    )


def _environments(table: pa.Table) -> tuple[list[str | None], Ints]:
    if "env" not in table.column_names:
        return [None], np.zeros(table.num_rows, dtype=np.int64)
    encoded = compute.dictionary_encode(table["env"])
    names = encoded.dictionary.to_pylist()
    codes: Ints = compute.plain(compute.fill_null(encoded.indices, len(names))).astype(np.int64)
    return [*names, None], codes


class Matched(Struct):
    """The samples or prompts that both runs have, as columns; `delta` is b minus a."""

    a: Ints
    b: Ints
    delta: Floats
    classes: NDArray[np.int64]

    def only(self, which: Only | None) -> NDArray[np.bool_]:
        """Which of them were asked for."""
        if which is not None and which not in ONLY:
            raise UsageError(f"prompts cannot be {which!r}", hint=f"they are {', '.join(ONLY)}")
        if which is None:
            return np.ones(len(self.delta), dtype=bool)
        if which in CLASSES:
            return np.asarray(self.classes == CLASSES.index(which))
        return np.asarray(self.delta < 0 if which == "lower" else self.delta > 0)


def match(a: Prompts, b: Prompts, range_of: Callable[[str | None], Range | None]) -> Matched:
    _, in_a, in_b = np.intersect1d(a.keys, b.keys, assume_unique=True, return_indices=True)
    return Matched(in_a, in_b, b.means[in_b] - a.means[in_a], _classes(a, in_a, b, in_b, range_of))


def _classes(
    a: Prompts, in_a: Ints, b: Prompts, in_b: Ints, range_of: Callable[[str | None], Range | None]
) -> NDArray[np.int64]:
    found = np.full(len(in_a), CLASSES.index("unknown"))
    codes = a.env_codes[in_a]
    for code in np.unique(codes).tolist():
        reach = range_of(a.envs[code])
        if reach is None or reach.min is None or reach.max is None or not reach.max > reach.min:
            continue
        which = np.flatnonzero(codes == code)
        shares = []
        for side, places in ((a, in_a[which]), (b, in_b[which])):
            share = np.clip((side.means[places] - reach.min) / (reach.max - reach.min), 0.0, 1.0)
            shares.append((share if reach.higher_is_better else 1 - share, side.counts[places].astype(np.float64)))
        found[which] = _classes_of_shares(*shares)
    return found


def _classes_of_shares(a: tuple[Floats, Floats], b: tuple[Floats, Floats]) -> NDArray[np.int64]:
    in_a, in_b = a[0] > 0.5, b[0] > 0.5
    (a_low, a_high), (b_low, b_high) = wilson(*a), wilson(*b)
    overlap = (a_low <= b_high) & (b_low <= a_high)
    names = np.select([in_a & in_b, ~in_a & ~in_b, overlap, in_b], [2, 3, 4, 0], default=1)
    return names.astype(np.int64)


def answer(
    a_run: str, b_run: str, a: Prompts, b: Prompts, found: Matched, asked: int, rows: list[PromptRow]
) -> RunComparison:
    count = len(found.delta)
    return RunComparison(
        a=a_run,
        b=b_run,
        matched=count,
        only_a=len(a.keys) - count,
        only_b=len(b.keys) - count,
        unknown_prompt=a.unknown_prompt + b.unknown_prompt,
        without_reward=a.without_reward + b.without_reward,
        a_mean=float(a.means[found.a].mean()) if count else None,
        b_mean=float(b.means[found.b].mean()) if count else None,
        delta=float(found.delta.mean()) if count else None,
        ci=mean_interval(found.delta),
        p=paired_test(found.delta),
        classes=dict(zip(CLASSES, np.bincount(found.classes, minlength=len(CLASSES)).tolist())),
        rule=RULE,
        method=METHOD,
        asked=asked,
        rows=rows,
    )
