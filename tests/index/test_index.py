"""The index of a run: shared by processes, rebuilt when torn, never in the run."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from tests.index.test_refresh import rewards
from tests.runs import append, relax_record

from rollscope.formats.base import Scan, Source
from rollscope.formats.relax import RelaxFormat
from rollscope.index import index as module
from rollscope.index.index import Index
from rollscope.storage.open_store import open_store
from rollscope.storage.store import FileChanged, Store


def test_two_indexes_may_refresh_at_once(run: Path) -> None:
    """Two processes over the same index directory while the run grows: both end right."""
    script = (
        "import sys; from rollscope.index.index import Index; from rollscope.formats.relax import RelaxFormat\n"
        "from rollscope.storage.open_store import open_store\n"
        "index = Index(open_store(sys.argv[1]), RelaxFormat())\n"
        "for _ in range(60): index.refresh()\n"
        "print(index.snapshot.rows_of('train', 0).num_rows)"
    )
    processes = [
        subprocess.Popen([sys.executable, "-c", script, str(run)], stdout=subprocess.PIPE, text=True) for _ in range(2)
    ]
    for i in range(8, 40):
        append(run / "train" / "0.jsonl", relax_record(0, i))
    for process in processes:
        out, _ = process.communicate(timeout=60)
        assert process.returncode == 0
        assert 8 <= int(out) <= 40
    index = Index(open_store(run), RelaxFormat())
    index.refresh()
    assert len(rewards(index)) == 40


def test_a_torn_manifest_is_rebuilt(run: Path) -> None:
    index = Index(open_store(run), RelaxFormat())
    index.refresh()
    manifest = Path(index.location) / "manifest.msgpack"
    manifest.write_bytes(manifest.read_bytes()[:100])
    again = Index(open_store(run), RelaxFormat())
    again.refresh()
    assert len(rewards(again)) == 8


def test_the_beginning_of_an_unread_file_shows_at_once(run: Path) -> None:
    index = Index(open_store(run), RelaxFormat())
    index.peek(lambda source: source.step == 1)
    assert rewards(index, 1) == [relax_record(1, i)["reward"] for i in range(8)]
    assert rewards(index, 0) == []
    index.refresh()
    assert len(rewards(index, 0)) == 8


def test_a_line_that_goes_far_beyond_the_beginning_is_not_read_in_place(
    run: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "IN_PLACE_BYTES", 1 << 20)
    asked = []

    class Watched(RelaxFormat):
        def scan(self, store: Store, source: Source, start: int, end: int) -> Scan:
            asked.append(end)
            return super().scan(store, source, start, end)

    file = run / "train" / "1.jsonl"
    whole = file.stat().st_size
    with file.open("a") as lines:
        lines.write(json.dumps(relax_record(1, 8) | {"response": "long " * 1_000_000}) + "\n")
    index = Index(open_store(run), Watched())
    assert index.peek(lambda source: source.step == 1)
    assert rewards(index, 1) == [relax_record(1, i)["reward"] for i in range(8)]
    assert asked == [whole]
    index.refresh()
    assert len(rewards(index, 1)) == 9


def test_a_file_that_is_replaced_while_its_beginning_is_read_keeps_no_other_from_showing(run: Path) -> None:
    class Replaced(RelaxFormat):
        def scan(self, store: Store, source: Source, start: int, end: int) -> Scan:
            if source.step == 1:
                raise FileChanged(source.path)  # as an object store refuses the state that was listed
            return super().scan(store, source, start, end)

    index = Index(open_store(run), Replaced())
    assert index.peek(lambda source: True)
    assert (len(rewards(index, 0)), len(rewards(index, 1))) == (8, 0)


def test_the_index_never_lies_in_the_run(run: Path, index_dir: Path) -> None:
    before = sorted(str(path) for path in run.rglob("*"))
    index = Index(open_store(run), RelaxFormat())
    index.refresh()
    assert sorted(str(path) for path in run.rglob("*")) == before
    assert Path(index.location).is_relative_to(index_dir)
