"""Which chat template a conversation was rendered with."""

from __future__ import annotations

import pytest

from rollscope.render import split_conversation
from rollscope.render.templates import MISTRAL, TEMPLATES, answer_starts, detect, has_header, read_role


@pytest.mark.parametrize(
    ("prompt", "response", "name"),
    [
        ("<|im_start|>user\nq<|im_end|>", "a", "chatml"),
        ("<|begin_of_text|><|start_header_id|>user<|end_header_id|>\n\nq", "a", "llama"),
        ("<｜User｜>q<｜Assistant｜>", "a", "deepseek"),
        ("<start_of_turn>user\nq", "a", "gemma"),
        ("<|start|>user<|message|>q<|end|>", "a", "harmony"),
        ("<|user|>\nq<|assistant|>", "a", "bars"),
        ("<|im_user|>user<|im_middle|>q<|im_end|>", "a", "kimi"),
        ("<s>[INST] q [/INST]", "<|im_start|>", "mistral"),
        ("Write [INST] here.", "a", None),
        ("plain", "<|im_end|>", "chatml"),
        ("<|im_start|>user\nq", "<start_of_turn>model\n", "chatml"),
        ("", "", None),
    ],
)
def test_the_prompt_decides_and_the_response_where_it_has_no_sign(prompt: str, response: str, name: str | None) -> None:
    found = detect(prompt, response)
    assert (found.name if found else None) == name


def test_words_for_roles_are_ours_and_a_tool_speaks_under_its_name() -> None:
    by_name = {template.name: template for template in (*TEMPLATES, MISTRAL)}
    assert read_role(by_name["gemma"], "model") == ("assistant", None)
    assert read_role(by_name["llama"], "ipython") == ("tool", None)
    assert read_role(by_name["chatml"], "critic") == ("critic", None)
    assert read_role(by_name["harmony"], "functions.find") == ("tool", "functions.find")
    assert read_role(by_name["harmony"], "developer") == ("developer", None)


@pytest.mark.parametrize(
    ("marker", "expected"),
    [
        ("<|im_start|>user\n", True),
        ("[INST]", True),
        ("user\n", True),
        ("<|im_end|>\n", False),
        ("</s>", False),
        ("\n", False),
    ],
)
def test_a_header_says_who_speaks(marker: str, expected: bool) -> None:
    assert has_header(marker) is expected


@pytest.mark.parametrize(
    ("prompt", "answer"),
    [
        ("<|im_start|>user\nq<|im_end|>\n<|im_start|>assistant\n", "a<|im_end|>\n<|im_start|>user\nsure?"),
        (
            "<|begin_of_text|><|header_start|>user<|header_end|>\n\nq<|eot|><|header_start|>assistant<|header_end|>\n\n",
            "a",
        ),
        ("<|im_user|>user<|im_middle|>q<|im_end|><|im_assistant|>assistant<|im_middle|>", "a<|im_end|>"),
        ("<|start|>user<|message|>q<|end|><|start|>assistant", "<|channel|>final<|message|>a"),
        ("<s>[INST] q [/INST]", " a</s>"),
        ("<bos><|turn>user\nq<turn|>\n<|turn>model\n", "a"),
        ("<SPECIAL_10>System\n\n<SPECIAL_11>User\nq\n<SPECIAL_11>Assistant\n", "a\n<SPECIAL_12>"),
        ("<|start_of_role|>user<|end_of_role|>q<|end_of_text|>\n<|start_of_role|>assistant<|end_of_role|>", "a"),
    ],
)
def test_the_answer_begins_behind_the_assistants_header(prompt: str, answer: str) -> None:
    assert answer_starts(prompt + answer) == [len(prompt)]
    assert [message.role for message in split_conversation(prompt, "a")][-1] == "assistant"


def test_a_text_of_no_template_has_no_answer_that_is_told() -> None:
    assert answer_starts("user: q\nassistant: a") == []
