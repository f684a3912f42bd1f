"""What a run knows about its tokens: of one sample all of it, of steps how it spreads."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Annotated

import msgspec
import numpy as np
from msgspec import Meta, Struct

from rollscope.errors import UsageError
from rollscope.formats.registry import reference
from rollscope.query import limits
from rollscope.query.insights.statistics import SEED
from rollscope.query.insights.step_ranges import within_steps
from rollscope.query.insights.tokens import quantiles
from rollscope.query.insights.tokens.quantiles import StepTokens, TokensAnswer, TokensTask
from rollscope.query.insights.tokens.values import TokenValues, token_values
from rollscope.query.lists.lists import Lists
from rollscope.query.lists.sample_selection import SampleSelection

if TYPE_CHECKING:
    import pyarrow as pa
    from numpy.typing import NDArray

    from rollscope.index.snapshot import Snapshot

#: Samples that are read of one step, and of all steps asked for together; drawn evenly.
PER_STEP = 64
MAX_SAMPLES = 2_048
#: Where none of so many samples knows the value, no others are read.
FIRST_LOOK = 16
TASK_BYTES = 8 << 20


class SampleTokens(TokenValues, kw_only=True):
    """The tokens of one sample's response."""

    run: str
    address: str


class TokenSteps(Struct, kw_only=True):
    """How a value of tokens spreads, step by step and by position in the response."""

    run: str
    split: str
    value: Annotated[str, Meta(description="log_ratio is |trainer - sampler|; where masked out, none counts.")]
    samples: Annotated[int, Meta(description="Samples selected.")]
    read: int
    known: Annotated[int, Meta(description="Samples read that know the value.")]
    steps: Annotated[list[StepTokens], Meta(description="Steps in which it is known.")]
    notes: list[str]


class RunTokens(Lists):
    """The part of a run that knows tokens."""

    def tokens(self, address: str) -> SampleTokens:
        """What is known of each token of a sample's response: as recorded, and what follows from it."""
        sample = self._reader.sample(address)
        found = token_values(sample.tokens) if sample.tokens else TokenValues(count=0)
        if not found.count:
            found.notes = [*found.notes, "No tokens are recorded of this sample."]
        columns = {name: getattr(found, name) for name in TokenValues.__struct_fields__}
        return SampleTokens(run=self.name, address=sample.address, **columns)

    def token_steps(
        self,
        *,
        split: str | None = None,
        steps: str | None = None,
        where: str | None = None,
        value: str = "log_ratio",
    ) -> TokenSteps:
        """Quantiles of a value of tokens for every step, over all tokens and by position. `steps` is a range such as
        "10:20"; at most 64 samples a step and 2,048 in all are read, drawn evenly."""
        if value not in quantiles.VALUES:
            raise UsageError(f"tokens have no {value!r}", hint=f"there is {', '.join(quantiles.VALUES)}")
        split = self._split_or_first(self._fresh(None, None, wait=True), split)
        asked = SampleSelection(split=split, where=where, discarded=None)
        snapshot, table, rows = self._select(asked, wait=True)
        rows = within_steps(table, rows, steps)
        drawn, notes = _draw(table["step"].to_numpy(), rows)
        first = drawn[np.linspace(0, len(drawn) - 1, min(FIRST_LOOK, len(drawn)), dtype=np.int64)]
        known, read, _ = self._token_values(snapshot, table, np.unique(first), value)
        found: list[StepTokens] = []
        if len(known):
            known, read, found = self._token_values(snapshot, table, drawn, value)
        elif len(drawn):
            notes = [f"None of {read} samples, drawn evenly, has a {value}; no others were read."]
        return TokenSteps(
            run=self.name,
            split=split,
            value=value,
            samples=len(rows),
            read=read,
            known=len(known),
            steps=found,
            notes=notes,
        )

    def _token_values(
        self, snapshot: Snapshot, table: pa.Table, rows: NDArray[np.int64], value: str
    ) -> tuple[NDArray[np.int64], int, list[StepTokens]]:
        """(rows that know it, rows read, steps)."""
        from rollscope.index.engines.base import Task
        from rollscope.index.engines.scheduler import Job, Schedule
        from rollscope.index.rows.row_places import RowPlaces, file_batches
        from rollscope.query.search.text_search import INLINE_BYTES  # with all that a search needs

        if not len(rows):
            return rows, 0, []
        places = RowPlaces(table, rows)
        store = self.store.fresh()
        elsewhere = int(places.lengths.sum()) >= INLINE_BYTES and store.reachable

        def job(first: int, task: TokensTask) -> Job[int, TokensAnswer]:
            return Job(
                first,
                task=lambda: Task(quantiles.FUNCTION, msgspec.msgpack.encode(task)),
                decode=quantiles.decode_answer,
                here=lambda: quantiles.read_rows(task, self._format, store),
            )

        max_line = limits.current().line_bytes
        tasks = (
            (first, TokensTask(reference(self._format), os.fsencode(store.address), value, files, max_line))
            for first, files in file_batches(snapshot, places, TASK_BYTES)
        )
        engine = self._index.engine if elsewhere else None
        texts, positions, values = [], [], []
        read = 0
        for first, answer in Schedule((job(first, task) for first, task in tasks), engine).results():
            texts.append(np.frombuffer(answer.rows, dtype=np.int32) + first)
            positions.append(np.frombuffer(answer.positions, dtype=np.int32))
            values.append(np.frombuffer(answer.values, dtype=np.float64))
            read += answer.read
        of_row, at, step_values = (np.concatenate(column) for column in (texts, positions, values))
        steps = table["step"].to_numpy()[rows][of_row]
        found = []
        for step in np.unique(steps).tolist():
            own = steps == step
            found.append(quantiles.step_tokens(step, len(np.unique(of_row[own])), at[own], step_values[own]))
        return rows[np.unique(of_row)], read, found


def _draw(steps: NDArray[np.int64], rows: NDArray[np.int64]) -> tuple[NDArray[np.int64], list[str]]:
    """(rows to read, what must be said about it): the same share of every step."""
    present, place = np.unique(steps[rows], return_inverse=True)
    if not len(present):
        return rows, ["No sample is selected."]
    most = max(1, min(PER_STEP, MAX_SAMPLES // len(present)))
    chance = np.random.default_rng(SEED)
    order = chance.permutation(len(rows))
    # The rank of each row among those of its step, in this order.
    by_step = order[np.argsort(place[order], kind="stable")]
    starts = np.searchsorted(place[by_step], np.arange(len(present)))
    rank = np.arange(len(rows)) - starts[place[by_step]]
    drawn = np.sort(rows[by_step[rank < most]])
    notes = []
    if len(drawn) < len(rows):
        notes.append(f"Of {len(rows):,} samples {len(drawn):,} are read, at most {most} a step, drawn evenly.")
    if len(drawn) > MAX_SAMPLES:
        chosen = np.linspace(0, len(drawn) - 1, MAX_SAMPLES, dtype=np.int64)
        drawn = drawn[chosen]
        notes = [f"Of {len(rows):,} samples {len(drawn):,} are read, drawn evenly: not one of every step."]
    return drawn, notes
