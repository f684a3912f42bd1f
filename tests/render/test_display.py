"""Text for screens: nothing that a terminal would obey reaches it."""

from __future__ import annotations

import re
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rollscope.model import Message, Part
from rollscope.render import (
    DEFAULT_MASK,
    mask_runs,
    messages_from_chat,
    plain,
    readable,
    split_bare_roles,
    split_conversation,
    split_parts,
    visible,
)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain\n\ttext é 数 🎉", "plain\n\ttext é 数 🎉"),
        ("\x1b[2J\x1b]0;title\x07", "␛[2J␛]0;title␇"),
        ("a\x00b\rc\x7f", "a␀b␍c␡"),
        ("\x9b31m\x85", "⟦U+009B⟧31m⟦U+0085⟧"),
        ("\u202egpj.exe\u2066", "⟦U+202E⟧gpj.exe⟦U+2066⟧"),
        ("\u200bzero\ufeff\u2028", "⟦U+200B⟧zero⟦U+FEFF⟧⟦U+2028⟧"),
        ("\ud800", "⟦U+D800⟧"),
        ("\U000e0041", "⟦U+E0041⟧"),
        ("می‌خواهم 👩‍💻", "می‌خواهم 👩‍💻"),
    ],
)
def test_visible(text: str, shown: str) -> None:
    assert visible(text) == shown


@given(st.text(st.characters(), max_size=40))
def test_what_is_visible_can_be_printed_and_moves_no_cursor(text: str) -> None:
    shown = visible(text)
    shown.encode()
    assert not [c for c in shown if unicodedata.category(c) in ("Cc", "Zl", "Zp", "Cs") and c not in "\n\t"]
    assert not [
        c
        for c in shown
        if unicodedata.bidirectional(c) in ("LRE", "RLE", "PDF", "LRO", "RLO", "LRI", "RLI", "FSI", "PDI")
    ]
    assert visible(shown) == shown


def test_a_clean_text_is_given_back_as_it_is() -> None:
    text = "nothing to hide\n" * 3
    assert visible(text) is text


def test_runs_are_masked_with_their_count() -> None:
    text = "See <|image_pad|><|image_pad|><|image_pad|> and <image>."
    assert mask_runs(text, DEFAULT_MASK) == "See *×3 and *×1."
    assert mask_runs("nothing", DEFAULT_MASK) == "nothing"
    assert mask_runs(text, None) == text
    assert mask_runs("abc", re.compile("x*")) == "abc"


def test_plain_gives_a_rendered_conversation_back_character_by_character() -> None:
    prompt, response = "<|im_start|>user\nHi<|im_end|>\n<|im_start|>assistant\n", "Hello<|im_end|>"
    assert plain(split_conversation(prompt, response)) == prompt + response


def test_plain_puts_roles_between_messages_that_have_no_text_between_them() -> None:
    messages = messages_from_chat(
        [{"role": "user", "content": "Hi"}, {"role": "tool", "name": "f", "content": "1"}], turn=None
    )
    assert plain(messages) == "[user]\nHi\n\n[tool f]\n1"
    assert plain([Message(role="user", parts=[Part(text="Hi")])]) == "Hi"
    assert plain([]) == ""


@pytest.mark.parametrize("marker", ["<|vision_start|>", "<|im_end|>", "<|endoftext|>", "<start_of_image>"])
def test_a_template_token_in_a_message_takes_no_roles_away(marker: str) -> None:
    for text in (f"{marker}What is it?", f"What is it?{marker}"):
        messages = messages_from_chat(
            [{"role": "user", "content": text}, {"role": "assistant", "content": "A cat."}], turn=None
        )
        assert plain(messages) == f"[user]\n{text}\n\n[assistant]\nA cat."


