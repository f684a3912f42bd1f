"""Lists of samples and groups, and one sample in all its forms, asked of a running server."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.fixtures import write_jsonl
from tests.server.client import Server, serving
from tests.server.data import record


def test_samples_are_filtered_sorted_and_paged(server: Server, run: str) -> None:
    page = server.json(f"{run}/samples", step=1, where='status = "truncated"', sort="-completion_tokens", limit=2)
    assert page["total"] == 6
    assert [row["index"] for row in page["rows"]] == [23, 19]
    assert page["rows"][0]["address"] == "train/1/23"
    following = server.json(
        f"{run}/samples", step=1, where='status = "truncated"', sort="-completion_tokens", limit=2, offset=2
    )
    assert [row["index"] for row in following["rows"]] == [15, 11]


def test_samples_of_all_steps_and_with_previews(server: Server, run: str) -> None:
    page = server.json(f"{run}/samples", split="train", limit=100, preview=1)
    assert page["total"] == 72
    assert "What is 0 + 0?" in page["rows"][0]["prompt_start"]
    assert server.json(f"{run}/samples", split="train", limit=1)["rows"][0]["prompt_start"] is None


def test_discarded_samples_are_asked_for_by_name(server: Server, run: str) -> None:
    assert server.json(f"{run}/samples", step=0, split="train", discarded="true")["total"] == 0
    assert server.json(f"{run}/samples", step=0, split="train", discarded="all")["total"] == 24


def test_groups_have_values_by_column(server: Server, run: str) -> None:
    page = server.json(f"{run}/groups", step=0, columns=["reward", "completion_tokens"], limit=2)
    assert page["total_groups"] == 6
    assert page["total_samples"] == 24
    first = page["rows"][0]
    assert first["samples"] == [0, 1, 2, 3]
    assert first["values"] == {"reward": [0, 0.25, 0.5, 0.75], "completion_tokens": [10, 11, 12, 13]}
    assert "What is 0 + 0?" in first["prompt_start"]
    assert page["observed"]["reward"] == [0, 0.75]
    assert server.json(f"{run}/groups", step=0, columns="reward", limit=1)["rows"][0]["values"].keys() == {"reward"}


def test_a_sample_is_whole(server: Server, run: str) -> None:
    sample = server.json(f"{run}/sample", address="train/1/5")
    assert sample["address"] == "train/1/5"
    assert sample["reward"] == pytest.approx(0.26)
    assert sample["record"]["sample_index"] == 5
    text = "".join(part.get("text", "") for message in sample["messages"] for part in message["parts"])
    assert "The answer is 2. Größe: 数5" in text
    assert any(part.get("type") == "thinking" for message in sample["messages"] for part in message["parts"])


def test_a_sample_without_its_record(server: Server, run: str) -> None:
    whole = server.json(f"{run}/sample", address="train/1/5")
    without = server.json(f"{run}/sample", address="train/1/5", record=0)
    assert without["record"] is None
    assert {**without, "record": whole["record"]} == whole


def test_long_parts_are_cut_to_their_end_and_fetched_in_stretches(server: Server, run: str) -> None:
    whole = server.json(f"{run}/sample", address="train/1/5")
    cut = server.json(f"{run}/sample", address="train/1/5", max_chars=8)
    seen = 0
    for m, message in enumerate(whole["messages"]):
        for p, part in enumerate(message["parts"]):
            text, short = part.get("text", ""), cut["messages"][m]["parts"][p]
            if len(text) <= 8:
                assert short == part
                continue
            seen += 1
            assert short["text"] == text[-8:]
            assert short["chars"] == len(text)
            assert short.get("lead", 0) + short.get("tail", 0) <= 8
            piece = server.json(f"{run}/part", address="train/1/5", message=m, part=p, start=2, end=5)
            assert piece == {"start": 2, "end": 5, "chars": len(text), "text": text[2:5]}
            assert server.json(f"{run}/part", address="train/1/5", message=m, part=p)["text"] == text
    assert seen > 0


def test_a_part_that_is_not_there(server: Server, run: str) -> None:
    reply = server.get(f"{run}/part", address="train/1/5", message=99, part=0)
    assert reply.status == 404
    assert "message" in reply.json()["hint"]


def test_the_raw_text_is_one_string(server: Server, run: str) -> None:
    reply = server.get(f"{run}/raw", address="train/0/2")
    assert reply.headers["content-type"] == "text/plain; charset=utf-8"
    assert "What is 0 + 0?" in reply.text
    assert "Größe: 数2" in reply.text


def test_neighbours_follow_the_list_s_order(server: Server, run: str) -> None:
    around = server.json(f"{run}/neighbours", address="train/1/5")
    assert (around["previous"], around["next"]) == ("train/1/4", "train/1/6")
    assert (around["position"], around["total"]) == (5, 24)
    assert around["previous_step"].startswith("train/0/")
    assert around["next_step"].startswith("train/2/")
    filtered = server.json(f"{run}/neighbours", address="train/1/7", where='status = "truncated"', sort="-index")
    assert (filtered["previous"], filtered["next"]) == ("train/1/11", "train/1/3")


def test_the_same_prompt_over_the_steps(server: Server, run: str) -> None:
    rows = server.json(f"{run}/prompt_history", address="eval/aime24/0/0")
    assert {row["address"] for row in rows} >= {"eval/aime24/0/0"}


def test_fields_of_a_step(server: Server, run: str) -> None:
    assert {"reward", "completion_tokens"} <= set(server.json(f"{run}/fields", step=0))


def test_pad_tokens_by_a_pattern_of_ones_own(tmp_path: Path) -> None:
    path = tmp_path / "run-a"
    response = "see <|image_pad|><|image_pad|> and PPP"
    write_jsonl(path / "train" / "0.jsonl", [record(0, 0, response=response)])

    def pads(*flags: str) -> list[tuple[str, int]]:
        with serving(path, flags=flags) as server:
            run = f"/api/runs/{server.run_id()}"
            sample = server.json(f"{run}/sample", address="train/0/0")
            parts = sample["messages"][-1]["parts"]
            for place, part in enumerate(parts):
                piece = server.json(f"{run}/part", address="train/0/0", message=len(sample["messages"]) - 1, part=place)
                assert piece["text"] == part["text"]
            return [(part["text"], part["count"]) for part in parts if part.get("type") == "pad"]

    assert pads() == [("<|image_pad|><|image_pad|>", 2)]
    assert pads("--mask-str", "P") == [("PPP", 3)]
    assert pads("--mask-str", "") == []
