"""Tinker Cookbook runs: every line is a sample; a transcript is shown with one only where that is certain."""

from __future__ import annotations

import json
import math
import re
from collections import Counter, defaultdict
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from tests.fixtures import fixture_path, write_jsonl
from tests.formats.data_rows import ReadRun, assert_row_matches_sample, same
from tests.formats.data_tinker import (
    Node,
    Record,
    answered,
    asked,
    conversation,
    group,
    problem,
    said,
    section,
    step,
    summary,
    write_iteration,
    write_logtree,
)

from rollscope.formats.tinker import TinkerFormat
from rollscope.model import Sample
from rollscope.storage.open_store import open_store

RUNS = ("tinker_flat", "tinker_iteration_dirs_crashed")
BOTH = pytest.mark.parametrize("name", RUNS)


# What its own writer wrote ---------------------------------------------------------------------------------------


@cache
def the_run(name: str) -> ReadRun:
    return ReadRun(TinkerFormat(), fixture_path(name))


def naive_lines(path: Path) -> Iterator[tuple[str, int, dict[str, Any]]]:
    """(split, iteration, record) of every line of every summaries file, by what the lines say themselves."""
    for file in sorted(path.rglob("*_rollout_summaries.jsonl")):
        for line in file.read_text().splitlines():
            record = json.loads(line)
            yield record["split"], record["iteration"], record


@BOTH
def test_every_line_is_a_sample_with_its_numbers(name: str) -> None:
    run = the_run(name)
    wanted = {
        (split, iteration, str(record["group_idx"]), record["traj_idx"]): record
        for split, iteration, record in naive_lines(fixture_path(name))
    }
    assert run.skipped == []
    found = {}
    for row in run.rows:
        sample = run.load(row)
        assert_row_matches_sample(row, sample)
        found[row["split"], row["step"], row["group"], sample.record["traj_idx"]] = sample
    assert len(run.rows) == len(found)
    assert found.keys() == wanted.keys()
    for key, sample in found.items():
        record = wanted[key]
        assert same(sample.reward, record["total_reward"])
        assert same(sample.final_reward, record["final_reward"])
        assert sample.tags == record["tags"]
        assert sample.sampling_step == record["sampling_client_step"]
        assert sample.completion_tokens == sum(turn["ac_len"] for turn in record["steps"])
        assert sample.prompt_tokens == record["steps"][0]["ob_len"]
        assert [turn.reward for turn in sample.turns] == [turn["reward"] for turn in record["steps"]]
        for name_, value in record["trajectory_metrics"].items():
            assert same(sample.metrics[name_], float(value))
        for name_, value in record["steps"][-1]["metrics"].items():
            assert same(sample.turns[-1].metrics[name_], float(value))
            if len(record["steps"]) == 1 and name_ not in record["trajectory_metrics"]:
                assert same(sample.metrics[name_], float(value))


@BOTH
def test_splits_and_steps(name: str) -> None:
    steps = defaultdict(set)
    for row in the_run(name).rows:
        steps[row["split"]].add(row["step"])
    evaluated = {0, 5, 10} if name == "tinker_flat" else {0, 5}
    assert steps == {
        "train": {0, 2, 5, 10} if name == "tinker_flat" else {0, 5, 8},
        "eval/test": evaluated,
        "eval/AIME_2025_avg_2": evaluated,
    }


@BOTH
def test_metrics_of_steps_run_again_end_with_the_last(name: str) -> None:
    wanted: dict[tuple[int, str], float] = {}
    for line in (fixture_path(name) / "metrics.jsonl").read_text().splitlines():
        row = json.loads(line)
        wanted.update({(row["step"], key): float(value) for key, value in row.items() if key != "step"})
    found: dict[tuple[int, str], float] = {}
    run = the_run(name)
    for logged in run.form.metrics(run.store):
        found.update({(logged.step, key): value for key, value in logged.values.items()})
    assert found.keys() == wanted.keys()
    assert all(same(found[key], wanted[key]) for key in wanted)
    assert any(math.isnan(value) for value in found.values())
    assert run.form.metric_files(run.store) == ["metrics.jsonl"]


