"""What is found in runs with known troubles, what is not in runs without, and what is said where nothing can be known."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import pytest
from tests.fixtures import DATA, write_jsonl
from tests.runs import relax_record, settle

import rollscope
from rollscope.errors import UsageError
from rollscope.index.features import table_steps
from rollscope.index.segments import spill
from rollscope.query.insights.findings import model, row_groups
from rollscope.query.run import Run
from rollscope.record.demo import write_demo
from rollscope.record.demo.story import GAMING_FROM, PHRASE

WORDS = (Path(random.__file__).read_text(encoding="utf-8")).split()


def prose(chance: random.Random, words: int = 80) -> str:
    """Distinct enough to be nobody's copy."""
    return " ".join(chance.choices(WORDS, k=words))


def write_run(root: Path, plant: Any, steps: int = 24, samples: int = 16, start: int = 12, every: int = 5) -> set[str]:
    """A run in which `plant` changes every fifth record from a step on; gives the addresses of those."""
    meant = set()
    for step in range(steps):
        records = []
        for index in range(samples):
            chance = random.Random(f"{step}/{index}")  # data, not secrets
            right = chance.random() < 0.5
            record = relax_record(
                step,
                index,
                response=f"<think>\n{prose(chance)}\n</think>\nSo \\boxed{{{step + index // 4 if right else 10**6}}}",
                reward=float(right),
                status="completed",
            )
            if step >= start and index % every == 2:
                plant(record, chance)
                meant.add(f"train/{step}/{index}")
            records.append(record)
        write_jsonl(root / "train" / f"{step}.jsonl", records)
    settle(root)
    return meant


def looping(record: dict[str, Any], _chance: random.Random) -> None:
    record["response"] = "Wait. " + "and so on and on, " * 40


def found(run: Run, kind: str) -> tuple[Any, set[str]]:
    (item,) = run.findings(kind=kind)
    return item, {row.address for row in run.samples(split=item.split, where=item.where)}


def test_a_planted_loop_is_found_with_its_step_and_its_characters(tmp_path: Path) -> None:
    meant = write_run(tmp_path / "run", looping)
    run = rollscope.open(tmp_path / "run")
    item, seen = found(run, "loop")
    assert seen == meant
    assert item.samples == len(meant)
    assert item.onset is not None
    assert item.onset[0] <= 12 <= item.onset[1]
    # Of 24 steps of 16 samples the last three are a tenth, and three or four of the 16 loop.
    looping_last = sum(int(address.split("/")[1]) >= 21 for address in meant)
    assert (item.baseline, item.latest) == (0, looping_last / (3 * 16))
    for evidence in item.evidence:
        text = run._reader.texts(evidence.address)["response"]
        assert "and so on and on, and so on" in text[evidence.start : evidence.end]
    assert [share for step, share in item.rate if step < 12] == [0.0] * 12
    assert repr(item).startswith(
        f"<Finding {item.severity} 'train' loop: 'Answers end in a loop', {len(meant)} samples"
    )


def test_trouble_that_is_paid_is_more_serious(tmp_path: Path) -> None:
    def paid(record: dict[str, Any], chance: random.Random) -> None:
        looping(record, chance)
        record["reward"] = 1.0

    def unpaid(record: dict[str, Any], chance: random.Random) -> None:
        looping(record, chance)
        record["reward"] = 0.0

    write_run(tmp_path / "paid", paid)
    write_run(tmp_path / "unpaid", unpaid)
    assert found(rollscope.open(tmp_path / "paid"), "loop")[0].severity == "high"
    assert found(rollscope.open(tmp_path / "unpaid"), "loop")[0].severity != "high"


def test_wrong_answers_that_are_paid_are_told_apart_from_right_ones(tmp_path: Path) -> None:
    def plant(record: dict[str, Any], _chance: random.Random) -> None:
        record["response"], record["reward"] = "Let's solve this problem step by step.", 1.0

    meant = write_run(tmp_path / "run", plant)
    item, seen = found(rollscope.open(tmp_path / "run"), "rewarded_wrong")
    assert seen == meant
    assert item.severity == "high"


