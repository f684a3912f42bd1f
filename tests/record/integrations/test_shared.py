"""Runs that hooks share, text by its loss mask, and patches of modules that are not imported yet."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from tests.record.integrations.trainers import Tokenizer, ids

from rollscope import record
from rollscope.record.integrations.shared import constant, harmless, shared_run, turns_by_mask, when_imported


def test_a_directory_has_one_run_until_it_is_closed(tmp_path: Path) -> None:
    first = shared_run(tmp_path / "a")
    assert shared_run(str(tmp_path / "a")) is first
    first.close()
    second = shared_run(tmp_path / "a")
    assert (first.attempt, second.attempt) == (0, 1)
    second.close()
    assert shared_run(second) is second


def test_what_goes_wrong_in_a_hook_is_counted_and_the_trainer_goes_on(tmp_path: Path) -> None:
    with record.start(tmp_path / "lenient") as run, harmless(lambda: run, "A batch"):
        raise KeyError("advantages")
    assert run.errors == 1
    assert run.last_error is not None
    assert "A batch could not be recorded: KeyError" in run.last_error
    strict = record.start(tmp_path / "strict", strict=True)
    with pytest.raises(record.RecordError), harmless(lambda: strict, "A batch"):
        raise KeyError
    strict.close()


def test_a_response_is_cut_into_turns_where_its_mask_changes() -> None:
    text = [*ids("call"), 1, *ids("result"), *ids("done", end=True)]
    mask = [1] * 4 + [0] + [0] * 6 + [1] * 5
    assert turns_by_mask(text, mask, Tokenizer().decode) == [
        {"role": "assistant", "content": "call"},
        {"role": "user", "content": "¶result"},
        {"role": "assistant", "content": "done¶"},
    ]


def test_masked_marks_without_text_do_not_cut_a_turn() -> None:
    assert turns_by_mask([*ids("a"), 1, *ids("b")], [1, 0, 1], Tokenizer().decode) == [
        {"role": "assistant", "content": "a¶b"}
    ]
    assert turns_by_mask([], [], Tokenizer().decode) == []


def test_only_equal_values_are_one_value() -> None:
    assert constant([0.5, 0.5, 0.5000001]) == 0.5
    assert constant([0.5, 0.6]) is None
    assert constant([]) is None


def test_a_module_is_patched_when_it_is_imported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "a_trainer_of_ours.py").write_text("def log():\n    return 'logged'\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    finders = list(sys.meta_path)

    def patch(module: object) -> None:
        monkeypatch.setattr(module, "log", lambda: "recorded")

    when_imported("a_trainer_of_ours", patch)
    import a_trainer_of_ours  # type: ignore[import-not-found]

    assert a_trainer_of_ours.log() == "recorded"
    assert sys.meta_path == finders
    when_imported("a_trainer_of_ours", lambda module: monkeypatch.setattr(module, "log", lambda: "again"))
    assert a_trainer_of_ours.log() == "again"
    monkeypatch.delitem(sys.modules, "a_trainer_of_ours")
