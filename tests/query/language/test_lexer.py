"""From characters to tokens."""

from __future__ import annotations

import pytest

from rollscope.errors import FilterError
from rollscope.query.language.lexer import tokenize


def kinds(source: str) -> list[tuple[str, object]]:
    return [(token.kind, token.value or token.text) for token in tokenize(source)[:-1]]


def test_a_filter_falls_into_its_words() -> None:
    assert kinds('reward >= -0.5 AND not (env == "math")') == [
        ("name", "reward"),
        ("operator", ">="),
        ("number", -0.5),
        ("word", "and"),
        ("word", "not"),
        ("open", "("),
        ("name", "env"),
        ("operator", "="),
        ("string", "math"),
        ("close", ")"),
    ]


def test_integers_of_any_length_stay_exact() -> None:
    assert kinds("step = 9007199254740993")[2] == ("number", 9007199254740993)


@pytest.mark.parametrize(
    ("source", "name"),
    [
        ("metrics.pass@2/correct", "pass@2/correct"),
        ('metrics."a b"', "a b"),
        ("metrics.a.b-c", "a.b-c"),
        ("metrics.correct", "correct"),
    ],
)
def test_a_metric_is_named_behind_its_dot(source: str, name: str) -> None:
    token, end = tokenize(source)
    assert (token.kind, token.value, token.extra, end.kind) == ("member", name, "metrics", "end")


def test_a_backslash_that_escapes_nothing_stays() -> None:
    assert kinds(r'"\d+ \n \\ \" \u00e9"')[0] == ("string", '\\d+ \n \\ " é')


def test_two_escapes_may_be_one_character() -> None:
    assert kinds(r'"\ud83d\ude00 \uD83D\uDE00"')[0] == ("string", "😀 😀")
    with pytest.raises(FilterError, match="half"):
        tokenize(r'"\ud83d \ude00"')


def test_a_pattern_follows_matches_and_nothing_else() -> None:
    token = tokenize(r"response matches /a\/b/si")[2]
    assert (token.kind, token.value, token.extra) == ("regex", "a/b", "is")
    with pytest.raises(FilterError, match="may only follow matches"):
        tokenize("response = /a/")


@pytest.mark.parametrize(
    ("source", "column", "message"),
    [
        ("reward && 1", 8, "no operator here"),
        ('env = "math', 7, "no closing quote"),
        ("response matches /a", 18, "no closing slash"),
        ("response matches /a/x", 21, "no flag of a pattern"),
        ("reward > 1.2.3", 10, "no number"),
        ("reward > ;", 10, "unexpected character"),
        ("sample.reward", 1, "there is no 'sample.'"),
        ("metrics. = 1", 9, "expected a name"),
    ],
)
def test_a_mistake_is_pointed_at(source: str, column: int, message: str) -> None:
    with pytest.raises(FilterError, match=message) as found:
        tokenize(source)
    assert found.value.position == column - 1
    assert f"(column {column})" in str(found.value)
    assert found.value.hint.splitlines()[1] == " " * (column - 1) + "^"


def test_the_caret_stands_below_wide_characters_too() -> None:
    with pytest.raises(FilterError) as found:
        tokenize('env = "数学" ; 1')
    line, caret = found.value.hint.splitlines()[:2]
    # Two columns for each of the two signs.
    assert caret.index("^") == line.index(";") + 2
