"""Which samples become which rows."""

from __future__ import annotations

from typing import Any

import pytest

from rollscope.model import Message, Part, Range, Sample
from rollscope.query.export.training_data.recipes import Recipe, RowMaker, range_lookup


def sample(number: int, reward: float | None, group: str | None = "g", **fields: Any) -> Sample:
    asked = Message(role="user", parts=[Part(text=fields.pop("prompt", "2 + 2?"))])
    said = Message(role="assistant", parts=[Part(text=f"answer {number}")], turn=0)
    place: dict[str, Any] = {"split": "train", "step": 1, "index": number, "address": f"train/1/{number}"}
    return Sample(messages=[asked, said], reward=reward, group=group, **place, **fields)


def choice(recipe: Recipe, margin: float = 0.0, **reward_range: Any) -> RowMaker:
    usual = Range(**{"min": 0.0, "max": 1.0, **reward_range})
    return RowMaker(recipe=recipe, margin=margin, range_of=lambda _env: usual, run="run")


def test_sft_takes_kept_samples() -> None:
    made = choice("sft")
    (row,) = made.rows([sample(0, 1.0), sample(1, 0.0, discard_reason="zero_advantage")])
    assert row["messages"] == [{"role": "user", "content": "2 + 2?"}, {"role": "assistant", "content": "answer 0"}]
    assert made.left_out == {"it was discarded": 1}


def test_dpo_pairs_the_best_with_the_worst_of_each_group() -> None:
    made = choice("dpo", margin=0.2)
    groups = [sample(0, 0.5), sample(1, 1.0), sample(2, 0.0), sample(3, 0.3, "h"), sample(4, 0.5, "h")]
    (row,) = made.rows([*groups, sample(5, 1.0, None), sample(6, None, "i"), sample(7, float("nan"), "i")])
    assert (row["chosen_address"], row["rejected_address"]) == ("train/1/1", "train/1/2")
    assert row["prompt"] == [{"role": "user", "content": "2 + 2?"}]
    assert row["chosen"] == [{"role": "assistant", "content": "answer 1"}]
    assert made.left_out == {
        "it is neither the best nor the worst of its group": 1,
        "the rewards of its group differ by no more than the margin": 2,
        "it has no group": 1,
        "it has no reward": 2,
    }


def test_where_less_is_better_the_lowest_reward_is_chosen() -> None:
    (row,) = choice("dpo", higher_is_better=False).rows([sample(0, 5.0), sample(1, 2.0)])
    assert (row["chosen_address"], row["rejected_address"]) == ("train/1/1", "train/1/0")


def test_a_group_of_several_prompts_is_no_pair() -> None:
    made = choice("dpo")
    assert list(made.rows([sample(0, 1.0), sample(1, 0.0, prompt="3 + 3?")])) == []
    assert made.left_out == {"the prompts of its group differ": 2}


@pytest.mark.parametrize(("higher", "label"), [(True, [True, False]), (False, [False, True])])
def test_kto_labels_by_the_middle_of_the_range(higher: bool, label: list[bool]) -> None:
    rows = choice("kto", min=-1.0, max=3.0, higher_is_better=higher).rows([sample(0, 1.2), sample(1, 0.9)])
    assert [row["label"] for row in rows] == label


def test_kto_gives_no_label_where_only_one_reward_occurs() -> None:
    made = choice("kto", min=1.0, max=1.0)
    assert list(made.rows([sample(0, 1.0)])) == []
    assert made.left_out == {"its environment has only one reward": 1}


def test_what_has_no_text_or_no_response_is_left_out() -> None:
    made = choice("sft")
    bare = Sample(address="train/1/0", split="train", step=1, index=0)
    pending = Sample(address="train/1/1", messages=[Message(role="user", parts=[Part(text="?")])])
    picture = sample(2, 1.0)
    picture.messages[0].parts.append(Part(type="media", text="[image: a.png]", name="image"))
    assert list(made.rows([bare, pending, picture])) == []
    assert made.left_out == {"it has no response": 2, "it has images or sound, of which only the place is known": 1}


def test_an_environment_s_own_range_comes_first() -> None:
    find = range_lookup({"*": {"reward": Range(min=0, max=1)}, "math": {"reward": Range(min=-5, max=5)}, "chat": {}})
    assert [getattr(find(env), "max", None) for env in ("math", "chat", None)] == [5, 1, 1]
