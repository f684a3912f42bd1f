"""Prompt and response through each chat template, back into messages and turns."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.fixtures import fixture_path

from rollscope.model import Message
from rollscope.render import split_bare_roles, split_conversation

CALL = '{"name": "get_weather", "arguments": {"city": "Oslo"}}'

CHATML = (
    (
        "<|im_start|>system\nBe brief. Use <think> and <answer>.\n\n<tools>\n[1]\n</tools><|im_end|>\n"
        "<|im_start|>user\nWeather in Oslo?<|im_end|>\n<|im_start|>assistant\n"
    ),
    (
        f"<think>\nask\n</think>\n<tool_call>\n{CALL}\n</tool_call><|im_end|>\n"
        "<|im_start|>user\n<tool_response>\n-3\n</tool_response><|im_end|>\n"
        "<|im_start|>assistant\n<answer>-3</answer><|im_end|>"
    ),
)
LLAMA = (
    (
        "<|begin_of_text|><|start_header_id|>system<|end_header_id|>\n\nBe brief.<|eot_id|>"
        "<|start_header_id|>user<|end_header_id|>\n\nWeather in Oslo?<|eot_id|>"
        "<|start_header_id|>assistant<|end_header_id|>\n\n"
    ),
    (
        f"<|python_tag|>{CALL}<|eom_id|><|start_header_id|>ipython<|end_header_id|>\n\n-3<|eot_id|>"
        "<|start_header_id|>assistant<|end_header_id|>\n\nIt is -3.<|eot_id|>"
    ),
)
LLAMA_4 = tuple(
    text.replace("start_header_id", "header_start").replace("end_header_id", "header_end").replace("eot_id", "eot")
    for text in LLAMA
)
DEEPSEEK = (
    "<｜begin▁of▁sentence｜>Be brief.<｜User｜>Weather in Oslo?<｜Assistant｜><think>\n",
    (
        "ask\n</think>\n\n<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>get_weather\n```json\n"
        '{"city": "Oslo"}\n```<｜tool▁call▁end｜><｜tool▁calls▁end｜><｜end▁of▁sentence｜>'
        "<｜tool▁outputs▁begin｜><｜tool▁output▁begin｜>-3<｜tool▁output▁end｜>\n"
        "<｜tool▁output▁begin｜>-4<｜tool▁output▁end｜><｜tool▁outputs▁end｜>It is -3.<｜end▁of▁sentence｜>"
    ),
)
GEMMA = (
    "<bos><start_of_turn>user\nBe brief.\n\nWeather in Oslo?<end_of_turn>\n<start_of_turn>model\n",
    "It is -3.<end_of_turn>\n<start_of_turn>user\nSure?<end_of_turn>\n<start_of_turn>model\nYes.<end_of_turn>\n",
)
GEMMA_4 = (
    "<bos><|turn>system\nBe brief.<turn|>\n<|turn>user\nHi<turn|>\n<|turn>model\n",
    "<|channel>thought\nhm<channel|>Hello.<turn|>",
)
MISTRAL = (
    (
        '<s>[SYSTEM_PROMPT]Be brief.[/SYSTEM_PROMPT][AVAILABLE_TOOLS][{"type": "function"}][/AVAILABLE_TOOLS]'
        "[INST]Weather in Oslo?[/INST]"
    ),
    (
        '[THINK]ask[/THINK][TOOL_CALLS]get_weather[ARGS]{"city": "Oslo"}</s>'
        "[TOOL_RESULTS]-3[/TOOL_RESULTS]It is -3.</s>[INST]Sure?[/INST]Yes.</s>"
    ),
)
HARMONY = (
    (
        "<|start|>system<|message|>You are ChatGPT.<|end|><|start|>developer<|message|># Instructions<|end|>"
        "<|start|>user<|message|>Weather in Oslo?<|end|><|start|>assistant"
    ),
    (
        "<|channel|>analysis<|message|>ask<|end|><|start|>assistant<|channel|>commentary to=functions.get_weather "
        '<|constrain|>json<|message|>{"city": "Oslo"}<|call|>'
        "<|start|>functions.get_weather to=assistant<|channel|>commentary<|message|>-3<|end|>"
        "<|start|>assistant<|channel|>analysis<|message|>done<|end|>"
        "<|start|>assistant<|channel|>final<|message|>It is -3.<|return|>"
    ),
)
GLM = (
    "[gMASK]<sop><|system|>\nBe brief.<|user|>\nWeather in Oslo?<|assistant|>\n",
    (
        "<think>ask</think>\n<tool_call>get_weather\n<arg_key>city</arg_key>\n<arg_value>Oslo</arg_value>\n</tool_call>"
        "<|observation|>\n<tool_response>\n-3\n</tool_response><|assistant|>\nIt is -3.<|user|>"
    ),
)
KIMI = (
    (
        "<|im_system|>system<|im_middle|>Be brief.<|im_end|><|im_user|>user<|im_middle|>Weather in Oslo?<|im_end|>"
        "<|im_assistant|>assistant<|im_middle|>"
    ),
    (
        "<|tool_calls_section_begin|><|tool_call_begin|>functions.get_weather:0<|tool_call_argument_begin|>{}"
        "<|tool_call_end|><|tool_calls_section_end|><|im_end|>"
        "<|im_system|>tool<|im_middle|>-3<|im_end|><|im_assistant|>assistant<|im_middle|>It is -3.<|im_end|>"
    ),
)
BARE = (
    "system\nBe brief.\nuser\nWeather in Oslo?\nassistant\n",
    (
        f"<think>\nask\n</think>\n<tool_call>\n{CALL}\n</tool_call>\nuser\n<tool_response>\n-3\n</tool_response>\n"
        "assistant\n<answer>-3</answer>"
    ),
)
CONVERSATIONS = {
    "chatml": CHATML,
    "llama": LLAMA,
    "llama 4": LLAMA_4,
    "deepseek": DEEPSEEK,
    "gemma": GEMMA,
    "gemma 4": GEMMA_4,
    "mistral": MISTRAL,
    "harmony": HARMONY,
    "glm": GLM,
    "kimi": KIMI,
}


def joined(messages: list[Message]) -> str:
    return "".join(message.text for message in messages)


def roles(messages: list[Message]) -> list[tuple[str, int | None]]:
    return [(message.role, message.turn) for message in messages]


def said(message: Message) -> list[tuple[str, str]]:
    """(type, content) of what a reader sees."""
    return [(part.type, part.content) for part in message.parts if part.type != "marker" and part.content.strip()]


PROMPT = [("system", None), ("user", None), ("assistant", None)]
TOOL_TURNS = [("assistant", 0), ("tool", 0), ("assistant", 1)]


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("chatml", [*PROMPT, *TOOL_TURNS]),
        ("llama", [*PROMPT, *TOOL_TURNS]),
        ("llama 4", [*PROMPT, *TOOL_TURNS]),
        ("deepseek", [*PROMPT, *TOOL_TURNS]),
        ("gemma", [("user", None), ("assistant", None), ("assistant", 0), ("user", 0), ("assistant", 1)]),
        ("gemma 4", [*PROMPT, ("assistant", 0)]),
        ("mistral", [("system", None), ("system", None), ("user", None), *TOOL_TURNS, ("user", 1), ("assistant", 2)]),
        ("harmony", [("system", None), ("developer", None), ("user", None), ("assistant", None), *TOOL_TURNS]),
        ("glm", [*PROMPT, *TOOL_TURNS, ("user", 1)]),
        ("kimi", [*PROMPT, *TOOL_TURNS]),
    ],
)
def test_roles_and_turns(name: str, expected: list[tuple[str, int | None]]) -> None:
    prompt, response = CONVERSATIONS[name]
    messages = split_conversation(prompt, response)
    assert roles(messages) == expected
    assert joined([message for message in messages if message.turn is None]) == prompt
    assert joined(messages) == prompt + response
    assert not any(message.guessed for message in messages)


def test_what_is_said_in_each() -> None:
    contents = {name: [said(each) for each in split_conversation(*texts)] for name, texts in CONVERSATIONS.items()}
    call = ("tool_call", '{"city": "Oslo"}')
    assert contents["chatml"] == [
        [("text", "Be brief. Use <think> and <answer>.\n\n"), ("tools", "\n[1]\n")],
        [("text", "Weather in Oslo?")],
        [],
        [("thinking", "\nask\n"), ("tool_call", f"\n{CALL}\n")],
        [("tool_result", "\n-3\n")],
        [("answer", "-3")],
    ]
    assert contents["llama"][3:] == [[("tool_call", CALL)], [("tool_result", "-3")], [("text", "It is -3.")]]
    assert contents["llama 4"][3:] == contents["llama"][3:]
    assert contents["deepseek"][0] == [("text", "Be brief.")]
    assert contents["deepseek"][3][0] == ("thinking", "ask\n")
    assert contents["deepseek"][4:] == [[("tool_result", "-3"), ("tool_result", "-4")], [("text", "It is -3.")]]
    assert contents["gemma 4"][3] == [("thinking", "hm"), ("text", "Hello.")]
    assert contents["mistral"][:3] == [
        [("text", "Be brief.")],
        [("tools", '[{"type": "function"}]')],
        [("text", "Weather in Oslo?")],
    ]
    assert contents["mistral"][3] == [("thinking", "ask"), ("tool_call", 'get_weather[ARGS]{"city": "Oslo"}')]
    assert contents["mistral"][4:] == [
        [("tool_result", "-3")],
        [("text", "It is -3.")],
        [("text", "Sure?")],
        [("text", "Yes.")],
    ]
    assert contents["harmony"][4:] == [
        [("thinking", "ask"), call],
        [("tool_result", "-3")],
        [("thinking", "done"), ("text", "It is -3.")],
    ]
    assert contents["glm"][4:6] == [[("tool_result", "\n-3\n")], [("text", "It is -3.")]]
    assert contents["kimi"][4:] == [[("tool_result", "-3")], [("text", "It is -3.")]]


def test_a_tool_speaks_under_its_name_in_harmony() -> None:
    assert split_conversation(*HARMONY)[5].name == "functions.get_weather"


def test_control_tokens_are_markers_of_the_message_they_open_and_close() -> None:
    _, user, header, *_ = split_conversation(*CHATML)
    assert [(part.type, part.text) for part in user.parts] == [
        ("marker", "<|im_start|>user\n"),
        ("text", "Weather in Oslo?"),
        ("marker", "<|im_end|>\n"),
    ]
    assert [(part.type, part.text) for part in header.parts] == [("marker", "<|im_start|>assistant\n")]
    first = split_conversation(*LLAMA)[0]
    assert first.parts[0].text == "<|begin_of_text|><|start_header_id|>system<|end_header_id|>\n\n"


@pytest.mark.parametrize("opener", ["<think>\n", "<think>", "<thinking>\n\n", "[THINK]"])
def test_a_think_block_opened_in_the_prompt(opener: str) -> None:
    for prompt in (CHATML[0] + opener, "A plain prompt. Assistant: " + opener):
        messages = split_conversation(prompt, "hm</think>12")
        assert joined(messages) == prompt + "hm</think>12"
        assert all(part.type != "thinking" for message in messages[:-1] for part in message.parts)
        thinking, text = messages[-1].parts
        assert (thinking.type, thinking.lead, thinking.content, thinking.closed) == ("thinking", 0, "hm", True)
        assert text.text == "12"


def test_a_prompt_that_begins_the_thought_or_the_answer_keeps_both() -> None:
    messages = split_conversation(CHATML[0] + "<think>\nFirst,", " we add")
    assert [(part.type, part.closed) for part in messages[-2].parts][-1] == ("thinking", False)
    assert [(part.type, part.closed) for part in messages[-1].parts] == [("thinking", False)]
    messages = split_conversation(CHATML[0] + "<think>\n\n</think>\n\nThe answer", " is 3")
    assert said(messages[-1]) == [("text", " is 3")]
    assert said(messages[-2]) == [("text", "\n\nThe answer")]


def test_without_a_template_there_are_two_messages() -> None:
    messages = split_conversation("What is 1+1? Think in <think> tags.", "<think>a</think>2")
    assert roles(messages) == [("user", None), ("assistant", 0)]
    assert [part.type for part in messages[0].parts] == ["text"]
    assert [part.type for part in messages[1].parts] == ["thinking", "text"]
    assert split_conversation("", "") == []
    assert roles(split_conversation("Hi", "")) == [("user", None)]


def test_a_response_alone_is_split_by_its_own_template() -> None:
    assert roles(split_conversation("", CHATML[1])) == TOOL_TURNS
    assert roles(split_conversation("A prompt that was messages", HARMONY[1])) == [("user", None), *TOOL_TURNS]
    assert [part.type for part in split_conversation("", "Hi<|im_end|>")[0].parts] == ["text", "marker"]


def test_text_before_the_first_header_is_a_guess_where_the_template_has_none() -> None:
    messages = split_conversation("Preamble\n" + CHATML[0], "")
    assert (messages[0].role, messages[0].guessed) == ("system", True)
    assert not messages[1].guessed


def test_prose_about_markers_is_no_template() -> None:
    prompt = "What do [INST] and <|im_start|> mean? And <s>?"
    assert roles(split_conversation(prompt, "Tokens."))[-1] == ("assistant", 0)
    assert joined(split_conversation(prompt, "Tokens.")) == prompt + "Tokens."
    assert roles(split_conversation("What does [INST] mean?", "x")) == [("user", None), ("assistant", 0)]


def test_assistants_in_a_row_share_a_turn() -> None:
    response = (
        "a<|im_end|>\n<|im_start|>assistant\nb<|im_end|>\n<|im_start|>user\nc<|im_end|>\n<|im_start|>assistant\nd"
    )
    assert roles(split_conversation("", response)) == [
        ("assistant", 0),
        ("assistant", 0),
        ("user", 0),
        ("assistant", 1),
    ]


def test_text_after_a_message_s_end_stays_with_it() -> None:
    (message,) = split_conversation("", "a<|im_end|>\nb")
    assert [(part.type, part.text) for part in message.parts] == [
        ("text", "a"),
        ("marker", "<|im_end|>"),
        ("text", "\nb"),
    ]


# Bare roles


def test_bare_roles_are_split_and_marked_as_guessed() -> None:
    messages = split_bare_roles(*BARE)
    assert roles(messages) == [*PROMPT, *TOOL_TURNS]
    assert all(message.guessed for message in messages)
    assert joined(messages) == "".join(BARE)
    assert [said(message) for message in messages] == [
        [("text", "Be brief.")],
        [("text", "Weather in Oslo?")],
        [],
        [("thinking", "\nask\n"), ("tool_call", f"\n{CALL}\n")],
        [("tool_result", "\n-3\n")],
        [("answer", "-3")],
    ]


@pytest.mark.parametrize("prompt", ["Question: who is the\nuser\nof this?", "users\nare many", "", "system prompt\nx"])
def test_a_prompt_whose_first_line_is_no_role_is_one_user_message(prompt: str) -> None:
    messages = split_bare_roles(prompt, "one\nuser\ntwo")
    assert roles(messages) == [("user", None)] * bool(prompt) + [("assistant", 0)]
    assert joined(messages) == prompt + "one\nuser\ntwo"


def test_roles_that_stick_to_the_text_before_are_read_where_the_prompt_is_llama_s() -> None:
    prompt = "system\n\nBe brief.user\n\nWho is the user\n\nhere?assistant\n\n"
    response = f"{CALL}ipython\n\n-3assistant\n\nThe user\n\nis you."
    messages = split_bare_roles(prompt, response)
    assert roles(messages) == [*PROMPT, *TOOL_TURNS]
    assert joined(messages) == prompt + response
    assert [said(message) for message in messages[1:2] + messages[-1:]] == [
        [("text", "Who is the user\n\nhere?")],
        [("text", "The user\n\nis you.")],
    ]
    # Without both signs of that template a role needs a line of its own.
    assert roles(split_bare_roles("system\n\nBe brief.user\n\nHi", "x")) == [("system", None), ("assistant", 0)]


def test_bare_headers_in_a_row_and_thoughts_opened_in_the_prompt() -> None:
    messages = split_bare_roles("system\nuser\nHi\nassistant\n<think>\n", "hm</think>Hello\nassistant\nagain")
    assert roles(messages) == [*PROMPT, ("assistant", 0)]
    assert [part.type for part in messages[-1].parts] == ["thinking", "text"]
    assert messages[0].text == "system\n"


# Nothing is lost, whatever the text.

tokens = st.sampled_from(
    [
        *(
            "<|im_start|>",
            "<|im_end|>",
            "user\n",
            "assistant\n",
            "\nuser\n",
            "\nassistant",
            "system\n",
            "tool",
            "\n",
            " ",
        ),
        *("<|start_header_id|>", "<|end_header_id|>", "<|eot_id|>", "<|begin_of_text|>", "<bos>", "<start_of_turn>"),
        *("<end_of_turn>", "model\n", "[INST]", "[/INST]", "</s>", "<s>", "[TOOL_RESULTS]", "[/TOOL_RESULTS]"),
        *(
            "<｜User｜>",
            "<｜Assistant｜>",
            "<｜begin▁of▁sentence｜>",
            "<｜tool▁outputs▁begin｜>",
            "<｜tool▁output▁end｜>",
        ),
        *(
            "<|start|>",
            "<|channel|>",
            "analysis",
            "<|message|>",
            "<|end|>",
            "<|call|>",
            "functions.f",
            " to=x",
            "final",
        ),
        *(
            "<|user|>",
            "<|assistant|>",
            "<|observation|>",
            "system\n\n",
            ".user\n\n",
            ".assistant\n\n",
            "[gMASK]<sop>",
            "<|im_user|>",
            "<|im_middle|>",
            "<think>",
        ),
        *("</think>", "<tool_call>", "{}", "</tool_call>", "<tool_response>", "</tool_response>", "[AVAILABLE_TOOLS]"),
    ]
)
pieces = st.one_of(
    tokens,
    tokens.flatmap(lambda token: st.integers(1, len(token)).map(lambda length: token[:length])),
    st.sampled_from([part for texts in CONVERSATIONS.values() for part in texts]),
    st.text(st.characters(), max_size=4),
)
texts = st.lists(pieces, max_size=12).map("".join)


@given(texts, texts)
def test_joined_messages_are_prompt_and_response(prompt: str, response: str) -> None:
    for split in (split_conversation, split_bare_roles):
        messages = split(prompt, response)
        asked = [message for message in messages if message.turn is None]
        assert joined(messages) == prompt + response
        assert joined(asked) == prompt
        assert messages[: len(asked)] == asked
        assert all(message.parts for message in messages)
        turns = [message.turn for message in messages[len(asked) :]]
        assert turns == sorted(turns, key=lambda turn: turn or 0)
        assert not turns or turns[0] == 0


# The trainers' own texts


def records(name: str, *keys: str) -> Iterator[tuple[str, str]]:
    """The two texts of every record that is whole: these runs have broken lines too."""
    for path in sorted(fixture_path(name).rglob("*.jsonl")):
        for line in path.read_bytes().split(b"\n"):
            with suppress(ValueError):
                record = json.loads(line)
                if all(isinstance(record.get(key), str) for key in keys):
                    yield record[keys[0]], record[keys[1]]


def test_every_conversation_of_a_relax_run_is_split_and_whole() -> None:
    seen = set()
    for prompt, response in records("relax", "prompt", "response"):
        messages = split_conversation(prompt, response)
        assert joined(messages) == prompt + response
        if prompt.startswith("<"):
            assert [message.role for message in messages if message.turn is None] == ["system", "user", "assistant"]
            assert not messages[0].guessed
        seen |= {part.type for message in messages for part in message.parts}
    assert seen == {"marker", "text", "thinking", "tool_call", "tool_result", "tools", "answer", "pad"}


def test_every_conversation_of_a_verl_run_is_split_and_whole() -> None:
    multi_turn = 0
    for prompt, response in records("verl", "input", "output"):
        messages = split_bare_roles(prompt, response)
        assert joined(messages) == prompt + response
        asked = [message.role for message in messages if message.turn is None]
        # DeepSeek's headers leave nothing behind.
        assert asked == (["system", "user", "assistant"] if prompt.startswith("system\n") else ["user"])
        multi_turn += max(message.turn or 0 for message in messages) > 0
    assert multi_turn
