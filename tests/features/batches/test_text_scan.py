"""Every feature by compiled code over a batch, against the same feature of each text by itself, in Python.

The compiled part is optional. Without a compiler there is nothing to compare; with one it has to be there, so that none of
these tests passes unseen."""

from __future__ import annotations

import random
import shutil
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.prose import sentences

from rollscope.features.base import SampleTexts, prepare
from rollscope.features.batches import text_scan
from rollscope.features.batches.marks import SUBJECTS
from rollscope.features.batches.small_words import SMALL_WORDS
from rollscope.features.batches.text_batch import MAX_CHARS, TextBatch
from rollscope.features.batches.text_scan import DigitsSeen
from rollscope.features.patterns.table import PATTERNS
from rollscope.features.registry import registry

pytestmark = pytest.mark.skipif(
    text_scan.compiled() is None and not any(map(shutil.which, ("cc", "gcc", "clang"))),
    reason="needs a C compiler: without one the compiled part is not built",
)

FEATURES = [feature for feature in registry().features.values() if feature.compute_batch is not None]
PROSE = sentences()
PROMPTS = [
    "What is 3?",
    "Was ist das, und wie ist es zu lösen?",
    "Why is it so, and what is the answer?",
    "",
    "这是什么？回答。",
    "Сколько будет два и два?",
    "12 + 30 =",
    None,
]
ODD = [
    *("<think>", "</think>", "<thinking>", "[THINK]", "</thinking>", "<|end|>", "<|channel>thought\n", "<THINK>"),
    *("`<think>`", "`</think>`", "the <think> tag ", "between <think> and </think>", "said `x`</think>`y`"),
    *(
        "\\boxed{",
        "}",
        "\\boxed{42}",
        "\\boxed {\\frac{1}{2}}",
        "\\boxed",
        "\\boxed{}",
        "\\boxed{ \n\t  \x1c }",
        "<answer>",
        "</answer>",
        "#### 7\n",
        "##",
    ),
    *("The answer is 12.", "SOLUTION: x\n", "anſwer is 3", "答案是 12。", "result = **4**", "résultat: 5"),
    *("<|im_end|>", "</s>", "<end_of_turn>", "\n\n", "\t", " ", "\u00a0", "\u3000", "\x1c", "\x0b", "\x7f", "\x00"),
    *("é", "É", "Σίσυφος ΣΑΣ", "İstanbul", "ılık", "\u212aindly", "ſ", "“quoted”", "…", "👍🏽", "\u200d", "\ufffd"),
    *("漢字", "かな。", "ไทย", "Привет", "prоcess", "Приветhello", "אבג", "ابجد", "한국어", "देवनागरी", "Ⱥ", "𐐀", "𠀀"),
    *("\ud800", "\udfff", "\ue000", "\U000f0000", "\u0378", "Ã©Ã¨", "â€œ", "Â\xa0"),
    *("x" * 40, "y" * 300, "漢" * 50, "ab " * 90, "一二三 " * 70, "no end " * 200, "42", "4,2", "0.42", "1"),
    *(" ".join(map(str, range(start, start + 130))) for start in (0, 3, 99_999_999)),
    *("".join(f"line {n} of 7. " for n in range(60)), "１２ ３４ ٣٤ ٥ ٦ ٧ ", "1234567890" * 12),
]
SMALL = sorted({word for words in SMALL_WORDS.values() for word in words})
PIECES = (
    st.sampled_from(ODD)
    | st.lists(st.sampled_from(SMALL), max_size=12).map(lambda words: " ".join(words) + " ")
    | st.sampled_from(PROSE)
    | st.sampled_from([*sum(SUBJECTS.values(), ()), *(text for item in PATTERNS for text in item.examples)])
    | st.text(max_size=6)
)
TEXTS = st.lists(PIECES, max_size=14).map("".join)


