"""Findings and features, asked of a running server."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

import pytest
from tests.fixtures import write_jsonl
from tests.prose import sentences
from tests.runs import relax_record, settle
from tests.server.client import Server, eventually, serving

LOOP = "and so on and on, " * 40
PROSE = sentences()


@pytest.fixture(scope="module")
def looping(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A server on a run in which every fifth answer loops from step 12 on."""
    root = tmp_path_factory.mktemp("looping") / "run"
    for step in range(24):
        records = []
        for index in range(15):
            response = " ".join(random.Random(f"{step}/{index}").sample(PROSE, 3))
            loops = step >= 12 and index % 5 == 2
            records.append(relax_record(step, index, response=f"So {LOOP}" if loops else response, reward=float(loops)))
        write_jsonl(root / "train" / f"{step}.jsonl", records)
    environment = {"ROLLSCOPE_INDEX_DIR": str(tmp_path_factory.mktemp("index"))}
    with serving(settle(root), env=environment) as running:
        yield running


@pytest.fixture(scope="module")
def found(looping: Server) -> dict[str, Any]:
    (item,) = looping.json(f"/api/runs/{looping.run_id()}/findings", kind="loop")
    assert isinstance(item, dict)
    return item


def test_a_finding_has_its_filter_and_its_evidence(looping: Server, found: dict[str, Any]) -> None:
    run = f"/api/runs/{looping.run_id()}"
    assert found["samples"] == 12 * 3
    assert looping.json(f"{run}/samples", where=found["where"], split="train")["total"] == found["samples"]
    for seen in found["evidence"]:
        assert LOOP[:40] in seen["value"] or LOOP[9:40] in seen["value"]
    assert looping.get(f"{run}/findings", kind="unheard").status == 400
    assert looping.get(f"{run}/findings", split="unheard").status == 404


def test_the_report_says_what_was_looked_at(looping: Server) -> None:
    report = looping.json(f"/api/runs/{looping.run_id()}/findings/report")
    assert report["samples"] == 24 * 15
    assert {"loop", "phrase", "stale"} <= set(report["kinds"])
    assert "stale" in {item["kind"] for item in report["unknown"]}


def test_features_are_told_with_how_far_they_are(looping: Server, found: dict[str, Any]) -> None:
    report = looping.json(f"/api/runs/{looping.run_id()}/features")
    assert "text.loop" in {feature["name"] for feature in report["features"]}
    assert (report["samples_done"], report["samples_total"]) == (24 * 15, 24 * 15)


def test_marks_name_the_samples_of_a_step_that_findings_mean(looping: Server, found: dict[str, Any]) -> None:
    def marks() -> Any:
        answer = looping.json(f"/api/runs/{looping.run_id()}/findings/marks", split="train", step=20)
        return answer if answer["ready"] else None

    answer = eventually(marks)
    assert "loop" in {name["kind"] for name in answer["findings"]}
    assert [step["step"] for step in answer["steps"]] == [20]


def test_a_sample_says_at_which_characters_a_finding_is_seen(looping: Server, found: dict[str, Any]) -> None:
    run = f"/api/runs/{looping.run_id()}"
    answer = looping.json(f"{run}/findings/sample", address="train/20/2")
    loop = next(item for item in answer["findings"] if item["kind"] == "loop")
    assert loop["spans"][0]["field"] == "response"
    clean = looping.json(f"{run}/findings/sample", address="train/3/2")
    assert "loop" not in {item["kind"] for item in clean["findings"]}


def test_one_finding_from_near_has_rewards_by_step_and_words_around_its_evidence(
    looping: Server, found: dict[str, Any]
) -> None:
    run = f"/api/runs/{looping.run_id()}"
    asked = {name: found[name] for name in ("split", "kind", "where")}
    detail = looping.json(f"{run}/findings/detail", **asked)
    assert detail["finding"]["kind"] == "loop"
    late = next(step for step in detail["rewards"] if step["step"] == 20)
    assert (late["samples"], late["judged"], late["reward"], late["reward_others"]) == (3, 15, 1.0, 0.0)
    assert detail["evidence"][0]["text"] in f"So {LOOP}"
    assert looping.get(f"{run}/findings/detail", **{**asked, "where": "reward > 9"}).status == 404