@pytest.mark.parametrize(
    ("prompt", "response"),
    [
        ("<|start_header_id|>user<|end_header_id|>\n\nHi<|eot_id|>", "Yo<|eot_id|>"),
        ("<｜begin▁of▁sentence｜>Be brief.<｜User｜>Hi<｜Assistant｜><think>\n", "Hm.</think>Yo"),
        ("<s>[INST] Hi [/INST]", " Yo</s>"),
        ("<start_of_turn>user\nHi<end_of_turn>\n<start_of_turn>model\n", "Yo<end_of_turn>"),
        (
            "<|start|>user<|message|>Hi<|end|>",
            "<|channel|>analysis<|message|>Hm<|end|><|start|>assistant<|channel|>final",
        ),
        ("<|user|>\nHi<|end|>\n<|assistant|>\n", "Yo<|end|>"),
    ],
)
def test_plain_adds_nothing_to_any_template(prompt: str, response: str) -> None:
    assert plain(split_conversation(prompt, response)) == prompt + response


def test_plain_adds_nothing_where_the_response_goes_on_with_the_prompts_thought() -> None:
    prompt, response = "Be brief.Hi<think>\n", "Hm.</think>Yo"
    assert plain(split_conversation(prompt, response)) == prompt + response


def test_plain_adds_nothing_to_bare_roles() -> None:
    prompt, response = "system\nBe brief.\nuser\nHi\nassistant\n", "Yo"
    assert plain(split_bare_roles(prompt, response)) == prompt + response


def test_a_response_with_headers_after_a_prompt_without_them_names_each_speaker_once() -> None:
    prompt = messages_from_chat([{"role": "user", "content": "Hi"}], turn=None)
    response = split_conversation("", "Yo<|im_end|>\n<|im_start|>user\nMore<|im_end|>\n<|im_start|>assistant\nNo.")
    text = plain([*prompt, *response])
    assert text.startswith("[user]\nHi\n\n[assistant]\nYo<|im_end|>")
    assert text.endswith("<|im_start|>user\nMore<|im_end|>\n<|im_start|>assistant\nNo.")


THOUGHTFUL = [
    {"role": "user", "content": "1?"},
    {
        "role": "assistant",
        "reasoning_content": "ok",
        "content": "The answer is 1.",
        "tool_calls": [{"function": {"name": "check", "arguments": "{}"}}],
    },
]


def test_thoughts_and_calls_that_came_in_fields_of_their_own_are_not_glued_to_the_answer() -> None:
    messages = messages_from_chat(THOUGHTFUL, turn=None)
    assert plain(messages) == "[user]\n1?\n\n[assistant]\n[thinking]\nok\n[/thinking]\nThe answer is 1.\ncheck({})"
    assert plain(messages[1:]).startswith("[thinking]\nok\n[/thinking]\nThe answer")
    assert readable(messages[1].parts) == "\n[thinking]\nok\n[/thinking]\nThe answer is 1.\ncheck({})\n"


def test_a_reader_sees_thoughts_between_the_same_marks_whatever_the_template() -> None:
    for text in ("<think>\nok\n</think>\nOne.", "[THINK]ok[/THINK]One.", "ok</think>One."):
        shown = readable(split_parts(text)).replace("\n\n", "\n")
        assert shown.strip() == "[thinking]\nok\n[/thinking]\nOne."
    assert readable(split_parts("<think>ok")).strip() == "[thinking]\nok\n[thinking was not closed]"


def test_a_thought_with_a_picture_in_it_is_one_thought() -> None:
    text = "<think>look <|image_pad|><|image_pad|> a cat</think>Yes."
    assert readable(split_parts(text)) == "\n[thinking]\nlook <|image_pad|> × 2 a cat\n[/thinking]\nYes."
    (message,) = messages_from_chat([{"role": "assistant", "content": text}], turn=0)
    assert plain([message]) == text


def test_a_run_of_pad_tokens_is_named_by_one_of_them() -> None:
    (_, pad, _) = split_parts("See " + "<|image_pad|>" * 1024 + " there")
    assert (pad.type, pad.name, pad.count) == ("pad", "<|image_pad|>", 1024)
    assert readable([pad]) == "<|image_pad|> × 1,024"
