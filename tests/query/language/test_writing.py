"""What is written into a filter is read back as it was."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from rollscope.query.language.ast import Comparison, Constant, FieldName
from rollscope.query.language.parser import parse
from rollscope.query.language.writing import member, quoted

TEXTS = st.text(st.characters(exclude_categories=["Cs"])) | st.sampled_from(
    ["\\", '"', "\\n", "\n", "\\u0041", "a\\", "\\d+", "'", "\r\n\t"]
)


@given(TEXTS)
def test_every_text_is_read_back(text: str) -> None:
    found = parse(f"env = {quoted(text)}")
    assert isinstance(found, Comparison)
    assert isinstance(found.constant, Constant)
    assert found.constant.value == text


@given(TEXTS.filter(bool))
def test_every_name_of_a_metric_is_read_back(name: str) -> None:
    found = parse(f"{member('metrics', name)} > 1")
    assert isinstance(found, Comparison)
    assert isinstance(found.field, FieldName)
    assert (found.field.space, found.field.name) == ("metrics", name)


def test_names_stand_in_quotes_only_where_they_must() -> None:
    assert member("metrics", "correct") == "metrics.correct"
    assert member("metrics", "pass@1/mean") == "metrics.pass@1/mean"
    assert member("metrics", 'is "ok"?') == r'metrics."is \"ok\"?"'
