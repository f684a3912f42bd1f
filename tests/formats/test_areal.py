from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

from tests.fixtures import fixture_path, write_jsonl
from tests.formats.expected import assert_as_expected
from tests.formats.rows_and_samples import only_run, opened, records


def test_one_run_whose_steps_are_policy_versions_and_whose_groups_are_tasks() -> None:
    path = fixture_path("areal")
    run = only_run(path)
    ours = Counter((row.split, row.step, row.group, row.reward, row.total_tokens) for row, _ in opened(run))
    theirs: Counter[tuple[str, int, int, float, int]] = Counter()
    for folder, split in (("rollout", "train"), ("eval-rollout", "eval/rollout")):
        for record in records(path, f"logs/*/*/*/{folder}/*/*.jsonl"):
            key = (split, record["tail_version"], record["task_id"], record["reward"], record["seqlen"])
            theirs[key] += 1
    assert ours == theirs
    assert run.splits == ["train", "eval/rollout"]


def test_its_own_position_and_versions_are_no_metrics() -> None:
    assert all(not row.metrics for row, _ in opened(only_run(fixture_path("areal"))))


def test_what_the_policy_sampled_is_what_is_no_prompt() -> None:
    for row, sample in opened(only_run(fixture_path("areal"))):
        assert sample.record["seqlen"] - sample.record["prompt_len"] == row.completion_tokens


def test_tasks_that_two_ranks_gave_one_number_are_two_groups(tmp_path: Path) -> None:
    told: dict[str, Any] = {"task_id": 4, "seqlen": 20, "prompt_len": 8, "head_version": -1, "tail_version": 6}
    told |= {"reward": 1.0, "prompt": "q", "completion": "a"}
    path = tmp_path / "rollout" / "6" / "4.jsonl"
    # Samples that end with a token that was not trained on are left out.
    write_jsonl(path, [told | {"sample_idx": place} for place in (0, 2, 3, 0, 1)])
    run = only_run(tmp_path)
    assert [row.group for row in run.samples().rows] == [4, 4, 4, "4 (2)", "4 (2)"]
    with path.open("a") as file:
        file.write(json.dumps(told | {"sample_idx": 3}) + "\n" + json.dumps(told | {"sample_idx": 1}) + "\n")
    run.refresh()
    assert [row.group for row in run.samples().rows[5:]] == ["4 (2)", "4 (3)"]
    assert run.sample("train/6/6").group == "4 (3)"


def test_newer_dumps_say_which_tokens_were_sampled_by_which_version(tmp_path: Path) -> None:
    told = {"task_id": 4, "seqlen": 20, "prompt_len": 8, "head_version": 5, "tail_version": 6, "reward": 1.0}
    texts = {"prompt": "q", "completion": "a tool b"}
    lines = [
        told | texts | {"sample_idx": 0, "version_rle": [[5, 3], [6, 4]]},
        told | texts | {"sample_idx": 1, "version_rle": []},
    ]
    write_jsonl(tmp_path / "rollout" / "6" / "4.jsonl", lines)
    rows = [row for row, _ in opened(only_run(tmp_path))]
    found = [(row.step, row.group, row.prompt_tokens, row.completion_tokens, row.sampling_step) for row in rows]
    assert found == [(6, 4, 8, 7, 5), (6, 4, 8, 0, 5)]


def test_text_without_a_template_is_told_apart_by_its_segments(tmp_path: Path) -> None:
    parts = [("prompt", "2+2? "), ("gen", "```run```"), ("context", "4 "), ("gen", "It is 4.")]
    record: dict[str, Any] = {
        "task_id": 4,
        "sample_idx": 0,
        "seqlen": 9,
        "prompt_len": 3,
        "head_version": 6,
        "tail_version": 6,
    }
    record |= {"version_rle": [[6, 5]], "reward": 1.0, "prompt": "2+2? ", "completion": "```run```4 It is 4."}
    record["segments"] = [{"role": role, "len": 2, "text": text} for role, text in parts]
    cut = record | {"sample_idx": 1, "segments": record["segments"][:-1]}
    write_jsonl(tmp_path / "rollout" / "6" / "4.jsonl", [record, cut])
    told, not_told = (sample for _, sample in opened(only_run(tmp_path)))
    said = [(message.role, message.turn, message.text, message.guessed) for message in told.messages]
    assert said == [
        ("user", None, "2+2? ", False),
        ("assistant", 0, "```run```", False),
        ("tool", 0, "4 ", True),
        ("assistant", 1, "It is 4.", False),
    ]
    assert [message.text for message in not_told.messages] == ["2+2? ", "```run```4 It is 4."]


def test_a_template_tells_more_than_segments(tmp_path: Path) -> None:
    prompt, first = "<|im_start|>user\nq<|im_end|>\n<|im_start|>assistant\n", "a<|im_end|>"
    context, last = "\n<|im_start|>user\nmore<|im_end|>\n<|im_start|>assistant\n", "b<|im_end|>"
    record: dict[str, Any] = {"task_id": 4, "sample_idx": 0, "tail_version": 6, "reward": 1.0, "prompt": prompt}
    record |= {"version_rle": [[6, 2]], "completion": first + context + last}
    parts = [("prompt", prompt), ("gen", first), ("context", context), ("gen", last)]
    record["segments"] = [{"role": role, "len": 2, "text": text} for role, text in parts]
    write_jsonl(tmp_path / "rollout" / "6" / "4.jsonl", [record])
    ((_, sample),) = opened(only_run(tmp_path))
    roles = [message.role for message in sample.messages if any(part.type == "text" for part in message.parts)]
    assert roles == ["user", "assistant", "user", "assistant"]


def test_a_run_of_several_turns_and_versions() -> None:
    assert_as_expected("areal_turns")


def test_an_older_dump_of_several_turns_is_cut_where_the_assistant_begins(tmp_path: Path) -> None:
    """`prompt_len` is all tokens but the trained ones: in several turns the cut lies anywhere, here in a header."""
    asked, first = "<|im_start|>user\nq<|im_end|>\n<|im_start|>assistant\n", "call<|im_end|>\n"
    answer, last = "<|im_start|>user\n5<|im_end|>\n<|im_start|>assistant\n", "after tool<|im_end|>"
    whole, cut = asked + first + answer + last, len(asked + answer)
    record = {"task_id": 4, "sample_idx": 0, "tail_version": 6, "reward": 1.0, "head_version": -1}
    several = record | {"prompt": whole[:cut], "completion": whole[cut:]}
    shots = "<|im_start|>user\na<|im_end|>\n<|im_start|>assistant\nb<|im_end|>\n" + asked + "<think>\n"
    one = record | {"sample_idx": 1, "prompt": shots, "completion": "c</think>d<|im_end|>"}
    write_jsonl(tmp_path / "rollout" / "6" / "4.jsonl", [several, one])
    found = [sample for _, sample in opened(only_run(tmp_path))]
    said = [[(m.role, m.turn) for m in sample.messages if m.text.strip() and m.role != "system"] for sample in found]
    assert said[0] == [("user", None), ("assistant", None), ("assistant", 0), ("user", 0), ("assistant", 1)]
    assert said[1][:3] == [("user", None), ("assistant", None), ("user", None)]
    assert found[0].messages[-1].text.endswith("after tool<|im_end|>")
    assert "".join(message.text for message in found[0].messages) == whole
