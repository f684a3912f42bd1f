"""Comparisons, asked of a running server."""

from __future__ import annotations

from tests.server.client import Server


def test_two_samples_are_compared_word_by_word(server: Server, run: str) -> None:
    diff = server.json(f"{run}/diff", a="train/0/0", b="train/1/5")
    assert (diff["a"]["address"], diff["b"]["address"]) == ("train/0/0", "train/1/5")
    assert {piece["kind"] for piece in diff["pieces"]} <= {"equal", "delete", "insert"}
    first = "".join(piece["text"] for piece in diff["pieces"] if piece["kind"] != "insert")
    assert first in server.get(f"{run}/raw", address="train/0/0").text


def test_a_group_is_a_tree_of_its_responses(server: Server, run: str) -> None:
    tree = server.json(f"{run}/group_tree", address="train/0/5")
    assert [sample["address"] for sample in tree["samples"]] == [f"train/0/{n}" for n in range(4, 8)]
    assert tree["nodes"][0]["parent"] is None
    assert sorted(place for node in tree["nodes"] for place in node["ended"]) == [0, 1, 2, 3]


def test_a_run_compared_with_itself_differs_in_nothing(server: Server, run: str) -> None:
    found = server.json(f"{run}/compare", other=server.run_id(), split="train", steps="0:2", limit=3)
    assert (found["delta"], found["p"], len(found["rows"])) == (0, 1, 3)


def test_two_selections_are_told_apart(server: Server, run: str) -> None:
    found = server.json(f"{run}/contrast", a="reward > 0.5", b="reward <= 0.5", split="train", limit=5)
    assert found["a"]["samples"] + found["b"]["samples"] == server.json(f"{run}/samples", split="train")["total"]
    assert found["a"]["read"] == found["a"]["samples"]
    assert found["fields"][0]["field"] == "reward"
    assert found["phrases"] == []


def test_tokens_and_their_steps_are_told_or_said_to_be_missing(server: Server, run: str) -> None:
    assert server.json(f"{run}/tokens", address="train/0/0")["notes"] == ["No tokens are recorded of this sample."]
    assert "None of 16 samples" in server.json(f"{run}/token_steps")["notes"][0]
    assert server.get(f"{run}/token_steps", value="loss").status == 400


def test_first_and_last_steps_are_held_against_each_other(server: Server, run: str) -> None:
    found = server.json(f"{run}/changes", from_steps="0:1", to_steps="1:2")
    assert (found["a"]["steps"], found["b"]["steps"]) == ([1, 1], [0, 0])
    assert server.get(f"{run}/changes", from_steps="9").status == 400


def test_a_prompt_is_followed_over_all_open_runs(server: Server, run: str) -> None:
    alone = server.json(f"{run}/prompt", address="train/0/0")
    everywhere = server.json(f"{run}/prompt", address="train/0/0", all="1")
    assert [strip["run"] for strip in alone["strips"]][:1] == [strip["run"] for strip in everywhere["strips"]][:1]
    assert everywhere["runs"] >= alone["runs"] == 1
    assert "train/0/0" in [sample["address"] for sample in alone["strips"][0]["steps"][0]["samples"]]
