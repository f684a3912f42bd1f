"""One message's text as parts: what is recognised, what is only mentioned, and that nothing is lost."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rollscope.model import Part
from rollscope.render import split_parts
from rollscope.render.think_and_tool_blocks import ALL_KINDS, BLOCKS, MARKERS

CALL = '{"name": "get_weather", "arguments": {"city": "Oslo"}}'


def shape(parts: list[Part]) -> list[tuple[str, str]]:
    """(type, content) of each part; a cut block's type ends in "…"."""
    return [(part.type + ("" if part.closed else "…"), part.content) for part in parts]


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("Hello.", [("text", "Hello.")]),
        ("", []),
        ("<think>\nhm\n</think>\n\nHi", [("thinking", "\nhm\n"), ("text", "\n\nHi")]),
        ("<thinking>hm</thinking>Hi", [("thinking", "hm"), ("text", "Hi")]),
        ("[THINK]hm[/THINK]Hi", [("thinking", "hm"), ("text", "Hi")]),
        ("<|channel>thought\nhm<channel|>Hi", [("thinking", "hm"), ("text", "Hi")]),
        ("<think>cut off", [("thinking…", "cut off")]),
        ("<think></think>Hi", [("thinking", ""), ("text", "Hi")]),
        ("<think>a <tool_call>{}</tool_call></think>", [("thinking", "a <tool_call>{}</tool_call>")]),
        ("so 12</think>12", [("thinking", "so 12"), ("text", "12")]),
        ("a<think>b</think>c</think>", [("text", "a"), ("thinking", "b"), ("text", "c</think>")]),
        ("<answer>42</answer>", [("answer", "42")]),
        ("<answer>4", [("answer…", "4")]),
        (r"\boxed{42}", [("text", r"\boxed{42}")]),
        (f"Wait.\n<tool_call>\n{CALL}\n</tool_call>", [("text", "Wait.\n"), ("tool_call", f"\n{CALL}\n")]),
        ("<tool_response>\n1\n</tool_response>", [("tool_result", "\n1\n")]),
        ("<tools>\n[]\n</tools>", [("tools", "\n[]\n")]),
        ("x<|im_end|>", [("text", "x"), ("marker", "<|im_end|>")]),
    ],
)
def test_blocks(text: str, parts: list[tuple[str, str]]) -> None:
    assert shape(split_parts(text)) == parts


def test_delimiters_are_counted_and_not_part_of_the_content() -> None:
    (part,) = split_parts("<think>hm</think>")
    assert (part.lead, part.tail, part.content, part.text) == (7, 8, "hm", "<think>hm</think>")
    (part,) = split_parts("<think>hm")
    assert (part.lead, part.tail, part.closed) == (7, 0, False)


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("so 12\n</think>\n12", [("thinking", "so 12\n"), ("text", "\n12")]),
        ("still thinking", [("thinking…", "still thinking")]),
        ("<think>\nagain</think>Hi", [("thinking", "\nagain"), ("text", "Hi")]),
        ("hm[/THINK]Hi", [("thinking", "hm"), ("text", "Hi")]),
        ("hm<|end|><|start|>assistant", [("thinking", "hm"), ("marker", "<|start|>assistant")]),
        ("", []),
    ],
)
def test_a_block_that_the_prompt_opened(text: str, parts: list[tuple[str, str]]) -> None:
    split = split_parts(text, thinking_open=True)
    assert shape(split) == parts
    if split and not text.startswith("<think>"):
        assert split[0].lead == 0


@pytest.mark.parametrize(
    "text",
    [
        "Return <tool_call></tool_call>.",
        "Write it inside <tool_call> tags.",
        'Think between `<think>` and `</think>`, or "<thinking>" as it were.',
        "The signatures between <tools></tools> are yours, or <tools> alone.",
        "a < b > c <thinker> <|nothing|> [INSTANCE] <tool_callx>",
    ],
)
def test_a_delimiter_that_is_only_mentioned_is_text(text: str) -> None:
    assert shape(split_parts(text)) == [("text", text)]


def test_after_the_thinking_an_opener_in_the_middle_of_a_line_is_a_word() -> None:
    assert shape(split_parts("<think>a</think>The <think> tag"))[1:] == [("text", "The <think> tag")]
    assert shape(split_parts("<think>a</think>Hm.\n<think>b"))[2:] == [("thinking…", "b")]


