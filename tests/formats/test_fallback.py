"""JSONL that no format knows: keys are matched by name, and what was guessed is said."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.fixtures import write_jsonl
from tests.formats.data_rows import ReadRun, assert_row_matches_sample

import rollscope
from rollscope.errors import NotFoundError
from rollscope.formats.fallback import FallbackFormat
from rollscope.index.segments.rows import table_from_scan
from rollscope.model import Sample
from rollscope.storage.open_store import open_store

#: Records as other trainers write them (SkyRL, AReaL, NeMo-RL, a home-made dump), and what they are taken for.
FOREIGN: list[tuple[dict[str, Any], dict[str, Any]]] = [
    (
        {"input_prompt": "2+2?", "output_response": "4", "score": 0.5, "stop_reason": "stop", "data_source": "gsm8k"},
        {"reward": 0.5, "stop_reason": "stop", "dataset": "gsm8k"},
    ),
    (
        {"task_id": 3, "prompt": "2+2?", "completion": "4", "reward": 1.0, "prompt_len": 7, "seqlen": 14},
        {"reward": 1.0, "group": 3, "prompt_tokens": 7, "total_tokens": 14},
    ),
    (
        {"question": "2+2?", "answer": "4", "generation": "4", "return": 2, "iteration": 7},
        {"reward": 2.0, "step": 7, "golden_answers": {"answer": "4"}},
    ),
    (
        {"messages": [{"role": "user", "content": "2+2?"}], "responses": "4", "rewards": {"total": 3, "fmt": 1}},
        {"reward": 3.0, "rewards": {"total": 3.0, "fmt": 1.0}},
    ),
]


@pytest.mark.parametrize(("record", "expected"), FOREIGN)
def test_foreign_records_are_mapped_by_their_names(
    tmp_path: Path, record: dict[str, Any], expected: dict[str, Any]
) -> None:
    write_jsonl(tmp_path / "dump.jsonl", [record])
    run = rollscope.open(tmp_path)
    assert run.format == "jsonl"
    row = run.samples().rows[0]
    sample = run.sample(row.address)
    for name, value in expected.items():
        assert getattr(sample, name) == value, name
        if hasattr(row, name):
            assert getattr(row, name) == value, name
    assert "".join(message.text for message in sample.messages if message.turn is None).strip() == "2+2?"
    assert "".join(message.text for message in sample.messages if message.turn is not None) == "4"


def test_what_was_guessed_is_said(tmp_path: Path) -> None:
    write_jsonl(tmp_path / "dump.jsonl", [FOREIGN[0][0]])
    run = rollscope.open(tmp_path)
    report = run.doctor()
    assert report.confidence == 0.1
    assert "input_prompt → prompt" in report.reasons[0]
    assert "dump.jsonl" in report.reasons[0]
    assert "score as reward" in " ".join(run.sample("train/0/0").notes)
    assert any("matched by their names" in limit for limit in report.limits)


def test_names_that_need_no_guess_are_not_called_one(tmp_path: Path) -> None:
    write_jsonl(tmp_path / "0.jsonl", [{"prompt": "p", "reward": 1.0}])
    assert rollscope.open(tmp_path).sample("train/0/0").notes == []


@pytest.mark.parametrize(
    ("name", "step"),
    [
        ("7.jsonl", 7),
        ("step_12.jsonl", 12),
        ("rollout-000040.jsonl", 40),
        ("v2_step3.jsonl", 3),
        ("dump.jsonl", 0),
        ("train/5.jsonl", 5),
        ("9.ndjson", 9),
        ("aime24.jsonl", 0),
        ("part-00003.jsonl", 0),
        ("step_7/rank_3.jsonl", 7),
        ("rollout/4/17.jsonl", 4),
    ],
)
def test_the_step_is_a_number_that_the_path_marks_as_one(tmp_path: Path, name: str, step: int) -> None:
    write_jsonl(tmp_path / name, [{"prompt": "p", "completion": "c", "reward": 0}])
    assert [row.address for row in rollscope.open(tmp_path).samples().rows] == [f"train/{step}/0"]


def test_the_step_is_the_records_own_where_they_say_it(tmp_path: Path) -> None:
    records = [{"prompt": "p", "completion": "c", "global_step": step, "reward": step} for step in (3, 1, 3, 2)]
    write_jsonl(tmp_path / "all_0001.jsonl", records)
    run = rollscope.open(tmp_path)
    assert [(row.address, row.reward) for row in run.samples().rows] == [
        ("train/1/0", 1.0),
        ("train/2/0", 2.0),
        ("train/3/0", 3.0),
        ("train/3/1", 3.0),
    ]


def test_folders_named_like_an_eval_are_splits(tmp_path: Path) -> None:
    record = {"prompt": "p", "completion": "c", "reward": 1}
    for folder in ("train", "val_math", "test"):
        write_jsonl(tmp_path / folder / "4.jsonl", [record])
    run = rollscope.open(tmp_path)
    assert run.splits == ["train", "eval/test", "eval/val_math"]


def test_folders_say_step_and_split_before_files_and_datasets_never(tmp_path: Path) -> None:
    record = {"prompt": "p", "completion": "c", "reward": 1}
    for step in (5, 20):
        for name in ("aime24", "math_500"):
            write_jsonl(tmp_path / f"global_step_{step}_evals" / f"{name}.jsonl", [record])
    write_jsonl(tmp_path / "eval-rollout" / "3" / "17.jsonl", [record])
    rows = rollscope.open(tmp_path).samples().rows
    assert sorted({(row.split, row.step) for row in rows}) == [
        ("eval", 3),
        *(("eval/aime24", step) for step in (5, 20)),
        *(("eval/math_500", step) for step in (5, 20)),
    ]


def test_folders_of_a_folder_of_evals_are_datasets(tmp_path: Path) -> None:
    for name in ("held-out", "aime24"):
        write_jsonl(tmp_path / "evals" / name / "step_3.jsonl", [{"prompt": "p", "completion": "c"}])
    write_jsonl(tmp_path / "rollouts" / "step_3.jsonl", [{"prompt": "p", "completion": "c"}])
    assert rollscope.open(tmp_path).splits == ["train", "eval/aime24", "eval/held-out"]


def test_files_that_hold_no_samples_are_left_alone(tmp_path: Path) -> None:
    write_jsonl(tmp_path / "0.jsonl", [{"prompt": "p", "completion": "c", "reward": 1}])
    write_jsonl(tmp_path / "metrics.jsonl", [{"step": 1, "loss": 0.5}])
    write_jsonl(tmp_path / "checkpoints.jsonl", [{"name": "a"}])
    assert rollscope.open(tmp_path).samples().total == 1


def test_a_folder_of_other_json_lines_is_no_run(tmp_path: Path) -> None:
    write_jsonl(tmp_path / "events.jsonl", [{"time": 1, "kind": "start"}])
    with pytest.raises(NotFoundError, match="no run found"):
        rollscope.open(tmp_path)


def test_a_key_that_only_some_records_have(tmp_path: Path) -> None:
    records = [{"prompt": "p", "completion": str(i), **({"reward": i} if i % 2 else {})} for i in range(6)]
    write_jsonl(tmp_path / "0.jsonl", records)
    assert [row.reward for row in rollscope.open(tmp_path).samples().rows] == [None, 1.0, None, 3.0, None, 5.0]


def test_the_file_may_begin_with_lines_that_are_no_records(tmp_path: Path) -> None:
    (tmp_path / "0.jsonl").write_text('# a comment\n\nnull\n{"prompt": "p", "completion": "c", "reward": 1}\n')
    run = rollscope.open(tmp_path)
    assert [row.reward for row in run.samples().rows] == [1.0]
    assert [item.line for item in run.doctor().skipped] == [1, 3]


def test_equal_prompts_of_a_step_are_a_group(tmp_path: Path) -> None:
    prompts = ["a", "a", "b", "b", "a", "a"]
    write_jsonl(tmp_path / "0.jsonl", [{"prompt": text, "completion": "c", "reward": 1} for text in prompts])
    groups = [row.group for row in rollscope.open(tmp_path).samples().rows]
    assert groups[0] == groups[1]
    assert groups[2] == groups[3] != groups[0]


def test_keys_behind_a_very_long_text_are_found_too(tmp_path: Path) -> None:
    record = {"prompt": "p", "response": "long " * 600_000, "reward": 0.5, "status": "completed"}
    write_jsonl(tmp_path / "0.jsonl", [record] * 2)
    rows = rollscope.open(tmp_path).samples().rows
    assert [(row.reward, row.status) for row in rows] == [(0.5, "completed")] * 2


# What a record says ----------------------------------------------------------------------------------------------


def opened(tmp_path: Path, *records: dict[str, Any], name: str = "0.jsonl") -> list[Sample]:
    """The samples, each compared with its row."""
    write_jsonl(tmp_path / name, records)
    run = ReadRun(FallbackFormat(), tmp_path)
    found = [run.load(row) for row in run.rows]
    for row, sample in zip(run.rows, found):
        assert_row_matches_sample(row, sample)
    return found


def chat(*texts: str) -> list[dict[str, str]]:
    return [{"role": "assistant" if at % 2 else "user", "content": text} for at, text in enumerate(texts)]


def test_messages_that_end_with_the_assistant_are_prompt_and_response(tmp_path: Path) -> None:
    conversations = [chat("2+2?", "3", "sure?", "4"), chat("2+2?", "4"), chat("3+3?", "6")]
    found = opened(tmp_path, *({"messages": messages, "reward": 1} for messages in conversations))
    assert [[m.turn for m in sample.messages] for sample in found] == [[None, 0, 0, 1], [None, 0], [None, 0]]
    run = rollscope.open(tmp_path)
    groups = [row.group for row in run.samples().rows]
    assert groups[0] == groups[1] != groups[2]
    assert [row.response_start for row in run.samples(preview=True).rows] == ["3", "4", "6"]


def test_messages_with_a_response_beside_them_are_the_prompt(tmp_path: Path) -> None:
    (sample,) = opened(tmp_path, {"messages": chat("1+1?", "2", "2+2?"), "response": "4"})
    assert [m.turn for m in sample.messages] == [None, None, None, 0]


def test_messages_that_are_json_text_are_read(tmp_path: Path) -> None:
    (sample,) = opened(tmp_path, {"messages": json.dumps(chat("2+2?", "4")), "reward": 1})
    assert [(m.role, m.text) for m in sample.messages] == [("user", "2+2?"), ("assistant", "4")]


def test_texts_that_look_like_numbers_are_no_metrics(tmp_path: Path) -> None:
    (sample,) = opened(tmp_path, {"prompt": "p", "response": "r", "pred": "46", "flag": "True", "len": 0.5, "ok": True})
    assert sample.metrics == {"len": 0.5, "ok": 1.0}


@pytest.mark.parametrize(
    ("reason", "status"),
    [("stop", "completed"), ("length", "truncated"), ("abort", "aborted"), ("error", "failed"), ("tool_calls", None)],
)
def test_the_status_follows_from_the_stop_reason(tmp_path: Path, reason: str, status: str | None) -> None:
    told, given = opened(
        tmp_path,
        {"prompt": "p", "response": "r", "finish_reason": reason},
        {"prompt": "p", "response": "r", "finish_reason": reason, "status": "pending"},
    )
    assert (told.status, told.stop_reason) == (status, reason)
    assert given.status == "pending"


def test_an_empty_response_is_not_a_missing_one(tmp_path: Path) -> None:
    opened(tmp_path, {"prompt": "p", "response": ""}, {"prompt": "p"}, {"prompt": "p", "response": "r"})
    run = rollscope.open(tmp_path)
    assert [row.response_start for row in run.samples(preview=True).rows] == ["", None, "r"]
    texts = [[m.text for m in run.sample(f"train/0/{n}").messages if m.turn is not None] for n in range(3)]
    assert texts == [[""], [], ["r"]]


def test_a_score_per_token_adds_up(tmp_path: Path) -> None:
    found = opened(tmp_path, *({"prompt": "p", "response": "r", "score": score} for score in ([0, 0, 1.5], 2.0, [])))
    assert [sample.reward for sample in found] == [1.5, 2.0, None]


def test_a_name_that_no_two_samples_share_is_not_their_group(tmp_path: Path) -> None:
    records = [{"id": f"s{i}", "prompt": f"q{i // 2}", "response": "r"} for i in range(4)]
    opened(tmp_path, *records)
    assert [row.group for row in rollscope.open(tmp_path).samples().rows] == [0, 0, 1, 1]


def test_a_name_that_samples_share_is_their_group(tmp_path: Path) -> None:
    found = opened(tmp_path, *({"id": f"t{i // 2}", "prompt": "q", "response": "r"} for i in range(4)))
    assert [sample.group for sample in found] == ["t0", "t0", "t1", "t1"]


def test_list_and_sample_read_the_same_keys_where_records_differ(tmp_path: Path) -> None:
    """`completion` is in the first record only: in the others `output` is not taken for the response either."""
    found = opened(
        tmp_path,
        {"prompt": "p", "completion": "first", "output": 5, "score": 1, "reward": 2},
        {"prompt": "p", "output": 6, "score": 3},
    )
    assert [sample.reward for sample in found] == [2.0, None]
    assert [sample.metrics for sample in found] == [{"output": 5.0, "score": 1.0}, {"output": 6.0, "score": 3.0}]


def test_numbers_that_no_float_holds_are_no_metrics(tmp_path: Path) -> None:
    line = '{"prompt": "p", "response": "r", "at": 9007199254740993, "huge": %s, "fine": 9007199254740992}'
    (tmp_path / "0.jsonl").write_text(line % ("7" * 5000) + "\n")
    run = ReadRun(FallbackFormat(), tmp_path)
    sample = run.load(run.rows[0])
    assert_row_matches_sample(run.rows[0], sample)
    assert sample.metrics == {"fine": 9007199254740992.0}
    assert sample.record["at"] == 9007199254740993
    assert sample.record["huge"] == "7" * 5000


def test_a_thousand_keys_are_fields_in_lists_as_in_samples(tmp_path: Path) -> None:
    keys = [{f"k{j}": j for j in range(20 * i, 20 * i + 40)} for i in range(60)]
    opened(tmp_path, *({"prompt": "p", "response": "r", **numbers} for numbers in keys))
    rows = rollscope.open(tmp_path).samples(where="metrics.k950 = 950").rows
    assert [row.index for row in rows] == [46, 47]


# Columns of samples ----------------------------------------------------------------------------------------------


def test_a_record_of_columns_is_a_sample_per_row(tmp_path: Path) -> None:
    record: dict[str, Any] = {
        "step": ["3", "3", "3"],
        "prompt": ["a", "a", "b"],
        "completion": ["x", "y", "z"],
        "score": [1.0, None, 0.5],
        "length": [10, 20, 30],
        "solution": ["1", "1", "2"],
        "model": "m",
    }
    found = opened(tmp_path, record, name="completions.jsonl")
    assert [sample.reward for sample in found] == [1.0, None, 0.5]
    assert [sample.metrics for sample in found] == [{"length": 10.0}, {"length": 20.0}, {"length": 30.0}]
    assert [sample.messages[-1].text for sample in found] == ["x", "y", "z"]
    assert [sample.golden_answers for sample in found] == [{"solution": text} for text in "112"]
    assert found[2].record == {**{key: value[2] for key, value in record.items() if key != "model"}, "model": "m"}
    run = rollscope.open(tmp_path)
    assert [(row.address, row.group) for row in run.samples().rows] == [
        ("train/3/0", 0),
        ("train/3/1", 0),
        ("train/3/2", 1),
    ]
    assert [hit.address for hit in run.search("z")] == ["train/3/2"]
    assert [row.response_start for row in run.samples(preview=True).rows] == ["x", "y", "z"]


def test_a_record_that_was_written_twice_counts_once(tmp_path: Path) -> None:
    record = {"step": [1, 1], "prompt": ["a", "a"], "completion": ["x", "x"], "reward": [0, 0]}
    write_jsonl(tmp_path / "c.jsonl", [record, record])
    assert rollscope.open(tmp_path).samples().total == 2


def test_lists_of_one_are_columns_too(tmp_path: Path) -> None:
    (sample,) = opened(tmp_path, {"prompt": ["a"], "response": ["b"], "rewards": [2.0], "idx": 0})
    assert (sample.reward, [m.text for m in sample.messages]) == (2.0, ["a", "b"])


def test_a_prompt_of_messages_is_no_column(tmp_path: Path) -> None:
    (sample,) = opened(
        tmp_path, {"prompt": chat("q"), "completion": [{"role": "assistant", "content": "a"}], "reward": 1}
    )
    assert [m.text for m in sample.messages] == ["q", "a"]


def test_answers_to_one_prompt_are_a_sample_each(tmp_path: Path) -> None:
    found = opened(tmp_path, {"prompt": "q", "responses": ["a", "b"], "scores": [0.0, 1.0]})
    assert [(s.messages[0].text, s.messages[-1].text, s.reward) for s in found] == [("q", "a", 0.0), ("q", "b", 1.0)]


@given(
    st.lists(
        st.fixed_dictionaries(
            {"prompt": st.sampled_from(["p", "q"])},
            optional={
                "response": st.text(max_size=3),
                "reward": st.one_of(st.none(), st.floats(), st.integers(), st.booleans(), st.text(max_size=2)),
                "score": st.one_of(st.floats(), st.lists(st.floats(), max_size=2)),
                "id": st.integers(0, 3),
                "finish_reason": st.sampled_from(["stop", "length", None]),
                "status": st.sampled_from(["failed", None]),
                "extra": st.one_of(
                    st.text(max_size=2), st.integers(), st.dictionaries(st.text(max_size=2), st.floats())
                ),
                "tags": st.lists(st.text(max_size=2), max_size=2),
            },
        ),
        min_size=1,
        max_size=5,
    ),
    st.booleans(),
)
def test_lists_say_what_samples_say(records: list[dict[str, Any]], columnar: bool) -> None:
    with tempfile.TemporaryDirectory() as folder:
        if columnar:
            keys = dict.fromkeys(key for record in records for key in record)
            records = [{key: [record.get(key) for record in records] for key in keys}]
        path = Path(folder)
        (path / "0.jsonl").write_text("".join(json.dumps(record) + "\n" for record in records))
        form, store = FallbackFormat(), open_store(path)
        for source in form.sources(store):
            scan = form.scan(store, source, 0, (path / source.path).stat().st_size)
            for row in table_from_scan(scan, source).to_pylist():
                row["source"] = source
                place = ReadRun.place({"member": "", **row})
                assert_row_matches_sample(row, form.load(store, source, place))


def test_shapes_of_house_formats(tmp_path: Path) -> None:
    """Each record says the same in other words: a question, an answer, one advantage for all its tokens."""
    spoken = [{"from": "human", "value": "2 + 2?"}, {"from": "gpt", "value": "four"}]
    template = "<|im_start|>user\n2 + 2?<|im_end|>\n<|im_start|>assistant\nfour"
    shapes: dict[str, dict[str, Any]] = {
        "share": {"conversations": spoken},
        "template": {"text": template},
        "answered": {"question": "2 + 2?", "answer": "four", "label": "4"},
        "tokens": {"prompt": "2 + 2?", "completion": "four", "token_ids": [5, 6], "logprobs": [-0.5, -0.25]},
    }
    for name, record in shapes.items():
        rows = [{**record, "reward": 1.0, "advantage": [0.5, 0.5], "idx": n, "error": "cut off"} for n in range(2)]
        write_jsonl(tmp_path / name / "rollouts.jsonl", rows)
        found = opened(tmp_path / name)
        assert len(found) == 2
        for sample in found:
            asked = [message.text for message in sample.messages if message.turn is None]
            assert "2 + 2?" in asked[0]
            assert [message.text for message in sample.messages if message.turn is not None] == ["four"]
            assert (sample.reward, sample.advantage, sample.metrics) == (1.0, 0.5, {})
            assert "Error: cut off" in sample.notes
    tokens = found[0].tokens
    assert tokens is not None
    assert (tokens.ids, tokens.logprobs, tokens.advantage) == ([5, 6], [-0.5, -0.25], [0.5, 0.5])


def test_what_begins_after_the_records_that_keys_are_learned_from_is_not_lost(tmp_path: Path) -> None:
    plain: list[dict[str, Any]] = [{"question": f"q{number}", "completion": "a"} for number in range(40)]
    plain[35] |= {"discard_reason": "too long", "reward": 0.5, "status": "truncated", 'quo"te': 3}
    write_jsonl(tmp_path / "dump.jsonl", plain)
    run = rollscope.open(tmp_path)
    (row,) = run.samples(discarded=True)
    sample = run.sample(row.address)
    assert (row.index, row.reward, row.status, row.metrics) == (35, 0.5, "truncated", {'quo"te': 3})
    assert (sample.discard_reason, sample.reward, sample.metrics) == ("too long", 0.5, {'quo"te': 3})
    assert run.samples(where="metrics.'quo\"te' = 3", discarded=None).total == 1


@pytest.mark.parametrize("first", [{}, {"filtered": False}])
def test_a_step_that_begins_later_is_the_records_own(tmp_path: Path, first: dict[str, Any]) -> None:
    records: list[dict[str, Any]] = [{"prompt": f"q{number}", "completion": "a", **first} for number in range(40)]
    for number in range(36, 40):
        records[number]["step"] = number // 2
    write_jsonl(tmp_path / "dump.jsonl", records)
    run = rollscope.open(tmp_path)
    assert [row.address for row in run.samples(step=18)] == ["train/18/0", "train/18/1"]
    assert [(info.step, info.samples) for info in run.steps()] == [(0, 36), (18, 2), (19, 2)]
    assert run.sample("train/19/1").messages[0].text == "q39"
    assert any("a sample without one is shown as step 0" in warning for warning in run.info().guessed)


def test_a_name_that_is_a_step_says_it_for_all_its_records(tmp_path: Path) -> None:
    for name in ("0", "1"):
        write_jsonl(tmp_path / f"{name}.jsonl", [{"prompt": "q", "response": "a"}])
    run = rollscope.open(tmp_path)
    assert [info.step for info in run.steps()] == [0, 1]
    assert run.info().guessed == []


def test_one_prompt_is_one_whoever_wrote_its_letters(tmp_path: Path) -> None:
    record = {"question": "é 数 🙂 \\u00e9 \n", "completion": "a"}
    (tmp_path / "dump.jsonl").write_text(f"{json.dumps(record)}\n{json.dumps(record, ensure_ascii=False)}\n", "utf-8")
    assert [len(group.samples) for group in rollscope.open(tmp_path).groups().rows] == [2]


@pytest.mark.parametrize("first", [str(2**53 + 1), "9" * 30, "9" * 5000, f'"{"9" * 5000}"'])
def test_a_number_too_large_to_be_shown_hides_no_later_one(tmp_path: Path, first: str) -> None:
    line = '{{"step": {}, "prompt": "p", "response": "r", "reward": {}, "acc": {}}}\n'
    file = tmp_path / "run" / "r.jsonl"
    file.parent.mkdir()
    file.write_text(line.format(3, first, first) + line.format(4, 0.5, 2), encoding="utf-8")
    run = rollscope.open(tmp_path / "run")
    rows = run.samples().rows
    assert [(row.address, row.reward, row.metrics) for row in rows] == [
        ("train/3/0", None, {}),
        ("train/4/0", 0.5, {"acc": 2.0}),
    ]
    assert [run.sample(row.address).reward for row in rows] == [None, 0.5]
    assert [step.reward.count for step in run.steps("train")] == [0, 1]


def test_a_step_that_no_column_holds_loses_its_own_line_only(tmp_path: Path) -> None:
    records = [{"step": step, "prompt": "p", "response": "r", "reward": 1} for step in (2**63, 2**63 - 1, 4)]
    write_jsonl(tmp_path / "run" / "r.jsonl", records)
    run = rollscope.open(tmp_path / "run")
    assert [row.step for row in run.samples().rows] == [4, 2**63 - 1]
    assert [line.line for line in run.doctor().skipped] == [1]


def test_a_number_of_many_digits_is_one(tmp_path: Path) -> None:
    """Long values are left undecoded because they are texts; these are none."""
    file = tmp_path / "run" / "r.jsonl"
    file.parent.mkdir()
    digits = "0.5" + "0" * 60
    lines = [f'{{"prompt": "p", "response": "r", "late": {late}}}\n' for late in (digits, "1", f"-{digits}", '"text"')]
    file.write_text("".join(lines), encoding="utf-8")
    run = rollscope.open(tmp_path / "run")
    assert [row.metrics.get("late") for row in run.samples().rows] == [0.5, 1.0, -0.5, None]


STEPS = [
    {"observation": "a room", "action": "go"},
    {"observation": "a key", "thought": "mine", "action": {"do": "take"}},
]


@pytest.mark.parametrize(
    ("record", "asked"),
    [
        ({"trajectory": STEPS, "score": 1.0}, ["a room"]),
        ({"task": "t", "question": "Out?", "steps": STEPS, "score": 1.0}, ["Out?"]),
        ({"observations": ["a room", "a key"], "actions": ["go", {"do": "take"}], "rewards": [0.0, 1.0]}, ["a room"]),
    ],
)
def test_steps_of_a_trajectory_are_turns(tmp_path: Path, record: dict[str, Any], asked: list[str]) -> None:
    write_jsonl(tmp_path / "rollouts.jsonl", [record, record])
    found = opened(tmp_path)
    assert [sample.reward for sample in found] == [1.0, 1.0]
    messages = found[0].messages
    assert [message.text for message in messages if message.turn is None] == asked
    said = [message.parts[-1].text for message in messages if message.role == "assistant" and message.turn is not None]
    assert said == ["go", '{"do":"take"}']
    assert {message.turn for message in messages} == {None, 0, 1}


@pytest.mark.parametrize("ending", ["jsonl", "csv"])
@pytest.mark.parametrize("split", [{}, {"split": "train"}])
def test_what_tells_of_no_sample_is_no_sample_and_is_listed(tmp_path: Path, ending: str, split: dict[str, str]) -> None:
    """Metrics among the samples. A sample that only failed, or only has its reward, is one."""
    sample = {"step": 1, "prompt": "2+2?", "completion": "4", "reward": 1.0, "loss": None}
    metrics = {**dict.fromkeys(sample), "step": 1, "loss": 0.5, **split}
    scored = {**dict.fromkeys(sample), "step": 1, "reward": 0.0, **split}
    records = [metrics, {**sample, **split}, scored]
    if ending == "jsonl":
        records = [{key: value for key, value in record.items() if value is not None} for record in records]
        write_jsonl(tmp_path / "stream.jsonl", records)
    else:
        rows = [",".join("" if value is None else str(value) for value in record.values()) for record in records]
        (tmp_path / "stream.csv").write_text("\n".join([",".join(records[1]), *rows]) + "\n")

    run = rollscope.open(tmp_path)

    assert [row.reward for row in run.samples().rows] == [1.0, 0.0]
    (skipped,) = run.doctor().skipped
    assert (skipped.line, "no sample" in skipped.reason) == (1, True)