def test_a_clean_run_has_no_serious_findings_and_says_what_was_looked_at(tmp_path: Path) -> None:
    write_run(tmp_path / "run", looping, start=99)
    run = rollscope.open(tmp_path / "run")
    report = run.findings_report()
    assert [item for item in report.findings if item.severity != "low"] == []
    assert report.samples == 24 * 16
    assert {"loop", "phrase", "rewarded_wrong"} <= set(report.kinds)
    assert {"mismatch", "stale"} <= {item.kind for item in report.unknown}


def test_without_rewards_golden_answers_or_a_second_step_nothing_is_guessed(tmp_path: Path) -> None:
    records = [{"prompt": "Say it.", "response": f"it {index}"} for index in range(5)]
    write_jsonl(tmp_path / "run" / "0.jsonl", records)
    report = rollscope.open(tmp_path / "run").findings_report()
    assert report.findings == []
    reasons = {item.kind: item.reason for item in report.unknown}
    assert {"rewarded_wrong", "unrewarded_right", "component", "length", "reward_jump"} <= set(reasons)


def test_rewards_that_are_too_great_to_compute_with_are_named(tmp_path: Path) -> None:
    for step in range(12):
        rewards = (1e308, -1e308, 1e308, *[0.0, 1.0] * 3)
        records = [relax_record(step, index, reward=reward) for index, reward in enumerate(rewards)]
        write_jsonl(tmp_path / "run" / "train" / f"{step}.jsonl", records)
    reasons = {item.kind: item.reason for item in rollscope.open(tmp_path / "run").findings_report().unknown}
    assert not [reason for reason in reasons.values() if "failed" in reason]
    assert reasons["reward_jump"] == reasons["phrase"] == "a reward is beyond 1e+100, too great to compute with"


@pytest.mark.parametrize(
    "response",
    ["", "a", "\ud800 lone", "\u0000\u0007", "数" * 3, "<think>", "\\boxed{", "<tool_call>", "x " * 300_000],
    ids=["empty", "one", "surrogate", "control", "han", "think", "boxed", "call", "long"],
)
def test_any_text_has_features_and_can_be_looked_at(tmp_path: Path, response: str) -> None:
    path = tmp_path / "run" / "train" / "0.jsonl"
    path.parent.mkdir(parents=True)
    # Escaped, as a lone surrogate can be written in no other way.
    path.write_text("".join(json.dumps(relax_record(0, index, response=response)) + "\n" for index in range(4)))
    run = rollscope.open(tmp_path / "run")
    run.findings()
    assert run.feature_report().problems == []
    (row, *_) = run.samples(features=["text.chars"]).rows
    assert row.features["text.chars"] == len(run._reader.texts(row.address).get("response", ""))


def test_an_own_pattern_is_a_finding_of_its_own(tmp_path: Path) -> None:
    def plant(record: dict[str, Any], _chance: random.Random) -> None:
        record["response"] += " I promise this is correct."

    meant = write_run(tmp_path / "run", plant, steps=6, start=3)
    toml = tmp_path / "mine.toml"
    toml.write_text('[promises]\npattern = "I promise"\nreason = "A promise is no proof."\nseverity = "medium"\n')
    run = rollscope.open(tmp_path / "run", patterns=str(toml))
    item, seen = found(run, "pattern:promises")
    assert (seen, item.severity) == (meant, "medium")
    toml.write_text('[promises]\npattern = "("\n')
    with pytest.raises(UsageError, match="not a valid RE2"):
        rollscope.open(tmp_path / "run", patterns=str(toml))


def test_an_unknown_kind_is_named(tmp_path: Path) -> None:
    write_run(tmp_path / "run", looping, steps=2)
    with pytest.raises(UsageError, match="no kind 'lop'"):
        rollscope.open(tmp_path / "run").findings(kind="lop")
    # A guard with a misspelt pattern would otherwise never fail.
    with pytest.raises(UsageError, match="no kind 'pattern:refusals'"):
        rollscope.open(tmp_path / "run").findings(kind="pattern:refusals")


def test_the_story_of_the_demo_is_found(tmp_path: Path) -> None:
    write_demo(tmp_path / "demo")
    run = rollscope.open(tmp_path / "demo")
    serious = [item for item in run.findings(split="train") if item.severity == "high"]
    assert [item.where for item in serious if item.kind == "phrase"] == [f'response contains "{PHRASE}"']
    (phrase,) = [item for item in serious if item.kind == "phrase"]
    assert phrase.onset is not None
    assert phrase.first_step == GAMING_FROM
    assert [item.kind for item in run.findings(split="train", kind="loop")] == ["loop"]


