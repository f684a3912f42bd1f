"""Every request of the interface, against a running server."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.fixtures import write_jsonl
from tests.server.client import Server, serving
from tests.server.data import record

from rollscope.server.api import ENDPOINTS


def test_runs_are_listed_with_what_the_run_list_needs(server: Server) -> None:
    (run,) = server.json("/api/runs")
    assert run["name"] == "run-a"
    assert run["format"] == "relax"
    assert run["state"] in ("live", "finished")
    assert run["path"].endswith("run-a")
    assert [split["split"] for split in run["splits"]] == ["train", "eval/aime24"]


def test_a_page_of_runs(server: Server) -> None:
    assert server.json("/api/runs", offset=1) == []
    assert len(server.json("/api/runs", limit=1)) == 1


def test_a_run_has_its_files_config_and_fields(server: Server, run: str) -> None:
    details = server.json(run)
    assert details["info"]["name"] == "run-a"
    assert {"config", "ranges", "checkpoints", "skipped", "code_diff", "reports", "limits"} <= details.keys()
    assert "reward" in details["fields"]
    assert {file["path"] for file in details["files"]} >= {"train/0.jsonl", "eval/0.jsonl"}


def test_steps_say_how_many_samples_and_what_reward(server: Server, run: str) -> None:
    steps = server.json(f"{run}/steps")
    assert [step["step"] for step in steps] == [0, 1, 2]
    assert all(step["samples"] == 24 and step["groups"] == 6 and step["complete"] for step in steps)
    assert steps[0]["reward"]["mean"] == pytest.approx(0.375)
    assert [step["step"] for step in server.json(f"{run}/steps", offset=1, limit=1)] == [1]
    assert [step["samples"] for step in server.json(f"{run}/steps", split="eval/aime24")] == [4]


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


def test_the_catalog_s_series_have_points(server: Server, run: str) -> None:
    catalog = server.json(f"{run}/catalog")
    names = [item["name"] for item in catalog]
    assert names
    assert all({"section", "group", "metric", "origin"} <= item.keys() for item in catalog)
    series = server.json(f"{run}/series", name=names[:3])
    assert [item["name"] for item in series] == names[:3]
    reward = next(name for name in names if name.endswith("reward/mean"))
    (curve,) = server.json(f"{run}/series", name=reward)
    assert [point[0] for point in curve["points"]] == [0, 1, 2]


def test_a_distribution_counts_every_sample(server: Server, run: str) -> None:
    spread = server.json(f"{run}/distribution", field="reward")
    assert spread["steps"] == [0, 1, 2]
    assert all(sum(counts) == 24 for counts in spread["counts"])


def test_sql_reads_the_index(server: Server, run: str) -> None:
    answer = server.json(
        f"{run}/sql", query="SELECT step, count(*) FROM samples WHERE split = 'train' GROUP BY 1 ORDER BY 1"
    )
    assert answer["rows"] == [[0, 24], [1, 24], [2, 24]]


def test_progress_and_doctor(server: Server, run: str) -> None:
    assert server.json(f"{run}/progress")["done"] is True
    assert server.json(f"{run}/doctor")["format"] == "relax"


def test_the_cache_counts_and_can_be_emptied(server: Server, run: str) -> None:
    server.request("POST", "/api/cache/clear")
    before = server.json("/api/cache/stats")
    assert before["entries"] == 0
    for _ in range(2):
        server.json(f"{run}/sample", address="train/2/1")
    after = server.json("/api/cache/stats")
    assert after["misses"] == before["misses"] + 1
    assert after["hits"] == before["hits"] + 1
    assert 0 < after["memory_mb"] <= after["max_memory_mb"]
    assert server.request("POST", "/api/cache/clear").json()["entries"] == 0


def test_the_version_says_the_limits(server: Server) -> None:
    version = server.json("/api/version")
    assert version["max_rows"] == 10_000
    assert version["base_path"] == ""


def test_the_openapi_document_is_served(server: Server) -> None:
    served = server.json("/api/openapi.json")
    assert {endpoint.path for endpoint in ENDPOINTS} == set(served["paths"])


def test_health_is_told(server: Server) -> None:
    assert (server.get("/healthz").status, server.get("/healthz").text) == (200, "ok\n")


def test_head_has_the_headers_and_no_body(server: Server) -> None:
    got, asked = server.get("/api/runs"), server.request("HEAD", "/api/runs")
    assert asked.status == 200
    assert asked.body == b""
    assert asked.headers["etag"] == got.headers["etag"]


def test_layouts_are_saved_listed_and_removed(server: Server) -> None:
    path = "/api/dashboards/My%20charts%2F%C3%BC"
    headers = {"Content-Type": "application/json"}
    saved = server.request("PUT", path, headers=headers, body=b'{"layout": {"sections": []}}')
    assert saved.status == 200, saved.text
    assert saved.json()["name"] == "My charts/ü"
    assert server.json(path)["layout"] == {"sections": []}
    assert [item["name"] for item in server.json("/api/dashboards")] == ["My charts/ü"]
    assert server.request("DELETE", path).status == 200
    assert server.get(path).status == 404


def test_json_of_a_layout_is_checked(server: Server) -> None:
    headers = {"Content-Type": "application/json"}
    for body in (b"{", b"[]", b'{"layout": 3}', b'{"layout": {}, "more": 1}', b'{"layout": {"a": NaN}}', b'"\xff"'):
        reply = server.request("PUT", "/api/dashboards/x", headers=headers, body=body)
        assert reply.status == 400, body
        assert "layout" in json.dumps(reply.json())
    assert server.json("/api/dashboards") == []


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