@BOTH
def test_config_checkpoints_and_reports(name: str) -> None:
    run, path = the_run(name), fixture_path(name)
    assert run.form.config(run.store) == json.loads((path / "config.json").read_text())
    checkpoints = run.form.checkpoints(run.store)
    lines = [json.loads(line) for line in (path / "checkpoints.jsonl").read_text().splitlines()]
    assert [(c.name, c.step, c.paths["state_path"]) for c in checkpoints] == [
        (line["name"], line["batch"], line["state_path"]) for line in lines
    ]
    reports = run.form.reports(run.store)
    assert sorted(reports) == sorted(str(file.relative_to(path)) for file in path.rglob("*_logtree.json"))
    assert any("eval_1" in report for report in reports), "an evaluator without summaries still has its report"
    unclaimed = [
        str(file.relative_to(path))
        for file in path.rglob("*")
        if file.is_file() and not run.form.claims(run.store, str(file.relative_to(path)))
    ]
    assert all(path.endswith("_rollout_summaries.jsonl") for path in unclaimed)


@BOTH
def test_the_run_is_recognised(name: str) -> None:
    claim = TinkerFormat().detect(open_store(fixture_path(name)))
    assert claim is not None
    assert claim.confidence == 0.9


def plain_text(message: dict[str, Any]) -> str:
    content = message["content"]
    return content if isinstance(content, str) else "".join(part.get("text", "") for part in content)


def whole_text(message: dict[str, Any]) -> str:
    """With its thoughts."""
    content = message["content"]
    return content if isinstance(content, str) else "".join(part.get("thinking", part.get("text")) for part in content)


def naive_rewards(logtree: Path) -> list[list[tuple[str, str]]]:
    """Per logged group that finished: (response as JSON, reward text) of each single-turn transcript, in order."""
    groups: list[list[tuple[str, str]]] = []

    def walk(node: Any, out: list[str | dict[str, Any]]) -> None:
        if isinstance(node, str):
            out.append(node)
            return
        if node.get("data"):
            out.append(node["data"])
        for child in node["children"]:
            walk(child, out)

    for child in json.loads(logtree.read_text())["root"]["children"]:
        flat: list[str | dict[str, Any]] = []
        walk(child, flat)
        if "Group Rollout" not in flat[:1] or "Trajectory Details" not in flat:
            continue
        found = []
        for position, item in enumerate(flat):
            if item == "Reward components":
                data = next(entry for entry in reversed(flat[:position]) if isinstance(entry, dict))
                value = flat.index("reward", position) + 1
                found.append((json.dumps(data["messages"][-1]), str(flat[value])))
        groups.append(found)
    return groups


def response_text(sample: Sample) -> str:
    parts = [part for message in sample.messages if message.turn is not None for part in message.parts]
    return "".join(part.text for part in parts if part.type != "thinking")


@BOTH
def test_single_turn_transcripts_are_shown_only_with_the_one_sample_of_their_reward(name: str) -> None:
    run, checked, unmatched = the_run(name), 0, 0
    for source in run.form.sources(run.store):
        logtree = fixture_path(name) / source.path.replace("_rollout_summaries.jsonl", "_logtree.json")
        logged = naive_rewards(logtree)
        for row in [row for row in run.rows if row["source"] == source and row["tags"] == ["arithmetic"]]:
            transcripts = logged[int(row["group"])] if int(row["group"]) < len(logged) else []
            if not transcripts:
                continue
            sample = run.load(row)
            alike = {text for text, reward in transcripts if reward == f"{row['reward']:.3f}"}
            if sample.unmatched:
                assert len(alike) > 1
                assert response_text(sample) == ""
                assert {message.role for message in sample.messages} == {"system", "user"}
                unmatched += 1
            else:
                shown = "".join(message.text for message in sample.messages if message.turn is not None)
                assert [whole_text(json.loads(message)) for message in alike] == [shown]
                checked += 1
            assert sample.golden_answers.keys() == {"reference_answer"}
    assert checked > 8
    assert unmatched > 5


