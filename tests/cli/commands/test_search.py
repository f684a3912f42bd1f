"""`search`."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.cli.conftest import Cli, relax_record
from tests.differential import doors
from tests.fixtures import write_jsonl

from rollscope.query.search import text_search


def test_a_hit_says_where_it_is(cli: Cli, run_path: Path) -> None:
    hits = cli("search", run_path, "数7", "--split", "train", "--json").json
    assert [hit["address"] for hit in hits] == ["train/0/7", "train/1/7", "train/2/7"]
    hit = hits[0]
    assert {*hit} >= {"address", "field", "start", "end", "snippet"}
    assert hit["field"] == "response"
    assert relax_record(0, 7)["response"][hit["start"] : hit["end"]] == "数7"
    assert "数7" in hit["snippet"]


def test_regular_expressions_and_case(cli: Cli, run_path: Path) -> None:
    assert len(cli("search", run_path, r"GRÖSSE: 数1\d\b|gröSSe", "--regex", "--ignore-case", "--json").json) == 0
    assert (
        len(cli("search", run_path, r"GRÖßE: 数1\d", "--regex", "--ignore-case", "--limit", "0", "--json").json) == 30
    )
    assert cli("search", run_path, "THE ANSWER IS", "--json").json == []
    assert len(cli("search", run_path, "THE ANSWER IS", "--ignore-case", "--limit", "0", "--json").json) == 76
    assert len(cli("search", run_path, r"数2[0-3]", "--regex", "--limit", "0", "--json").json) == 12


def test_a_regular_expression_that_is_wrong_is_wrong_usage(cli: Cli, run_path: Path) -> None:
    cli("search", run_path, "(unclosed", "--regex", status=2)


def test_wrong_usage_prints_no_data(cli: Cli, run_path: Path) -> None:
    assert cli("search", run_path, "x", "--in", "nowhere", "--json", status=2).out == ""


def test_only_in_some_fields(cli: Cli, run_path: Path) -> None:
    assert cli("search", run_path, "What is", "--in", "response", "--json").json == []
    assert len(cli("search", run_path, "What is", "--in", "prompt,response", "--limit", "0", "--json").json) == 76
    assert "prompt" in cli("search", run_path, "x", "--in", "prompd", status=2).err


def test_only_where_a_filter_holds(cli: Cli, run_path: Path) -> None:
    hits = cli("search", run_path, "answer", "--where", 'step = 2 and status = "truncated"', "--json").json
    assert [hit["address"] for hit in hits] == [f"train/2/{n}" for n in range(3, 24, 4)]


def test_a_step_that_is_not_there_is_exit_status_1(cli: Cli, run_path: Path) -> None:
    assert "there is no step 77" in cli("search", run_path, "answer", "--step", "77", status=1).err
    assert "no match" in cli("search", run_path, "never said", "--step", "2").err


def test_the_limit_is_announced(cli: Cli, run_path: Path) -> None:
    done = cli("search", run_path, "answer", "--json")
    assert len(done.json) == 50
    assert "stopped after 50 hits" in done.err
    assert cli("search", run_path, "answer", "--limit", "76", "--json").err == ""


def test_nothing_found_is_an_empty_list(cli: Cli, run_path: Path) -> None:
    done = cli("search", run_path, "unicorn", "--json")
    assert (done.json, done.err) == ([], "no match\n")


@pytest.mark.parametrize("limit", ["0", "50"])
def test_several_runs(cli: Cli, root: Path, limit: str) -> None:
    hits = cli("search", root, "数3", "--limit", limit, "--split", "train", "--json").json
    assert [(hit["run"], hit["address"]) for hit in hits] == [
        ("run-a", "train/0/3"),
        ("run-a", "train/1/3"),
        ("run-b", "train/0/3"),
    ]


def test_a_filter_may_name_what_only_some_of_the_runs_have(cli: Cli, tmp_path: Path) -> None:
    for name, more in (("a", {}), ("b", {"kl": 0.5})):
        write_jsonl(tmp_path / name / "train" / "0.jsonl", [relax_record(0, 0) | {"response": "needle", **more}])
    for where, runs in (("metrics.kl > 0", ["b"]), ("metrics.kl is missing", ["a"])):
        assert [hit["run"] for hit in cli("search", tmp_path, "needle", "--where", where, "--json").json] == runs
    assert "no field 'metrics.other'" in cli("search", tmp_path, "needle", "--where", "metrics.other > 0", status=2).err


def test_for_people_a_hit_is_a_line(cli: Cli, run_path: Path) -> None:
    lines = cli("search", run_path, "数7", "--split", "train").out.splitlines()
    assert len(lines) == 3
    assert lines[0].startswith("train/0/7  response:")
    assert "数7" in lines[0]


def test_a_large_run_is_searched_by_the_workers(run_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A worker that refuses its task goes unnoticed: the same is then done here, on one core."""

    def in_place(*_: object) -> None:
        raise AssertionError("the workers did not do it")

    monkeypatch.setattr(text_search, "INLINE_BYTES", 0)
    monkeypatch.setattr(text_search, "find_in_rows", in_place)
    assert len(doors.command("search", run_path, "数7", "--split", "train", "--json")) == 3
    assert (
        len(doors.command("search", run_path, "数[7]", "--regex", "--ignore-case", "--split", "train", "--json")) == 3
    )
