"""Detectors that judge each sample by its columns. Thresholds are those of docs/insights.md."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from rollscope.features import form, repetition, scripts, tools
from rollscope.features.answers import answer_span
from rollscope.features.base import FeatureSpan, SampleTexts
from rollscope.features.patterns import TextPattern, flag_span
from rollscope.query.insights.findings.model import (
    CannotKnow,
    Found,
    Mask,
    SplitData,
    env_filter,
    plain,
    quoted,
)

#: Compression above which a text says little new (slime, miles).
COMPRESSION = 10.0
#: Share of repeated 3-grams above which a text repeats itself, if the first steps' texts stay clearly below.
REPETITION, REPETITION_MARGIN = 0.35, 0.15
GARBLED, FOREIGN = 0.001, 0.05
TRUNCATED_ALWAYS, TRUNCATED_RISE = 0.25, 0.10
ALIKE = 0.5
TOOL_REPEATS = 3
STALE_STEPS = 8
ENTROPY, DISAGREEMENT = 0.2, 0.1
#: Of the range of an environment's rewards: the top, and the bottom.
TOP, BOTTOM = 0.75, 0.25
#: A golden answer tells something of an environment where at least so many of its well-paid samples have it.
GOLDEN_TELLS = 0.5

Spans = Callable[[SampleTexts], list[FeatureSpan]]


def _one(find: Callable[[SampleTexts], FeatureSpan | None]) -> Spans:
    return lambda texts: [span for span in [find(texts)] if span is not None]


def _baseline_quantile(data: SplitData, name: str, share: float = 0.99) -> float:
    values = data.numbers(name)[data.first]
    values = values[np.isfinite(values)]
    return float(np.quantile(values, share)) if len(values) else 0.0


def loop(data: SplitData) -> Iterator[Found]:
    data.need("text.loop")
    values = data.numbers("text.loop")
    yield Found(
        kind="loop",
        title="Answers end in a loop",
        where="text.loop > 0",
        mask=values > 0,
        known=np.isfinite(values),
        why="the end of the response is one unit repeated",
        spans=_one(repetition.loop_span),
    )


def repeated(data: SplitData) -> Iterator[Found]:
    data.need("text.repetition")
    values, ratio = data.numbers("text.repetition"), data.numbers("text.compression")
    limit = round(max(REPETITION, _baseline_quantile(data, "text.repetition") + REPETITION_MARGIN), 3)
    with np.errstate(invalid="ignore"):
        mask = ((values > limit) | (ratio > COMPRESSION)) & ~(data.numbers("text.loop") > 0)
    yield Found(
        kind="repetition",
        title="Answers repeat themselves",
        where=f"text.loop = 0 and (text.repetition > {plain(limit)} or text.compression > {plain(COMPRESSION)})",
        mask=mask,
        known=np.isfinite(values),
        why=f"more than {limit:.0%} of the sequences of three words were said before, without being an exact loop",
        spans=_one(_repeated_span),
    )


def _repeated_span(texts: SampleTexts) -> FeatureSpan | None:
    """The longest stretch of lines or sentences that stood before."""
    text = texts.said[-repetition.COMPRESSED_CHARS * 4 :]
    before = len(texts.said) - len(text)
    words = text.split()
    for size in (12, 8, 5, 3):
        seen: dict[str, int] = {}
        for place in range(len(words) - size):
            gram = " ".join(words[place : place + size])
            if gram in seen:
                at = text.find(words[place], 0)
                first = text.find(gram)
                second = text.find(gram, first + 1) if first >= 0 else -1
                if second >= 0:
                    return FeatureSpan(before + second, before + second + len(gram), "was said before")
                return FeatureSpan(before + max(at, 0), len(texts.said), "was said before")
            seen[gram] = place
    return None


def garbled(data: SplitData) -> Iterator[Found]:
    data.need("text.garbled")
    values = data.numbers("text.garbled")
    limit = max(GARBLED, 3 * _baseline_quantile(data, "text.garbled"))
    yield Found(
        kind="garbled",
        title="Broken text",
        where=f"text.garbled > {plain(round(limit, 6))}",
        mask=values > round(limit, 6),
        known=np.isfinite(values),
        why="replacement, control or private characters, or words that mix alphabets",
        spans=_one(scripts.garbled_span),
    )


def language(data: SplitData) -> Iterator[Found]:
    if not data.has("text.foreign"):
        raise CannotKnow("no prompt has letters to compare with")
    values = data.numbers("text.foreign")
    limit = round(max(FOREIGN, _baseline_quantile(data, "text.foreign") + FOREIGN), 3)
    yield Found(
        kind="language",
        title="Answers leave the prompt's script",
        where=f"text.foreign > {plain(limit)}",
        mask=values > limit,
        known=np.isfinite(values),
        why=f"more than {limit:.0%} of the letters are of a script that the prompt does not use",
        spans=_one(scripts.foreign_span),
    )


def duplicate(data: SplitData) -> Iterator[Found]:
    if not data.has("text.alike"):
        raise CannotKnow("no group has three samples")
    values = data.numbers("text.alike")
    yield Found(
        kind="duplicate",
        title="Groups whose answers are the same",
        where=f"text.alike > {plain(ALIKE)}",
        mask=values > ALIKE,
        known=np.isfinite(values),
        why="more than half of the group has the same response, or nearly",
        spans=lambda texts: [FeatureSpan(0, min(len(texts.said), 400), "as its siblings")],
        at_most="medium",
        rise=0.02,
        always=0.5,
    )


def truncated(data: SplitData) -> Iterator[Found]:
    if not data.has("status"):
        raise CannotKnow("no sample has a status")
    mask, known = data.equals("status", "truncated"), data.known("status")
    yield Found(
        kind="truncated",
        title="Answers are cut off",
        where='status = "truncated"',
        mask=mask,
        known=known,
        why="generation stopped at its limit",
        spans=lambda texts: [FeatureSpan(max(0, len(texts.said) - 200), len(texts.said), "where it was cut off")],
        rise=TRUNCATED_RISE,
        always=TRUNCATED_ALWAYS,
    )


def truncated_rewarded(data: SplitData) -> Iterator[Found]:
    if not data.has("status"):
        raise CannotKnow("no sample has a status")
    where, paid = top_paid(data)
    yield Found(
        kind="truncated_rewarded",
        title="Cut-off answers are paid",
        where=f'status = "truncated" and {where}',
        mask=data.equals("status", "truncated") & paid,
        known=data.known("status"),
        why="the answer was cut off, and its reward is in the top quarter of its environment's range",
        spans=lambda texts: [FeatureSpan(max(0, len(texts.said) - 200), len(texts.said), "where it was cut off")],
        severity="medium",
    )


def top_paid(data: SplitData, *, top: bool = True) -> tuple[str, Mask]:
    """(filter, rows) of the samples in the top (or bottom) quarter of their environment's range of rewards."""
    data.need("reward")
    rewards = data.numbers("reward")
    envs = data.envs()
    clauses, mask = [], np.zeros(len(data), dtype=bool)
    for env, rows in envs:
        reach = data.reward_range(env)
        if reach is None:
            continue
        low, high = reach
        limit = round(low + (TOP if top else BOTTOM) * (high - low), 6)
        name = env_filter(env, len(envs) > 1)
        said = f"reward >= {plain(limit)}" if top else f"reward <= {plain(limit)}"
        clauses.append(f"({name} and {said})" if name else said)
        with np.errstate(invalid="ignore"):
            mask |= rows & ((rewards >= limit) if top else (rewards <= limit))
    if not clauses:
        raise CannotKnow("all rewards are the same")
    return (clauses[0] if len(clauses) == 1 else f"({' or '.join(clauses)})"), mask


