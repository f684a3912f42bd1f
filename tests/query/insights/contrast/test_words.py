"""Many texts cut into words at once, against a reader that goes sign by sign."""

from __future__ import annotations

import re
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rollscope.features.batches.characters import UNSPACED
from rollscope.query.insights.contrast import words
from rollscope.query.insights.contrast.words import BARRIER, cut

SIGNS = "aB cé ÀЖ数学テต1_#*`|✅👍🏽\u200d'’.,-\n\0\ud83d\udc00"


def slowly(text: str) -> list[tuple[int, int]]:
    """Where its words begin and end."""

    def kind(place: int) -> str:
        sign = text[place]
        category = unicodedata.category(sign)
        if re.match(f"[{UNSPACED}]", sign):
            return "sign" if category[0] in "LNM" else ""
        if sign in "\u200d\ufe0e\ufe0f" or sign in "#*`|" or (category[0] == "S" and not sign.isascii()):
            return "symbol"
        return "word" if category[0] in "LNM" or sign == "_" else ""

    kinds = [kind(place) for place in range(len(text))]
    joined = list(kinds)
    for place in range(1, len(text) - 1):
        if text[place] in "'’" and kinds[place - 1] == kinds[place + 1] == "word":
            joined[place] = "word"
    spans: list[tuple[int, int]] = []
    for place, what in enumerate(joined):
        if not what:
            continue
        if place and what == joined[place - 1] and what != "sign":
            spans[-1] = (spans[-1][0], place + 1)
        else:
            spans.append((place, place + 1))
    return spans


def small(text: str) -> str:
    return "".join(sign.lower() if len(sign.lower()) == 1 else sign for sign in text)


@given(st.lists(st.text(st.sampled_from(SIGNS), max_size=30), max_size=6))
def test_words_lie_where_a_slow_reader_finds_them(texts: list[str]) -> None:
    found = cut(texts)
    expected = [(number, *span) for number, text in enumerate(texts) for span in slowly(text)]
    kept = found.hashes != BARRIER
    columns = (found.texts[kept].tolist(), found.starts[kept].tolist(), found.ends[kept].tolist())
    assert list(zip(*columns)) == expected
    assert int((~kept).sum()) == len(texts)
    # Two words have the same hash exactly when they are the same in small letters.
    names = [small(texts[number][start:end]) for number, start, end in expected]
    hashes = found.hashes[kept].tolist()
    assert len({*zip(names, hashes)}) == len(set(names)) == len(set(hashes))


def test_of_a_long_text_the_two_ends_are_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(words, "MAX_CHARS", 20)
    text = "alpha beta " + "middle " * 50 + "omega end"
    found = cut([text])
    spans = zip(found.starts[found.hashes != BARRIER].tolist(), found.ends[found.hashes != BARRIER].tolist())
    assert [text[start:end] for start, end in spans] == ["alpha", "beta"[:4], "omega", "end"]
    assert [int(value == BARRIER) for value in found.hashes] == [0, 0, 1, 0, 0, 1]
