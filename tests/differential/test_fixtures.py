"""Every run of `tests/data` says the same at every door, field by field."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

import msgspec
import pyarrow.parquet as pq
import pytest
from tests.differential import doors, slow_trainers
from tests.differential.slow_reader import RELAX, UNKNOWN, VERL, read_slowly
from tests.fixtures import DATA, fixture_path
from tests.server.client import Server, serving

from rollscope.model import Sample
from rollscope.query.library import Library
from rollscope.query.run import Run

#: Samples of a run that are asked for by HTTP, spread over all of it; Python opens every one.
SENT = 6
RUNS = [run.id for run in Library([DATA]).runs()]


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> str:
    return str(tmp_path_factory.mktemp("index"))


@pytest.fixture(scope="module")
def library(index: str) -> Library:
    return Library([DATA], index_dir=index)


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """One server for all runs, with an index of its own: it reads them all itself."""
    environment = {
        "ROLLSCOPE_INDEX_DIR": str(tmp_path_factory.mktemp("served")),
        "XDG_DATA_HOME": str(tmp_path_factory.mktemp("data")),
    }
    with serving(DATA, env=environment) as running:
        yield running


@pytest.fixture
def run(library: Library, request: pytest.FixtureRequest) -> Run:
    return library.run(request.param)


def asked(run: Run, index: str, command: str, *words: object) -> Any:
    """What a command says about this run alone, found by the path of its folder."""
    which = ["--run", _id_alone(run.root, run.part, index)] if run.part else []
    return doors.command(command, run.root, *words, *which, "--json", "--limit", 0, "--index-dir", index)


@cache
def _id_alone(root: str, part: str, index: str) -> str:
    """The id of one of several runs of a folder where nothing else is opened."""
    return next(found.id for found in Library([root], index_dir=index).runs() if found.part == part)


every_run = pytest.mark.parametrize("run", RUNS, indirect=True)


@every_run
def test_lists_sql_files_and_http_say_the_same(run: Run, server: Server, index: str, tmp_path: Path) -> None:
    doors.when_read(server, run.id)
    query = "SELECT * FROM samples"
    doors.assert_equal(
        {
            "Python": lambda: doors.listed(run),
            "samples --json": lambda: doors.by_address(asked(run, index, "samples", "--all")),
            "HTTP": lambda: doors.served(server, run.id),
            "run.sql": lambda: doors.sql(run),
            "sql --json": lambda: doors.by_address(asked(run, index, "sql", query)),
            "HTTP sql": lambda: doors.served_sql(server, run.id, query),
            "Parquet": lambda: doors.exported_parquet(run, tmp_path),
            "JSONL": lambda: doors.exported_jsonl(run, tmp_path),
        }
    )


@every_run
def test_a_sample_says_opened_what_its_row_said(run: Run, server: Server) -> None:
    doors.when_read(server, run.id)
    rows = doors.without(doors.listed(run), doors.ONLY_IN_ROWS)
    doors.assert_equal(
        {
            "the list": rows,
            "the sample": lambda: doors.opened(run, rows),
        }
    )
    some = dict(list(rows.items())[:: max(1, len(rows) // SENT)])
    doors.assert_equal(
        {
            "the list": some,
            "HTTP": lambda: {address: doors.served_sample(server, run.id, address) for address in some},
        }
    )


@every_run
def test_what_a_sample_says_is_found_by_search(run: Run) -> None:
    rows = run.samples(discarded=None).rows
    for row in rows[:: max(1, len(rows) // 2)]:
        parts = [part for message in run.sample(row.address).messages for part in message.parts]
        said = [part.text.strip().partition("\n")[0][:24] for part in parts if part.type in ("text", "thinking")]
        for words in {words.strip() for words in said if len(words.strip()) > 3}:
            assert row.address in {hit.address for hit in run.search(words)}, words


@every_run
def test_steps_are_counted_alike_and_as_the_rows_say(run: Run, server: Server, index: str) -> None:
    doors.when_read(server, run.id)
    for split in run.splits:
        told = {row.step: msgspec.to_builtins(row) for row in run.steps(split).steps}
        assert {step: _counts(row) for step, row in told.items()} == _counted(run, split)
        printed = {row["step"]: row for row in asked(run, index, "steps", "--split", split)}
        sent = {row["step"]: row for row in server.json(f"/api/runs/{run.id}/steps", split=split)}
        for step, row in told.items():
            as_json = {str(name): value for name, value in row.items()}
            as_json["pass_at"] = {str(k): value for k, value in row["pass_at"].items()}
            assert sent[step] == as_json
            assert printed[step].items() >= as_json.items()
        assert printed.keys() == sent.keys() == told.keys()
        table = run.sql_table(f"SELECT * FROM steps WHERE split = '{split}'").to_pylist()
        assert {row["step"]: _counts(row) for row in table} == _counted(run, split)


@every_run
def test_a_run_has_the_samples_that_its_lists_have(run: Run, server: Server) -> None:
    doors.when_read(server, run.id)
    rows = run.samples(discarded=None).rows
    expected = {
        split: (
            len({row.step for row in rows if row.split == split}),
            sum(row.split == split and row.discard_reason is None for row in rows),
            sum(row.split == split and row.discard_reason is not None for row in rows),
        )
        for split in run.splits
    }
    served = server.json(f"/api/runs/{run.id}")["info"]["splits"]
    assert {item.split: (item.steps, item.samples, item.discarded) for item in run.info().splits} == expected
    assert {item["split"]: (item["steps"], item["samples"], item["discarded"]) for item in served} == expected
    assert run.samples().total + run.samples(discarded=True).total == len(rows)
    (counted,) = run.sql("SELECT count(*), count(discard_reason) FROM samples").rows
    assert counted == [len(rows), sum(row.discard_reason is not None for row in rows)]


def _counts(row: Mapping[str, Any]) -> tuple[Any, ...]:
    """Of a step: samples, groups, discarded ones, and mean, least and greatest reward, to nine digits."""
    reward = row.get("reward") or {name: row[f"reward_{name}"] for name in ("mean", "min", "max")}
    rounded = (None if (value := reward[name]) is None else float(f"{value:.9g}") for name in ("mean", "min", "max"))
    return (row["samples"], row["groups"], row["discarded"], *rounded)


def _counted(run: Run, split: str) -> dict[int, tuple[Any, ...]]:
    """The same from the rows, one by one."""
    counted = {}
    rows = [row for row in run.samples(discarded=None).rows if row.split == split]
    for step in {row.step for row in rows}:
        here = [row for row in rows if row.step == step]
        kept = [row for row in here if row.discard_reason is None]
        finite = [row.reward for row in kept if row.reward is not None]
        mean = math.fsum(finite) / len(finite) if finite else None
        reward = {"mean": mean, "min": min(finite, default=None), "max": max(finite, default=None)}
        numbers = {"samples": len(kept), "groups": len({row.group for row in here}), "discarded": len(here) - len(kept)}
        counted[step] = _counts({**numbers, "reward": reward})
    return counted


@pytest.mark.parametrize(
    ("path", "keys"),
    [
        ("relax", RELAX),
        ("relax_hazards", RELAX),
        ("verl/rollout", VERL),
        ("verl/v1_rollout", VERL),
        ("verl/validation", VERL),
    ],
)
def test_runs_of_lines_are_what_a_slow_reader_finds_in_them(path: str, keys: dict[str, str], tmp_path: Path) -> None:
    (run,) = Library([fixture_path(path)]).runs()
    expected = read_slowly(fixture_path(path), keys)
    to = tmp_path / "all.parquet"
    run.export(str(to), text=True)
    rows = {row["address"]: row for row in pq.ParquetFile(to).read().to_pylist()}
    assert rows.keys() == expected.keys()
    for address, fields in expected.items():
        if UNKNOWN not in fields.values():
            _assert_same(rows[address], run.sample(address), fields)


@pytest.mark.parametrize(
    ("path", "reader"),
    [
        ("tinker_flat", slow_trainers.tinker),
        ("tinker_iteration_dirs_crashed", slow_trainers.tinker),
        ("tinker_0.5.8", slow_trainers.tinker),
        ("prime_rl", slow_trainers.prime_rl),
        ("prime_rl_other/v0.6", slow_trainers.prime_rl_06),
        ("verifiers_legacy/outputs/evals/arith-single--mock--model/a1b2c3d4", slow_trainers.verifiers),
        ("verifiers_legacy/outputs/evals/arith-tool--mock--model/a1b2c3d4", slow_trainers.verifiers),
        ("trl_1.14", slow_trainers.trl),
        ("trl_1.16", slow_trainers.trl),
    ],
)
def test_runs_of_older_trainers_are_what_a_slow_reader_finds_in_them(
    path: str, reader: Callable[[Path], Iterator[slow_trainers.Said]]
) -> None:
    (run,) = Library([fixture_path(path)]).runs()
    ours = Counter(
        (row.split.partition("/")[0], row.step, str(row.group), _nine(row.reward), row.discard_reason is not None)
        for row in run.samples(discarded=None).rows
    )
    theirs = Counter(
        (kind, step, str(group), _nine(reward), discarded)
        for kind, step, group, reward, discarded in reader(fixture_path(path))
    )
    assert theirs
    assert ours == theirs


def _nine(value: float | None) -> str | None:
    return None if value is None or not math.isfinite(value) else f"{value:.9g}"


def _assert_same(row: Mapping[str, Any], sample: Sample, fields: Mapping[str, Any]) -> None:
    for name, value in fields.items():
        if name == "group":
            assert value is None or row["group"] == str(sample.group) == str(value)
        elif name in ("prompt", "response"):
            assert (row[name] or "") == (value or "")
        else:
            opened = doors.plain(getattr(sample, name))
            assert doors.plain(row[name]) == opened == doors.plain(value), (sample.address, name)
    texts = [fields[name] or "" for name in ("prompt", "response")]  # a record may have neither
    assert "".join(message.text for message in sample.messages) == "".join(texts)
