"""Relax's `rollout_result`: every sample and reward of runs its own writers made, and all four generations of records."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest
from tests.fixtures import fixture_path, write_jsonl
from tests.formats.naive import naive_record, naive_records, naive_reward, named, same_number

import rollscope
from rollscope.query.run import Run

#: The keys of each generation of the record, oldest first.
OLDEST: dict[str, Any] = {
    "rollout_id": 3,
    "sample_index": 0,
    "prompt": "<|im_start|>user\n2+2?<|im_end|>\n<|im_start|>assistant\n",
    "response": "<think>two and two</think>4<|im_end|>",
    "reward": 1.0,
    "response_length": 9,
    "total_length": 30,
    "status": "completed",
    "group_index": 12,
    "label": "4",
}
COUNTS = {
    "prompt_length": 21,
    "prompt_token_count": 21,
    "response_token_count": 9,
    "total_token_count": 30,
    "image_count": 1,
    "image_token_count": 256,
    "multimodal_token_count": 256,
    "agent_turns": 2,
}
TOKENS = {
    "response_token_ids": [5, 6, 7],
    "response_rollout_log_probs": [-0.1, -0.2, -0.3],
    "response_rollout_log_probs_mask": [1, 0, 1],
}
AGENTIC = {
    "weight_versions": ["3", "4"],
    "latency_trace": {"events": [], "turns": [{"generation_elapsed_s": 1.5, "wall_elapsed_s": 2.0}]},
}
GENERATIONS = [OLDEST, {**OLDEST, **COUNTS}, {**OLDEST, **COUNTS, **TOKENS}, {**OLDEST, **COUNTS, **TOKENS, **AGENTIC}]


def expected(path: Path) -> dict[tuple[str, int], list[dict[str, Any]]]:
    """(split, step) -> its records, in order: an eval file holds several datasets, each of which is a split."""
    found: dict[tuple[str, int], list[dict[str, Any]]] = {}
    for file in path.glob("*/*.jsonl"):
        if file.stem.isdigit():
            for record in naive_records(file):
                split = f"eval/{record['dataset']}" if file.parent.name == "eval" else "train"
                found.setdefault((split, int(file.stem)), []).append(record)
    return found


def assert_exactly(run: Run, wanted: dict[tuple[str, int], list[dict[str, Any]]]) -> None:
    """Every sample is there once, at its place, with its reward, its text and its record."""
    assert {(item, row.step) for item in run.splits for row in run.steps(item).steps if row.samples} == set(wanted)
    for (split, step), records in wanted.items():
        rows = run.samples(split=split, step=step).rows
        assert [row.address for row in rows] == [f"{split}/{step}/{index}" for index in range(len(records))]
        for row, record in zip(rows, records, strict=True):
            reward = naive_reward(record.get("reward"))
            assert (row.reward, (row.nonfinite or {}).get("reward")) == named(reward)
            assert row.completion_tokens == record.get("response_length")
            assert row.status == record.get("status")
            if len(records) > 50 and row.index % 5:
                continue  # of a large step every fifth sample is read whole
            sample = run.sample(row.address)
            assert same_number(sample.reward, reward)
            assert sample.golden_answers == ({"label": record["label"]} if record.get("label") else {})
            if isinstance(record.get("prompt"), str):
                assert run.raw(row.address) == record["prompt"] + record["response"]


def test_the_fixture_gives_exactly_its_samples_and_rewards() -> None:
    path = fixture_path("relax")
    run = rollscope.open(path)
    assert run.format == "relax"
    assert_exactly(run, expected(path))


def test_records_come_back_as_they_were_written() -> None:
    path = fixture_path("relax")
    run = rollscope.open(path)
    for (split, step), records in expected(path).items():
        for index in (0, len(records) // 2, len(records) - 1):
            assert run.sample(f"{split}/{step}/{index}").record == records[index]


def test_a_reward_that_is_a_dict_becomes_components() -> None:
    path = fixture_path("relax")
    run = rollscope.open(path)
    records = expected(path)["train", 15]
    rows = run.samples(split="train", step=15).rows
    assert any(record["reward"] is not None for record in records)
    for row, record in zip(rows, records, strict=True):
        # A component that is text ("pred") is no reward; it stays in the record.
        components = {key: value for key, value in (record["reward"] or {}).items() if isinstance(value, (int, float))}
        assert row.rewards == run.sample(row.address).rewards == components


def test_groups_are_those_that_were_written() -> None:
    path = fixture_path("relax")
    run = rollscope.open(path)
    records = expected(path)["train", 2]
    assert [row.group for row in run.samples(step=2, split="train").rows] == [item["group_index"] for item in records]
    groups = run.groups(step=2).rows
    assert len(groups) == len({item["group_index"] for item in records})


def test_eval_samples_of_one_prompt_are_a_group_although_none_is_written() -> None:
    path = fixture_path("relax")
    run = rollscope.open(path)
    for (split, step), records in expected(path).items():
        if split.startswith("eval/"):
            by_group: dict[int | str | None, set[str]] = {}
            for row, record in zip(run.samples(split=split, step=step).rows, records, strict=True):
                by_group.setdefault(row.group, set()).add(json.dumps(record["prompt"]))
            assert all(len(prompts) == 1 for prompts in by_group.values())


def test_bad_lines_of_the_fixture_are_told_with_file_and_line() -> None:
    run = rollscope.open(fixture_path("relax"))
    skipped = {(item.file, item.line): item.reason for item in run.doctor().skipped}
    assert set(skipped) == {("train/7.jsonl", 6), ("train/7.jsonl", 8)}
    assert all("malformed JSON" in reason for reason in skipped.values())
    assert next(row for row in run.steps().steps if row.step == 7).skipped_lines == 2


def test_a_step_whose_writer_stopped_half_way_is_shown_as_filling() -> None:
    run = rollscope.open(fixture_path("relax"))
    row = next(row for row in run.steps().steps if row.step == 13)
    assert (row.samples, row.complete, row.skipped_lines) == (15, False, 0)


def test_the_hazards_give_exactly_their_samples_and_rewards() -> None:
    path = fixture_path("relax_hazards")
    wanted = expected(path)
    # Nested 3,000 deep: more than Python's json takes. It is an object, so it is a sample.
    wanted["train", 10] = [{}]
    assert_exactly(rollscope.open(path), wanted)


def test_every_hazard_can_be_sent_to_a_browser() -> None:
    run = rollscope.open(fixture_path("relax_hazards"))
    for row in run.samples().rows:
        json.loads(run.sample_json(row.address), parse_constant=lambda word: pytest.fail(f"bare {word}"))


def test_what_was_skipped_or_repaired_in_the_hazards_is_told() -> None:
    path = fixture_path("relax_hazards")
    run = rollscope.open(path)
    report = run.doctor()
    assert {(item.file, item.line, item.reason.split(" at ")[0]) for item in report.skipped} == {
        ("train/2.jsonl", 1, "repaired: invalid UTF-8"),
        ("train/3.jsonl", 1, "not a JSON object but a number"),
        ("train/3.jsonl", 2, "not a JSON object but a string"),
        ("train/3.jsonl", 3, "not a JSON object but an array"),
        ("train/3.jsonl", 4, "not a JSON object but null"),
    }
    assert "train/notes.jsonl" in report.unclaimed


@pytest.mark.parametrize("generation", range(4))
def test_all_four_generations_of_the_record(tmp_path: Path, generation: int) -> None:
    record = GENERATIONS[generation]
    write_jsonl(tmp_path / "train" / "3.jsonl", [record, {**record, "reward": {"acc": 1, "score": 0.25}}])
    run = rollscope.open(tmp_path)
    first, second = run.samples(step=3).rows
    assert (run.format, first.reward, second.reward, second.rewards) == (
        "relax",
        1.0,
        0.25,
        {"acc": 1.0, "score": 0.25},
    )
    sample = run.sample("train/3/0")
    assert (sample.group, sample.completion_tokens, sample.total_tokens, sample.status) == (12, 9, 30, "completed")
    assert sample.record == record
    if generation >= 1:
        assert (sample.prompt_tokens, first.turns, first.metrics["image_count"]) == (21, 2, 1.0)
        assert "1 image, not written by the trainer." in sample.notes
    if generation >= 2:
        assert sample.tokens is not None
        assert (sample.tokens.ids, sample.tokens.logprobs) == ([5, 6, 7], [-0.1, -0.2, -0.3])
        assert sample.tokens.mask == [1, 0, 1]
    else:
        assert sample.tokens is None
    assert any("2 weight versions" in note for note in sample.notes) == (generation == 3)
    assert sample.advantage is None


def test_generations_mixed_in_one_file(tmp_path: Path) -> None:
    write_jsonl(tmp_path / "train" / "0.jsonl", [*GENERATIONS, *reversed(GENERATIONS)])
    rows = rollscope.open(tmp_path).samples().rows
    assert [row.metrics.get("image_token_count") for row in rows] == [None, 256, 256, 256, 256, 256, 256, None]


def test_a_flat_folder_of_files_is_the_train_split(tmp_path: Path) -> None:
    for step in (0, 2, 10):
        write_jsonl(tmp_path / "flat" / f"{step}.jsonl", [{**OLDEST, "rollout_id": step, "reward": step / 10}])
    run = rollscope.open(tmp_path / "flat")
    assert (run.format, run.splits) == ("relax", ["train"])
    assert [(row.step, row.reward) for row in run.samples().rows] == [(0, 0.0), (2, 0.2), (10, 1.0)]


def test_one_eval_file_holds_a_split_per_dataset(tmp_path: Path) -> None:
    sets = ["aime24", "gsm8k", "aime24", "with/slash"]
    records = [{**OLDEST, "sample_index": i, "dataset": name, "group_index": None} for i, name in enumerate(sets)]
    write_jsonl(tmp_path / "eval" / "7.jsonl", records)
    write_jsonl(tmp_path / "train" / "7.jsonl", [OLDEST])
    run = rollscope.open(tmp_path)
    assert run.splits == ["train", "eval/aime24", "eval/gsm8k", "eval/with/slash"]
    assert run.sample("eval/aime24/7/1").record["sample_index"] == 2
    assert run.sample("eval/with/slash/7/0").dataset == "with/slash"


def test_a_prompt_that_is_a_list_of_messages(tmp_path: Path) -> None:
    prompt = [{"role": "system", "content": "Be brief."}, {"role": "user", "content": [{"type": "text", "text": "Hi"}]}]
    write_jsonl(tmp_path / "train" / "0.jsonl", [{**OLDEST, "prompt": prompt}])
    run = rollscope.open(tmp_path)
    sample = run.sample("train/0/0")
    assert [(message.role, message.text) for message in sample.messages[:2]] == [
        ("system", "Be brief."),
        ("user", "Hi"),
    ]
    assert [hit.address for hit in run.search("Be brief")] == ["train/0/0"]


def test_a_step_named_twice_holds_the_samples_of_both_files(tmp_path: Path) -> None:
    write_jsonl(tmp_path / "train" / "8.jsonl", [{**OLDEST, "reward": 0.1}])
    write_jsonl(tmp_path / "train" / "008.jsonl", [{**OLDEST, "reward": 0.2}])
    run = rollscope.open(tmp_path)
    assert [row.reward for row in run.samples(step=8).rows] == [0.1, 0.2]
    assert [run.sample(f"train/8/{index}").source["file"] for index in (0, 1)] == ["train/8.jsonl", "train/008.jsonl"]


def test_reward_traces_belong_to_the_run(tmp_path: Path) -> None:
    write_jsonl(tmp_path / "train" / "0.jsonl", [OLDEST])
    write_jsonl(tmp_path / "reward_terminal_traces" / "0.jsonl", [{"attempt": 1}])
    run = rollscope.open(tmp_path)
    assert run.samples().total == 1
    assert run.doctor().unclaimed == []


def test_the_naive_reader_takes_what_it_should() -> None:
    assert naive_record(b'\xef\xbb\xbf{"a": NaN}\r') is not None
    assert naive_record(b"[1]") is None
    assert naive_record(b"{") is None


def test_a_result_whose_older_files_were_compressed_is_read_as_it_was(tmp_path: Path) -> None:
    plain = fixture_path("relax")
    for file in plain.glob("*/*.jsonl"):
        (tmp_path / file.parent.name).mkdir(exist_ok=True)
        packed = int(file.stem) < 3
        data = gzip.compress(file.read_bytes()) if packed else file.read_bytes()
        (tmp_path / file.parent.name / f"{file.name}{'.gz' if packed else ''}").write_bytes(data)
    assert any(tmp_path.rglob("*.gz"))
    run, before = rollscope.open(tmp_path), rollscope.open(plain)
    rows, wanted = run.samples(discarded=None).rows, before.samples(discarded=None).rows
    assert [(row.address, row.group, row.reward) for row in rows] == [
        (row.address, row.group, row.reward) for row in wanted
    ]
    assert [run.raw(row.address) for row in rows[::5]] == [before.raw(row.address) for row in wanted[::5]]
