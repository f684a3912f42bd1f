"""Detectors that judge each sample by its columns. Thresholds are those of docs/insights.md."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from rollscope.features import form, repetition, scripts, tools
from rollscope.features.answers import answer_span
from rollscope.features.base import FeatureSpan, SampleTexts
from rollscope.features.patterns import flag_span
from rollscope.features.patterns.table import TextPattern
from rollscope.query.insights.findings.model import (
    CannotKnow,
    Floats,
    Found,
    Mask,
    SplitData,
    env_filter,
    plain,
    quoted,
)
from rollscope.query.insights.findings.row_groups import groups_of_rows

#: Compression above which a text says little new (slime, miles).
COMPRESSION = 10.0
#: Share of repeated 3-grams above which a text repeats itself, if the first steps' texts stay clearly below.
REPETITION, REPETITION_MARGIN = 0.32, 0.12
GARBLED, FOREIGN = 0.0005, 0.05
#: Of an answer so much is more than names and quotations.
MUCH_FOREIGN = 0.2
#: Cut-off answers are told where they rise by this, and serious from those on (miles warns at 25 %).
TRUNCATED_RISE, TRUNCATED_ALWAYS, TRUNCATED_SERIOUS, TRUNCATED_SERIOUS_RISE = 0.005, 0.05, 0.25, 0.10
ALIKE = 0.5
#: Answers of so many words are not the same by chance.
LONG_WORDS = 30
TOOL_REPEATS = 3
#: An error is one whenever it began.
TOOL_ERRORS_ALWAYS = 0.01
STALE_STEPS, STALE_LEAST = 8, 4
ENTROPY, ENTROPY_FAR, DISAGREEMENT, DISAGREEMENT_LEAST = 0.2, 1.5, 0.1, 0.05
#: Of the range of an environment's rewards: the top, and the bottom. What is paid for form and style alone is at the bottom.
TOP, BOTTOM = 0.75, 0.4
#: A golden answer tells something of an environment where at least so many of its well-paid samples have it.
GOLDEN_TELLS, MIN_JUDGED = 0.5, 4

Spans = Callable[[SampleTexts], list[FeatureSpan]]


def _one(find: Callable[[SampleTexts], FeatureSpan | None]) -> Spans:
    return lambda texts: [span for span in [find(texts)] if span is not None]


def _usual(data: SplitData, name: str, margin: float) -> float:
    """What nearly all of the first steps' samples stay below. Where a few of them lie far beyond most, these are what is
    looked for, there from the beginning: then what most of them stay below."""
    return _usual_of(data.numbers(name)[data.first], margin)


def _usual_of(values: Floats, margin: float) -> float:
    values = values[np.isfinite(values)]
    if not len(values):
        return 0.0
    most, nearly_all = np.quantile(values, (0.65, 0.99))
    return float(nearly_all if nearly_all <= 2 * most + margin else most)


def loop(data: SplitData) -> Iterator[Found]:
    data.need("text.loop")
    values = data.numbers("text.loop")
    yield Found(
        kind="loop",
        title="Answers end in a loop",
        where="text.loop > 0",
        mask=values > 0,
        known=np.isfinite(values),
        why="the response ends with the same text repeated",
        spans=_one(repetition.loop_span),
    )


def repeated(data: SplitData) -> Iterator[Found]:
    data.need("text.repetition")
    values, ratio = data.numbers("text.repetition"), data.numbers("text.compression")
    # An answer that says its thinking once more is no repetition, and where many do that it is not what is usual either.
    apart = data.numbers("text.repetition_apart")
    usual = _usual_of(np.where(np.isfinite(apart), apart, values)[data.first], REPETITION_MARGIN)
    limit = round(max(REPETITION, usual + REPETITION_MARGIN), 3)
    with np.errstate(invalid="ignore"):
        mask = ((apart > limit) | (ratio > COMPRESSION)) & ~(data.numbers("text.loop") > 0)
    yield Found(
        kind="repetition",
        title="Answers repeat themselves",
        where=f"text.loop = 0 and (text.repetition_apart > {plain(limit)} or text.compression > {plain(COMPRESSION)})",
        mask=mask,
        known=np.isfinite(values),
        why=f"more than {limit:.0%} of its three-word sequences repeat others of its thinking, or of its answer; or it "
        f"compresses to less than 1/{COMPRESSION:.0f}; it does not end in an exact loop",
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
                    return FeatureSpan(before + second, before + second + len(gram), "repeats earlier text")
                return FeatureSpan(before + max(at, 0), len(texts.said), "repeats earlier text")
            seen[gram] = place
    return None


def garbled(data: SplitData) -> Iterator[Found]:
    data.need("text.garbled")
    values = data.numbers("text.garbled")
    limit = max(GARBLED, 3 * _usual(data, "text.garbled", GARBLED))
    yield Found(
        kind="garbled",
        title="Garbled text",
        where=f"text.garbled > {plain(round(limit, 6))}",
        mask=values > round(limit, 6),
        known=np.isfinite(values),
        why="it has replacement, control or private-use characters, or words that mix alphabets",
        spans=_one(scripts.garbled_span),
        # Words of two alphabets are natural in texts about programs: a few, and no more than at first.
        rise=0.005,
        always=0.005,
        serious_share=0.2,
        serious_rise=0.02,
    )


def language(data: SplitData) -> Iterator[Found]:
    if not data.has("text.foreign"):
        raise CannotKnow("no prompt contains letters to compare with")
    values = data.numbers("text.foreign")
    limit = round(max(FOREIGN, _usual(data, "text.foreign", FOREIGN) + FOREIGN), 3)
    beyond = values[values > limit]
    yield Found(
        kind="language",
        title="Answers leave the prompt's language",
        where=f"text.foreign > {plain(limit)}",
        mask=values > limit,
        known=np.isfinite(values),
        why=f"more than {limit:.0%} of the letters belong to a script or language that the prompt does not use",
        spans=_one(scripts.foreign_span),
        # Names and terms in other letters are natural in some languages, in about as many answers all the time. Where they
        # are much of the answers, they are neither.
        rise=0.005,
        always=0.005 if len(beyond) and float(np.median(beyond)) >= MUCH_FOREIGN else 1.0,
        serious_share=0.5,
        serious_rise=0.05,
    )


def duplicate(data: SplitData) -> Iterator[Found]:
    if not data.has("text.alike"):
        raise CannotKnow("no group has three samples")
    values = data.numbers("text.alike")
    words = data.numbers("text.words")[values > ALIKE]
    # Short answers are the same by chance, long ones are not, however few they are.
    short = not len(words) or float(np.nanmedian(words)) < LONG_WORDS
    yield Found(
        kind="duplicate",
        title="Groups with nearly identical answers",
        where=f"text.alike > {plain(ALIKE)}",
        mask=values > ALIKE,
        known=np.isfinite(values),
        why="more than half of the group gave the same or nearly the same response",
        spans=lambda texts: [FeatureSpan(0, min(len(texts.said), 400), "the same as others in its group")],
        at_most="medium",
        rise=0.02,
        always=0.1 if short else 0.01,
        serious_share=0.5,
        serious_rise=0.02,
        together=float(groups_of_rows(data)[1].mean()),
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
        why="a limit stopped the generation",
        spans=lambda texts: [FeatureSpan(max(0, len(texts.said) - 200), len(texts.said), "where it was cut off")],
        rise=TRUNCATED_RISE,
        always=TRUNCATED_ALWAYS,
        serious_share=TRUNCATED_SERIOUS,
        serious_rise=TRUNCATED_SERIOUS_RISE,
    )


def truncated_rewarded(data: SplitData) -> Iterator[Found]:
    if not data.has("status"):
        raise CannotKnow("no sample has a status")
    where, paid = top_paid(data)
    yield Found(
        kind="truncated_rewarded",
        title="Cut-off answers are rewarded",
        where=f'status = "truncated" and {where}',
        mask=data.equals("status", "truncated") & paid,
        known=data.known("status"),
        why="the answer was cut off, and its reward is in the top quarter of its environment's range",
        spans=lambda texts: [FeatureSpan(max(0, len(texts.said) - 200), len(texts.said), "where it was cut off")],
        severity="medium",
    )


def top_paid(data: SplitData, *, top: bool = True, share: float | None = None) -> tuple[str, Mask]:
    """(filter, rows) of the samples in the top quarter (or the lower two fifths) of their environment's range of rewards, or
    from another share of it on."""
    data.need("reward")
    rewards = data.numbers("reward")
    envs = data.envs()
    clauses, mask = [], np.zeros(len(data), dtype=bool)
    for env, rows in envs:
        reach = data.reward_range(env)
        if reach is None:
            continue
        low, high = reach
        limit = round(low + (share if share is not None else TOP if top else BOTTOM) * (high - low), 6)
        name = env_filter(env, len(envs) > 1)
        said = f"reward >= {plain(limit)}" if top else f"reward <= {plain(limit)}"
        clauses.append(f"({name} and {said})" if name else said)
        with np.errstate(invalid="ignore"):
            mask |= rows & ((rewards >= limit) if top else (rewards <= limit))
    if not clauses:
        raise CannotKnow("all rewards are the same")
    return (clauses[0] if len(clauses) == 1 else f"({' or '.join(clauses)})"), mask


def _told_by_golden(data: SplitData, judged: Mask, wanted: Mask) -> Mask:
    """Rows of environments in which most of the judged samples are as wanted, in the whole run or in its first steps or
    first third: elsewhere the golden answer says nothing. What is looked for may be most of what came later."""
    rows = np.zeros(len(data), dtype=bool)
    third = data.step_codes < max(1, len(data.step_numbers) // 3)
    for _, here in data.envs():
        for some in (here & judged, here & judged & data.first, here & judged & third):
            if some.sum() >= MIN_JUDGED and (wanted[some].mean()) >= GOLDEN_TELLS:
                rows |= here
    if not rows.any():
        raise CannotKnow("rewards do not follow the golden answers in any environment")
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
        title="High reward without the golden answer",
        where=f'text.golden = "absent" and {where}{_env_clause(data, told)}',
        mask=absent & paid & told,
        known=known & told,
        why="the reward is in the top quarter of its range, and the response does not contain the golden answer",
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
        title="Low reward though the final answer matches the golden one",
        where=f'text.golden = "equal" and {where}{_env_clause(data, told)}',
        mask=equal & unpaid & told,
        known=known & told,
        why="the final answer equals the golden one, and the reward is in the lowest two fifths of its range",
        spans=_one(answer_span),
        severity="medium",
    )


#: What answers may look like without being odd.
_NATURAL_FORMS = ("no_answer", "several_answers")
FORM_ALWAYS = 0.01
#: Name -> (title, why).
_FORMS = {
    "unclosed_think": ("Unclosed thinking blocks", "a thinking block is opened and never closed"),
    "empty_think": ("Empty thinking blocks", "a thinking block has nothing in it"),
    "answer_before_think": ("Answers before the thinking", "an answer is marked before the first thinking block"),
    "several_answers": ("Several different answers", "several different answers are marked"),
    "no_answer": ("No marked answer", "no answer is marked"),
    "empty_answer": ("Empty answers", "the answer is empty, or only an opening such as “Solution”"),
}
#: Of the first steps' answers: from this share without a mark on, answers are not marked in this run; and so many may not
#: say theirs in words either.
NOT_MARKED, NOT_SAID = 0.2, 0.03


def forms(data: SplitData) -> Iterator[Found]:
    data.need("text.format")
    known = data.known("text.format")
    for name, rows in sorted(data.listed("text.format").items()):
        mask = rows
        where = f"text.format contains {quoted(name)}"
        title, why = _FORMS.get(name, (name, f"the form of the answer is {name}"))
        if name == "no_answer" and mask[data.first & known].mean() > NOT_MARKED:
            # In this run answers are not marked. Where nearly all say theirs in words, one that does not is odd.
            mask = mask & ~data.known("text.answer")
            where += " and text.answer is missing"
            why += " or stated in words"
            if mask[data.first & known].mean() > NOT_SAID:
                continue
        yield Found(
            kind="format",
            title=title,
            where=where,
            mask=mask,
            known=known,
            why=why,
            spans=lambda texts, name=name: [span for key, span in form.oddities(texts).items() if key == name],  # type: ignore[misc]
            rise=0.005 if name in _NATURAL_FORMS else 0.0,
            always=FORM_ALWAYS,
            serious_share=0.5,
            serious_rise=0.02,
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
        raise CannotKnow("no tool calls were found in the responses")
    values = data.numbers("text.tool_repeats")
    yield Found(
        kind="tool_loop",
        title="The same tool call repeated",
        where=f"text.tool_repeats >= {TOOL_REPEATS}",
        mask=values >= TOOL_REPEATS,
        known=np.isfinite(values),
        why=f"the same call with the same arguments at least {TOOL_REPEATS} times in a row",
        spans=lambda texts: [found[1] for found in [tools.longest_run(texts)] if found],
    )


def tool_errors(data: SplitData) -> Iterator[Found]:
    if not data.has("text.tool_errors"):
        raise CannotKnow("no tool results were found in the responses")
    values = data.numbers("text.tool_errors")
    yield Found(
        kind="tool_errors",
        title="Tools return errors",
        where="text.tool_errors > 0",
        mask=values > 0,
        known=np.isfinite(values),
        why="a tool returned an error",
        spans=tools.error_spans,
        rise=0.005,
        always=TOOL_ERRORS_ALWAYS,
        serious_share=0.2,
        serious_rise=0.05,
    )


def stale(data: SplitData) -> Iterator[Found]:
    if not data.has("staleness"):
        raise CannotKnow("no sample records which weights generated it")
    values = data.numbers("staleness")
    # Where the first steps are fresh, less than that is worth a look.
    limit = int(min(STALE_STEPS, max(STALE_LEAST, 2 * _usual(data, "staleness", 1.0) + 2)))
    yield Found(
        kind="stale",
        title="Samples from old weights",
        where=f"staleness >= {limit}",
        mask=values >= limit,
        known=np.isfinite(values),
        why=f"the weights that generated it were at least {limit} steps old",
    )


def entropy(data: SplitData) -> Iterator[Found]:
    if not data.has("token.entropy"):
        raise CannotKnow("no token entropy was recorded")
    values = data.numbers("token.entropy")
    at_first = values[data.first & np.isfinite(values)]
    # Short answers are often sure of themselves. Where those of the first steps are far from it, any later one counts.
    far = len(at_first) > 0 and float(np.quantile(at_first, 0.01)) > ENTROPY_FAR * ENTROPY
    yield Found(
        kind="entropy",
        title="Very low entropy",
        where=f"token.entropy <= {plain(ENTROPY)}",
        mask=values <= ENTROPY,
        known=np.isfinite(values),
        why=f"its mean token entropy is at most {ENTROPY} nats",
        at_most="medium",
        rise=0.0 if far else 0.005,
        always=0.05,
        serious_rise=0.1,
        serious_share=0.5,
    )


def mismatch(data: SplitData) -> Iterator[Found]:
    if not data.has("token.ratio"):
        raise CannotKnow("the log-probabilities of sampler and trainer were not both recorded")
    values = data.numbers("token.ratio")
    limit = round(min(DISAGREEMENT, max(DISAGREEMENT_LEAST, 3 * _usual(data, "token.ratio", 0.05))), 3)
    yield Found(
        kind="mismatch",
        title="Trainer and sampler disagree",
        where=f"token.ratio > {plain(limit)}",
        mask=values > limit,
        known=np.isfinite(values),
        why=f"trainer and sampler differ by more than {limit} nats a token on average; about 0.02 is healthy",
    )
