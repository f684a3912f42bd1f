"""The page about insights names everything that its answers have."""

from __future__ import annotations

import re

import pytest
from msgspec import Struct
from tests.fixtures import REPOSITORY

from rollscope.query.insights.contrast.fields import FieldContrast
from rollscope.query.insights.contrast.model import Contrast, ContrastSide, PhraseContrast
from rollscope.query.insights.prompt_steps import PromptOverSteps, PromptSample, PromptStep, PromptStrip
from rollscope.query.insights.tokens.values import TokenValues

PAGE = (REPOSITORY / "docs" / "insights.md").read_text(encoding="utf-8")
SECTIONS = {
    "What tells two selections apart": (Contrast, ContrastSide, PhraseContrast, FieldContrast),
    "One prompt over steps and runs": (PromptOverSteps, PromptStrip, PromptStep, PromptSample),
    "Tokens": (TokenValues,),
}


@pytest.mark.parametrize("title", SECTIONS)
def test_every_name_of_an_answer_is_on_the_page(title: str) -> None:
    section = PAGE.partition(f"\n## {title}\n")[2].partition("\n## ")[0]
    named = set(re.findall(r"`([a-z_]+)`", section))
    for answer in SECTIONS[title]:
        assert issubclass(answer, Struct)
        missing = set(answer.__struct_fields__) - named
        assert not missing, f"{answer.__name__}: {sorted(missing)}"
