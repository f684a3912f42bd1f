"""Features come from entry points; a broken one is named and takes no other down."""

from __future__ import annotations

import pytest

from rollscope.features.base import Feature, SampleTexts
from rollscope.features.registry import _check, registry


def _feature(name: str) -> Feature:
    def one(texts: SampleTexts) -> int:
        return 1

    return Feature(name=name, type="integer", title="T", about="A.", compute=one)


def test_the_built_in_families_are_there_in_the_order_of_what_people_ask_for() -> None:
    found = registry()
    assert found.broken == []
    names = found.names()
    first = [
        names.index(name) for name in ("text.words", "text.repetition", "text.script", "text.flags", "token.entropy")
    ]
    assert first == sorted(first)
    assert {feature.name for feature in found.group_features} < set(names)


def test_a_set_of_features_has_a_digest_that_changes_with_the_users_patterns() -> None:
    assert registry().digest == registry().digest
    assert registry('[hm]\npattern = "hm"\n').digest != registry().digest


@pytest.mark.parametrize(
    ("feature", "known", "why"),
    [
        (_feature("words"), {}, "begins neither with text. nor with token."),
        (_feature("text.words"), {"text.words"}, "there is a 'text.words' already"),
        (len, {}, "is no rollscope.features.base.Feature"),
    ],
)
def test_what_is_no_feature_or_has_anothers_name_is_refused(feature: Feature, known: set[str], why: str) -> None:
    with pytest.raises((TypeError, ValueError), match=why):
        _check(feature, known)
