"""Languages in Latin letters: what leaves the prompt's is seen, names, terms and what was asked for are not."""

from __future__ import annotations

import random

import pytest
from tests.prose import prose

from rollscope.features.base import SampleTexts
from rollscope.features.batches.small_words import SMALL_WORDS
from rollscope.features.language import languages
from rollscope.features.language.languages import prompt_languages
from rollscope.features.language.scripts import foreign, foreign_span

ASKED = "What is the sum of the first ten primes, and why?"
SAID = {
    "German": "Also müssen wir jetzt die beiden Seiten der Gleichung durch drei teilen, und dann ist die Lösung nicht "
    "mehr weit, "
    "weil der Rest sich von selbst ergibt und nur noch eine Zahl übrig bleibt.",
    "Spanish": "Entonces tenemos que dividir los dos lados de la ecuación por tres, y el resultado es la respuesta "
    "que se pide en el "
    "enunciado, porque los demás términos se cancelan entre sí.",
    "French": "Il faut donc diviser les deux côtés de cette équation par trois, et le résultat est la réponse que "
    "nous cherchons dans "
    "cet exercice, car les autres termes ne comptent pas.",
    "Polish": "Teraz trzeba podzielić obie strony równania przez trzy, a wynik jest odpowiedzią, której szukamy w tym "
    "zadaniu, bo nie "
    "ma już innych składników, które się liczą.",
}


@pytest.mark.parametrize("name", SAID)
def test_a_switch_within_latin_letters_is_foreign(name: str) -> None:
    english = prose(random.Random(name), 400)  # data, not secrets
    text = f"{english} {SAID[name]} {english[:200]}"
    share = foreign(SampleTexts(ASKED, text))
    assert share is not None
    assert 0.1 < share < 0.4
    span = foreign_span(SampleTexts(ASKED, text))
    assert span is not None
    middle = len(english) + 1 + len(SAID[name]) // 2
    assert span.start < middle < span.end
    assert foreign(SampleTexts(SAID[name], SAID[name])) == 0


def test_english_prose_names_and_what_was_asked_for_are_not_foreign() -> None:
    for seed in range(50):
        assert foreign(SampleTexts(ASKED, prose(random.Random(seed), 1500))) == 0
    assert (
        foreign(SampleTexts(ASKED, "By Poincaré, Gödel and Erdős: the café problem of los Angeles is not die Lösung."))
        == 0
    )
    assert foreign(SampleTexts(f"Translate into German. {ASKED}", SAID["German"])) == 0
    assert prompt_languages("12 + 3 =") == frozenset()


def test_few_small_words_do_not_make_a_prompt_english() -> None:
    assert prompt_languages("--peta zeigt die Speichergröße in Petabyte an. Impliziert --si.") == frozenset()
    assert prompt_languages("5 Encerramento do pipe de escrita do processo filho falhou.") == frozenset()
    assert prompt_languages("In which year was it?") == {"English"}


def test_the_quick_look_passes_over_no_stretch(monkeypatch: pytest.MonkeyPatch) -> None:
    chance = random.Random(4)
    words = [word for some in SMALL_WORDS.values() for word in sorted(some)]
    texts = [
        " ".join(chance.choice(words if chance.random() < 0.2 else ["Foo", "bar", "éa"]) for _ in range(30))
        for _ in range(300)
    ]
    own = [frozenset({chance.choice(["English", "German"])}) for _ in texts]
    quick = [languages._stretches(text, 0, known) for text, known in zip(texts, own)]
    monkeypatch.setattr(languages, "_may_have_stretches", lambda *_: True)
    assert quick == [languages._stretches(text, 0, known) for text, known in zip(texts, own)]
    assert any(quick)
    assert not all(quick)


def test_letters_that_the_prompt_s_language_does_not_have_tell_another_one() -> None:
    asked = "Wie lange dauert es, bis die beiden Züge sich treffen, wenn sie mit gleicher Geschwindigkeit fahren?"
    polish = "Ścieżkę należy podać względem katalogu głównego. Zostanie użyta wartość domyślna, jeżeli żadnej nie określono. "
    assert (foreign(SampleTexts(asked, polish * 2)) or 0) > 0.8
    german = "Für jede Größe müssen wir die Lösung getrennt ausführen. Über Łukasz sagt der Text nichts. "
    assert foreign(SampleTexts(asked, german * 3)) == 0


def test_polish_answers_to_english_questions_are_seen() -> None:
    polish = (
        "Opcja ta pozwala zmienić rozmiar bufora przez podanie liczby bajtów, jak również usunąć go dla danego pliku. "
    )
    assert (foreign(SampleTexts(ASKED, polish * 3)) or 0) > 0.8


def test_what_a_model_asks_of_its_tools_is_in_no_language() -> None:
    asked = "Quelle est la population de la ville, et comment est-elle répartie dans les quartiers ?"
    query = "what is the number of people in the city and how are they"
    call = f'<tool_call>{{"name": "search", "arguments": {{"q": "{query}"}}}}</tool_call>'
    answer = "La ville a un million d'habitants, et la plupart sont dans les quartiers du nord de la ville. "
    assert foreign(SampleTexts(asked, f"{call}\n{call}\n{call}\n{answer}")) == 0
