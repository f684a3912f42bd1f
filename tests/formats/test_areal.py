from __future__ import annotations

from collections import Counter

from tests.fixtures import fixture_path
from tests.formats.rows_and_samples import only_run, opened, records


def test_one_run_whose_steps_are_policy_versions_and_whose_groups_are_tasks() -> None:
    path = fixture_path("areal")
    run = only_run(path)
    ours = Counter((row.split, row.step, row.group, row.reward, row.total_tokens) for row, _ in opened(run))
    theirs: Counter[tuple[str, int, int, float, int]] = Counter()
    for folder, split in (("rollout", "train"), ("eval-rollout", "eval/rollout")):
        for record in records(path, f"logs/*/*/*/{folder}/*/*.jsonl"):
            key = (split, record["tail_version"], record["task_id"], record["reward"], record["seqlen"])
            theirs[key] += 1
    assert ours == theirs
    assert run.splits == ["train", "eval/rollout"]


def test_its_own_position_and_versions_are_no_metrics() -> None:
    assert all(not row.metrics for row, _ in opened(only_run(fixture_path("areal"))))
