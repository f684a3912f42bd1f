"""What each door says about the samples of a run, in one form: `{address: {field: value}}`.

A missing value is no entry; what is no number in JSON is its name ("NaN", "Infinity"); groups are text; a metric is
`metrics.NAME`. Two doors that agree give equal dicts.
"""

from __future__ import annotations

import io
import json
import math
from collections.abc import Callable, Iterable, Mapping
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from typing import Any

import msgspec
import pyarrow.parquet as pq
from tests.server.client import Server, eventually

from rollscope.cli import main
from rollscope.fields import SPACE_PREFIXES, STORED
from rollscope.model import Sample
from rollscope.query.run import Run

Said = dict[str, dict[str, Any]]

#: Rows have the number of turns and the size of the response; an opened sample has the turns and the response.
ONLY_IN_ROWS = frozenset({"turns", "response_bytes"})
_SCALARS = frozenset(field.name for field in STORED)


def plain(value: Any) -> Any:
    """As JSON could say it."""
    if isinstance(value, float) and not math.isfinite(value):
        return "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"
    return value


def one(row: Mapping[str, Any]) -> dict[str, Any]:
    """A sample's scalars from any door's row: nested or flat metrics, odd numbers by name or as they are."""
    found = {name: value for name, value in row.items() if name in _SCALARS or name.startswith(SPACE_PREFIXES)}
    for space in ("metrics", "rewards"):
        found |= {f"{space}.{name}": value for name, value in (row.get(space) or {}).items()}
    found |= row.get("nonfinite") or {}
    found = {name: plain(value) for name, value in found.items() if value is not None and value != []}
    if "group" in found:
        found["group"] = str(found["group"])
    return found


def by_address(rows: Iterable[Mapping[str, Any]]) -> Said:
    said: Said = {}
    for row in rows:
        assert row["address"] not in said, f"{row['address']} is there twice"
        assert row["address"] == f"{row['split']}/{row['step']}/{row['index']}"
        said[row["address"]] = one(row)
    return said


def without(said: Said, names: Iterable[str]) -> Said:
    return {address: {n: v for n, v in fields.items() if n not in names} for address, fields in said.items()}


# Python


def listed(run: Run) -> Said:
    return by_address(msgspec.to_builtins(row) for row in run.samples(discarded=None).rows)


def opened(run: Run, addresses: Iterable[str]) -> Said:
    return {address: of_sample(run.sample(address)) for address in addresses}


def of_sample(sample: Sample) -> dict[str, Any]:
    fields = {name: getattr(sample, name) for name in sample.__struct_fields__ if name not in ONLY_IN_ROWS}
    return one(fields)


def sql(run: Run) -> Said:
    return by_address(run.sql_table("SELECT * FROM samples").to_pylist())


# The command line


def command(*words: object) -> Any:
    """The JSON that a command prints, run in this process."""
    out, err = io.StringIO(), io.StringIO()
    with redirect_stdout(out), redirect_stderr(err):
        status = main.run([str(word) for word in words])
    assert status == 0, err.getvalue()
    return json.loads(out.getvalue(), parse_constant=_no_json)


def _no_json(word: str) -> Any:
    raise AssertionError(f"{word} is not JSON")


# Files


def exported_jsonl(run: Run, folder: Path) -> Said:
    path = folder / "all.jsonl"
    run.export(str(path))
    return by_address(json.loads(line) for line in path.read_text("utf-8").splitlines())


def exported_parquet(run: Run, folder: Path) -> Said:
    path = folder / "all.parquet"
    run.export(str(path))
    return by_address(pq.ParquetFile(path).read().to_pylist())


# HTTP


def served(server: Server, run_id: str) -> Said:
    """All rows, page by page."""
    path = f"/api/runs/{run_id}/samples"
    rows: list[dict[str, Any]] = []
    while True:
        page = server.json(path, discarded="all", offset=len(rows), limit=100, wait=30)
        rows += page["rows"]
        if len(rows) >= page["total"]:
            return by_address(rows)


def served_sql(server: Server, run_id: str, query: str) -> Said:
    answer = server.json(f"/api/runs/{run_id}/sql", query=query)
    odd: dict[int, dict[str, str]] = {}
    for place, word in answer["nonfinite"].items():
        row, _, name = place.partition(".")
        odd.setdefault(int(row), {})[name] = word
    rows = [dict(zip(answer["columns"], values)) for values in answer["rows"]]
    return by_address({**row, "nonfinite": odd.get(number)} for number, row in enumerate(rows))


def when_read(server: Server, run_id: str) -> None:
    eventually(lambda: server.json(f"/api/runs/{run_id}", wait=10)["info"]["progress"]["done"])


def served_sample(server: Server, run_id: str, address: str) -> dict[str, Any]:
    row = server.json(f"/api/runs/{run_id}/sample", address=address, record="false")
    return one({name: value for name, value in row.items() if name not in ONLY_IN_ROWS})


def assert_equal(doors: Mapping[str, Callable[[], Said] | Said]) -> None:
    """Every door says what the first one says; else all differences are named."""
    (first, reference), *others = doors.items()
    truth = reference() if callable(reference) else reference
    differences = []
    for name, ask in others:
        said = ask() if callable(ask) else ask
        if list(said) != list(truth):
            differences.append(
                f"{name} has {_few(set(said) - set(truth))} more than {first}, lacks {_few(set(truth) - set(said))}"
            )
        for address in truth.keys() & said.keys():
            ours, theirs = truth[address], said[address]
            differences += [
                f"{address} {field}: {first} {ours.get(field)!r}, {name} {theirs.get(field)!r}"
                for field in sorted(ours.keys() | theirs.keys())
                if ours.get(field) != theirs.get(field)
            ]
    assert not differences, f"{len(differences)} differences\n" + "\n".join(differences[:12])


def _few(addresses: set[str]) -> str:
    return ", ".join(sorted(addresses)[:5]) or "nothing"