def both(samples: list[tuple[str | None, str | None, str]]) -> list[tuple[str, str | None, Any, Any]]:
    """(feature, response, by itself, in its batch) of all features of these prompts, responses and golden answers."""
    together = [SampleTexts(prompt, said, [golden]) for prompt, said, golden in samples]
    scan = prepare(together)
    assert scan is not None, "the compiled part is not there: `make test` builds it where a C compiler is"
    batch = TextBatch(together, scan)
    found = []
    for feature in FEATURES:
        assert feature.compute_batch is not None
        values = feature.compute_batch(batch)
        if isinstance(values, np.ndarray):
            rows = [row.tobytes() for row in values] if values.ndim > 1 else values.tolist()  # those of sketches
            values = [None if row != row else row for row in rows]
        for (prompt, said, golden), value in zip(samples, values):
            found.append((feature.name, said, feature.compute(SampleTexts(prompt, said, [golden])), value))
    return found


NUMBERS = [
    "42",
    "42.0",
    "041",
    "41.9999999999",
    "0.5",
    ".5",
    "0.4999999999",
    "1,2",
    "4,2.",
    "-42",
    "4.2.1",
    "4{,}2",
    "٤٢",
    "½",
    "x",
]
GOLDEN = st.sampled_from([*NUMBERS, "", "1/3", "120", "(B)", "12.3456", "99999999"])
SAMPLES = st.tuples(
    st.sampled_from(PROMPTS),
    TEXTS | st.lists(st.sampled_from([*NUMBERS, " ", ".", "a"])).map("".join) | st.none(),
    GOLDEN,
)


@given(st.lists(SAMPLES, min_size=1, max_size=8))
def test_values_of_a_batch_are_those_of_each_text_by_itself(samples: list[tuple[str | None, str | None, str]]) -> None:
    for name, said, alone, together in both(samples):
        assert alone == together, (name, said)


def test_values_of_prose_and_of_long_texts_too() -> None:
    chance = random.Random(5)
    samples: list[tuple[str | None, str | None, str]] = []
    for size in [*range(40), 500, 1_500]:
        said = chance.choices(PROSE, k=size)
        thought = f"<think>\n{' '.join(said[: size // 2])}\n</think>\n\n"
        end = chance.choice(["", "\\boxed{42}.", "The answer is 42.", "<answer>7</answer>", "#### 7", said[-1:] * 9])
        text = f"{thought if chance.random() < 0.7 else ''}{' '.join(said[size // 2 :])} {end}"
        samples.append((chance.choice(PROMPTS), text, "42"))
    samples.append(("long?", "word " * MAX_CHARS, "42"))
    for name, _, alone, together in both(samples):
        assert alone == together, name


def test_a_library_of_another_state_is_not_used(monkeypatch: Any) -> None:
    monkeypatch.setattr(text_scan, "VERSION", text_scan.VERSION + 1)
    text_scan.compiled.cache_clear()
    try:
        assert text_scan.scan(["a"]) is None
        alone = SampleTexts("", "a b c d")
        assert prepare([alone]) is None
        assert alone.stats.words == 4
    finally:
        monkeypatch.undo()
        text_scan.compiled.cache_clear()


@given(st.binary(max_size=200), st.binary(max_size=3))
def test_no_bytes_whatever_lead_out_of_a_text(some: bytes, rest: bytes) -> None:
    """It is given UTF-8, but would not read elsewhere if it were not: a text gives the same numbers among any others."""
    numbers = text_scan.scan_bytes([some])
    among = text_scan.scan_bytes([rest, some, rest])
    assert numbers is not None
    assert among is not None
    assert numbers.rows[0].tolist() == among.rows[1].tolist()
    assert numbers.marks[0].tolist() == among.marks[1].tolist()
    assert numbers.find_digits(["42"])[0] == among.find_digits(["", "42", ""])[1]


@given(st.lists(TEXTS, min_size=1, max_size=4))
def test_the_same_marks_are_seen_by_compiled_code_and_by_python(said: list[str]) -> None:
    together = [SampleTexts("", text) for text in said]
    prepare(together)
    for texts in together:
        assert texts.marks == SampleTexts("", texts.response_text).marks


@given(st.text("0149,. -x{}", max_size=40), st.sampled_from(["4", "41", "140", "9999"]))
def test_digits_are_found_with_commas_among_them(text: str, digits: str) -> None:
    found = text_scan.scan([text])
    assert found is not None
    plain = text.replace("{,}", "").replace(",", "")
    lacks = digits not in plain and "9999" not in plain
    assert (found.find_digits([digits])[0] == DigitsSeen.LACKS) == lacks
    assert found.find_digits([""]).tolist() == [DigitsSeen.MAYBE]
