"""Transcripts that are joined to their samples only with proof."""

from __future__ import annotations

from pathlib import Path

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
)
from tests.formats.test_tinker import answers, samples


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


def test_a_sample_without_any_text_says_so(tmp_path: Path) -> None:
    (found,) = samples(tmp_path, [summary(0, 0, [step()])])
    assert (found.messages, found.notes) == ([], ["The trainer wrote no text of this sample, only its numbers."])
