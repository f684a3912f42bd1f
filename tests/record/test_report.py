"""A group's part of a report: its heading, its transcripts, its numbers."""

from __future__ import annotations

from typing import Any

from rollscope.model import Message, Part, Turn
from rollscope.record.logtree.scopes import section_nodes
from rollscope.record.logtree.tree import Node
from rollscope.record.report import TITLE_CHARS, details_node, group_nodes, transcript_data
from rollscope.record.samples.ranges import DeclaredRanges
from rollscope.record.samples.schema import SCHEMA_VERSION, RolloutLine


def sample_line(index: int = 0, **fields: Any) -> RolloutLine:
    return RolloutLine(
        **{
            "schema_version": SCHEMA_VERSION, "run_id": "r", "writer": "main", "attempt": 0, "split": "train", "step": 0,
            "group": 7, "index": index, "time": 0.0, **fields,
        }
    )  # fmt: skip


def said(child: str | Node) -> list[str]:
    return [child] if isinstance(child, str) else [text for inner in child.children for text in said(inner)]


def filled(lines: list[RolloutLine], ranges: DeclaredRanges, *, transcripts: bool = False) -> tuple[Node, Node]:
    section, body = section_nodes("Group 7", 2, {})
    group_nodes(lines, ranges, section=section, body=body, transcripts=transcripts)
    return section, body


def test_a_transcript_is_what_chat_interfaces_take() -> None:
    call = Part(type="tool_call", text="<c>{}</c>", lead=3, tail=4, name="add", id="1")
    thought = Part(type="thinking", text="<think>hm", lead=7, closed=False)
    told = transcript_data(
        [
            Message(role="user", parts=[Part(text="a"), Part(text="b")], tokens=2),
            Message(role="assistant", parts=[thought, Part(text="x"), call], turn=0),
            Message(role="tool", parts=[Part(type="tool_result", text="3")], tool_call_id="1"),
        ]
    )
    assert told[0] == {"role": "user", "content": "ab", "tokens": 2}
    assert told[1]["content"] == [
        {"type": "thinking", "thinking": "hm", "closed": False},
        {"type": "text", "text": "x"},
    ]
    assert told[1]["tool_calls"] == [{"type": "function", "id": "1", "function": {"name": "add", "arguments": "{}"}}]
    assert told[2] == {"role": "tool", "content": "3", "tool_call_id": "1"}


def test_a_groups_heading_has_its_question_its_mean_and_every_reward() -> None:
    ranges = DeclaredRanges()
    ranges.declare("sums", reward=(0.0, 2.0), metrics=None)
    question = [
        Message(role="system", parts=[Part(text="be brief")]),
        Message(role="user", parts=[Part(text="6\n × 7?")]),
    ]
    lines = [
        sample_line(0, env="sums", reward=1.0, messages=question),
        sample_line(1, env="sums", reward=3.0, discard_reason="too_long"),
        sample_line(2, env="sums", nonfinite={"reward": "NaN"}),
    ]
    section, _ = filled(lines, ranges)
    heading = section.children[0]
    assert isinstance(heading, Node)
    texts = said(heading)
    assert texts[1:4] == [" sums · 6 × 7? ", "mean 2", "too long ×1"]
    assert [text for text in texts[4:] if text != " "] == ["+1", "+3", "NaN"]
    badges = heading.children[-1]
    assert isinstance(badges, Node)
    hues = [badge.attrs.get("style") for badge in badges.children if isinstance(badge, Node)]
    assert hues == ["--hue:60", "--hue:120", None], "beyond the range is its end; what is no number has no colour"


def test_a_long_question_is_cut_and_says_so() -> None:
    lines = [sample_line(messages=[Message(role="user", parts=[Part(text="q" * (TITLE_CHARS + 1))])])]
    section, _ = filled(lines, DeclaredRanges())
    assert f" {'q' * TITLE_CHARS}… " in said(section)


def test_transcripts_are_those_of_logged_groups_and_details_are_everyones() -> None:
    lines = [sample_line(golden_answers={"answer": "42"}, messages=[Message(role="user", parts=[Part(text="q")])])]
    for transcripts, expected in ((True, ["details", "section"]), (False, ["section"])):
        _, body = filled(lines, DeclaredRanges(), transcripts=transcripts)
        assert [child.tag for child in body.children if isinstance(child, Node)] == expected
        assert ("42" in said(body)) is transcripts


def test_the_table_of_turns_is_there_where_it_says_more_than_that_of_samples() -> None:
    def tables(*lines: RolloutLine) -> dict[str, Any]:
        found = details_node(lines).children[1]
        assert isinstance(found, Node)
        data = [child.data for child in found.children if isinstance(child, Node)]
        return {table["title"]: table for table in data if table is not None}

    one = sample_line(reward=1.0, num_turns=1)
    assert tables(one).keys() == {"Episodes"}
    assert "discard_reason" not in tables(one)["Episodes"]["columns"], "a column that says nothing is left out"
    two = sample_line(1, turns=[Turn(index=0, metrics={"ok": 1.0}), Turn(index=1)], num_turns=2)
    both = tables(one, two)
    assert both["Turns"]["columns"] == ["trajectory", "turn", "reward", "ok"]
    assert both["Turns"]["rows"] == [[0, 0, 1.0, None], [1, 0, None, 1.0], [1, 1, None, None]]
