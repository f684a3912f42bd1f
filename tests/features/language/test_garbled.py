"""What is broken in a text, and what is only a slip."""

from __future__ import annotations

from rollscope.features.base import SampleTexts
from rollscope.features.language.garbled import garbled, garbled_span


def test_one_odd_word_in_a_long_text_is_a_slip() -> None:
    text = "Обычный русский текст без ошибок и опечаток. " * 20
    assert garbled(SampleTexts("", text + "\x07 sуstem")) == 0.0
    assert garbled(SampleTexts("", "اضغط كـCtrl ثم لـShift ثم الـGD ثم كـWin و PDFы")) == 0.0
    assert (garbled(SampleTexts("", text + "prоcess wоrld systеm")) or 0) > 0


def test_one_mistyped_letter_in_a_short_text_is_a_slip() -> None:
    assert garbled(SampleTexts("", "Письменность: байбайинcкая")) == 0.0  # a Latin c in a Russian word
    assert (garbled(SampleTexts("", "Письменность: бaйбaйинcкая")) or 0) > 0


def test_utf_8_that_was_read_as_something_else_is_broken() -> None:
    for text in ("déjà vu, n’est-ce pas", "größer über Öl", "“quoted”", "Привет, мир", "中文文本"):
        for other in ("latin-1", "cp1252"):
            assert garbled(SampleTexts("", text.encode().decode(other, "replace"))) > 0.01  # type: ignore[operator]
        assert garbled(SampleTexts("", text)) == 0
    assert garbled(SampleTexts("", "NÃO É ÂMBAR; Ârvore de Ácido, 20 °C “é” – é… ESPAÑ… naïf")) == 0


def test_broken_characters_are_counted() -> None:
    assert garbled(SampleTexts("", "clean text, é and 数\n")) == 0
    assert garbled(SampleTexts("", "bro\ufffd\ufffden")) == 2 / 7
    assert garbled(SampleTexts("", "prосess it")) > 0  # type: ignore[operator]  # Cyrillic о and с inside
    text = "all fine so far " * 5 + "\ufffd\ufffd\x07 then"
    span = garbled_span(SampleTexts("", text))
    assert span is not None
    assert text[span.start : span.end] == "\ufffd\ufffd\x07"
