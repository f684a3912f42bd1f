from __future__ import annotations

from pathlib import Path

from tests.fixtures import fixture_path, write_jsonl
from tests.formats.rows_and_samples import only_run, opened, records, said


def test_a_line_is_a_group_and_each_of_its_columns_a_sample() -> None:
    path = fixture_path("atropos")
    pairs = opened(only_run(path))
    lines = list(records(path, "data/*.jsonl"))
    assert [row.reward for row, _ in pairs] == [score for line in lines for score in line["scores"]]
    sizes = [sum(row.group == group for row, _ in pairs) for group in dict.fromkeys(row.group for row, _ in pairs)]
    assert sizes == [len(line["scores"]) for line in lines]


def test_tokens_begin_where_training_begins_and_the_prompt_has_no_logprob() -> None:
    path = fixture_path("atropos")
    _, sample = opened(only_run(path))[0]
    line = next(records(path, "data/*.jsonl"))
    start = next(place for place, value in enumerate(line["masks"][0]) if value != -100)
    assert sample.tokens is not None
    assert sample.tokens.ids == line["tokens"][0][start:]
    assert sample.tokens.logprobs == line["inference_logprobs"][0][start:]
    assert (sample.prompt_tokens, sample.completion_tokens) == (start, len(line["tokens"][0]) - start)


def test_two_groups_of_one_question_stay_two_and_uneven_advantages_are_missing(tmp_path: Path) -> None:
    def line(token: int) -> dict[str, object]:
        chat = [{"role": "user", "content": "q"}, {"role": "assistant", "content": "a"}]
        return {"tokens": [[1, token], [1, token]], "masks": [[-100, token]] * 2, "scores": [1.0, 0.0],
                "messages": [chat, chat], "advantages": [[0.5, 0.5], [0.5, -0.5]]}  # fmt: skip

    write_jsonl(tmp_path / "groups.jsonl", [line(7), line(8)])
    rows = [row for row, _ in opened(only_run(tmp_path))]
    assert [row.advantage for row in rows] == [0.5, None, 0.5, None]
    assert rows[0].group == rows[1].group != rows[2].group == rows[3].group


def _group(*, messages: object = None, size: int = 1) -> dict[str, object]:
    pair = {"tokens": [[1] * size] * 2, "masks": [[-100] * (size - 1) + [1]] * 2, "scores": [1.0, -1.0]}
    return {**pair, "messages": messages}


def test_other_lines_beside_the_groups_are_not_read(tmp_path: Path) -> None:
    write_jsonl(tmp_path / "a_metrics.jsonl", [{"loss": 1.0}])
    write_jsonl(tmp_path / "gsm8k.jsonl", [_group(), _group()])
    run = only_run(tmp_path)
    assert (run.format, len(opened(run)), run.doctor().skipped) == ("atropos", 4, [])


def test_equal_lines_are_groups_of_their_own(tmp_path: Path) -> None:
    write_jsonl(tmp_path / "gsm8k.jsonl", [_group(), _group()])
    assert len({row.group for row, _ in opened(only_run(tmp_path))}) == 2


def test_a_conversation_written_as_one_text_is_cut_before_its_answer(tmp_path: Path) -> None:
    text = "<|im_start|>user\nQ<|im_end|>\n<|im_start|>assistant\nA<|im_end|>"
    write_jsonl(tmp_path / "gsm8k.jsonl", [_group(messages=[text, text])])
    _, sample = opened(only_run(tmp_path))[0]
    assert "".join(message.text for message in sample.messages if message.turn is not None) == "A<|im_end|>"


def test_tokens_decoded_as_a_message_of_the_user_are_question_and_answer(tmp_path: Path) -> None:
    """What Atropos writes with `include_messages` for an environment that gives no messages."""
    text = "<|im_start|>user\nQ<|im_end|>\n<|im_start|>assistant\nA<|im_end|>\n"
    write_jsonl(tmp_path / "gsm8k.jsonl", [_group(messages=[[{"role": "user", "content": text}]] * 2)])
    _, sample = opened(only_run(tmp_path))[0]
    assert sample.messages[0].role == "user"
    assert said(sample) == "A<|im_end|>\n"


def test_a_group_of_long_samples_is_known_although_its_line_is_longer_than_what_is_looked_at(tmp_path: Path) -> None:
    write_jsonl(tmp_path / "gsm8k.jsonl", [_group(size=400_000)])
    assert only_run(tmp_path).format == "atropos"


def test_tokens_of_the_environment_are_none_of_the_policy_s_and_turns_have_rewards(tmp_path: Path) -> None:
    chat = [{"role": "user", "content": "q", "reward": None}, {"role": "assistant", "content": "a", "reward": 0.5},
            {"role": "tool", "content": "r"}, {"role": "assistant", "content": "b", "reward": 1.0}]  # fmt: skip
    group = {"tokens": [[1, 2, 3, 4], [1, 2]], "masks": [[-100, 2, -100, 4], [-100, 2]], "scores": [1.0, 0.0]}
    write_jsonl(tmp_path / "groups.jsonl", [{**group, "messages": [chat, None]}])
    (one, first), (_, second) = opened(only_run(tmp_path))
    assert (one.prompt_tokens, one.completion_tokens, one.total_tokens, one.turns) == (1, 2, 4, 2)
    assert [turn.reward for turn in first.turns] == [0.5, 1.0]
    assert [message.text for message in first.messages] == ["q", "a", "r", "b"]
    assert "only token ids" in second.notes[0]
