"""The built-in patterns: each is a valid RE2 with a reason and examples that it matches."""

from __future__ import annotations

import pytest
import re2

from rollscope.features.patterns.table import PATTERNS, TextPattern


@pytest.mark.parametrize("item", PATTERNS, ids=lambda item: item.name)
def test_a_pattern_matches_its_own_examples_and_nothing_empty(item: TextPattern) -> None:
    compiled = re2.compile(item.pattern)
    assert item.examples
    assert [text for text in item.examples if not compiled.search(text)] == []
    assert not compiled.search("")


def test_each_pattern_has_a_name_of_its_own_and_a_sentence_as_its_reason() -> None:
    names = [item.name for item in PATTERNS]
    assert len(set(names)) == len(names)
    for item in PATTERNS:
        assert item.name.isidentifier()
        assert item.reason[0].isupper()
        assert item.reason.endswith(".")
