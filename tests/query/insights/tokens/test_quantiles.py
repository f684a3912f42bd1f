"""Values of tokens by position: quantiles of a step, and of each stretch of positions."""

from __future__ import annotations

import os

import msgspec
import numpy as np
import pytest
from tests.fixtures import fixture_path

import rollscope
from rollscope.formats.registry import reference
from rollscope.index.rows.row_places import RowPlaces
from rollscope.query.insights.tokens.quantiles import (
    EDGES,
    TokensTask,
    decode_answer,
    read_rows,
    read_tokens,
    step_tokens,
)


def test_each_stretch_of_positions_has_its_own_quantiles() -> None:
    positions = np.array([0, 1, 63, 64, 200, 127], dtype=np.int32)
    values = np.array([1.0, 2.0, 3.0, 10.0, 100.0, 20.0])
    found = step_tokens(7, 2, positions, values)
    assert (found.step, found.samples, found.tokens, found.max, found.p50) == (7, 2, 6, 100.0, 6.5)
    assert found.mean == pytest.approx(values.mean())
    assert [(part.start, part.end, part.tokens, part.p50) for part in found.positions] == [
        (0, 64, 3, 2.0),
        (64, 128, 2, 15.0),
        (128, 256, 1, 100.0),
    ]


def test_what_lies_beyond_the_last_edge_ends_at_its_last_token() -> None:
    position = EDGES[-1] + 5
    (part,) = step_tokens(0, 1, np.array([position], dtype=np.int32), np.array([1.0])).positions
    assert (part.start, part.end) == (EDGES[-1], position + 1)


def test_tokens_of_rows_are_those_of_their_samples_in_a_worker_too() -> None:
    run = rollscope.open(fixture_path("nemo_rl"))
    snapshot = run._fresh(None, None, wait=True)
    places = RowPlaces(snapshot.all_rows, np.arange(2))
    source = run._format.sources(run.store.fresh())
    first = next(iter(source))
    rows = places.file_rows(first, 0, 2)
    task = TokensTask(reference(run._format), os.fsencode(run.store.address), "logprob", [rows])
    here = read_rows(task, run._format, run.store.fresh())
    there = decode_answer(read_tokens(msgspec.msgpack.encode(task)))
    assert here == there
    values = np.frombuffer(here.values)
    expected = [
        value
        for index in range(2)
        for value in run.tokens(f"train/{snapshot.all_rows['step'][0].as_py()}/{index}").logprobs
        if value is not None
    ]
    assert values.tolist() == pytest.approx(expected)
    assert here.read == 2