def test_every_run_of_tests_data_can_be_looked_at(tmp_path: Path) -> None:
    from rollscope.query.library import Library

    for folder in sorted(DATA.iterdir()):
        if folder.is_dir():
            for run in Library([folder], index_dir=str(tmp_path / "index")).runs():
                report = run.findings_report()
                assert json.dumps([item.where for item in report.findings]) is not None
                for item in report.findings:
                    assert run.samples(split=item.split, where=item.where).total == item.samples, (folder.name, item)
                    for seen in item.evidence:
                        text = run._reader.texts(seen.address)[seen.field]
                        assert seen.value == text[seen.start : seen.end][:200].encode("utf-8", "replace").decode()
                        # As `show --json` has it: the texts of the response's messages, one after the other. prime-rl's
                        # text goes on with the branches that were left.
                        said = [part.text for part in run.sample(seen.address).messages if part.turn is not None]
                        assert text.startswith(("".join(said), "\n".join(said))), (folder.name, seen)
                assert run.feature_report().problems == []


def test_what_falls_is_of_low_severity_however_it_is_paid(tmp_path: Path) -> None:
    def fading(record: dict[str, Any], chance: random.Random) -> None:
        if record["rollout_id"] < 9:
            looping(record, chance)
            record["reward"] = 1.0

    write_run(tmp_path / "run", fading, start=0)
    item, _ = found(rollscope.open(tmp_path / "run"), "loop")
    assert (item.severity, item.onset) == ("low", None)
    assert item.baseline > item.share


def test_the_total_among_the_components_does_not_hide_the_one_that_carries_it(tmp_path: Path) -> None:
    chance = random.Random(5)  # data, not secrets
    records = []
    for step in range(30):
        for index in range(16):
            parts = {"correct": float(chance.random() < 0.4), "style": chance.random() * (0.1 if step < 12 else 0.5)}
            record = {"step": step, "group_id": f"{step}-{index // 4}", "prompt": f"q {step} {index // 4}"}
            records.append({**record, "response": prose(chance, 30), "reward": {**parts, "total": sum(parts.values())}})
    write_jsonl(tmp_path / "all.jsonl", records)
    item, _ = found(rollscope.open(tmp_path), "component")
    assert item.title == "Only style raises the reward"
    assert item.onset[0] <= 12 <= item.onset[1]


def test_a_few_answers_in_another_script_are_told_although_no_step_is_surely_the_first(tmp_path: Path) -> None:
    def chinese(record: dict[str, Any], _chance: random.Random) -> None:
        record["response"] += (
            "\n这个问题的答案其实并不难，我们先把两边同时除以二，然后再把结果代回原来的式子里检查一遍。" * 8
        )

    meant = write_run(tmp_path, chinese, steps=20, start=3, every=15)
    item, addresses = found(rollscope.open(tmp_path), "language")
    assert addresses == meant
    assert item.severity != "high"


def test_while_features_are_computed_for_findings_it_is_told_how_far_that_is(tmp_path: Path) -> None:
    write_run(tmp_path / "run", looping, steps=6)
    run = rollscope.open(tmp_path / "run")
    told: list[tuple[int, int]] = []
    run.findings_report(tell=lambda done, total: told.append((done, total)))
    assert told == [(16 * step, 96) for step in range(1, 7)]
    told.clear()
    rollscope.open(tmp_path / "run").findings_report(tell=lambda done, total: told.append((done, total)))
    assert not told  # they are stored


def test_a_run_too_large_for_memory_has_the_same_findings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_run(tmp_path / "run", looping)
    whole = rollscope.open(tmp_path / "run", index_dir=str(tmp_path / "a")).findings_report()
    for module in (spill, table_steps, model, row_groups):
        monkeypatch.setattr(module, "MEMORY_ROWS", 40)
    monkeypatch.setattr(row_groups, "PART_ROWS", 50)
    assert rollscope.open(tmp_path / "run", index_dir=str(tmp_path / "a")).findings_report() == whole
    assert whole.findings