@BOTH
def test_agents_transcripts_say_what_their_sample_logged(name: str) -> None:
    run, shown = the_run(name), Counter[bool]()
    for row in [row for row in run.rows if "agent" in row["tags"]]:
        sample = run.load(row)
        joined = any("carries no index" in note for note in sample.notes)
        shown[joined] += 1
        for turn in sample.turns:
            spoken = [m for m in sample.messages if m.role == "assistant" and m.turn == turn.index]
            words = "".join(part.text for m in spoken for part in m.parts if part.type not in ("thinking", "tool_call"))
            calls = [part.text for m in spoken for part in m.parts if part.type == "tool_call"]
            logged = [turn.logs[key] for key in sorted(turn.logs) if key.startswith("tool_call_")]
            assert words == turn.logs.get("assistant_content", "")
            assert [call for call in calls if "<tool_call>" not in call] == logged
            results = [m.text for m in sample.messages if m.role == "tool" and m.turn == turn.index]
            assert results == [turn.logs[key] for key in sorted(turn.logs) if key.startswith("tool_result_")]
        if joined:
            assert [m.role for m in sample.messages[:2]] == ["system", "user"]
            assert sample.messages[-1].tokens == sample.turns[-1].completion_tokens
    assert shown[True] > 15
    assert shown[False] > 15


@BOTH
def test_numbered_completions_are_those_of_their_trajectory(name: str) -> None:
    run = the_run(name)
    for row in [row for row in run.where(split="train") if row["tags"] == ["pair_pref"]]:
        sample = run.load(row)
        if not sample.messages:
            continue
        logtree = fixture_path(name) / row["source"].path.replace("_rollout_summaries.jsonl", "_logtree.json")
        heading = f"Completion {sample.record['traj_idx']}"
        texts = [
            plain_text(messages[0])
            for title, messages in headed_conversations(json.loads(logtree.read_text())["root"])
            if title == heading
        ]
        assert response_text(sample) in texts
        assert sample.unmatched == []


def headed_conversations(node: Any, heading: str = "") -> Iterator[tuple[str, list[dict[str, Any]]]]:
    if isinstance(node, str):
        return
    if node.get("data"):
        yield heading, node["data"]["messages"]
    for child in node["children"]:
        if isinstance(child, dict) and re.fullmatch(r"h\d", child["tag"]):
            heading = child["children"][0]
        yield from headed_conversations(child, heading)


# Whose transcript ------------------------------------------------------------------------------------------------


def samples(run: Path, records: list[Record], *groups: Node) -> list[Sample]:
    write_iteration(run, records, *groups)
    read = ReadRun(TinkerFormat(), run)
    return [read.load(row) for row in read.rows]


def answers(found: list[Sample]) -> list[str]:
    return [response_text(sample) for sample in found]


def test_completion_order_does_not_decide(tmp_path: Path) -> None:
    records = [answered(0, 0, 1.0), answered(0, 1, 0.0), answered(0, 2, 0.5)]
    logged = [*problem("q", "half", 0.5), *problem("q", "full", 1.0), *problem("q", "none", 0.0)]
    found = samples(tmp_path, records, group(logged, records))
    assert answers(found) == ["full", "none", "half"]
    assert [sample.messages[0].text for sample in found] == ["q"] * 3
    assert found[0].golden_answers == {"reference_answer": "x < 4 & y"}
    assert found[0].messages[1].tokens == 10
    assert [part.type for part in found[0].messages[1].parts] == ["thinking", "text"]


def test_equal_rewards_leave_transcripts_unmatched_and_the_prompt_shared(tmp_path: Path) -> None:
    records = [answered(0, 0, 0.0), answered(0, 1, 0.0), answered(0, 2, 1.0)]
    logged = [*problem("q", "wrong", 0.0), *problem("q", "right", 1.0), *problem("q", "also wrong", 0.0)]
    found = samples(tmp_path, records, group(logged, records))
    assert answers(found) == ["", "", "right"]
    for sample in found[:2]:
        assert [(message.role, message.text) for message in sample.messages] == [("user", "q")]
        assert ["".join(m.text for m in other.messages) for other in sample.unmatched] == ["hmwrong", "hmalso wrong"]
        assert sample.unmatched[0].title == "Policy Response 1 (correct False, reward 0.000)"
        assert any("2 transcripts of its group" in note for note in sample.notes)
    assert found[2].unmatched == []


