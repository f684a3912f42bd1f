"""Asking a run: samples, groups, curves, SQL, files, all through the object that `rollscope.open` gives."""

from __future__ import annotations

import json
import math
import os
from pathlib import Path
from typing import Any

import pytest
from tests.fixtures import write_jsonl
from tests.runs import append, relax_record, settle, write_relax

import rollscope
from rollscope import model
from rollscope.errors import FilterError, LimitError, NotFoundError, UsageError
from rollscope.query import limits
from rollscope.query.run import Run


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return write_relax(tmp_path / "run", steps=3, samples=12)


@pytest.fixture
def run(path: Path) -> Run:
    return rollscope.open(path)


def all_records(steps: int = 3, samples: int = 12) -> list[dict[str, Any]]:
    return [relax_record(step, index) for step in range(steps) for index in range(samples)]


def test_a_run_says_what_it_has(run: Run) -> None:
    info = run.info()
    assert (info.format, info.name) == ("relax", "run")
    assert run.splits == ["train"]
    assert [(item.steps, item.samples, item.first_step, item.last_step) for item in info.splits] == [(3, 36, 0, 2)]
    assert "relax" in repr(run)
    assert "train" in run._repr_html_()


def test_steps_have_their_rewards(run: Run) -> None:
    rows = run.steps("train").steps
    rewards = [relax_record(1, index)["reward"] for index in range(12)]
    assert rows[1].reward.mean == pytest.approx(sum(rewards) / 12)
    assert (rows[1].reward.min, rows[1].reward.max) == (min(rewards), max(rewards))
    assert [(row.samples, row.groups, row.discarded) for row in rows] == [(12, 3, 0)] * 3


def test_an_unknown_split_names_those_there_are(run: Run) -> None:
    with pytest.raises(NotFoundError, match="no split 'eval/x'") as caught:
        run.steps("eval/x")
    assert "train" in caught.value.hint


def test_samples_are_sorted_filtered_and_cut(run: Run) -> None:
    page = run.samples(where='reward > 0.5 and status = "completed"', sort="-reward", limit=4, offset=1)
    wanted = [r for r in all_records() if r["reward"] > 0.5 and r["status"] == "completed"]
    wanted.sort(key=lambda record: -record["reward"])
    assert page.total == len(wanted)
    assert [row.reward for row in page.rows] == [record["reward"] for record in wanted[1:5]]


