"""Scripts, foreign letters and broken text."""

from __future__ import annotations

from rollscope.features.base import SampleTexts
from rollscope.features.scripts import foreign, foreign_span, garbled, garbled_span, script


def test_the_script_is_that_of_most_letters() -> None:
    assert script(SampleTexts("", "Die Lösung ist x = 2")) == "Latin"
    assert script(SampleTexts("", "答案是 x = 2")) == "Han"
    assert script(SampleTexts("", "Ответ: два")) == "Cyrillic"
    assert script(SampleTexts("", "12 + 3 = 15")) is None


def test_letters_that_the_prompt_does_not_use_are_foreign() -> None:
    answer = "First we factor. 然后我们把两边同时除以三，得到最后的结果。 So x is 2."
    assert 0.3 < foreign(SampleTexts("Solve for x.", answer)) < 0.8  # type: ignore[operator]
    assert foreign(SampleTexts("解方程 please", answer)) == 0
    span = foreign_span(SampleTexts("Solve for x.", answer))
    assert span is not None
    assert answer[span.start : span.end].startswith("然后")
    assert answer[span.start : span.end].endswith("结果")


def test_names_formulas_and_code_are_not_foreign() -> None:
    assert foreign(SampleTexts("Who?", "It was 孔子 (Confucius), and the angle is θ = π/2.")) == 0
    chinese = r"解：$x^2 + \alpha = \frac{1}{2}$，```python print(1)``` 所以答案是二。"
    assert foreign(SampleTexts("求解方程", chinese)) == 0
    assert foreign(SampleTexts("", "一二三")) is None


def test_broken_characters_are_counted() -> None:
    assert garbled(SampleTexts("", "clean text, é and 数\n")) == 0
    assert garbled(SampleTexts("", "bro\ufffd\ufffden")) == 2 / 7
    assert garbled(SampleTexts("", "prосess it")) > 0  # type: ignore[operator]  # Cyrillic о and с inside
    text = "all fine so far " * 5 + "\ufffd\ufffd\x07 then"
    span = garbled_span(SampleTexts("", text))
    assert span is not None
    assert text[span.start : span.end] == "\ufffd\ufffd\x07"
