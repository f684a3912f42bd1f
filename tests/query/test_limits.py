"""A line longer than may be held in memory is named before the memory is taken; everything else about it is there."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.fixtures import write_jsonl
from tests.runs import relax_record, settle
from tests.server.client import serving

import rollscope
from rollscope.cli import main
from rollscope.errors import LimitError
from rollscope.query import limits
from rollscope.query.limits import Limits
from rollscope.query.run import Run

#: Beyond the limit of 1 MB that these tests set.
LONG = 2_500_000
SENTENCE = (
    "train/0.jsonl, line 2, has 3 MB, which would take up to 31 MB of memory; lines of more than 1 MB are not opened"
)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    long = "word " * (LONG // 5) + "needle"
    records = [relax_record(0, 0, response="a needle"), relax_record(0, 1, response=long), relax_record(0, 2)]
    write_jsonl(tmp_path / "run" / "train" / "0.jsonl", records)
    return settle(tmp_path / "run")


@pytest.fixture
def run(path: Path) -> Iterator[Run]:
    before = limits.current()
    limits.set_limits(Limits(line_mb=1))
    yield rollscope.open(path)
    limits.set_limits(before)


def test_its_row_its_place_and_its_beginning_are_there(run: Run) -> None:
    row = run.samples(preview=True).rows[1]
    assert row.response_bytes is not None
    assert row.response_bytes > LONG
    assert (row.response_start or "").startswith("word word")


def test_opening_it_says_which_line_and_what_it_would_take(run: Run) -> None:
    for ask in (run.sample, run.raw, run.sample_json):
        with pytest.raises(LimitError) as refused:
            ask("train/0/1")
        assert str(refused.value) == SENTENCE
        assert refused.value.hint == "--max-line 3 opens it"
    assert run.sample("train/0/0").reward is not None
    limits.set_limits(Limits(line_mb=3))
    assert run.sample("train/0/1").messages[-1].text.endswith("needle")
    limits.set_limits(Limits(line_mb=0))
    assert run.sample("train/0/1").messages[-1].text.endswith("needle")


def test_search_gives_all_other_hits_and_then_names_it(run: Run) -> None:
    hits = run.search("needle")
    assert next(hits).address == "train/0/0"
    with pytest.raises(LimitError, match="line 2, has 3 MB"):
        next(hits)


def test_a_search_for_what_its_bytes_do_not_have_is_complete(run: Run) -> None:
    assert [hit.address for hit in run.search("The answer is")] == ["train/0/2"]


def test_a_filter_by_text_refuses_until_the_line_is_left_out(run: Run) -> None:
    with pytest.raises(LimitError, match="line 2, has 3 MB") as refused:
        run.samples(where='response contains "needle"')
    assert "`response_bytes < 1000000`" in refused.value.hint
    rows = run.samples(where='response_bytes < 1000000 and response contains "needle"').rows
    assert [row.address for row in rows] == ["train/0/0"]


def test_an_export_of_texts_refuses_before_it_writes(run: Run, tmp_path: Path) -> None:
    target = tmp_path / "all.jsonl"
    with pytest.raises(LimitError, match="line 2, has 3 MB"):
        run.export(str(target), text=True)
    assert not target.exists()
    assert run.export(str(target)) == 3
    assert run.export(str(target), text=True, where="response_bytes < 1000000") == 2
    assert [json.loads(line)["address"] for line in target.read_text().splitlines()] == ["train/0/0", "train/0/2"]


def test_what_is_worked_out_of_many_texts_leaves_it_out(run: Run) -> None:
    assert run.compute_features().done
    rows = run.samples(features=["text.words"]).rows
    assert [row.features.get("text.words") is None for row in rows] == [False, True, False]
    found = run.contrast("n <= 1", "n = 2")
    assert (found.a.samples, found.a.read, found.b.read) == (2, 1, 1)
    assert run.token_steps().read == 2


def test_the_command_line_says_it_in_one_line_and_takes_the_flag(
    path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def said(*words: str) -> tuple[int, str, str]:
        status = main.run([words[0], str(path), *words[1:]])
        return status, *capsys.readouterr()

    hint = "--max-line 3 opens it"
    assert said("show", "train/0/1", "--max-line", "1") == (1, "", f"rollscope: {SENTENCE} ({hint})\n")
    status, out, err = said("search", "needle", "--json", "--max-line", "1")
    assert (status, [hit["address"] for hit in json.loads(out)]) == (1, ["train/0/0"])
    assert "line 2, has 3 MB" in err
    status, out, err = said("search", "needle", "--json")
    assert (status, len(json.loads(out))) == (0, 2)


def test_the_server_answers_413_and_goes_on(path: Path) -> None:
    with serving(path, flags=["--max-line", "1"]) as server:
        run = server.run_id()
        reply = server.get(f"/api/runs/{run}/sample", address="train/0/1")
        assert (reply.status, reply.json()["detail"]) == (413, SENTENCE)
        assert server.get(f"/api/runs/{run}/sample", address="train/0/0").status == 200
        lines = server.get(f"/api/runs/{run}/search", q="needle").text.splitlines()
        assert json.loads(lines[0])["address"] == "train/0/0"
        assert "line 2, has 3 MB" in json.loads(lines[-1])["detail"]
