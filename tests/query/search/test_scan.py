"""Looking into rows: a format decides whether search may pass over its samples by their raw bytes."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from rollscope.formats.base import Claim, Format, Place, Scan, Source, Texts
from rollscope.formats.registry import Detection
from rollscope.model import Sample
from rollscope.query.run import Run
from rollscope.storage.open_store import open_store
from rollscope.storage.store import Store


class PluginFormat(Format):
    """As a plug-in writes one: no built-in line format below it."""

    name = "plug-in"
    texts_in_line = True
    decoded: list[str] = []  # what the test counts

    def sources(self, store: Store) -> Iterable[Source]:
        yield Source(path="all.jsonl", split="train", step=0)

    def scan(self, store: Store, source: Source, start: int, end: int) -> Scan:
        offsets, lengths, position = [], [], 0
        for line in store.read(source.path).splitlines(keepends=True):
            offsets.append(position)
            lengths.append(len(line) - 1)
            position += len(line)
        columns: dict[str, Sequence[Any]] = {"offset": offsets, "length": lengths, "line": range(len(offsets))}
        return Scan(columns=columns, rows=len(offsets), end=position, lines=len(offsets))

    def load(self, store: Store, source: Source, place: Place) -> Sample:
        raise AssertionError("search has no need of whole samples")

    def line_texts(self, line: bytes, source: Source, place: Place) -> Texts:
        text = json.loads(line)["said"]
        self.decoded.append(text)
        return [("response", text)]


def test_a_plug_in_is_searched_by_its_raw_bytes_like_a_built_in_format(tmp_path: Path) -> None:
    texts = ["nothing here", "a needle", "nothing there", "escaped n\u00e9edle", "another needle"]
    (tmp_path / "all.jsonl").write_text("".join(json.dumps({"said": text}) + "\n" for text in texts))
    format_ = PluginFormat()
    detection = Detection(format=format_, claim=Claim(confidence=1.0, reasons=()), others=[], broken=[])
    run = Run(open_store(str(tmp_path)), detection, id="a", name="a")
    PluginFormat.decoded.clear()
    assert [hit.address for hit in run.search("needle")] == ["train/0/1", "train/0/4"]
    assert PluginFormat.decoded == ["a needle", "another needle"]


def test_a_format_that_says_nothing_about_its_bytes_is_searched_through_its_texts(tmp_path: Path) -> None:
    class Careful(PluginFormat):
        texts_in_line = False

        def texts(self, store: Store, source: Source, place: Place) -> Texts:
            return self.line_texts(store.read(source.path, place.offset, place.length), source, place)

    (tmp_path / "all.jsonl").write_text('{"said": "no"}\n{"said": "a needle"}\n')
    detection = Detection(format=Careful(), claim=Claim(confidence=1.0, reasons=()), others=[], broken=[])
    run = Run(open_store(str(tmp_path)), detection, id="a", name="a")
    PluginFormat.decoded.clear()
    assert [hit.address for hit in run.search("needle")] == ["train/0/1"]
    assert PluginFormat.decoded == ["no", "a needle"]