def test_rows_of_a_step_carry_addresses_and_groups(run: Run) -> None:
    rows = run.samples(split="train", step=2).rows
    assert [row.address for row in rows] == [f"train/2/{index}" for index in range(12)]
    assert [row.group for row in rows] == [index // 4 for index in range(12)]


def test_sort_by_response_length_and_by_an_unknown_key(run: Run) -> None:
    lengths = [row.completion_tokens for row in run.samples(step=0, sort="response_length").rows]
    assert lengths == sorted(relax_record(0, index)["response_length"] for index in range(12))
    with pytest.raises(UsageError, match="cannot sort by 'rewrad'") as caught:
        run.samples(sort="rewrad")
    assert "reward" in caught.value.hint


def test_filters_reach_into_the_text(run: Run) -> None:
    assert run.samples(where='response contains "The answer is 3."').total == sum(
        "The answer is 3." in record["response"] for record in all_records()
    )
    assert run.samples(where='not response contains "答"').total == 36
    assert run.samples(where="prompt matches /what is [01] /i and step = 1").total == 8


def test_a_bad_filter_says_where_and_what_was_meant(run: Run) -> None:
    with pytest.raises(FilterError) as caught:
        run.samples(where="rewrd > 0.5")
    assert "did you mean reward" in caught.value.hint


def test_a_field_that_only_other_steps_have_is_missing_here(path: Path) -> None:
    append(path / "train" / "2.jsonl", relax_record(2, 12, acc=1.0))
    run = rollscope.open(path)
    run.refresh()
    assert run.samples(step=0, where="metrics.acc is missing").total == 12
    assert run.samples(where="metrics.acc = 1").total == 1


def test_groups_hold_their_samples_values(run: Run) -> None:
    page = run.groups(step=1, columns=["reward", "metrics.none"])
    assert (page.total_groups, page.total_samples) == (3, 12)
    assert page.rows[1].samples == [4, 5, 6, 7]
    assert page.rows[1].values["reward"] == [relax_record(1, index)["reward"] for index in range(4, 8)]
    assert page.rows[1].values["metrics.none"] == [None] * 4
    assert page.rows[1].prompt_start == "What is 1 + 1?"


def test_groups_sort_by_spread(run: Run) -> None:
    spreads = [row.reward_spread for row in run.groups(step=0, sort="-spread").rows]
    assert spreads == sorted(spreads, key=lambda value: -(value or 0))


def test_one_sample_whole(run: Run) -> None:
    sample = run.sample("train/1/5")
    record = relax_record(1, 5)
    assert sample.record == record
    assert (sample.reward, sample.group, sample.status) == (record["reward"], 1, record["status"])
    assert sample.golden_answers == {"label": "2"}
    assert run.raw("train/1/5") == record["prompt"] + record["response"]
    assert sample.source == {"file": "train/1.jsonl", "line": 6}
    thinking = [part for message in sample.messages for part in message.parts if part.type == "thinking"]
    assert len(thinking) == 1


@pytest.mark.parametrize("address", ["train/1/99", "train/77/0", "eval/x/0/0"])
def test_a_sample_that_is_not_there_says_what_is(run: Run, address: str) -> None:
    with pytest.raises(NotFoundError, match=address):
        run.sample(address)


def test_an_address_that_is_none(run: Run) -> None:
    with pytest.raises(UsageError, match="no sample address"):
        run.sample("train/x")


def test_the_first_sample_needs_no_index_of_the_rest(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run = rollscope.open(path)
    monkeypatch.setattr(run._refresher, "now", lambda *_: pytest.fail("it indexed the run"))
    assert run.sample("train/2/0").record == relax_record(2, 0)


def test_a_rewritten_file_is_never_served_stale(path: Path, run: Run) -> None:
    before = run.sample_json("train/0/3")
    assert run.sample_json("train/0/3") == before
    write_jsonl(path / "train" / "0.jsonl", [relax_record(0, index, reward=0.111) for index in range(12)])
    assert json.loads(run.sample_json("train/0/3"))["reward"] == 0.111


def test_a_line_appended_to_the_file_does_not_move_its_samples(path: Path, run: Run) -> None:
    run.sample("train/0/3")
    append(path / "train" / "0.jsonl", relax_record(0, 12, reward=0.5))
    assert run.sample("train/0/3").record == relax_record(0, 3)
    assert run.sample("train/0/12").reward == 0.5


def test_the_cache_counts_and_is_cleared(path: Path) -> None:
    run = rollscope.open(settle(path))
    for _ in range(3):
        run.sample_json("train/0/1")
    stats = run._cache.stats()
    assert (stats.hits, stats.misses, stats.entries) == (2, 1, 1)
    assert stats.memory_mb > 0
    run._cache.clear()
    assert run._cache.stats().entries == 0


def test_neighbours_follow_the_list(run: Run) -> None:
    ordered = [row.address for row in run.samples(split="train", step=1, sort="-reward").rows]
    around = run.neighbours(ordered[3], sort="-reward")
    assert (around.previous, around.next, around.position, around.total) == (ordered[2], ordered[4], 3, 12)
    assert (around.previous_step, around.next_step) == ("train/0/0", "train/2/0")
    plain = run.neighbours("train/1/5")
    assert (plain.previous_group, plain.next_group) == ("train/1/0", "train/1/8")


def test_a_prompt_can_be_followed_over_steps(path: Path) -> None:
    for step in (0, 2):
        append(path / "train" / f"{step}.jsonl", relax_record(step, 12, prompt="the same question"))
    run = rollscope.open(path)
    assert [row.address for row in run.prompt_history("train/0/12")] == ["train/0/12", "train/2/12"]


def test_discarded_samples_are_apart(tmp_path: Path) -> None:
    records = [
        {
            "prompt": "p",
            "response": "r",
            "reward": index / 10,
            "discard_reason": "zero_advantage" if index % 2 else None,
        }
        for index in range(6)
    ]
    write_jsonl(tmp_path / "any" / "3.jsonl", records)
    run = rollscope.open(tmp_path / "any")
    assert [row.index for row in run.samples().rows] == [0, 2, 4]
    assert [row.index for row in run.samples(discarded=True).rows] == [1, 3, 5]
    assert run.samples(discarded=None).total == 6
    row = run.steps("train").steps[0]
    assert (row.samples, row.discarded, row.discard_reasons) == (3, 3, {"zero_advantage": 3})
    assert row.reward.mean == pytest.approx(0.2)
    (percent,) = run.series(["discarded/zero_advantage/pct"])
    assert percent.points == [(3.0, 50.0)]


def test_curves_follow_from_the_samples(run: Run) -> None:
    (mean,) = run.series(["rollouts/reward/mean"])
    expected = [sum(relax_record(step, i)["reward"] for i in range(12)) / 12 for step in range(3)]
    assert [value for _, value in mean.points] == pytest.approx(expected)
    truncated = {item.name: item for item in run.metrics("rollouts/samples/*")}["rollouts/samples/truncated_pct"]
    counts = [sum(relax_record(step, i)["status"] == "truncated" for i in range(12)) for step in range(3)]
    assert [value for _, value in truncated.points] == pytest.approx([100 * count / 12 for count in counts])
    with pytest.raises(NotFoundError, match="no metric 'rollouts/rewad/mean'") as caught:
        run.series(["rollouts/rewad/mean"])
    assert "rollouts/reward/mean" in caught.value.hint


def test_what_a_trainer_does_not_write_is_no_curve(tmp_path: Path) -> None:
    records = [{name: value for name, value in relax_record(0, i).items() if name != "status"} for i in range(4)]
    write_jsonl(tmp_path / "train" / "0.jsonl", records)
    assert [item.name for item in rollscope.open(tmp_path).metrics("rollouts/samples/*")] == ["rollouts/samples/count"]


def test_a_distribution_counts_every_sample(run: Run) -> None:
    found = run.distribution("reward")
    assert found.steps == [0, 1, 2]
    assert [sum(counts) for counts in found.counts] == pytest.approx([12, 12, 12])
    assert len(found.edges) == len(found.counts[0]) + 1


def test_sql_over_all_four_tables(run: Run) -> None:
    total = run.sql("SELECT count(*) AS n, max(reward) AS best FROM samples")
    assert total.columns == ["n", "best"]
    assert total.rows == [[36, max(record["reward"] for record in all_records())]]
    assert run.sql("SELECT samples FROM steps WHERE step = 1").rows == [[12]]
    assert run.sql("SELECT format FROM runs").rows == [["relax"]]
    assert run.sql("SELECT count(*) FROM metrics WHERE name = 'rollouts/reward/mean'").rows == [[3]]


@pytest.mark.parametrize(
    "statement",
    [
        "COPY samples TO '/tmp/stolen.csv'",
        "SELECT * FROM read_csv('/etc/passwd')",
        "SELECT * FROM '/etc/passwd'",
        "SELECT * FROM glob('/*')",
        "CREATE TABLE x AS SELECT 1",
        "SET enable_external_access = true",
        "INSTALL httpfs",
        "ATTACH '/tmp/x.db'",
        "SELECT 1; SELECT 2",
        "PRAGMA database_list",
    ],
)
def test_sql_reads_only_the_index(run: Run, statement: str) -> None:
    with pytest.raises(UsageError):
        run.sql(statement)


def test_an_answer_that_waits_is_whole_though_one_that_did_not_wait_came_just_before(tmp_path: Path) -> None:
    run = rollscope.open(write_relax(tmp_path / "run", steps=40, samples=40))
    run.steps("train", wait=False)
    assert run.samples().total == 40 * 40
    assert run.steps().progress.done


def test_sql_has_a_time_limit(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    # So short that it has passed before the query begins, as it may on a busy machine.
    monkeypatch.setattr(limits, "_current", limits.Limits(seconds=0.001))
    with pytest.raises(LimitError, match=r"longer than 0\.001 s"):
        run.sql("SELECT count(*) FROM range(10000000) a, range(10000000) b WHERE a.range + b.range = 7")


@pytest.mark.parametrize("kind", ["parquet", "jsonl", "csv"])
def test_exports_hold_the_selection(run: Run, tmp_path: Path, kind: str) -> None:
    import pandas as pd

    target = tmp_path / f"out.{kind}"
    assert run.export(str(target), where="step = 1", text=True) == 12
    readers: dict[str, Any] = {
        "parquet": pd.read_parquet,
        "csv": pd.read_csv,
        "jsonl": lambda path: pd.read_json(path, lines=True),
    }
    frame = readers[kind](target)
    assert frame["address"].tolist() == [f"train/1/{index}" for index in range(12)]
    assert frame["reward"].tolist() == pytest.approx([relax_record(1, index)["reward"] for index in range(12)])
    assert frame["response"].tolist() == [relax_record(1, index)["response"] for index in range(12)]


def test_an_export_to_an_unknown_kind_is_refused(run: Run, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="cannot export"):
        run.export(str(tmp_path / "out.xlsx"))


def test_tables_for_other_libraries(run: Run) -> None:
    page = run.samples(step=0)
    assert page.to_arrow().num_rows == 12
    assert page.to_pandas()["reward"].tolist() == [relax_record(0, index)["reward"] for index in range(12)]
    assert page.to_polars()["reward"].to_list() == [relax_record(0, index)["reward"] for index in range(12)]
    assert "offset" not in run.table(step=0).column_names


def test_numbers_json_has_no_word_for(tmp_path: Path) -> None:
    line = '{"prompt": "p", "response": "r", "reward": NaN, "acc": -Infinity}\n'
    (tmp_path / "0.jsonl").write_text(line)
    run = rollscope.open(tmp_path)
    row = run.samples().rows[0]
    assert (row.reward, row.metrics["acc"]) == (None, None)
    assert row.nonfinite == {"reward": "NaN", "metrics.acc": "-Infinity"}
    sample = run.sample("train/0/0")
    assert sample.reward is not None
    assert math.isnan(sample.reward)
    shown = json.loads(run.sample_json("train/0/0"), parse_constant=lambda name: pytest.fail(f"bare {name}"))
    assert shown["reward"] is None
    assert shown["nonfinite"]["reward"] == "NaN"
    assert shown["record"]["reward"] == "NaN"
    assert run.samples(where="reward is missing").total == 0


def test_details_name_the_files_and_the_ranges(run: Run) -> None:
    details = run.details()
    assert [(item.path, item.role, item.step) for item in details.files][:2] == [
        ("train/0.jsonl", "rollouts", 0),
        ("train/1.jsonl", "rollouts", 1),
    ]
    assert details.ranges["*"]["reward"].origin == "observed"
    assert details.limits


def test_the_version_grows_when_the_files_do(path: Path, run: Run) -> None:
    run.refresh()
    before = run.version
    assert not run.refresh()
    assert run.version == before
    append(path / "train" / "0.jsonl", relax_record(0, 12))
    assert run.refresh()
    assert run.version > before


def test_answers_encode_as_json(run: Run) -> None:
    for answer in (
        run.info(),
        run.details(),
        run.steps(),
        run.samples(),
        run.groups(step=0),
        run.catalog(),
        run.doctor(),
    ):
        assert json.loads(model.encode_json(answer))


def test_a_deleted_run_is_told(path: Path, run: Run) -> None:
    run.samples()
    for file in (path / "train").iterdir():
        os.unlink(file)
    run.refresh()
    assert run.samples().total == 0


def test_names_that_differ_only_in_case_stay_apart(tmp_path: Path) -> None:
    write_jsonl(tmp_path / "0.jsonl", [{"prompt": "p", "response": "r", "reward": 0.0, "acc": 1.0, "Acc": 2.0}])
    run = rollscope.open(tmp_path)
    assert run.samples(where="metrics.acc = 1").total == 1
    assert run.samples(where="metrics.Acc = 2").total == 1
    assert run.sql("SELECT metrics.Acc, metrics.acc_2 FROM samples").rows == [[2.0, 1.0]]


def test_groups_sort_as_numbers_both_ways(run: Run) -> None:
    groups = [row.group for row in run.samples(step=0, sort="-group").rows]
    assert groups == sorted(groups, key=lambda group: -int(group or 0))
