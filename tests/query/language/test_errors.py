"""A filter that is wrong says where, what was expected, and how it is written."""

from __future__ import annotations

import re

import pytest
from tests.fixtures import REPOSITORY

from rollscope.errors import FilterError
from rollscope.query.language.ast import FieldName as FieldNode
from rollscope.query.language.ast import Flag
from rollscope.query.language.compile import compile_filter
from rollscope.query.language.fields import Fields
from rollscope.query.language.parser import parse

FIELDS = Fields.of_columns(
    {
        "reward": "number",
        "step": "number",
        "env": "string",
        "status": "string",
        "group": "string",
        "tags": "list",
        "verified": "boolean",
        "discard_reason": "string",
        "metrics.correct": "number",
        "metrics.pass@2/correct": "number",
        "metrics.format ok?": "number",
        "rewards.style": "number",
    }
)


def error_of(source: str) -> FilterError:
    with pytest.raises(FilterError) as caught:
        compile_filter(parse(source), FIELDS)
    return caught.value


# A caret in the second line stands where the mistake is.
@pytest.mark.parametrize(
    ("marked", "message", "advice"),
    [
        ("reward >‸", "expected a number, a text in quotes, true or false after >, not the end", ""),
        ("reward ‸1", "expected a comparison", ""),
        ("reward ‸between 0 and 1", "expected a comparison", "write reward >= 0 and reward <= 1"),
        ('response ‸LIKE "%sorry%"', "expected a comparison", 'write contains "…"'),
        ("reward > 1 ‸order by step", "the end of the filter, not 'order'", "sort and limit are asked beside it"),
        ("reward ‸=> 1", "'=>' is no operator here", "write >="),
        ("reward > 1 ‸& verified", "'&' is no operator here", "write and"),
        ("reward > 1 ‸2", "expected and, or, or the end of the filter, not '2'", ""),
        ("reward > 1 and‸", "expected a field", ""),
        ("‸0.5 < reward", "expected a field", "the field comes first"),
        ("‸(reward > 1", "never closed", "close it with )"),
        ("reward > 1‸)", "never opened", ""),
        ("(reward > 1 ‸2)", "expected and, or, or ')'", ""),
        ("status = ‸truncated", "expected a number, a text", 'in quotes: "truncated"'),
        ("reward = ‸null", "expected a number", "is missing"),
        ("reward = ‸missing", "expected a number", "is missing"),
        ("reward is ‸null", "expected missing or nan", "is missing"),
        ("reward > ‸metrics.correct", "expected a number", "not with another field"),
        ("reward not ‸> 1", "expected in, contains or matches after not", ""),
        ("env in ‸'math'", "expected '(' after in", "such as"),
        ("env in ('a' ‸'b')", "expected ',' or ')'", ""),
        ("env in (‸)", "expected a number", ""),
        ("env contains ‸3", "expected a text in quotes after contains", "such as"),
        ("env = ‸'math", "no closing quote", "close it with '"),
        ("env matches ‸/math", "no closing slash", ""),
        ("env matches /a/‸x", "'x' is no flag", "i ignores case"),
        ("env matches ‸/(/", "this pattern does not work: missing )", "RE2"),
        ("text matches ‸/a(?=b)/", "this pattern does not work", "no look-around"),
        ("reward > 1 ‸&& step = 1", "'&&' is no operator here", "write and"),
        ("reward ‸<> 1", "'<>' is no operator here", "write !="),
        ("‸!discarded", "'!' is no operator here", "write not"),
        ("reward > ‸1x", "this is no number", "quotes"),
        ("reward ‸/ 2", "may only follow matches", ""),
        ("reward > ‸$x", "unexpected character '$'", ""),
        ("metrics.‸ = 1", "expected a name after 'metrics.'", "metrics.correct"),
        ("‸metric.correct = 1", "there is no 'metric.' here", "metrics.NAME"),
        ('env = ‸"\\ud800"', "half a character", ""),
        ("env matches /a‸\udc00/", "half a character", ""),
        ("‸rewrd > 1", "there is no field 'rewrd' here", "did you mean reward?"),
        ("‸Reward > 1", "there is no field 'Reward' here", "did you mean reward"),
        ("‸correct = 1", "there is no field 'correct' here", "did you mean metrics.correct?"),
        ("‸metrics.style = 1", "there is no field 'metrics.style' here", "did you mean rewards.style"),
        ("‸metrics.pass@2 = 1", "there is no field", "metrics.pass@2/correct"),
        ('‸metrics."format ok" = 1', "there is no field", 'metrics."format ok?"'),
        ("‸zzz = 1", "there is no field 'zzz' here", "fields: reward, step"),
        ("reward > ‸'0.5'", "reward is a number, and this is not", "reward > 0.5"),
        ("metrics.correct in (1, ‸'a')", "metrics.correct is a number, and this is not", ""),
        ("env = ‸true", "env is a text, and this is not", ""),
        ("verified = ‸1", "verified is true or false, and this is not", "verified = true"),
        ("verified in (‸'yes')", "verified is true or false, and this is not", ""),
        ("‸reward", "reward is a number: compare it", "reward > 0.5"),
        ("‸tags > 'a'", "has no order", 'tags = "easy"'),
        ("tags = ‸true", "tags is a list of texts, and this is not", ""),
        ("‸reward contains '1'", "reward is a number: compare it", ""),
        ("‸env is nan", "env is a text: compare it", ""),
        ("‸response = 'x'", "takes only contains and matches", "response contains"),
        ("‸golden is missing", "takes only contains and matches", ""),
        ("‸text", "takes only contains and matches", ""),
        ("reward > 1 and\n  status = ‸x", "expected a number", "in quotes"),
        ("env = '数学' and ‸rewrd > 1", "there is no field", "reward"),
    ],
)
def test_mistakes(marked: str, message: str, advice: str) -> None:
    position = marked.index("‸")
    source = marked.replace("‸", "")
    error = error_of(source)
    assert message in str(error)
    assert advice in error.hint
    assert (error.source, error.position) == (source, position)
    assert "\n" not in str(error)


