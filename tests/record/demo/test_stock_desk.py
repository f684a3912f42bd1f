"""The demo's stock desk: real tools on a made-up database, and episodes that are what was done."""

from __future__ import annotations

import json
from random import Random

import pytest

from rollscope.record.demo.policy import Policy, policy_at
from rollscope.record.demo.stock_desk import INVALID_CALL, MAX_TURNS, VALID_CALL, calculate, call_tool, make_task, play


def test_tools_answer_and_refuse() -> None:
    task = make_task("d0")
    assert call_tool(task, "calculate", '{"expression": "2 * (3 + 4)"}') == (True, '{"result": 14.0}')
    for name, arguments in [
        ("calculate", '{"expression": "__import__(\'os\')"}'),
        ("query", '{"table": "nope"}'),
        ("query", "{"),
        ("sql", "{}"),
    ]:
        valid, answer = call_tool(task, name, arguments)
        assert not valid
        assert "error" in json.loads(answer)


def test_a_query_gives_the_rows_that_match() -> None:
    task = make_task("d0")
    valid, answer = call_tool(task, "query", json.dumps({"table": "stock", "where": {"product": task.product}}))
    assert valid
    assert json.loads(answer) == [row for row in task.tables["stock"] if row["product"] == task.product]


@pytest.mark.parametrize("expression", ["2 ** 9", "a + 1", "(lambda: 1)()", "'a' * 9"])
def test_what_is_no_arithmetic_is_not_evaluated(expression: str) -> None:
    with pytest.raises(ValueError, match="not arithmetic"):
        calculate(expression)
    assert calculate("-(2 + 3) / 2 * 4") == -10


def test_a_task_s_answer_is_that_of_its_tables() -> None:
    for seed in range(20):
        task = make_task(str(seed))
        mine = [row for row in task.tables["stock"] if row["product"] == task.product]
        orders = [row for row in task.tables["orders"] if row["product"] == task.product and row["status"] == "open"]
        units, reserved = (sum(row["units"] for row in rows) for rows in (mine, orders))
        expected = {
            "value": units * mine[0]["price"],
            "free": units - reserved,
            "reserved_value": reserved * mine[0]["price"],
        }
        assert float(task.answer) == pytest.approx(expected[task.kind])


def test_a_policy_that_knows_everything_answers_right_and_one_that_knows_no_form_runs_out_of_turns() -> None:
    able, clumsy = Policy(skill=1, form=1, care=1, entropy=0.1), Policy(skill=0, form=0, care=0, entropy=1)
    for seed in range(20):
        episode = play(able, make_task(str(seed)), Random(seed))
        assert (episode.final_reward, episode.stop_reason, episode.metrics["tool_errors"]) == (1.0, "stop", 0.0)
        lost = play(clumsy, make_task(str(seed)), Random(seed))
        assert (lost.final_reward, lost.stop_reason, len(lost.turns)) == (0.0, "max_turns", MAX_TURNS)


def test_turns_are_paid_by_their_calls_and_count_their_tokens() -> None:
    episode = play(policy_at(0.3), make_task("3"), Random(3))
    for turn in episode.turns:
        ok = turn["metrics"].get("tool_ok")
        assert turn["reward"] == {None: 0.0, 1.0: VALID_CALL, 0.0: INVALID_CALL}[ok]
    before = 0
    asked = [turn["prompt_tokens"] for turn in episode.turns]
    for message in episode.messages:
        if message["role"] == "assistant":
            assert asked.pop(0) == before
        before += message["tokens"]
