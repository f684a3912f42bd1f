"""How Telescope names its tables: nine of them per sample, once for each fate a sample can have."""

from __future__ import annotations

from typing import Any, Literal

from msgspec import Struct

Fate = Literal["kept", "discarded", "cancelled", "eval"]


class Variant(Struct, frozen=True):
    """One set of the sample tables. Table names end in ``suffix``; training samples are known by their ``sample_id``,
    which counts over the whole run, eval samples by step, eval name, problem and completion."""

    suffix: str
    fate: Fate

    @property
    def samples(self) -> str:
        return f"samples_data{self.suffix}"

    @property
    def step_column(self) -> str:
        # A discarded sample never got a step of its own: it counts at the step the trainer was at.
        return "trainer_step" if self.fate in ("discarded", "cancelled") else "step"

    def of_sample(self, row: dict[str, Any]) -> dict[str, Any]:
        """What rows of the other tables must have to belong to this row of ``samples``. The first is an integer."""
        if self.fate != "eval":
            return {"sample_id": row["sample_id"]}
        return {name: row[name] for name in ("sample_idx", "step", "eval_name", "completion_idx")}

    def of_prompt(self, row: dict[str, Any]) -> dict[str, Any]:
        if self.fate != "eval":
            return {"group_id": row["group_id"]}
        return {name: row[name] for name in ("sample_idx", "step", "eval_name")}


VARIANTS = (
    Variant("", "kept"),
    Variant("_kept", "kept"),
    Variant("_discarded", "discarded"),
    Variant("_cancelled", "cancelled"),
    Variant("_eval", "eval"),
)


def variant_of(samples_table: str) -> Variant:
    return next(variant for variant in VARIANTS if variant.samples == samples_table)


#: A generation that ended so was cut, and with it the sample.
CUT = frozenset({"length", "context_exhausted"})
FAILED = frozenset({"rollout_error", "prompt_too_long"})


def status_of(fate: Fate, stop_reason: str | None, last_generation: str | None) -> str:
    """An answer that was cut keeps the environment's own word (``final_answer``) as its stop reason, so the last
    generation decides. Reaching the turn limit is an ordinary end here, as it is for the trainer."""
    if fate == "cancelled":
        return "aborted"
    if stop_reason in FAILED:
        return "failed"
    return "truncated" if last_generation == "length" or stop_reason in CUT else "completed"


def known(number: int | None) -> int | None:
    """Token counts of 0 and ids of -1 stand for what was not measured."""
    return number if number is not None and number > 0 else None
