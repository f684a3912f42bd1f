from __future__ import annotations

import json
from pathlib import Path

from tests.fixtures import fixture_path
from tests.formats.expected import assert_as_expected
from tests.formats.rows_and_samples import only_run, opened


def test_every_conversation_is_there() -> None:
    assert_as_expected("agentgym_rl")


def test_the_set_phrase_is_part_of_the_prompt() -> None:
    _, sample = opened(only_run(fixture_path("agentgym_rl")))[0]
    assert [message.turn for message in sample.messages] == [None, None, None, 0, 0, 1, 1]


def test_a_damaged_file_is_named_and_the_others_open(tmp_path: Path) -> None:
    good = [
        {
            "item_id": 3,
            "conversations": [{"role": "user", "content": "q"}, {"role": "assistant", "content": "a"}],
            "reward": 0.5,
        }
    ]
    (tmp_path / "step1").mkdir()
    (tmp_path / "step1" / "0.json").write_text(json.dumps(good))
    (tmp_path / "step1" / "1.json").write_text('[{"item_id": 3, "conversa')
    run = only_run(tmp_path)
    ((row, _),) = opened(run)
    assert (row.group, row.reward) == (3, 0.5)
    assert [item.file for item in run.doctor().skipped] == ["step1/1.json"]


def test_a_set_phrase_behind_a_system_prompt_is_no_answer(tmp_path: Path) -> None:
    said = [("system", "s"), ("user", "rules"), ("assistant", "OK."), ("user", "goal"), ("assistant", "go")]
    chat = [{"role": role, "content": content} for role, content in said]
    (tmp_path / "step4").mkdir()
    (tmp_path / "step4/0.json").touch()
    (tmp_path / "step4/1.json").write_text(json.dumps([{"item_id": "web_1", "conversations": chat, "reward": 1.0}]))
    ((row, sample),) = opened(only_run(tmp_path))
    assert (row.step, row.group, [message.turn for message in sample.messages]) == (4, "web_1", [None] * 4 + [0])
