"""Small words of languages: which word may be of which language."""

from __future__ import annotations

from rollscope.features.batches.small_words import LANGUAGES_OF_WORD, LETTERS, SMALL_WORDS, STRANGE_WORDS


def test_a_word_that_is_english_too_tells_no_other_language() -> None:
    assert "die" in SMALL_WORDS["German"]
    assert LANGUAGES_OF_WORD["in"] == ["English"]
    assert LANGUAGES_OF_WORD["nicht"] == ["German"]
    assert not STRANGE_WORDS & SMALL_WORDS["English"]


def test_a_word_of_several_languages_names_all_of_them() -> None:
    for word, languages in LANGUAGES_OF_WORD.items():
        if word not in SMALL_WORDS["English"]:
            assert languages == [name for name, words in SMALL_WORDS.items() if word in words]


def test_words_of_one_letter_tell_nothing() -> None:
    assert all(len(word) > 1 for words in SMALL_WORDS.values() for word in words)


def test_the_letters_of_a_language_spell_its_small_words() -> None:
    for name, words in SMALL_WORDS.items():
        if name not in LETTERS or name in ("Vietnamese",):
            continue
        strange = {letter for word in words for letter in word if not letter.isascii()} - LETTERS[name]
        assert strange == set(), name
