"""Text for screens: nothing that a terminal would obey reaches it."""

from __future__ import annotations

import re
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rollscope.model import Message, Part
from rollscope.render import DEFAULT_MASK, mask_runs, messages_from_chat, plain, split_conversation, visible


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
    assert plain(messages, headings=False) == "Hi1"
    assert plain([Message(role="user", parts=[Part(text="Hi")])]) == "Hi"
    assert plain([]) == ""
