"""Scripts, and letters that the prompt does not use."""

from __future__ import annotations

from rollscope.features.base import SampleTexts
from rollscope.features.language.scripts import foreign, foreign_span, script


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


def test_terms_in_latin_letters_are_not_foreign_but_sentences_are() -> None:
    asked = "Как настроить сервер TLS, чтобы он принимал соединения?"
    terms = "Сначала выполните SET TABLESPACE pg_default, затем откройте Visual Studio Code и нажмите Ctrl. " * 3
    assert foreign(SampleTexts(asked, terms)) == 0.0
    answered = "Сначала выполните команду. " + "Then you have to open the settings of the server and restart it. " * 2
    assert (foreign(SampleTexts(asked, answered)) or 0) > 0.5
    span = foreign_span(SampleTexts(asked, answered))
    assert span is not None
    assert answered[span.start : span.end].startswith("Then you")


def test_chinese_is_foreign_to_korean_prompts_and_kana_to_chinese_ones() -> None:
    chinese = "首先把方程整理一下，然后把所有的项移到左边，最后求出未知数的值。"
    japanese = "まず方程式を整理して、すべての項を左辺に移してから、答えを求めます。"
    assert foreign(SampleTexts("이 방정식을 풀고 답을 설명해 주세요.", chinese)) == 1.0
    assert (foreign(SampleTexts(chinese, japanese)) or 0) > 0.3
    assert foreign(SampleTexts(japanese, chinese)) == 0.0


def test_a_formula_in_another_language_is_not_leaving_it() -> None:
    asked = "Comment peut-on résoudre cette équation et que faut-il vérifier dans les deux cas ?"
    text = "Il faut isoler la variable, puis vérifier que la solution est dans le domaine. "
    assert foreign(SampleTexts(asked, text * 2 + "So the answer is 42.")) == 0.0
    # Italian says "in", too.
    asked = "Spiega e rispondi alla domanda: il server invia informazioni di configurazione che sono appropriate per la rete."
    text = "Misura i dati, rispettivamente in megabyte o in gigabyte. Therefore the result is $\\boxed{463}$."
    assert foreign(SampleTexts(asked, text)) == 0.0


def test_what_tools_answered_is_not_the_models_language() -> None:
    result = "<tool_response>\nThe server could not find the page that was asked for.\n</tool_response>"
    said = f'Дивимося далі. <tool_call>{{"name": "a"}}</tool_call>{result} Отже, сторінки немає.'
    assert foreign(SampleTexts("Знайди сторінку, будь ласка.", said)) == 0
    assert foreign(SampleTexts("Знайди сторінку, будь ласка.", f"{said} The page is not there at all.")) != 0


def test_greek_sentences_are_foreign_but_symbols_are_not() -> None:
    said = "The angle is found as follows. Η λύση βρίσκεται αν διαιρέσουμε και τα δύο μέλη με το τρία. So it is two."
    assert (foreign(SampleTexts("Find the angle.", said)) or 0) > 0.4
    span = foreign_span(SampleTexts("Find the angle.", said))
    assert span is not None
    assert said[span.start : span.end].startswith("Η λύση")
    assert foreign(SampleTexts("Find the angle.", "With α, β, γ > 0 and Δ = αβ we have ∠ΑΒΓ = θ, so λ + μ = π.")) == 0
    assert foreign(SampleTexts("Let α, β, γ, δ be angles.", said)) != 0
    assert foreign(SampleTexts("Βρείτε τη γωνία του τριγώνου.", said.partition(". ")[2])) == 0


def test_an_english_system_prompt_does_not_make_a_question_english() -> None:
    asked = "system\nYou are a helpful assistant.\nuser\n求解下列方程，并写出全部步骤。\nassistant\n"
    english = "First we move all of the terms to the left, and then we divide both sides of it by three. " * 2
    assert (foreign(SampleTexts(asked, english)) or 0) > 0.8
    french = "system\nYou are a helpful assistant.\nuser\nQuelle est la somme des deux nombres ?\nassistant\n"
    answer = "La somme des deux nombres est de douze, et le produit est plus grand que la somme dans ce cas. " * 3
    assert foreign(SampleTexts(french, answer)) == 0


def test_a_sentence_in_latin_letters_within_a_prompt_is_not_its_language() -> None:
    asked = (
        "Переведи время и реши задачу о поездах, которые едут навстречу друг другу из двух городов. Note: use it as is."
    )
    english = "First we move all of the terms to the left, and then we divide both sides of it by three. " * 2
    assert (foreign(SampleTexts(asked, english)) or 0) > 0.8
