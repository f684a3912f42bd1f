"""The words of a command line become its arguments, or one sentence that says what is wrong."""

from __future__ import annotations

import pytest

from rollscope.cli.arguments import Arguments, Command, Option, Positional, parse, setting_options, usage
from rollscope.errors import UsageError
from rollscope.settings import LIST

COMMAND = Command(
    "pick",
    "Pick samples",
    "module:function",
    (Positional("path", "PATH", "A run.", is_path=True), Positional("words", "WORD", "Any.", many=True, optional=True)),
    (
        Option("--sort", "By a field.", "FIELD"),
        Option("--count", "So many.", "N", type=int, default=3),
        Option("--side", "Of which.", "SIDE", choices=("left", "right")),
        Option("--json", "As JSON.", excludes="output"),
        Option("--csv", "As CSV.", excludes="output"),
        *setting_options(LIST, limit=7),
    ),
)


def given(*words: str) -> Arguments:
    found = parse(COMMAND, words)
    assert found is not None
    return found


def test_words_and_options_come_in_any_order() -> None:
    for words in (("run", "a", "--sort", "-reward", "b"), ("--sort=-reward", "run", "a", "b")):
        found = given(*words)
        assert (found.path, found.words, found.sort) == ("run", ["a", "b"], "-reward")


def test_what_is_not_given_has_its_default_and_a_switch_is_off() -> None:
    found = given("run")
    assert (found.words, found.sort, found.count, found.json, found.settings.limit) == ([], None, 3, False, 7)
    assert given("run", "--limit", "0").settings.limit == 0


def test_two_dashes_end_the_options() -> None:
    assert given("run", "--", "--sort", "-h").words == ["--sort", "-h"]
    assert parse(COMMAND, ["run", "-h"]) is None


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        ([], r"PATH is missing: rollscope pick PATH \[WORD…\] \[options\]"),
        ([""], "PATH is empty"),
        (["run", "--sort"], "--sort needs a value: --sort FIELD"),
        (["run", "--json=1"], "--json takes no value"),
        (["run", "--json", "--csv"], "--json and --csv cannot be given together"),
        (["run", "--count", "many"], "--count needs a whole number, not 'many'"),
        (["run", "--side", "up"], "--side is one of left, right, not 'up'"),
        (["run", "--sorted", "x"], "did you mean --sort"),
        (["run", "--zzz"], "`rollscope pick --help` lists them"),
    ],
)
def test_a_mistake_is_one_sentence(words: list[str], sentence: str) -> None:
    with pytest.raises(UsageError, match=sentence):
        parse(COMMAND, words)


def test_one_word_too_many_and_a_required_option_are_said() -> None:
    narrow = Command("one", "", "", (Positional("path", "PATH", ""),), (Option("--to", "", "FILE", required=True),))
    assert usage(narrow) == "rollscope one PATH --to FILE [options]"
    with pytest.raises(UsageError, match="'b' is one word too many"):
        parse(narrow, ["a", "b", "--to", "x"])
    with pytest.raises(UsageError, match="--to FILE is missing"):
        parse(narrow, ["a"])
