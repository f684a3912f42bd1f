"""config.json holds the user's config and what the recorder has to say, and goes on where the last attempt ended."""

from __future__ import annotations

import json
from pathlib import Path

from rollscope import record


def test_the_file_holds_the_config_and_our_key(tmp_path: Path) -> None:
    with record.start(tmp_path, {"lr": 1e-4}) as run:
        run.declare_range("math", reward=(0, 1), metrics={"errors": {"min": 0, "max": 5, "higher_is_better": False}})
        run.set_config({"late": 1})
    content = json.loads((tmp_path / "config.json").read_text())
    assert content["lr"] == 1e-4
    assert content["late"] == 1
    own = content["rollscope"]
    assert own["schema_version"] == 1
    assert own["ranges"] == {
        "math": {
            "reward": {"min": 0.0, "max": 1.0, "higher_is_better": True},
            "metrics": {"errors": {"min": 0.0, "max": 5.0, "higher_is_better": False}},
        }
    }


def test_a_run_that_goes_on_without_a_config_keeps_the_old_one(tmp_path: Path) -> None:
    with record.start(tmp_path, {"lr": 1}) as run:
        run.declare_range(reward=(0, 1))
    first = json.loads((tmp_path / "config.json").read_text())
    record.start(tmp_path).close()
    second = json.loads((tmp_path / "config.json").read_text())
    assert second["lr"] == 1
    assert second["rollscope"]["ranges"] == first["rollscope"]["ranges"]
    assert second["rollscope"]["run_id"] == first["rollscope"]["run_id"]
    assert second["rollscope"]["attempt"] == 1


def test_colliding_evaluators_keep_their_labels_when_the_run_goes_on(tmp_path: Path) -> None:
    for order in (["a b", "a_b"], ["a_b", "a b"]):
        with record.start(tmp_path) as run:
            for name in order:
                with run.evaluation(name, 0) as evaluation:
                    evaluation.add(prompt=name, response="x")
    own = json.loads((tmp_path / "config.json").read_text())["rollscope"]
    assert own["evals"] == {"a b": "a_b", "a_b": "a_b-2"}
    for name, label in own["evals"].items():
        content = (tmp_path / f"eval_{label}_iteration_000000_rollouts.jsonl").read_text().splitlines()
        assert [json.loads(line)["messages"][0]["parts"][0]["text"] for line in content] == [name, name]


def test_a_user_s_key_named_like_ours_is_kept_beside_it(tmp_path: Path) -> None:
    with record.start(tmp_path, {"rollscope": "mine"}):
        pass
    content = json.loads((tmp_path / "config.json").read_text())
    assert content["rollscope_"] == "mine"
    assert content["rollscope"]["ended_at"] >= content["rollscope"]["started_at"]