def test_a_thought_may_speak_of_its_own_opener() -> None:
    split = split_parts("I use `<think>` here.</think>Answer")
    assert shape(split) == [("thinking", "I use `<think>` here."), ("text", "Answer")]
    assert shape(split_parts("<think>the `<think>` tag</think>a")) == [("thinking", "the `<think>` tag"), ("text", "a")]


def test_a_call_that_was_never_closed_ends_where_the_next_one_opens() -> None:
    split = split_parts('<tool_call>{"name": "a"}\n<tool_call>{"name": "b"}</tool_call>')
    assert [(part.name, part.closed) for part in split] == [("a", False), ("b", True)]


@pytest.mark.parametrize(
    ("text", "name", "call_id"),
    [
        (f"<tool_call>\n{CALL}\n</tool_call>", "get_weather", None),
        ('<tool_call>{"id": "c1", "function": {"name": "f"}}</tool_call>', "f", "c1"),
        ('<tool_call>{"name": 3, "id": 4}</tool_call>', None, None),
        ("<tool_call>[]</tool_call>", None, None),
        ("<tool_call>\n<function=run>\n<parameter=x>\n1\n</parameter>\n</function>\n</tool_call>", "run", None),
        ("<tool_call>get_weather\n<arg_key>city</arg_key></tool_call>", "get_weather", None),
        ("<function=add>{}</function>", "add", None),
        (f"<|python_tag|>{CALL}", "get_weather", None),
        ('<|python_tag|>brave_search.call(query="x")', "brave_search", None),
        ('[TOOL_CALLS] [{"name": "f", "arguments": {}, "id": "a1b2c3d4e"}]', "f", "a1b2c3d4e"),
        ('[TOOL_CALLS]f[CALL_ID]a1b2[ARGS]{"x": 1}', "f", "a1b2"),
        ('[TOOL_CALLS]f[ARGS]{"x": 1}', "f", None),
        ("<｜tool▁call▁begin｜>function<｜tool▁sep｜>f\n```json\n{}\n```<｜tool▁call▁end｜>", "f", None),
        ("<｜tool▁call▁begin｜>f<｜tool▁sep｜>{}<｜tool▁call▁end｜>", "f", None),
        ('<｜DSML｜function_calls>\n<｜DSML｜invoke name="f">\n</｜DSML｜function_calls>', "f", None),
        ("<|tool_call_begin|>functions.f:0<|tool_call_argument_begin|>{}<|tool_call_end|>", "f", None),
        ("<|tool_call>call:f{x:1}<tool_call|>", "f", None),
        ('<minimax:tool_call>\n<invoke name="f"></minimax:tool_call>', "f", None),
        ("<|channel|>commentary to=functions.f <|constrain|>json<|message|>{}<|call|>", "f", None),
        ("<|start|>assistant to=functions.f<|channel|>commentary json<|message|>{}<|call|>", "f", None),
        ("<|channel|>analysis to=python code<|message|>1+1<|call|>", "python", None),
    ],
)
def test_a_call_says_whose_it_is(text: str, name: str | None, call_id: str | None) -> None:
    (part,) = split_parts(text)
    assert (part.type, part.name, part.id, part.closed) == ("tool_call", name, call_id, True)


@pytest.mark.parametrize("opener", ["<tool_call>", "<|python_tag|>", "[TOOL_CALLS]"])
def test_a_call_that_was_cut_says_so_and_still_its_name(opener: str) -> None:
    (part,) = split_parts(opener + CALL[:-8])
    assert (part.type, part.name, part.closed) == ("tool_call", "get_weather", False)


def test_calls_without_closer_end_at_the_next_one_and_at_the_message_s_end() -> None:
    split = split_parts('[TOOL_CALLS]f[ARGS]{"x": 1}[TOOL_CALLS]g[ARGS]{}</s>')
    assert [(part.type, part.name) for part in split] == [("tool_call", "f"), ("tool_call", "g"), ("text", None)]


def test_harmony_channels() -> None:
    text = (
        "<|channel|>analysis<|message|>Need weather.<|end|>"
        '<|start|>assistant<|channel|>commentary to=functions.get_weather <|constrain|>json<|message|>{"city": "Oslo"}<|call|>'
        "<|start|>assistant<|channel|>final<|message|>Cold.<|return|>"
    )
    assert shape(split_parts(text)) == [
        ("thinking", "Need weather."),
        ("tool_call", '{"city": "Oslo"}'),
        ("marker", "<|start|>assistant<|channel|>final<|message|>"),
        ("text", "Cold."),
        ("marker", "<|return|>"),
    ]
    assert shape(split_parts("<|channel|>analysis<|message|>cut")) == [("thinking…", "cut")]
    assert shape(split_parts("<|channel|>analysis<|message|>a<|start|>assistant"))[0] == ("thinking", "a")