def test_the_caret_stands_below_the_mistake_in_its_line() -> None:
    error = error_of("reward > 1 and\n\tstatus = x")
    assert str(error).endswith("(column 11)")
    assert error.hint.splitlines()[:2] == ["\tstatus = x", "\t         ^"]


def test_the_caret_counts_wide_characters_twice() -> None:
    assert error_of("env = '数学' and rewrd = 1").hint.splitlines()[1] == " " * 17 + "^"


@pytest.mark.parametrize("source", ["", "  \n"])
def test_an_empty_filter_says_so(source: str) -> None:
    assert "empty" in str(error_of(source))


@pytest.mark.parametrize("source", ["(" * 5000 + "reward > 1" + ")" * 5000, "not " * 5000 + "discarded"])
def test_nesting_has_a_limit_that_is_said(source: str) -> None:
    assert "more than 100 levels" in str(error_of(source))


def test_it_is_an_error_of_usage() -> None:
    assert error_of("(").exit_code == 2


def test_a_tree_without_text_fails_without_a_caret() -> None:
    with pytest.raises(FilterError) as caught:
        compile_filter(Flag(FieldNode("rewrd")), FIELDS)
    assert caught.value.hint == "did you mean reward?"


def test_a_table_with_a_kind_that_does_not_exist_is_refused() -> None:
    with pytest.raises(ValueError, match="decimal"):
        Fields.of_columns({"reward": "decimal"})


def test_the_mistake_that_the_page_shows_is_the_one_that_is_made() -> None:
    page = (REPOSITORY / "docs" / "filter-language.md").read_text(encoding="utf-8")
    (shown,) = re.findall(r"```text\n(.*?)\n```", page, re.DOTALL)
    error = error_of("status = truncated")
    assert f"{error}\n{error.hint}" == shown
