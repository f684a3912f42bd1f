"""What transformers' trainers log right before a table tells evaluations, reward columns and repeated steps."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from tests.formats.containers.test_wandb_log import log_bytes, logged
from tests.formats.opened import opened
from tests.formats.test_trackio import Project

from rollscope.formats.tables.logged_before import LoggedBefore, read_before

TRAINED = {"train/loss": 0.1, "train/reward": 0.5, "train/rewards/good/mean": 0.5, "train/epoch": 1.0}
EVALUATED = {"eval/loss": 0.2, "eval/rewards/good/mean": 0.5, "train/epoch": 1.0}


def row(step: int, completion: str) -> dict[str, Any]:
    """`similarity` was logged with `log_extra`: no reward function made it."""
    told = {"step": step, "prompt": "p", "completion": completion, "good": 0.5}
    return {**told, "similarity": 0.25, "advantage": 0.0}


#: (what was logged before the table, its rows) as TRL writes them: an evaluation that is smaller than a batch leaves the
#: trainer's own rows in the table, and the end of training logs the last rows again.
CALLS = [
    ({**EVALUATED, "eval/aime_runtime": 1.0, "train/global_step": 0}, [row(0, "before")]),
    ({**TRAINED, "train/global_step": 1}, [row(1, "a"), row(1, "a")]),
    ({**TRAINED, "train/global_step": 2}, [row(2, "b"), row(2, "c")]),
    ({**EVALUATED, "train/global_step": 2}, [row(2, "c"), row(2, "evaluated")]),
    ({"train/train_runtime": 9.0, "train/global_step": 2}, [row(2, "c"), row(2, "evaluated")]),
]
EXPECTED = [
    *(("train/1/0", "a"), ("train/1/1", "a"), ("train/2/0", "b"), ("train/2/1", "c")),
    *(("eval/2/0", "evaluated"), ("eval/aime/0/0", "before")),
]


def shown(path: Path) -> list[tuple[str, str]]:
    found = opened(path)
    assert all((sample.reward, sample.rewards) == (0.5, {"good": 0.5}) for sample in found)
    assert all(sample.metrics == {"similarity": 0.25} for sample in found)
    return [(sample.address, sample.messages[-1].text) for sample in found]


def test_tables_in_trackio_are_told_apart(tmp_path: Path) -> None:
    project = Project(tmp_path / "maths.db")
    for number, (before, rows) in enumerate(CALLS):
        project.log("a", 2 * number, before)
        project.log("a", 2 * number + 1, {"completions": {"_type": "trackio.table", "_value": rows}})
    assert shown(tmp_path) == EXPECTED
    # The run is resumed from its first checkpoint: step 2 is trained on again.
    project.log("a", 20, {**TRAINED, "train/global_step": 2})
    project.log("a", 21, {"completions": {"_type": "trackio.table", "_value": [row(2, "again")]}})
    project.connection.close()
    assert [text for address, text in shown(tmp_path) if address.startswith("train/2/")] == ["again"]


def test_tables_in_w_and_b_are_told_apart(tmp_path: Path) -> None:
    run = tmp_path / "wandb" / "offline-run-20261116_024621-abc"
    messages = []
    for number, (before, rows) in enumerate(CALLS):
        # Their number says the order in which they were logged, and is not filled up with zeros.
        path = f"media/table/completions_{2 * number + 6}_{number:020x}.table.json"
        file = run / "files" / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(json.dumps({"columns": list(rows[0]), "data": [list(each.values()) for each in rows]}))
        told = {"completions._type": "table-file", "completions.path": path, "train/global_step": rows[0]["step"]}
        messages += [logged(2 * number + 5, **before), logged(2 * number + 6, **told)]
    (run / "run-abc.wandb").write_bytes(log_bytes(messages))
    assert shown(tmp_path) == EXPECTED


def test_numbers_of_other_trainers_say_nothing() -> None:
    assert read_before({"actor/loss": 1.0, "val/score": 1.0}) == LoggedBefore()
    assert read_before({}) == LoggedBefore()


def test_a_table_of_an_eval_is_not_what_an_evaluation_logs() -> None:
    assert read_before({"eval/aime24/samples._type": "table-file", "loss": 0.1}).split is None
    assert read_before({"eval/aime_runtime": 1.0}).split == "eval/aime"
