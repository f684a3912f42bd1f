"""A log of Inspect: running, stopped, damaged, in chunks."""

from __future__ import annotations

import json
import math
from pathlib import Path

from tests.formats.containers.zstd_zip import zstd_zip
from tests.formats.inspect.test_inspect import CHAT, HEADER, sample, write_eval
from tests.formats.opened import opened, texts

from rollscope.formats.inspect import InspectFormat
from rollscope.query.library import Library
from rollscope.storage.open_store import open_store


def test_a_running_log_is_read_by_its_journal_and_grows(tmp_path: Path) -> None:
    path = write_eval(tmp_path / "a.eval", [sample("a")], header=None)
    (run,) = Library([tmp_path]).runs()
    assert [row.address for row in run.samples().rows] == ["eval/sums/0/0"]
    write_eval(path, [sample("a"), sample("b")], header=None)
    run.refresh()
    assert [row.group for row in run.samples().rows] == ["a", "b"]


def test_of_a_log_whose_writer_was_stopped_the_samples_before_its_end_open(tmp_path: Path) -> None:
    whole = write_eval(tmp_path / "a.eval", [sample("a"), sample("b"), sample("c")], header=None).read_bytes()
    (tmp_path / "a.eval").write_bytes(whole[: whole.index(b"samples/c_epoch_1.json") + 50])
    (run,) = Library([tmp_path]).runs()
    assert [(row.group, row.reward) for row in run.samples().rows] == [("a", 1.0), ("b", 1.0)]
    assert [skip.reason for skip in run.doctor().skipped] == [
        "the end of this log is missing: the 2 samples before it are shown"
    ]


def test_a_json_log_with_nan_and_samples_in_chunks(tmp_path: Path) -> None:
    unscored = sample(scores={"match": {"value": math.nan}})
    (tmp_path / "j").mkdir()
    (tmp_path / "j" / "log.json").write_text(json.dumps({**HEADER, "samples": [unscored, sample("b")]}))
    first, second = opened(tmp_path / "j")
    assert math.isnan(first.reward or 0.0)
    assert second.reward == 1.0
    whole = sample("c", 2)
    head = json.dumps({key: value for key, value in whole.items() if key != "messages"}).encode()
    members = {"header.json": json.dumps(HEADER).encode(), "samples/c_epoch_2/sample.json": head}
    members |= {f"samples/c_epoch_2/messages/{i}.json": json.dumps([CHAT[i]]).encode() for i in range(2)}
    (tmp_path / "c").mkdir()
    (tmp_path / "c" / "x.eval").write_bytes(zstd_zip(members))
    assert [texts(item) for item in opened(tmp_path / "c")] == [[("user", "2 + 2?"), ("assistant", "4")]]


def test_damaged_logs_and_other_json(tmp_path: Path) -> None:
    (tmp_path / "package.json").write_text('{"version": 2, "name": "x"}')
    assert InspectFormat().detect(open_store(tmp_path)) is None
    write_eval(tmp_path / "a.eval", [sample()])
    cut = write_eval(tmp_path / "b.eval", [sample()])
    cut.write_bytes(cut.read_bytes()[:40])
    members = {"header.json": json.dumps(HEADER).encode(), "samples/x_epoch_1.json": b'{"id": "x", '}
    (tmp_path / "c.eval").write_bytes(zstd_zip(members))
    (run,) = Library([tmp_path]).runs()
    assert [row.group for row in run.samples().rows] == ["a"]
    assert [skip.file for skip in run.doctor().skipped] == ["b.eval", "c.eval"]