def test_the_same_words_twice_are_interchangeable(tmp_path: Path) -> None:
    records = [answered(0, 0, 0.0), answered(0, 1, 0.0)]
    logged = [*problem("q", "same", 0.0), *problem("q", "same", 0.0)]
    assert answers(samples(tmp_path, records, group(logged, records))) == ["same", "same"]


def test_a_trajectory_without_transcript_takes_no_others(tmp_path: Path) -> None:
    records = [answered(0, 0, 0.0), answered(0, 1, 0.0), answered(0, 2, 1.0)]
    logged = [*problem("q", "one of two", 0.0), *problem("q", "right", 1.0)]
    found = samples(tmp_path, records, group(logged, records))
    assert answers(found) == ["", "", "right"]
    assert [len(sample.unmatched) for sample in found] == [1, 1, 0]


def test_retries_leave_more_transcripts_than_trajectories_and_then_rewards_prove_nothing(tmp_path: Path) -> None:
    records = [answered(0, 0, 1.0), answered(0, 1, 0.0)]
    logged = [*problem("q", "thrown away", 1.0), *problem("q", "a", 0.5), *problem("q", "b", 0.0)]
    found = samples(tmp_path, records, group(logged, records))
    assert answers(found) == ["", ""]
    assert [len(sample.unmatched) for sample in found] == [3, 3]


def test_entries_of_several_trajectories_in_between_prove_nothing(tmp_path: Path) -> None:
    records = [answered(0, 0, 1.0), answered(0, 1, 0.0)]
    first, second = problem("q", "one", 1.0), problem("q", "two", 0.0)
    logged = [first[0], second[0], first[1], second[1], second[2], first[2]]
    found = samples(tmp_path, records, group(logged, records))
    assert answers(found) == ["", ""]
    assert [len(sample.unmatched) for sample in found] == [2, 2]


def agent_turns(*turns: tuple[str, str | None]) -> list[Record]:
    """(words, tool call or None) per turn."""
    made = []
    for index, (words, call) in enumerate(turns):
        logs = {"assistant_content": words}
        if call is not None:
            logs |= {"tool_call_0": f"look({call})", "tool_result_0": f"saw {call}"}
        made.append(step(index, ob=20 + 30 * index, done=index == len(turns) - 1, logs=logs))
    return made


def agent_transcript(*turns: tuple[str, str | None]) -> Node:
    messages = [{"role": "system", "content": "tools"}, asked("find it")]
    for words, call in turns:
        if call is None:
            messages.append(said(words))
        else:
            function = {"name": "look", "arguments": call}
            messages.append(said(words, tool_calls=[{"type": "function", "id": None, "function": function}]))
            messages.append({"role": "tool", "content": f"saw {call}"})
    return section("Agent transcript", conversation(*messages), level=3)


def test_agents_are_told_apart_by_their_words_and_calls(tmp_path: Path) -> None:
    left, right = (("", "left"), ("done", None)), (("", "right"), ("done", None))
    records = [summary(0, 0, agent_turns(*left)), summary(0, 1, agent_turns(*right))]
    logged = [agent_transcript(*right), agent_transcript(*left)]
    found = samples(tmp_path, records, group(logged, records))
    for sample, call in zip(found, ("left", "right"), strict=True):
        assert [(m.role, m.turn) for m in sample.messages] == [
            *(("system", None), ("user", None), ("assistant", 0), ("tool", 0), ("assistant", 1))
        ]
        assert sample.messages[3].text == f"saw {call}"