def _told_by_golden(data: SplitData, judged: Mask, wanted: Mask) -> Mask:
    """Rows of environments in which most of the judged samples are as wanted: elsewhere the golden answer says nothing."""
    rows = np.zeros(len(data), dtype=bool)
    for _, here in data.envs():
        some = here & judged
        if some.any() and (wanted[some].mean()) >= GOLDEN_TELLS:
            rows |= here
    if not rows.any():
        raise CannotKnow("in no environment do rewards go with the golden answers")
    return rows


def _env_clause(data: SplitData, rows: Mask) -> str:
    """Only environments that count, where there are others."""
    envs = data.envs()
    names = [env for env, here in envs if (here & rows).any()]
    if len(names) == len(envs):
        return ""
    said = [env_filter(env, True) for env in names]
    return f" and ({' or '.join(said)})" if len(said) > 1 else f" and {said[0]}"


def rewarded_wrong(data: SplitData) -> Iterator[Found]:
    data.need("text.golden")
    where, paid = top_paid(data)
    known = data.known("text.golden")
    absent = data.equals("text.golden", "absent")
    told = _told_by_golden(data, known & paid, ~absent)
    yield Found(
        kind="rewarded_wrong",
        title="Paid although the golden answer is nowhere",
        where=f'text.golden = "absent" and {where}{_env_clause(data, told)}',
        mask=absent & paid & told,
        known=known & told,
        why="the reward is in the top quarter and the golden answer stands nowhere in the response",
        spans=lambda texts: [
            answer_span(texts) or FeatureSpan(max(0, len(texts.said) - 200), len(texts.said), "no answer")
        ],
        severity="high",
    )


