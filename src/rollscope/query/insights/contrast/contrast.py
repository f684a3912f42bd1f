"""Two selections beside each other: which texts are read, what was found in them, and what must be said about it."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable

import numpy as np
import pyarrow as pa
from msgspec import Struct

from rollscope import model
from rollscope.arrays import Ints, Rows
from rollscope.index import compute
from rollscope.index.rows.row_places import RowPlaces
from rollscope.index.rows.run_order import LARGE_ROWS, PART_ROWS, between, rows_by_parts
from rollscope.query.insights.contrast.fields import field_contrasts
from rollscope.query.insights.contrast.filters import phrase_filter
from rollscope.query.insights.contrast.model import Contrast, ContrastSide, PhraseContrast, PhraseExample
from rollscope.query.insights.contrast.ngrams import FoundPhrases, as_matrix, find_phrases, wanted_phrases
from rollscope.query.insights.contrast.phrases import FALSE_DISCOVERIES, NEAREST, RARE, TESTABLE, Phrase, choose, rank
from rollscope.query.insights.contrast.texts import TextSource, phrases_of, words_of
from rollscope.query.insights.contrast.words import MAX_CHARS, Words, cut
from rollscope.query.insights.statistics import SEED

#: At most so many texts a side are read, drawn evenly.
MAX_TEXTS = 20_000
#: Phrases are chosen in so many texts a side, or in texts of so many bytes, and then counted in all.
FIRST_TEXTS = 2_000
FIRST_BYTES = 12 << 20
#: Where no phrase is sure and the texts have no more words than this, rarer phrases are looked at, too.
NEAREST_WORDS = 2_000_000
#: Characters of a phrase that are shown; between its words anything that is no word may stand.
SHOWN_CHARS = 300
#: Characters of the longest tag that is shown whole.
MAX_TAG = 40
#: Characters of the example before and after its phrase.
AROUND = 60
#: Sides whose steps lie so far apart, in standard deviations, differ by step too.
APART = 0.5

METHOD = (
    f"Sequences of 1 to 6 lower-case words, counted by the samples that contain them; those too rare to reach p <= {TESTABLE} "
    "are not considered (Tarone 1990); "
    "ranked by z of the log-odds ratio with an informative Dirichlet prior (Monroe et al. 2008) that has the mean of the two "
    "shares and the weight of the smaller side; divided by the design effect of samples that share a prompt (Rao and Scott "
    f"1992). Shown where the likelihood-ratio test, adjusted for all phrases considered, gives q <= {FALSE_DISCOVERIES} "
    "(Benjamini and Hochberg 1995). Phrases that overlap or are adjacent, and lose more than half of their z "
    "without each other's "
    "samples, are shown as one."
)


class Selection(Struct, kw_only=True, eq=False):
    """One side, selected and not read yet."""

    run: str
    where: str | None
    split: str | None
    window: str | None
    table: pa.Table
    rows: Rows
    source: TextSource
    #: The texts of the sample at an address, by name.
    texts: Callable[[str], dict[str, str]]


class _Drawn(Struct, eq=False):
    """The rows of a side that are read: first those in which phrases are chosen, then the others."""

    selection: Selection
    first: Rows
    rest: Rows

    @property
    def count(self) -> int:
        return len(self.first) + len(self.rest)

    def row(self, text: int) -> int:
        return int(self.first[text] if text < len(self.first) else self.rest[text - len(self.first)])


def contrast(
    a: Selection,
    b: Selection,
    *,
    field: str = "response",
    limit: int | None = 30,
    first_texts: int = FIRST_TEXTS,
    max_texts: int = MAX_TEXTS,
    steps_differ: bool = False,
) -> Contrast:
    """`steps_differ`: that the sides lie at different steps is what was asked for."""
    sides = (_draw(a, first_texts, max_texts), _draw(b, first_texts, max_texts))
    found, read, looked_at = _phrases(sides, field, limit)
    steps = (_step_counts(a), _step_counts(b))
    return Contrast(
        a=_answer(a, read[0], steps[0]),
        b=_answer(b, read[1], steps[1]),
        field=field,
        phrases=[_phrase_contrast(phrase, sides, read, field) for phrase in found],
        fields=field_contrasts((a.table, a.rows), (b.table, b.rows), limit),
        looked_at=looked_at,
        notes=[*_notes(sides, read, field, None if steps_differ else steps), *_unsure(found)],
        method=METHOD,
    )


def _unsure(found: list[Phrase]) -> list[str]:
    if not found or any(phrase.q <= FALSE_DISCOVERIES for phrase in found):
        return []
    return ["No phrase separates the two better than chance would; the closest ones are shown."]


def _draw(selection: Selection, first_texts: int, max_texts: int) -> _Drawn:
    chance = np.random.default_rng(SEED)
    count = len(selection.rows)
    # A permutation of millions takes memory for each of them.
    few = count > LARGE_ROWS and max_texts < count
    chosen = chance.choice(count, max_texts, replace=False) if few else chance.permutation(count)[:max_texts]
    drawn = selection.rows[chosen]
    lengths = compute.take(selection.table["length"], drawn)
    mean = max(1.0, float(np.nan_to_num(compute.plain(lengths).astype(np.float64)).mean())) if len(drawn) else 1.0
    first = min(first_texts, max(1, int(FIRST_BYTES / mean)))
    return _Drawn(selection, np.sort(drawn[:first]), np.sort(drawn[first:]))


def _phrases(sides: tuple[_Drawn, _Drawn], field: str, limit: int | None) -> tuple[list[Phrase], tuple[int, int], int]:
    """(phrases to report, texts read on each side, phrases examined)."""
    firsts = [words_of(side.selection.source, _places(side, side.first), field) for side in sides]
    # Texts go by one number over both sides: first a's, then b's.
    shift = sides[0].count
    words = Words(
        np.concatenate([first.hashes for first, _ in firsts]),
        np.concatenate([firsts[0][0].texts, firsts[1][0].texts + len(sides[0].first)]),
        *(np.zeros(0, dtype=np.int64) for _ in range(2)),
    )
    in_a = np.arange(len(sides[0].first) + len(sides[1].first)) < len(sides[0].first)
    chosen = choose(words, in_a, (firsts[0][1], firsts[1][1]))
    of_b = chosen.found.texts >= len(sides[0].first)
    phrases = [chosen.found.phrases]
    texts = [np.where(of_b, chosen.found.texts - len(sides[0].first) + shift, chosen.found.texts)]
    read = [firsts[0][1], firsts[1][1]]
    wanted = as_matrix(chosen.words)
    for number, side in enumerate(sides):
        more, count = phrases_of(side.selection.source, _places(side, side.rest), field, wanted)
        phrases.append(more.phrases)
        texts.append(more.texts + len(side.first) + number * shift)
        read[number] += count
    found = FoundPhrases(np.concatenate(phrases), np.concatenate(texts), np.zeros(0, dtype=np.int64))
    every = np.arange(shift + sides[1].count) < shift
    sizes = (read[0], read[1])
    if not all(sizes):
        return [], sizes, chosen.looked_at
    clusters = _clusters(sides)
    ranked = rank(chosen, found, every, clusters, sizes, limit)
    if not ranked and not any(len(side.rest) for side in sides) and len(words.hashes) <= NEAREST_WORDS:
        rare = choose(words, in_a, sizes, RARE)
        most = NEAREST if limit is None else min(limit, NEAREST)
        ranked = rank(rare, rare.found, every, clusters, sizes, most, false_discoveries=1.0)
        return ranked, sizes, max(chosen.looked_at, rare.looked_at)
    return ranked, sizes, chosen.looked_at


def _places(side: _Drawn, rows: Rows) -> RowPlaces:
    return RowPlaces(side.selection.table, rows)


def _clusters(sides: tuple[_Drawn, _Drawn]) -> Ints:
    """Of each text a number that those with the same prompt share; a sample whose prompt is not known is alone."""
    hashes = []
    known = []
    for side in sides:
        rows = np.concatenate([side.first, side.rest])
        column = compute.take(side.selection.table["prompt_hash"], rows)
        known.append(compute.plain(compute.is_valid(column)))
        hashes.append(compute.plain(compute.fill_null(column, pa.scalar(0, pa.uint64()))).astype(np.uint64))
    _, numbers = np.unique(np.concatenate(hashes), return_inverse=True)
    alone = ~np.concatenate(known)
    clusters: Ints = numbers.astype(np.int64)
    clusters[alone] = len(clusters) + np.arange(int(alone.sum()))
    return clusters


def _phrase_contrast(phrase: Phrase, sides: tuple[_Drawn, _Drawn], read: tuple[int, int], field: str) -> PhraseContrast:
    shift = sides[0].count
    typical = phrase.texts[phrase.texts < shift] if phrase.z > 0 else phrase.texts[phrase.texts >= shift]
    text = int(typical[0])
    side = sides[0] if text < shift else sides[1]
    evidence, words = _example(phrase, side.selection, side.row(text if text < shift else text - shift), field)
    return PhraseContrast(
        text=" ".join(evidence.value.split())[:SHOWN_CHARS] if evidence else "",
        a=phrase.a,
        b=phrase.b,
        a_share=phrase.a / read[0],
        b_share=phrase.b / read[1],
        z=phrase.z,
        q=phrase.q,
        where=phrase_filter(field, words),
        example=evidence,
    )


def _example(phrase: Phrase, selection: Selection, row: int, field: str) -> tuple[PhraseExample | None, list[str]]:
    """(where the phrase is in this sample, its words as written there)."""
    table = selection.table
    address = model.address(*(table[name][row].as_py() for name in ("split", "step", "index")))
    texts = selection.texts(address)
    wanted = wanted_phrases(as_matrix([phrase.words]))
    for name in ("response", "prompt", "golden") if field == "text" else (field,):
        text = texts.get(name, "")
        words = cut([text])
        found = find_phrases(words, wanted)
        if len(found.places):
            first = int(found.places[0])
            spans = [
                (int(words.starts[place]), int(words.ends[place])) for place in range(first, first + len(phrase.words))
            ]
            start, end = _with_whole_tags(text, spans[0][0], spans[-1][1])
            example = PhraseExample(
                run=selection.run,
                address=address,
                field=name,
                start=start,
                end=end,
                before=text[max(0, start - AROUND) : start],
                value=text[start:end],
                after=text[end : end + AROUND],
            )
            return example, [text[begin:stop] for begin, stop in spans]
    return None, []


def _with_whole_tags(text: str, start: int, end: int) -> tuple[int, int]:
    """Words are letters: of `</think> So` a phrase begins at `think`, and would be shown as `think> So`."""
    opened = re.search(r"</?\Z", text[max(0, start - 2) : start])
    if opened and re.match(r"[\w-]+>", text[start : start + MAX_TAG]):
        start -= len(opened[0])
    if end < len(text) and text[end] == ">" and re.search(r"</?[\w-]+\Z", text[max(0, end - MAX_TAG) : end]):
        end += 1
    return start, end


class _StepCounts(Struct, eq=False):
    """How many samples of a side each step has."""

    steps: Rows
    counts: Rows


def _step_counts(selection: Selection) -> _StepCounts:
    counts: Counter[int] = Counter()
    for _, part, own in rows_by_parts(selection.table, selection.rows):
        steps, times = np.unique(compute.plain(part["step"])[own], return_counts=True)
        counts.update(dict(zip(steps.tolist(), times.tolist())))
    return _StepCounts(np.array(list(counts), dtype=np.int64), np.array(list(counts.values()), dtype=np.int64))


def _answer(selection: Selection, read: int, found: _StepCounts) -> ContrastSide:
    steps = found.steps
    return ContrastSide(
        run=selection.run,
        where=selection.where,
        split=selection.split,
        window=selection.window,
        samples=len(selection.rows),
        read=read,
        steps=(int(steps.min()), int(steps.max())) if len(steps) else None,
    )


def _notes(
    sides: tuple[_Drawn, _Drawn], read: tuple[int, int], field: str, steps: tuple[_StepCounts, _StepCounts] | None
) -> list[str]:
    """`steps`: None if it need not be said that they lie apart."""
    notes = []
    for name, side, count in zip("ab", sides, read):
        selected = len(side.selection.rows)
        if not selected:
            notes.append(f"{name} selects no samples.")
        elif not count:
            notes.append(f"No sample of {name} has a {field} that could be read.")
        if side.count < selected:
            notes.append(f"{side.count:,} of the {selected:,} samples of {name} are read, drawn at random.")
        if len(side.rest):
            notes.append(
                f"Phrases of {name} were chosen in {len(side.first):,} of its samples and counted in all that were read."
            )
    a, b = (side.selection for side in sides)
    if a.source.snapshot is b.source.snapshot and (both := _in_both(a, b)):
        notes.append(f"{both:,} samples are in both selections.")
    if steps is not None and _lie_apart(*steps):
        notes.append(
            "The two selections come from different steps: some phrases may reflect the step rather than what you asked about."
        )
    if any(_has_long(side) for side in sides):
        notes.append(f"Only the beginning and the end of texts longer than {MAX_CHARS:,} characters are read.")
    return notes


def _in_both(a: Selection, b: Selection) -> int:
    """Both are of one table, in its order."""
    count = 0
    for start in range(0, a.table.num_rows, PART_ROWS):
        of_a = np.zeros(PART_ROWS, dtype=bool)
        of_a[between(a.rows, start, start + PART_ROWS)] = True
        count += int(of_a[between(b.rows, start, start + PART_ROWS)].sum())
    return count


def _lie_apart(a: _StepCounts, b: _StepCounts) -> bool:
    if not len(a.steps) or not len(b.steps):
        return False
    means = [float(np.average(side.steps, weights=side.counts)) for side in (a, b)]
    spreads = [np.average((side.steps - mean) ** 2, weights=side.counts) for side, mean in zip((a, b), means)]
    return bool(abs(means[0] - means[1]) > APART * np.sqrt((spreads[0] + spreads[1]) / 2))


def _has_long(side: _Drawn) -> bool:
    lengths = compute.plain(compute.take(side.selection.table["length"], np.concatenate([side.first, side.rest])))
    return bool((np.nan_to_num(lengths.astype(np.float64)) > MAX_CHARS).any())
