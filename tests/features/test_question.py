"""What users say in a prompt, apart from what its template and the system say."""

from __future__ import annotations

import pytest

from rollscope.features.question import question


@pytest.mark.parametrize(
    "prompt",
    [
        "system\nYou are a helpful assistant.\nuser\nQuelle heure est-il ?\nassistant\n",
        "<|im_start|>system\nBe brief.<|im_end|>\n<|im_start|>user\nQuelle heure est-il ?<|im_end|>\n<|im_start|>assistant\n",
        "Quelle heure est-il ?",
    ],
)
def test_what_the_template_and_the_system_say_is_left_out(prompt: str) -> None:
    assert question(prompt) == "Quelle heure est-il ?"


def test_all_that_users_say_counts() -> None:
    assert question("user\nBonjour\nassistant\nHello!\nuser\nMerci\nassistant\n").split() == ["Bonjour", "Merci"]


def test_a_prompt_without_users_is_taken_whole() -> None:
    assert question("system\nRéponds.\nassistant\n") == "system\nRéponds.\nassistant\n"
    assert question("") == ""
