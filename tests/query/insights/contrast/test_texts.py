"""Which text of a sample is compared, and that workers read the same words as this process."""

from __future__ import annotations

import pytest

from rollscope.query.insights.contrast.texts import text_of


@pytest.mark.parametrize(
    ("field", "expected"), [("response", "b"), ("prompt", "a"), ("text", "a\nb\n7"), ("golden", "7"), ("unheard", None)]
)
def test_the_text_of_a_field_or_all_of_them(field: str, expected: str | None) -> None:
    assert text_of([("prompt", "a"), ("response", "b"), ("golden", "7")], field) == expected
