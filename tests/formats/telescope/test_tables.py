"""Telescope's names of tables, and what its words for an end mean."""

from __future__ import annotations

import pytest

from rollscope.formats.telescope.tables import VARIANTS, Fate, known, status_of, variant_of

ROW = {"sample_id": 9, "group_id": 4, "sample_idx": 3, "step": 2, "eval_name": "aime", "completion_idx": 1}


@pytest.mark.parametrize(
    ("table", "fate", "step"),
    [
        ("samples_data", "kept", "step"),
        ("samples_data_discarded", "discarded", "trainer_step"),
        ("samples_data_cancelled", "cancelled", "trainer_step"),
        ("samples_data_eval", "eval", "step"),
    ],
)
def test_a_table_s_name_says_what_became_of_its_samples(table: str, fate: Fate, step: str) -> None:
    variant = variant_of(table)
    assert (variant.fate, variant.step_column) == (fate, step)


def test_samples_of_evaluations_are_known_by_step_name_problem_and_completion() -> None:
    trained, evaluated = VARIANTS[0], variant_of("samples_data_eval")
    assert trained.of_sample(ROW) == {"sample_id": 9}
    assert trained.of_prompt(ROW) == {"group_id": 4}
    assert evaluated.of_sample(ROW) == {"sample_idx": 3, "step": 2, "eval_name": "aime", "completion_idx": 1}
    assert evaluated.of_prompt(ROW) == {"sample_idx": 3, "step": 2, "eval_name": "aime"}


@pytest.mark.parametrize(
    ("fate", "stop", "last", "status"),
    [
        ("cancelled", "length", "length", "aborted"),
        ("kept", "rollout_error", None, "failed"),
        ("kept", "final_answer", "length", "truncated"),
        ("kept", "context_exhausted", None, "truncated"),
        ("kept", "max_turns", "stop", "completed"),
        ("eval", None, None, "completed"),
    ],
)
def test_how_a_sample_ended(fate: Fate, stop: str | None, last: str | None, status: str) -> None:
    assert status_of(fate, stop, last) == status


def test_counts_of_0_and_ids_below_are_unknown() -> None:
    assert [known(number) for number in (5, 0, -1, None)] == [5, None, None, None]