def test_calls_that_could_not_be_parsed_are_shown_as_written(tmp_path: Path) -> None:
    raw = '<tool_call>\n{"name": "look", "arguments": {"at'
    message = said("hm?", unparsed_tool_calls=[{"raw_text": raw, "error": "Unterminated string"}])
    records = [summary(0, 0, [step(logs={"assistant_content": "hm?"})])]
    logged = section("Agent transcript", conversation(asked("find it"), message), level=3)
    parts = samples(tmp_path, records, group([logged], records))[0].messages[-1].parts
    assert [(part.type, part.text, part.closed) for part in parts[1:]] == [
        ("text", "hm?", True),
        ("tool_call", raw, False),
    ]


def test_a_trajectory_that_logged_nothing_does_not_take_anothers_words(tmp_path: Path) -> None:
    failed = step(metrics={"stop/parse_error": 1.0}, logs={"parse_errors": "bad JSON"})
    records = [summary(0, 0, [failed]), summary(0, 1, agent_turns(("the answer", None)))]
    found = samples(tmp_path, records, group([agent_transcript(("the answer", None))], records))
    assert answers(found) == ["", "the answer"]
    assert found[0].unmatched == []
    assert (found[0].stop_reason, found[0].status) == ("parse_error", "failed")


def test_without_a_transcript_a_conversation_is_rebuilt_from_what_was_logged(tmp_path: Path) -> None:
    found = samples(tmp_path, [summary(0, 0, agent_turns(("Let me see.", '{"at": 1}'), ("done", None)))])
    assert [(m.role, m.text, m.turn) for m in found[0].messages] == [
        ("assistant", 'Let me see.look({"at": 1})', 0),
        ("tool", 'saw {"at": 1}', 0),
        ("assistant", "done", 1),
    ]
    call = found[0].messages[0].parts[1]
    assert (call.type, call.name, call.content) == ("tool_call", "look", '{"at": 1}')
    assert any("Rebuilt" in note for note in found[0].notes)


def test_numbered_completions_need_no_proof(tmp_path: Path) -> None:
    records = [summary(0, i, [step()], final_reward=0.0) for i in range(2)]
    logged = section(
        "compute_group_rewards",
        section("Prompt", conversation(asked("q")), level=4),
        section("Completion 1", conversation(said("second")), level=4),
        section("Completion 0", conversation(said("first")), level=4),
        level=3,
    )
    found = samples(tmp_path, records, group([logged], records))
    assert answers(found) == ["first", "second"]
    assert found[0].messages[0].text == "q"
    assert found[0].notes == []


def test_a_failed_group_shifts_the_numbering(tmp_path: Path) -> None:
    records = [answered(0, 0, 1.0, ac=5), answered(1, 0, 1.0, ac=6)]
    found = samples(
        tmp_path,
        records,
        group(problem("q", "of the first", 1.0), records[:1]),
        group(problem("q", "of the failed one", 1.0), None),
        group(problem("q", "of the second", 1.0), records[1:]),
    )
    assert answers(found) == ["of the first", "of the second"]


def test_groups_filtered_out_of_training_are_recognised_by_their_numbers(tmp_path: Path) -> None:
    dropped, kept = answered(0, 0, 0.0, ac=5), answered(0, 0, 1.0, ac=6)
    found = samples(
        tmp_path,
        [kept],
        group(problem("q", "dropped", 0.0), [dropped]),
        group(problem("q", "kept", 1.0), [kept]),
    )
    assert answers(found) == ["kept"]


def test_a_page_of_another_attempt_is_not_used(tmp_path: Path) -> None:
    old, new = answered(0, 0, 1.0, ac=5), answered(0, 0, 1.0, ac=6)
    found = samples(tmp_path, [new], group(problem("q", "of the crashed attempt", 1.0), [old]))
    assert found[0].messages == []
    assert found[0].unmatched == []


def test_a_rewritten_page_is_read_again(tmp_path: Path) -> None:
    records = [answered(0, 0, 1.0)]
    assert answers(samples(tmp_path, records, group(problem("q", "before", 1.0), records))) == ["before"]
    assert answers(samples(tmp_path, records, group(problem("q", "afterwards", 1.0), records))) == ["afterwards"]