def unrewarded_right(data: SplitData) -> Iterator[Found]:
    data.need("text.golden")
    where, unpaid = top_paid(data, top=False)
    known = data.known("text.golden")
    equal = data.equals("text.golden", "equal")
    told = _told_by_golden(data, equal & np.isfinite(data.numbers("reward")), ~unpaid)
    yield Found(
        kind="unrewarded_right",
        title="Not paid although the final answer is the golden one",
        where=f'text.golden = "equal" and {where}{_env_clause(data, told)}',
        mask=equal & unpaid & told,
        known=known & told,
        why="the final answer equals the golden one and the reward is in the bottom quarter",
        spans=_one(answer_span),
        severity="medium",
    )


def forms(data: SplitData) -> Iterator[Found]:
    data.need("text.format")
    known = data.known("text.format")
    titles = {
        "unclosed_think": "Thoughts that never end",
        "empty_think": "Empty thoughts",
        "answer_before_think": "Answers before the thought",
        "several_answers": "Several different answers",
        "no_answer": "Answers without a marked answer",
        "empty_answer": "Answers that say nothing",
    }
    for name, mask in sorted(data.listed("text.format").items()):
        if name == "no_answer" and mask[data.first & known].mean() > 0.2:
            continue  # in this run answers are not marked
        yield Found(
            kind="format",
            title=titles.get(name, name),
            where=f"text.format contains {quoted(name)}",
            mask=mask,
            known=known,
            why=f"the form of the answer is odd: {name.replace('_', ' ')}",
            spans=lambda texts, name=name: [span for key, span in form.oddities(texts).items() if key == name],  # type: ignore[misc]
            rise=0.0 if name in ("empty_answer", "empty_think") else 0.01,
        )


def flags(data: SplitData) -> Iterator[Found]:
    data.need("text.flags")
    known = data.known("text.flags")
    for name, mask in sorted(data.listed("text.flags").items()):
        item = data.patterns.get(name)
        if item is None:
            continue
        yield Found(
            kind=f"pattern:{name}",
            title=item.reason or name,
            where=f"text.flags contains {quoted(name)}",
            mask=mask,
            known=known,
            why=item.reason or f"the pattern {name} matches",
            spans=_flag_spans(item),
            severity=item.severity,
        )


def _flag_spans(item: TextPattern) -> Spans:
    return _one(lambda texts: flag_span(texts, item))


def tool_loop(data: SplitData) -> Iterator[Found]:
    if not data.has("text.tool_repeats"):
        raise CannotKnow("no tool calls are seen in the responses")
    values = data.numbers("text.tool_repeats")
    yield Found(
        kind="tool_loop",
        title="The same tool call again and again",
        where=f"text.tool_repeats >= {TOOL_REPEATS}",
        mask=values >= TOOL_REPEATS,
        known=np.isfinite(values),
        why="the same call with the same arguments three times in a row",
        spans=lambda texts: [found[1] for found in [tools.longest_run(texts)] if found],
    )


def tool_errors(data: SplitData) -> Iterator[Found]:
    if not data.has("text.tool_errors"):
        raise CannotKnow("no tool results are seen in the responses")
    values = data.numbers("text.tool_errors")
    yield Found(
        kind="tool_errors",
        title="Tools answer with errors",
        where="text.tool_errors > 0",
        mask=values > 0,
        known=np.isfinite(values),
        why="a tool's result is an error",
        spans=tools.error_spans,
        rise=0.05,
    )


def stale(data: SplitData) -> Iterator[Found]:
    if not data.has("staleness"):
        raise CannotKnow("no sample says which weights sampled it")
    values = data.numbers("staleness")
    yield Found(
        kind="stale",
        title="Samples of old weights",
        where=f"staleness >= {STALE_STEPS}",
        mask=values >= STALE_STEPS,
        known=np.isfinite(values),
        why=f"the weights that sampled it were {STALE_STEPS} steps old or more",
    )


def entropy(data: SplitData) -> Iterator[Found]:
    if not data.has("token.entropy"):
        raise CannotKnow("no entropy of tokens was recorded")
    values = data.numbers("token.entropy")
    yield Found(
        kind="entropy",
        title="Entropy is nearly gone",
        where=f"token.entropy <= {plain(ENTROPY)}",
        mask=values <= ENTROPY,
        known=np.isfinite(values),
        why=f"the mean entropy of its tokens is at most {ENTROPY} nats",
        at_most="medium",
        rise=0.1,
    )


def mismatch(data: SplitData) -> Iterator[Found]:
    if not data.has("token.ratio"):
        raise CannotKnow("no log-probabilities of the trainer were recorded beside the sampler's")
    values = data.numbers("token.ratio")
    yield Found(
        kind="mismatch",
        title="Trainer and sampler disagree",
        where=f"token.ratio > {plain(DISAGREEMENT)}",
        mask=values > DISAGREEMENT,
        known=np.isfinite(values),
        why=f"|trainer − sampler| is above {DISAGREEMENT} nats a token on average; healthy is about 0.02",
    )
