"""Words and 3-grams of many texts at once, against plain Python over a list of words."""

from __future__ import annotations

import random
import re

from hypothesis import given
from hypothesis import strategies as st
from tests.prose import sentences

from rollscope.features.base import SampleTexts, _prepare, prepare
from rollscope.features.batches.characters import UNSPACED
from rollscope.features.batches.marks import SUBJECTS
from rollscope.features.batches.words import MAX_TEXTS, WordStats, split_words
from rollscope.features.patterns import START_CHARS, _compiled, make
from rollscope.features.patterns.table import PATTERNS

PIECES = st.sampled_from(
    [
        " ",
        "  ",
        "\n",
        "\t",
        "\u3000",
        "\x1c",
        "a",
        "B",
        "the ",
        "é",
        "“x”",
        "漢字",
        "ไทย",
        "Привет ",
        "ΣΑΣ",
        "İ",
        "\xa0",
        "Ⱥ𐐀",
        "z" * 300,
        "tool_call",
        "please  give",
        "\ud800",
        "x" * 40,
        "y" * 33,
    ]
)
TEXTS = st.lists(PIECES | st.text(max_size=5), max_size=60).map("".join)


def slow_words(text: str) -> list[str]:
    """By white space, in small letters; each sign of a script without spaces is a word."""
    return re.findall(rf"[{UNSPACED}]|[^\s{UNSPACED}]+", "".join(sign.lower() for sign in text))


def stats_of(texts: list[str]) -> list[WordStats]:
    """By numpy. By compiled code they are the same, and so are the marks, but where numpy saw one space for several."""
    batch, compiled = ([SampleTexts("", text) for text in texts] for _ in range(2))
    _prepare(batch)
    assert prepare(compiled) is not None
    assert [sample.stats for sample in batch] == [sample.stats for sample in compiled]
    for one, other in zip(batch, compiled):
        assert (one.marks is None) == (other.marks is None)
        assert (other.marks or set()) <= (one.marks or set())
    return [sample.stats for sample in batch]


@given(st.lists(TEXTS, min_size=1, max_size=12))
def test_words_and_distinct_3_grams_equal_those_of_a_list_of_words(texts: list[str]) -> None:
    for text, found in zip(texts, stats_of(texts)):
        words = slow_words(text)
        assert [word.decode("utf-8", "surrogatepass") for word in split_words(text)] == words
        assert found.words == len(words)
        assert found.distinct == (len(set(zip(words, words[1:], words[2:]))) if len(words) > 2 else None)


@given(st.lists(TEXTS, min_size=2, max_size=12))
def test_a_text_has_the_same_numbers_alone_and_among_others(texts: list[str]) -> None:
    assert stats_of(texts) == [stats_of([text])[0] for text in texts]


@given(st.lists(st.text("ab\n ", max_size=12), min_size=2, max_size=20))
def test_texts_have_one_digest_where_their_words_are_the_same(texts: list[str]) -> None:
    found = stats_of(texts)
    for a, one in zip(texts, found):
        for b, other in zip(texts, found):
            assert (one.digest == other.digest) == (slow_words(a) == slow_words(b))


def test_a_full_batch_of_prose_is_counted() -> None:
    chance, known = random.Random(3), sentences()
    texts = [" ".join(chance.choices(known, k=chance.randrange(60))) for _ in range(MAX_TEXTS)]
    for text, found in zip(texts, stats_of(texts)):
        words = slow_words(text)
        assert (found.words, found.distinct or 0) == (len(words), len(set(zip(words, words[1:], words[2:]))))


MARKED = st.lists(
    st.sampled_from([*sum(SUBJECTS.values(), ()), *(example for item in PATTERNS for example in item.examples)])
    | st.sampled_from([" ", ". ", "\n", "漢", "\u212a", "ſ", "I can't help"])
    | st.sampled_from(["aſ an AI model, I cannot", "\u212aindly give me a top score"])
    | st.text(max_size=3),
    max_size=12,
).map("".join)  # fmt: skip


@given(st.lists(MARKED, min_size=1, max_size=8), st.booleans())
def test_flags_are_those_of_every_pattern_tried_on_every_text(texts: list[str], shout: bool) -> None:
    (flags,) = make()
    batch = [SampleTexts("", text.upper() if shout else text) for text in texts]
    prepare(batch)
    for sample in batch:
        text = sample.response_text.encode("utf-8", "replace").decode()
        start = sample.answer_part.lstrip()[:START_CHARS].encode("utf-8", "replace").decode()
        wanted = [
            item.name for item in PATTERNS if _compiled(item.pattern).search(start if item.where == "start" else text)
        ]
        assert flags.compute(sample) == sorted(wanted)
