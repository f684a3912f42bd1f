"""Annotations are joined to their samples: later ones count, and only whole lines of the bytes that were indexed."""

from __future__ import annotations

import json
import math
from itertools import count
from typing import Any

from rollscope.formats.base import Source
from rollscope.formats.rollscope.annotations import (
    Annotation,
    add_to_columns,
    annotation_files,
    annotation_records,
    annotations_of,
    joined,
    note_of,
    writer_of,
)
from rollscope.storage.memory import MemoryStore

PATH = "train_iteration_000003_annotations.jsonl"
_names = count()


def lines(*records: dict[str, Any]) -> bytes:
    return "".join(json.dumps(record) + "\n" for record in records).encode()


def store_of(content: bytes) -> tuple[MemoryStore, Source]:
    store = MemoryStore.of(f"annotations-{next(_names)}", {PATH: content})
    return store, Source(path="train_iteration_000003.jsonl", note=note_of("w1", store, [PATH, "missing.jsonl"]))


def test_a_source_remembers_who_wrote_it_and_which_annotations_it_was_indexed_with() -> None:
    store, source = store_of(lines({"index": 0}))
    assert (writer_of(source), annotation_files(source)) == ("w1", [PATH])
    store.write(PATH, lines({"index": 0}, {"index": 1}))
    assert note_of("w1", store, [PATH]) != source.note
    alone = Source(path="a", note=note_of("w1", store, []))
    assert (writer_of(alone), annotation_files(alone)) == ("w1", [])


def test_annotations_are_found_by_sample_in_the_order_in_which_they_were_made() -> None:
    store, source = store_of(lines({"index": 0, "advantage": 1.0}, {"index": 1}, {"index": 0, "advantage": 2.0}))
    found = annotations_of(store, source)
    assert {key: [item.advantage for item in items] for key, items in found.items()} == {
        ("main", 0, None, 0): [1.0, 2.0],
        ("main", 0, None, 1): [None],
    }
    records = annotation_records(store, source, ("main", 0, None, 0))
    assert [record["advantage"] for record in records] == [1.0, 2.0]


def test_what_came_after_the_index_and_lines_in_flight_wait() -> None:
    store, source = store_of(lines({"index": 0}) + b"torn\n" + lines({"index": 1}) + b'{"index": 2')
    assert sorted(index for *_, index in annotations_of(store, source)) == [0, 1]
    store.write(PATH, store.read(PATH) + b"}\n" + lines({"index": 3}))
    assert sorted(index for *_, index in annotations_of(store, source)) == [0, 1]


def test_a_scan_s_columns_take_what_an_annotation_says() -> None:
    columns: dict[str, list[Any]] = {"reward": [1.0, 2.0]}
    annotation = Annotation(
        index=1, advantage=0.5, reward=9.0, metrics={"kl": 2, "note": "x"}, nonfinite={"metrics/h": "Infinity"}
    )
    add_to_columns(columns, 1, annotation, ["advantage"])
    assert columns == {
        "reward": [1.0, 2.0],
        "advantage": [None, 0.5],
        "metrics.kl": [None, 2.0],
        "metrics.h": [None, math.inf],
    }, "a scalar that it may not set stays"


def test_a_record_is_joined_with_later_words_last() -> None:
    record = {
        "advantage": 1.0,
        "metrics": {"a": 1},
        "nonfinite": {"advantage": "NaN", "metrics/a": "NaN", "reward": "NaN"},
    }
    said = [{"advantage": 2.0, "metrics": {"b": 2}}, {"metrics": {"a": 3}, "nonfinite": {"metrics/b": "Infinity"}}]
    assert joined(record, said, ["advantage"]) == {
        "advantage": 2.0,
        "metrics": {"a": 3, "b": 2},
        "nonfinite": {"reward": "NaN", "metrics/b": "Infinity"},
    }
    assert record["metrics"] == {"a": 1}, "the record itself is not changed"
