"""What keys of records that nobody knows are taken for, as a person who reads them would."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from tests.fixtures import write_jsonl
from tests.formats.opened import opened, texts

import rollscope
from rollscope.errors import NotFoundError
from rollscope.query.library import Library

SAID = [("user", "2+2?"), ("assistant", "4")]
TWO = [{"role": "user", "content": "2+2?"}, {"role": "assistant", "content": "4"}]


@pytest.mark.parametrize(
    "record",
    [
        {"Prompt": "2+2?", "Response": "4", "Reward": 1.0, "GroundTruth": "four", "Step": 7},
        {"prompts": ["2+2?"], "completions": ["4"], "rewards": [1.0], "ground_truth": ["four"], "step": 7},
        {"sample": {"input": "2+2?", "output": "4"}, "result": {"score": 1.0}, "answer": "four", "step": 7},
        {"prompt": "2+2?", "response": "4", "reward": 1.0, "extra_info": {"answer": "four"}, "iteration": 7},
        {"prompt": "2+2?", "rollouts": [{"text": "4", "reward": 1.0}], "answer": "four", "step": 7},
        {"prompt": "2+2?", "outputs": [{"text": "4"}], "rewards": [1.0], "metadata": {"step": 7, "answer": "four"}},
        {"problem": "2+2?", "model_answer": "4", "passed": True, "solution": "four", "step": 7},
        {"turns": TWO, "return": 1.0, "label": "four", "training_step": 7},
        {"sample": {"messages": TWO}, "result": {"reward": 1.0}, "meta": {"step": 7, "answer": "four"}},
        {"question": "2+2?", "generated": "4", "acc": 1, "gold": "four", "train_step": 7},
        {"input": {"prompt": "2+2?", "id": 1}, "output": {"text": "4"}, "reward": 1.0, "answer": "four", "iter": 7},
        {"prompt": "2+2?", "responses": ["4"], "reward": 1.0, "answer": "four", "step": 7},
        {"prompts": ["2+2?"], "responses": [["4"]], "rewards": [[1.0]], "answer": "four", "step": 7},
        {"prompt": "2+2?", "predict": "4", "label": "four", "score": 1.0, "step": 7},
        {"question": "2+2?", "solution_str": "4", "exact_match": 1, "ground_truth": "four", "train_step": 7},
        {
            "prompt": "2+2?",
            "completions": ["4"],
            "rewards": {"total": [1.0], "format": [0.5]},
            "gold": "four",
            "step": 7,
        },
        {"groups": [{"prompt": "2+2?", "rollouts": [{"text": "4", "reward": 1.0}], "answer": "four"}], "step": 7},
        {"samples": [{"prompt": "2+2?", "completions": ["4"], "rewards": [1.0], "answer": "four"}], "step": 7},
        {"conversation": TWO, "meta": {"reward": 1.0, "step": 7, "answer": "four"}},
        {"query": "2+2?", "response": "4", "rm_score": 1.0, "label": "four", "step": 7},
        {"train/global_step": 7, "sample/prompt": "2+2?", "sample/completion": "4", "score": "1.0", "gold": "four"},
        {"user": "2+2?", "assistant": "4", "reward": 1.0, "answer": "four", "update": 7},
        {
            "dialog": [{"speaker": "User", "text": "2+2?"}, {"speaker": "AI", "text": "4"}],
            "reward": 1.0,
            "gold": "four",
            "step": 7,
        },
        {"turns": [{"user": "2+2?", "assistant": "4"}], "correct": "True", "gold": "four", "step": 7},
        {"steps": [{"prompt": "2+2?", "response": "4", "reward": 1.0}], "total_reward": 1, "gold": "four", "iter": 7},
        {"batch": {"prompts": ["2+2?"], "responses": ["4"], "rewards": [1.0]}, "answer": "four", "step": 7},
        {"question": "2+2?", "code": ["4"], "pred": ["4"], "score": [True], "answer": "four", "step": 7},
        {"input_text": "2+2?", "output_text": "4", "score": 1.0, "gt": "four", "global_step": 7},
        {"question": "2+2?", "rollout": "4", "judge_score": 1.0, "gold": "four", "step": 7},
        {"state": "2+2?", "llm_output": "4", "outcome_reward": 1.0, "gold": "four", "step": 7},
        {"prompt": "2+2?", "gen": "4", "math_reward": 1.0, "expected": "four", "step": 7},
        {"prompt": "2+2?", "reply": "4", "reward_fmt": 0.5, "reward_total": 1.0, "gold": "four", "step": 7},
        {"prompt": "2+2?", "samples": ["4"], "scores": [1.0], "gold": "four", "step": 7},
        {"problem": "2+2?", "solution": "four", "model_solution": "4", "is_correct": 1, "step": 7},
        {"convo": TWO, "score": 1.0, "gold": "four", "step": 7},
        {"traj": TWO, "reward": 1.0, "info": {"answer": "four"}, "step": 7},
        {"simulations": [{"messages": TWO, "reward_info": {"reward": 1.0}}], "gold": "four", "step": 7},
        {
            "history": [{"state": "2+2?", "llm_response": "4", "reward": 1.0}],
            "metrics": {"success": 1},
            "gold": "four",
            "step": 7,
        },
        {"interactions": [{"prompt": "2+2?", "response": "4"}], "reward": 1.0, "gold": "four", "step": 7},
        {
            "prompt": [1, 2],
            "prompt_str": "2+2?",
            "response": [3],
            "response_str": "4",
            "reward": 1,
            "gold": "four",
            "step": 7,
        },
        {
            "prompt": [{"type": "text", "text": "2+2?"}],
            "response": [{"type": "text", "text": "4"}],
            "reward": 1,
            "gold": "four",
            "step": 7,
        },
        {
            "doc": {"question": "2 + 2", "answer": "### 4"},
            "arguments": {"gen_args_0": {"arg_0": "2+2?", "arg_1": {"until": ["Q:"]}}},
            "resps": [["4"]],
            "filtered_resps": ["4"],
            "target": "four",
            "exact_match": 1.0,
            "step": 7,
        },
    ],
)
def test_a_record_is_read_as_it_is_meant(tmp_path: Path, record: dict[str, Any]) -> None:
    write_jsonl(tmp_path / "samples.jsonl", [record])
    (sample,) = opened(tmp_path)
    assert (texts(sample), sample.reward, sample.step) == (SAID, 1.0, 7)
    assert list(sample.golden_answers.values()) == ["four"]


def test_samples_of_one_prompt_may_be_listed_as_objects(tmp_path: Path) -> None:
    parts = [{"response": "4", "reward": 1.0, "advantage": 0.5}, {"response": "5", "reward": 0.0, "advantage": -0.5}]
    write_jsonl(tmp_path / "step_3.jsonl", [{"prompt": question, "samples": parts} for question in ("a", "b")])
    found = opened(tmp_path)
    assert [(item.group, item.reward, item.advantage, item.messages[-1].text) for item in found] == [
        (0, 1.0, 0.5, "4"),
        (0, 0.0, -0.5, "5"),
        (1, 1.0, 0.5, "4"),
        (1, 0.0, -0.5, "5"),
    ]


def test_prompts_and_their_samples_may_be_nested(tmp_path: Path) -> None:
    groups = [
        {"prompt": question, "rollouts": [{"response": f"{question}{n}", "reward": n} for n in range(2)]}
        for question in ("a", "b")
    ]
    write_jsonl(tmp_path / "rollouts.jsonl", [{"step": step, "groups": groups} for step in (3, 4)])
    found = opened(tmp_path)
    assert [(item.step, item.group, item.reward, item.messages[-1].text) for item in found] == [
        (step, group, n, f"{question}{n}") for step in (3, 4) for group, question in enumerate("ab") for n in range(2)
    ]


def test_each_prompt_of_a_column_has_as_many_answers_one_behind_the_other(tmp_path: Path) -> None:
    record = {
        "prompts": ["p", "q"],
        "ids": [7, 8],
        "completions": ["a", "b", "c", "d"],
        "rewards": [0, 1, 2, 3],
        "step": 3,
    }
    write_jsonl(tmp_path / "0.jsonl", [record])
    found = opened(tmp_path)
    assert [(*(text for _, text in texts(item)), item.reward) for item in found] == [
        ("p", "a", 0.0),
        ("p", "b", 1.0),
        ("q", "c", 2.0),
        ("q", "d", 3.0),
    ]
    assert any("more answers than prompts" in sentence for sentence in rollscope.open(tmp_path).guessed())
    write_jsonl(tmp_path / "odd" / "0.jsonl", [{**record, "completions": ["a", "b", "c"], "rewards": [0, 1, 2]}])
    assert len(opened(tmp_path / "odd")) == 1


def test_parts_of_the_rewards_may_be_columns_within_an_object(tmp_path: Path) -> None:
    rewards = {"correct": [1.0, 0.0], "format": [0.5, None]}
    write_jsonl(tmp_path / "0.jsonl", [{"prompt": "q", "completions": ["a", "b"], "rewards": rewards}])
    assert [item.rewards for item in opened(tmp_path)] == [{"correct": 1.0, "format": 0.5}, {"correct": 0.0}]


def test_a_line_may_be_a_conversation(tmp_path: Path) -> None:
    (tmp_path / "chats.jsonl").write_text(f"{json.dumps(TWO)}\n" * 2)
    found = opened(tmp_path)
    assert [texts(sample) for sample in found] == [SAID, SAID]
    assert found[0].record == {"messages": TWO}


def test_parts_of_a_reward_may_be_a_list_of_names_and_values(tmp_path: Path) -> None:
    parts = [{"name": "correct", "value": 1.0}, {"name": "format", "value": 0.5}]
    write_jsonl(tmp_path / "0.jsonl", [{"prompt": "q", "response": "a", "rewards": parts}])
    (sample,) = opened(tmp_path)
    assert (sample.reward, sample.rewards) == (None, {"correct": 1.0, "format": 0.5})


@pytest.mark.parametrize("key", ["rewards", "reward_components", "scores"])
def test_parts_of_a_reward_may_lie_beside_it(tmp_path: Path, key: str) -> None:
    record = {"prompt": "q", "response": "a", "reward": 1.5, key: {"correct": 1.0, "format": 0.5}, "metrics": {"n": 2}}
    write_jsonl(tmp_path / "0.jsonl", [record])
    (sample,) = opened(tmp_path)
    assert (sample.reward, sample.rewards, sample.metrics) == (1.5, {"correct": 1.0, "format": 0.5}, {"n": 2.0})


def test_a_word_for_no_score_hides_no_other(tmp_path: Path) -> None:
    write_jsonl(tmp_path / "0.jsonl", [{"prompt": "q", "response": "a", "reward": told} for told in ("N/A", "0.5", "")])
    assert [sample.reward for sample in opened(tmp_path)] == [None, 0.5, None]


@pytest.mark.parametrize(
    "record",
    [
        {"system_prompt": "Add.", "prompt": "2+2?", "response": "4"},
        {"instruction": "Add.", "input": "2+2?", "output": "4"},
        {"system": "Add.", "prompt": [{"role": "user", "content": "2+2?"}], "completion": "4"},
        {"system": "Add.", "messages": TWO},
        {"system": "Other.", "messages": [{"role": "system", "content": "Add."}, *TWO]},
    ],
)
def test_what_the_model_was_told_stands_before_what_it_was_asked(tmp_path: Path, record: dict[str, Any]) -> None:
    write_jsonl(tmp_path / "0.jsonl", [record])
    assert [texts(sample) for sample in opened(tmp_path)] == [[("system", "Add."), *SAID]]
    assert [hit.field for hit in rollscope.open(tmp_path).search("Add.")] == ["prompt"]


def test_a_template_s_text_is_not_told_twice(tmp_path: Path) -> None:
    text = "<|im_start|>system\nAdd.<|im_end|>\n<|im_start|>user\n2+2?<|im_end|>\n<|im_start|>assistant\n"
    write_jsonl(tmp_path / "0.jsonl", [{"system": "Add.", "prompt": text, "response": "4"}])
    (sample,) = opened(tmp_path)
    assert [message.role for message in sample.messages].count("system") == 1


def test_responses_are_answers_unless_somebody_spoke_in_between(tmp_path: Path) -> None:
    asked = [{"role": "user", "content": "q"}]
    write_jsonl(tmp_path / "0.jsonl", [{"prompt": asked, "responses": ["a", "b"], "data_source": "gsm8k"}])
    assert [item.messages[-1].text for item in opened(tmp_path)] == ["a", "b"]
    turns = {"prompt": asked, "responses": ["a", "b"], "tool_outputs": ["found"], "reward": 1.0}
    write_jsonl(tmp_path / "agent" / "0.jsonl", [turns])
    assert len(opened(tmp_path / "agent")) == 1


def test_a_line_may_be_a_list_of_samples(tmp_path: Path) -> None:
    lines = [
        [{"step": step, "prompt": "q", "response": f"{step}{n}", "reward": n} for n in range(2)] for step in (1, 2)
    ]
    text = "\n".join(json.dumps(line) for line in lines)
    (tmp_path / "batches.jsonl").write_text(f"[]\n[1, 2]\n{text}")
    found = opened(tmp_path)
    assert [(item.step, item.reward, item.messages[-1].text) for item in found] == [
        (step, n, f"{step}{n}") for step in (1, 2) for n in range(2)
    ]
    assert found[-1].record == {"step": 2, "prompt": "q", "response": "21", "reward": 1}
    run = rollscope.open(tmp_path)
    assert [hit.address for hit in run.search("21")] == ["train/2/1"]
    assert [item.line for item in run.doctor().skipped] == [1, 2]
    (tmp_path / "batches.jsonl").write_text(text[:-5])
    assert len(opened(tmp_path)) == 2


def test_examples_of_a_record_that_has_its_own_answer_are_no_samples(tmp_path: Path) -> None:
    record = {"prompt": "2+2?", "response": "4", "samples": [{"input": "1+1?", "output": "2"}], "reward": 1.0}
    write_jsonl(tmp_path / "0.jsonl", [record])
    assert [texts(sample) for sample in opened(tmp_path)] == [SAID]


@pytest.mark.parametrize(
    ("key", "words", "splits"),
    [
        ("split", ["train", "val", "test_hard"], ["train", "eval/test_hard", "eval/val"]),
        ("mode", ["train", "eval", "train"], ["train", "train", "eval"]),
        ("is_eval", [False, True, True], ["train", "eval", "eval"]),
        ("split", ["math", "code", "math"], ["train", "train", "train"]),
        ("is_train", [True, False, True], ["train", "train", "eval"]),
        ("type", ["train", "eval", "train"], ["train", "train", "eval"]),
        ("type", ["math", "code", "math"], ["train", "train", "train"]),
    ],
)
def test_records_may_say_their_split(tmp_path: Path, key: str, words: list[Any], splits: list[str]) -> None:
    write_jsonl(tmp_path / "0.jsonl", [{"prompt": "q", "response": "a", "reward": 1.0, key: word} for word in words])
    assert [sample.split for sample in opened(tmp_path)] == splits


def test_a_folder_of_evaluations_knows_better_than_the_name_of_a_dataset_s_part(tmp_path: Path) -> None:
    write_jsonl(
        tmp_path / "eval" / "gsm8k" / "3.jsonl", [{"prompt": "q", "response": "a", "score": 1, "split": "train"}]
    )
    assert [(sample.split, sample.step) for sample in opened(tmp_path)] == [("eval/gsm8k", 3)]


def test_errors_fail_and_marks_discard(tmp_path: Path) -> None:
    base = {"prompt": "q", "reward": 0.0}
    rows = [
        {**base, "response": "a", "error": None, "filtered": False},
        {**base, "response": None, "error": "no sandbox", "filtered": False},
        {**base, "response": "b", "error": None, "filtered": True},
    ]
    write_jsonl(tmp_path / "0.jsonl", rows)
    found = {(sample.status, sample.discard_reason, bool(sample.metrics)) for sample in opened(tmp_path)}
    assert found == {(None, None, False), ("failed", None, False), (None, "filtered", False)}


def test_what_is_cut_is_truncated(tmp_path: Path) -> None:
    base = {"prompt": "q", "response": "a", "reward": 0.0}
    write_jsonl(tmp_path / "0.jsonl", [{**base, "truncated": cut} for cut in (True, False)])
    assert [sample.status for sample in opened(tmp_path)] == ["truncated", None]


def test_a_status_is_filtered_and_shown_in_our_words_however_it_is_spelled(tmp_path: Path) -> None:
    words = ("Completed", "Status.TRUNCATED", "length", "odd")
    lines = [{"prompt": "q", "response": "a", "reward": 0.0, "status": word} for word in words]
    write_jsonl(tmp_path / "0.jsonl", lines)
    assert [sample.status for sample in opened(tmp_path)] == ["completed", "truncated", "truncated", "odd"]
    run = Library([tmp_path]).runs()[0]
    assert [row.index for row in run.samples(where='status = "truncated"').rows] == [1, 2]


def test_lists_beside_listed_samples_are_columns_of_them_and_a_chat_is_none(tmp_path: Path) -> None:
    chat = [{"role": "system", "content": "s"}, {"role": "user", "content": "q"}]
    record = {"prompt": chat, "outputs": [{"text": "a"}, {"text": "b"}], "scores": [1.0, 0.0]}
    write_jsonl(tmp_path / "0.jsonl", [record])
    asked = [("system", "s"), ("user", "q")]
    assert [(texts(sample), sample.reward) for sample in opened(tmp_path)] == [
        ([*asked, ("assistant", "a")], 1.0),
        ([*asked, ("assistant", "b")], 0.0),
    ]


def test_thoughts_that_are_told_apart_are_part_of_the_answer(tmp_path: Path) -> None:
    write_jsonl(tmp_path / "0.jsonl", [{"prompt": "q", "thinking": "hm", "response": "a", "reward": 1.0}])
    (sample,) = opened(tmp_path)
    assert [(part.type, part.content) for part in sample.messages[-1].parts] == [("thinking", "hm"), ("text", "a")]


@pytest.mark.parametrize("folder", ["step={}", "checkpoint-{}", "ckpt_{}"])
def test_a_folder_of_a_step_is_part_of_its_run(tmp_path: Path, folder: str) -> None:
    for step in (100, 200):
        write_jsonl(tmp_path / folder.format(step) / "part-0.jsonl", [{"prompt": "q", "response": "a", "reward": step}])
    assert [(sample.step, sample.reward) for sample in opened(tmp_path)] == [(100, 100.0), (200, 200.0)]


def test_folders_of_prompts_ranks_and_partitions_are_parts_of_a_run(tmp_path: Path) -> None:
    for number, place in enumerate(("step_3/group_0/sample_0", "step_3/group_1/rank0", "step=3/split=train/part-0")):
        write_jsonl(tmp_path / f"{place}.jsonl", [{"prompt": "q", "response": str(number), "reward": 1.0}])
    write_jsonl(tmp_path / "step=4" / "split=eval" / "part-0.jsonl", [{"prompt": "q", "response": "3", "reward": 1.0}])
    write_jsonl(tmp_path / "eval" / "step_5" / "rank1.jsonl", [{"prompt": "q", "response": "4", "reward": 1.0}])
    found = sorted((sample.messages[-1].text, sample.split, sample.step) for sample in opened(tmp_path))
    assert found == [
        *[(str(number), "train", 3) for number in range(3)],
        *[("3", "eval", 4), ("4", "eval", 5)],
    ]


def test_a_csv_of_conversations_opens(tmp_path: Path) -> None:
    cell = json.dumps(TWO).replace('"', '""')
    (tmp_path / "rollouts.csv").write_text(f'step,messages,reward\n7,"{cell}",1.0\n')
    (sample,) = opened(tmp_path)
    assert (texts(sample), sample.reward, sample.step) == (SAID, 1.0, 7)


def test_a_csv_of_samples_opens_and_another_table_does_not(tmp_path: Path) -> None:
    (tmp_path / "other.csv").write_text("step,prompt,loss\n1,q,0.5\n", encoding="utf-8")
    with pytest.raises(NotFoundError):
        opened(tmp_path)
    (mapped,) = Library([tmp_path], mapping={"response": "loss"}).runs()
    assert mapped.sample("train/1/0").messages[-1].text == "0.5"
    rows = [
        "step,Prompt,completion,reward,pred",
        '1,"2+2, in words?","four,\nof course",1.0,042',
        "2,q,42,,x",
        "2,torn",
    ]
    (tmp_path / "samples.csv").write_text("\ufeff" + "\n".join(rows), encoding="utf-8")
    first, second = opened(tmp_path)
    assert texts(first) == [("user", "2+2, in words?"), ("assistant", "four,\nof course")]
    assert (first.step, first.reward, first.metrics, first.record["pred"]) == (1, 1.0, {}, "042")
    assert (texts(second)[-1], second.step, second.reward) == (("assistant", "42"), 2, None)
    (run,) = Library([tmp_path]).runs()
    assert [item.reason for item in run.doctor().skipped] == ["it has 2 cells, and there are 5 names"]


def test_a_count_is_neither_a_prompt_nor_a_verdict(tmp_path: Path) -> None:
    write_jsonl(tmp_path / "usage.jsonl", [{"input": 12, "output": 5}])
    with pytest.raises(NotFoundError):
        opened(tmp_path)
    write_jsonl(tmp_path / "a.jsonl", [{"question": "2+2?", "generated": "4", "correct": 3, "accuracy": 87.5}])
    (sample,) = opened(tmp_path)
    assert (sample.reward, sample.metrics) == (None, {"correct": 3.0, "accuracy": 87.5})


def test_a_column_of_prompts_may_have_a_column_of_answers_to_each(tmp_path: Path) -> None:
    answers, rewards = [["a", "b"], ["c", "d"]], [[0.0, 1.0], [1.0, 0.0]]
    write_jsonl(tmp_path / "a.jsonl", [{"step": 1, "prompts": ["p", "q"], "responses": answers, "rewards": rewards}])
    write_jsonl(tmp_path / "b.jsonl", [{"step": 2, "prompts": ["p", "q"], "completions": answers}])
    found = [(s.step, s.reward, [text for _, text in texts(s)]) for s in opened(tmp_path)]
    assert found[:4] == [(1, 0.0, ["p", "a"]), (1, 1.0, ["p", "b"]), (1, 1.0, ["q", "c"]), (1, 0.0, ["q", "d"])]
    assert found[4:] == [(2, None, ["p", "a"]), (2, None, ["p", "b"]), (2, None, ["q", "c"]), (2, None, ["q", "d"])]


def test_a_sample_is_found_whole_in_the_object_that_has_its_texts(tmp_path: Path) -> None:
    rollout = {"prompt": "2+2?", "completion": "4", "reward": 1.0, "answer": "4"}
    write_jsonl(tmp_path / "stream.jsonl", [{"kind": "rollout", "step": 3, "data": rollout}])

    sample = rollscope.open(tmp_path).sample("train/3/0")

    assert (sample.messages[-1].text, sample.reward, sample.golden_answers) == ("4", 1.0, {"data.answer": "4"})


def test_attempts_at_a_problem_are_its_samples(tmp_path: Path) -> None:
    attempts = [{"output": text, "grade": {"score": score}} for text, score in (("4", 1.0), ("5", 0.0))]
    record = {"meta": {"iter": 3, "phase": "valid"}, "problem": {"text": "2+2?", "answer": "4"}, "attempts": attempts}
    write_jsonl(tmp_path / "attempts.jsonl", [record])

    run = rollscope.open(tmp_path)

    assert [row.reward for row in run.samples(where='split = "eval/valid"').rows] == [1.0, 0.0]
    sample = run.sample("eval/valid/3/1")
    assert [message.text for message in sample.messages] == ["2+2?", "5"]
    assert sample.golden_answers == {"problem.answer": "4"}


def test_what_lies_in_the_folder_of_a_step_is_part_of_it_whatever_its_name(tmp_path: Path) -> None:
    for step, question in ((2, "q0"), (2, "q1"), (4, "hard-one")):
        folder = tmp_path / "outputs" / f"iter_{step}" / question
        write_jsonl(folder / "attempt_0.jsonl", [{"question": question, "response": "4", "score": 1.0}])

    run = rollscope.open(tmp_path)

    assert [(row.step, run.sample(row.address).messages[0].text) for row in run.samples().rows] == [
        (2, "q0"),
        (2, "q1"),
        (4, "hard-one"),
    ]


def test_the_number_of_a_rollout_in_its_group_is_no_step(tmp_path: Path) -> None:
    rows = [{"rollout_id": n, "prompt": "q", "completion": f"a{n}", "reward": 1.0} for n in (0, 1, 0, 1)]
    write_jsonl(tmp_path / "step_7.jsonl", rows)
    write_jsonl(tmp_path / "step_8.jsonl", rows[:2])
    found = opened(tmp_path)
    assert [sample.step for sample in found] == [7, 7, 7, 7, 8, 8]
    assert not any(sample.metrics for sample in found)


def test_a_rollout_that_several_samples_share_is_a_step(tmp_path: Path) -> None:
    rows = [{"rollout_id": n, "prompt": "q", "completion": "a", "reward": 1.0} for n in (3, 3, 4, 4)]
    write_jsonl(tmp_path / "dump.jsonl", rows)
    assert [sample.step for sample in opened(tmp_path)] == [3, 3, 4, 4]


@pytest.mark.parametrize("inside", [False, True], ids=["plain", "in an object"])
def test_a_line_of_another_kind_that_has_a_reward_and_no_text_is_no_sample(tmp_path: Path, inside: bool) -> None:
    said = {"prompt": "q", "response": "a"}
    sample = {"type": "rollout", "step": 1, "reward": 1.0, **({"data": said} if inside else said)}
    write_jsonl(tmp_path / "log.jsonl", [sample] * 40 + [{"type": "metrics", "step": 1, "reward": 0.4}])
    (run,) = Library([tmp_path]).runs()
    assert len(run.samples(limit=100).rows) == 40
    assert [skip.line for skip in run.doctor().skipped] == [41]


def test_a_text_with_a_template_is_a_conversation_beside_its_question(tmp_path: Path) -> None:
    text = "<|im_start|>user\n2+2?<|im_end|>\n<|im_start|>assistant\n4<|im_end|>"
    write_jsonl(tmp_path / "0.jsonl", [{"question": "2+2?", "full_text": text, "reward": 1.0}])
    (sample,) = opened(tmp_path)
    assert [(message.role, message.turn) for message in sample.messages][-1] == ("assistant", 0)
    assert sample.messages[0].role == "user"


@pytest.mark.parametrize(("key", "steps"), [("iter_num", [1, 1, 2]), ("epoch", [0, 0, 1]), ("step_idx", [3, 3, 4])])
def test_a_vaguer_name_of_a_step_is_one_where_it_counts_up(tmp_path: Path, key: str, steps: list[int]) -> None:
    base = {"prompt": "q", "response": "a", "reward": 1.0}
    write_jsonl(tmp_path / "a" / "dump.jsonl", [{**base, key: step} for step in steps])
    assert [sample.step for sample in opened(tmp_path / "a")] == steps
    write_jsonl(tmp_path / "b" / "dump.jsonl", [{**base, key: step} for step in (*steps, *steps)])
    assert {sample.step for sample in opened(tmp_path / "b")} == {0}


def test_questions_beside_samples_are_what_these_were_asked_from(tmp_path: Path) -> None:
    write_jsonl(tmp_path / "rollouts_step_1.jsonl", [{"prompt": "q", "response": "a", "reward": 1.0}])
    write_jsonl(tmp_path / "train_data.jsonl", [{"prompt": "q", "answer": "a"}] * 3)
    assert [(sample.step, sample.reward) for sample in opened(tmp_path)] == [(1, 1.0)]


def test_keys_may_count_the_samples_of_a_prompt(tmp_path: Path) -> None:
    answers = {"response_0": "4", "response_1": "5", "reward_0": 1.0, "reward_1": 0.0}
    write_jsonl(tmp_path / "0.jsonl", [{"step": 7, "prompt": question, **answers} for question in ("2+2?", "1+3?")])
    found = opened(tmp_path)
    assert [(item.step, item.group, item.reward, item.messages[-1].text) for item in found] == [
        (7, group, reward, text) for group in range(2) for reward, text in ((1.0, "4"), (0.0, "5"))
    ]


def test_answers_to_a_prompt_of_a_vaguer_name_are_samples_of_their_own(tmp_path: Path) -> None:
    write_jsonl(tmp_path / "0.jsonl", [{"full_prompt": "2+2?", "predictions": ["4", "5"]}])
    assert [texts(sample) for sample in opened(tmp_path)] == [SAID, [("user", "2+2?"), ("assistant", "5")]]


@pytest.mark.parametrize("record", [{"state": "RUNNING", "step": 3}, {"attempt": "first", "type": "eval", "score": 1}])
def test_one_vague_text_alone_makes_no_sample(tmp_path: Path, record: dict[str, Any]) -> None:
    write_jsonl(tmp_path / "jobs.jsonl", [record] * 3)
    with pytest.raises(NotFoundError, match="no run found"):
        Library([tmp_path]).runs()