@pytest.mark.parametrize(
    "page",
    ["", '{"root": ', "[]", '{"title": "no root"}', '{"root": ' + '{"children": [' * 100_000],
    ids=["empty", "half", "list", "no root", "deep"],
)
def test_a_page_that_cannot_be_read_is_said_and_the_sample_opens(tmp_path: Path, page: str) -> None:
    write_iteration(tmp_path, [answered(0, 0, 1.0)])
    (tmp_path / "iteration_000000" / "train_logtree.json").write_text(page)
    run = ReadRun(TinkerFormat(), tmp_path)
    sample = run.load(run.rows[0])
    assert sample.reward == 1.0
    assert any("train_logtree.json cannot be read" in note for note in sample.notes)


def test_a_search_sees_the_transcripts(tmp_path: Path) -> None:
    records = [answered(0, 0, 1.0)]
    write_iteration(tmp_path, records, group(problem("the question", "the reply", 1.0), records))
    run = ReadRun(TinkerFormat(), tmp_path)
    texts = run.texts(run.rows[0])
    assert texts == [("prompt", "the question"), ("response", "hmthe reply"), ("golden", "x < 4 & y")]


def test_a_search_sees_transcripts_that_may_be_the_samples(tmp_path: Path) -> None:
    records = [answered(0, 0, 0.0), answered(0, 1, 0.0)]
    logged = [*problem("q", "one", 0.0), *problem("q", "other", 0.0)]
    write_iteration(tmp_path, records, group(logged, records))
    run = ReadRun(TinkerFormat(), tmp_path)
    assert [dict(run.texts(row))["unmatched"] for row in run.rows] == ["hmone\nhmother"] * 2


# Numbers ---------------------------------------------------------------------------------------------------------


def one(tmp_path: Path, record: Record) -> Sample:
    write_iteration(tmp_path, [record], iteration=record["iteration"])
    run = ReadRun(TinkerFormat(), tmp_path)
    sample = run.load(run.rows[0])
    assert_row_matches_sample(run.rows[0], sample)
    return sample


def test_metrics_are_means_over_the_steps_that_emitted_them(tmp_path: Path) -> None:
    steps = [
        step(0, metrics={"seconds": 1.0, "once": True}),
        step(1, metrics={"seconds": 2.0, "both": 5}),
        step(2, metrics={"word": "text"}),
    ]
    sample = one(tmp_path, summary(0, 0, steps, metrics={"both": 7.0}))
    assert sample.metrics == {"seconds": 1.5, "once": 1.0, "both": 7.0}
    assert [turn.metrics for turn in sample.turns] == [{"seconds": 1.0, "once": 1.0}, {"seconds": 2.0, "both": 5.0}, {}]


def test_bare_nan_and_infinity_are_kept(tmp_path: Path) -> None:
    record = summary(0, 0, [step(reward=math.nan, metrics={"kl": math.inf}, logs={"x": math.nan})])
    sample = one(tmp_path, record)
    assert sample.reward is not None
    assert math.isnan(sample.reward)
    assert sample.metrics == {"kl": math.inf}
    assert sample.record["total_reward"] == "NaN"
    assert sample.turns[0].logs == {"x": "NaN"}


@pytest.mark.parametrize(
    ("lengths", "total"),
    [([(20, 5)], 25), ([(20, 5), (30, 5)], 35), ([(20, 5), (10, 5)], None), ([], None)],
    ids=["one turn", "growing", "a context that was cut", "no turn"],
)
def test_the_total_is_known_only_where_observations_hold_what_went_before(
    tmp_path: Path, lengths: list[tuple[int, int]], total: int | None
) -> None:
    sample = one(tmp_path, summary(0, 0, [step(i, ob=ob, ac=ac) for i, (ob, ac) in enumerate(lengths)]))
    assert sample.total_tokens == total
    assert sample.prompt_tokens == (20 if lengths else None)
    assert sample.completion_tokens == (5 * len(lengths) if lengths else None)