def test_runs_of_pad_tokens_are_counted() -> None:
    text = "<|vision_start|>" + "<|image_pad|>" * 96 + "<|vision_end|>What is <image>?"
    split = split_parts(text)
    assert [(part.type, part.count) for part in split] == [
        ("marker", 0),
        ("pad", 96),
        ("marker", 0),
        ("text", 0),
        ("pad", 1),
        ("text", 0),
    ]
    assert "".join(part.text for part in split) == text


@pytest.mark.parametrize(
    "token", ["<|image_pad|>", "<|imgpad|>", "<|video_pad|>", "<|audio_comp_pad|>", "<|AUDIO|>", "<image>"]
)
def test_the_default_mask_knows(token: str) -> None:
    (part,) = split_parts(token * 3)
    assert (part.type, part.count, part.text) == ("pad", 3, token * 3)


def test_an_image_inside_a_tool_s_answer_is_folded_and_the_answer_stays_one() -> None:
    text = "<tool_response>shot: " + "<|image_pad|>" * 5 + " done</tool_response>"
    split = split_parts(text)
    assert [(part.type, part.content) for part in split] == [
        ("tool_result", "shot: "),
        ("pad", "<|image_pad|>" * 5),
        ("tool_result", " done"),
    ]
    assert all(part.closed for part in split)
    assert shape(split_parts("<think>about <image> tags")) == [("thinking…", "about <image> tags")]
    cut = split_parts("<think>" + "<|image_pad|>" * 2 + "x")
    assert [part.closed for part in cut] == [True, True, False]


def test_the_mask_can_be_another_or_none() -> None:
    assert [(part.type, part.count) for part in split_parts("aXYXb", mask=re.compile("[XY]"))] == [
        ("text", 0),
        ("pad", 3),
        ("text", 0),
    ]
    assert shape(split_parts("<image>", mask=None)) == [("text", "<image>")]
    assert shape(split_parts("abc", mask=re.compile("x*"))) == [("text", "abc")]


def test_only_the_kinds_asked_for_are_looked_for() -> None:
    text = "Put thoughts in <think></think>.<tools>[1]</tools>"
    assert shape(split_parts(text, kinds=frozenset({"tools"}))) == [
        ("text", "Put thoughts in <think></think>."),
        ("tools", "[1]"),
    ]


# Nothing is lost, whatever the text.

closers = [block.closer for block in BLOCKS.values() if block.closer]
fragments = st.one_of(
    st.sampled_from(
        [*BLOCKS, *closers, *MARKERS, "<image>", "<|image_pad|>", "</function>", "<function=f>", "<|message|>"]
    ),
    st.sampled_from([CALL, CALL[:20], "\n", " ", "<", "<|", "|>", "[", "to=functions.f", "analysis", "final", "```"]),
    st.sampled_from([*BLOCKS, *closers, *MARKERS]).flatmap(
        lambda token: st.integers(1, len(token)).map(lambda n: token[:n])
    ),
    st.text(st.characters(), max_size=5),
)
texts = st.lists(fragments, max_size=20).map("".join)


@given(
    texts,
    st.booleans(),
    st.sampled_from([None, re.compile("<image>|a"), re.compile("x*")]),
    st.sets(st.sampled_from(sorted(ALL_KINDS))),
)
def test_joined_parts_are_the_text(
    text: str, thinking_open: bool, mask: re.Pattern[str] | None, kinds: set[str]
) -> None:
    for split in (
        split_parts(text, thinking_open=thinking_open, mask=mask),
        split_parts(text, thinking_open=thinking_open, kinds=frozenset(kinds)),  # type: ignore[arg-type]
    ):
        assert "".join(part.text for part in split) == text
        assert all(part.text and part.lead + part.tail <= len(part.text) for part in split)


@pytest.mark.parametrize(
    "unit",
    [
        "<think>",
        "<tool_call>",
        "<tool_call>{",
        "<think>a</think> <think> ",
        "<|channel|>analysis",
        "<function=a",
        "[TOOL_CALLS]{",
        "<tools>",
        "<",
    ],
)
def test_the_cost_grows_with_the_text_and_not_with_its_square(unit: str) -> None:
    """A hundred thousand openers that nothing closes: a search or a copy to the end from each would take hours."""
    text = unit * (1_000_000 // len(unit))
    assert "".join(part.text for part in split_parts(text)) == text
