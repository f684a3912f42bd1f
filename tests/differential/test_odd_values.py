"""Values that are nearly missing or nearly numbers: every door says the same of them, and no line is lost."""

from __future__ import annotations

import json
from pathlib import Path

from tests.differential import doors
from tests.runs import relax_record, settle
from tests.server.client import serving

from rollscope.query.library import Library

#: Each in place of a value, as it stands in the line.
ODD = {
    "group_index": [
        "NaN",
        "Infinity",
        "-Infinity",
        '""',
        "null",
        "0.5",
        "true",
        "[1]",
        '{"a": 1}',
        "9" * 4400,
        "1e400",
    ],
    "status": ['""', "null", "0", "NaN", '["a"]', '"\\ud800"'],
    "reward": ["NaN", "-Infinity", '"0.5"', '"NaN"', "true", "1e400", str(10**30), "[]", "{}", '{"score": NaN}', '""'],
    "response_length": ["NaN", "1.5", '""', '"7"', "Infinity", str(2**63), "-1"],
    "a_metric": ["NaN", "Infinity", '"NaN"', str(2**53 + 1), "true", '""', "null"],
}


def test_odd_values_are_the_same_at_every_door(tmp_path: Path) -> None:
    lines = [json.dumps(relax_record(0, 0))]
    for key, values in ODD.items():
        for value in values:
            lines.append(json.dumps({**relax_record(0, len(lines)), key: "HERE"}).replace('"HERE"', value))
    file = tmp_path / "run" / "train" / "0.jsonl"
    file.parent.mkdir(parents=True)
    file.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    settle(tmp_path / "run")
    (run,) = Library([tmp_path / "run"], index_dir=str(tmp_path / "index")).runs()
    assert run.doctor().skipped == []
    listed = doors.listed(run)
    assert len(listed) == len(lines)
    index = ["--index-dir", tmp_path / "index"]
    with serving(tmp_path / "run", env={"ROLLSCOPE_INDEX_DIR": str(tmp_path / "served")}) as server:
        doors.when_read(server, run.id)
        doors.assert_equal(
            {
                "Python": listed,
                "samples --json": doors.by_address(
                    doors.command("samples", run.root, "--all", "--json", "--limit", 0, *index)
                ),
                "HTTP": doors.served(server, run.id),
                "run.sql": doors.sql(run),
                "HTTP sql": doors.served_sql(server, run.id, "SELECT * FROM samples"),
                "Parquet": doors.exported_parquet(run, tmp_path),
                "JSONL": doors.exported_jsonl(run, tmp_path),
            }
        )
        rows = doors.without(listed, doors.ONLY_IN_ROWS)
        doors.assert_equal(
            {
                "the list": rows,
                "the sample": doors.opened(run, rows),
                "HTTP": {address: doors.served_sample(server, run.id, address) for address in rows},
            }
        )