@pytest.mark.parametrize(
    ("reason", "status"),
    [("completed", "completed"), ("max_tokens", "truncated"), ("rollout_timeout", "aborted"), ("own_word", None)],
)
def test_the_stop_reason_is_in_the_last_steps_metrics(tmp_path: Path, reason: str, status: str | None) -> None:
    steps = [step(0, metrics={"stop/max_turns": 0.0}), step(1, metrics={f"stop/{reason}": 1.0})]
    sample = one(tmp_path, summary(0, 0, steps))
    assert (sample.stop_reason, sample.status) == (reason, status)


def test_staleness_is_the_age_of_the_weights(tmp_path: Path) -> None:
    assert one(tmp_path, summary(0, 0, [step()], iteration=7, sampled=5)).staleness == 2


# Layouts ---------------------------------------------------------------------------------------------------------


def test_both_layouts_in_one_run_and_the_newer_counts(tmp_path: Path) -> None:
    write_jsonl(tmp_path / "train_iteration_000000_rollout_summaries.jsonl", [answered(0, 0, 0.0)])
    write_jsonl(tmp_path / "train_iteration_000001_rollout_summaries.jsonl", [answered(0, 0, 0.25)])
    write_jsonl(tmp_path / "eval_a_iteration_x_iteration_000001_rollout_summaries.jsonl", [answered(0, 0, 0.5)])
    write_iteration(tmp_path, [answered(0, 0, 0.75)], iteration=1)
    write_iteration(tmp_path, [answered(0, 0, 1.0)], iteration=1_000_000, split="eval_b.c-d")
    run = ReadRun(TinkerFormat(), tmp_path)
    assert [(row["split"], row["step"], row["reward"]) for row in run.rows] == [
        ("train", 0, 0.0),
        ("train", 1, 0.75),
        ("eval/a_iteration_x", 1, 0.5),
        ("eval/b.c-d", 1_000_000, 1.0),
    ]


def test_the_flat_layout_finds_its_page(tmp_path: Path) -> None:
    records = [answered(0, 0, 1.0)]
    write_jsonl(tmp_path / "eval_x_iteration_000004_rollout_summaries.jsonl", records)
    write_logtree(tmp_path / "eval_x_iteration_000004_logtree.json", group(problem("q", "flat", 1.0), records))
    run = ReadRun(TinkerFormat(), tmp_path)
    assert answers([run.load(row) for row in run.rows]) == ["flat"]


def test_a_file_without_records_and_bad_lines_are_no_trouble(tmp_path: Path) -> None:
    write_iteration(tmp_path, [], iteration=0)
    path = write_iteration(tmp_path, [answered(0, 0, 1.0)], iteration=1)
    path.write_text(path.read_text() + "not JSON\n" + json.dumps({**answered(0, 1, 0.5), "steps": "gone"}) + "\n")
    run = ReadRun(TinkerFormat(), tmp_path)
    assert [row["reward"] for row in run.rows] == [1.0, 0.5]
    assert [(skip.file, skip.line) for skip in run.skipped] == [("iteration_000001/train_rollout_summaries.jsonl", 2)]
    assert run.load(run.rows[1]).turns == []


@pytest.mark.parametrize(
    ("files", "confidence"),
    [
        ({"iteration_000000/train_rollout_summaries.jsonl": json.dumps(answered(0, 0, 1.0))}, 0.9),
        ({"iteration_000000/train_rollout_summaries.jsonl": ""}, 0.5),
        ({"eval_1_iteration_000000_logtree.json": "{}"}, 0.5),
        ({"metrics.jsonl": '{"step": 0, "progress/batch": 0}\n'}, 0.4),
        ({"metrics.jsonl": '{"step": 0, "loss": 0}\n'}, None),
        ({"0.jsonl": "{}"}, None),
    ],
)
def test_how_sure_it_is(tmp_path: Path, files: dict[str, str], confidence: float | None) -> None:
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    claim = TinkerFormat().detect(open_store(tmp_path))
    assert (claim.confidence if claim else None) == confidence
