"""W&B's binary log beside tables: metrics, configuration, and the call that logged each table."""

from __future__ import annotations

from itertools import count
from typing import Any

import pytest
from tests.formats.containers.test_wandb_log import field, items, log_bytes

from rollscope.formats.wandb_table.history import base_folder, logged_metrics, logs, run_config, table_calls
from rollscope.storage.memory import MemoryStore

TABLE = "media/table/completions_5_ab.table.json"
_names = count()


def store_of(*calls: dict[str, Any], config: dict[str, Any] | None = None, folder: str = "") -> MemoryStore:
    """A run of W&B whose log has these calls."""
    messages = [field(2, items(call)) for call in calls]
    if config is not None:
        messages.insert(0, field(5, items(config)))
    files = {"run-abc.wandb": log_bytes(messages), f"files/{TABLE}": b"{}", "other.wandb": b""}
    return MemoryStore.of(f"wandb-{next(_names)}", {folder + path: content for path, content in files.items()})


def test_the_log_lies_beside_the_folder_of_files() -> None:
    store = store_of()
    assert (base_folder(store), logs(store)) == ("files/", ["run-abc.wandb"])
    inner = store.sub("files")
    assert (base_folder(inner), logs(inner)) == ("", [])


def test_numbers_are_metrics_and_what_tables_say_of_themselves_is_none() -> None:
    call = {"_step": 3, "_timestamp": 9.5, "train/loss": 0.5, "note": "0.7"}
    table = {"completions._type": "table-file", "completions.nrows": 4, "completions.path": TABLE}
    (row,) = logged_metrics(store_of({**call, **table}))
    assert (row.step, row.time, row.values) == (3, 9.5, {"train/loss": 0.5})


@pytest.mark.parametrize(
    ("call", "step"),
    [({"_step": 3, "train/global_step": 40}, 40), ({"_step": 3}, 3), ({"global_step": 1.5, "_step": 3}, 3), ({}, 0)],
)
def test_the_trainer_s_own_step_counts_before_w_and_b_s(call: dict[str, Any], step: int) -> None:
    assert [row.step for row in logged_metrics(store_of({**call, "loss": 1.0}))] == [step]


def test_a_table_is_of_the_call_that_logged_it() -> None:
    before = {"_step": 4, "train/loss": 1.0, "train/rewards/format/mean": 0.5}
    calls = table_calls(store_of(before, {"_step": 5, "completions.path": TABLE}, {"_step": 6, "train/loss": 0.5}))
    assert list(calls) == [TABLE]
    call = calls[TABLE]
    assert (call.step, call.before.trains, call.before.rewards) == (5, True, frozenset({"format"}))


def test_the_configuration_is_read_where_there_is_one() -> None:
    assert run_config(store_of(config={"lr": 0.1, "_wandb": {}})) == {"lr": 0.1}
    assert run_config(store_of()) is None
