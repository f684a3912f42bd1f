"""Detector of answers whose form is odd: thinking blocks left open, missing or several answers."""

from __future__ import annotations

from collections.abc import Iterator

from rollscope.features import form
from rollscope.query.insights.findings.model import Found, SplitData
from rollscope.query.language.writing import quoted

#: Forms that are natural in some runs: only a rise of their share is a finding.
_NATURAL_FORMS = ("no_answer", "several_answers")
#: Other forms are a finding at this share, whenever they began.
FORM_ALWAYS = 0.01
#: Name -> (title, why).
_FORMS = {
    "unclosed_think": ("Unclosed thinking blocks", "a thinking block is opened and never closed"),
    "empty_think": ("Empty thinking blocks", "a thinking block has nothing in it"),
    "answer_before_think": ("Answers before the thinking", "an answer is marked before the first thinking block"),
    "several_answers": ("Several different answers", "several different answers are marked"),
    "no_answer": ("No marked answer", "no answer is marked"),
    "empty_answer": ("Empty answers", "the answer is empty, or only an opening such as “Solution”"),
}
#: If more than this share of the first steps' answers have no mark, the run does not mark its answers.
NOT_MARKED = 0.2
#: An answer that is not stated in words either is then missing, unless that is so for more than this share of the first steps.
NOT_SAID = 0.03
#: A form that more than this share of the first steps' answers have is how the run is set up, such as the empty thinking
#: block of a model that is told not to think.
SET_UP = 0.5


def forms(data: SplitData) -> Iterator[Found]:
    """Unusual forms: unclosed thinking, empty answers …"""
    data.need("text.format")
    known = data.known("text.format")
    for name, rows in sorted(data.listed("text.format").items()):
        mask = rows
        where = f"text.format contains {quoted(name)}"
        title, why = _FORMS.get(name, (name, f"the form of the answer is {name}"))
        if name == "no_answer" and mask[data.first & known].mean() > NOT_MARKED:
            # This run does not mark its answers. If nearly all are stated in words, one that is not is odd.
            mask = mask & ~data.known("text.answer")
            where += " and text.answer is missing"
            why += " or stated in words"
            if mask[data.first & known].mean() > NOT_SAID:
                continue
        at_first = mask[data.first & known]
        yield Found(
            kind="format",
            title=title,
            where=where,
            mask=mask,
            known=known,
            why=why,
            spans=lambda texts, name=name: [span for key, span in form.oddities(texts).items() if key == name],  # type: ignore[misc]
            rise=0.005 if name in _NATURAL_FORMS else 0.0,
            always=FORM_ALWAYS,
            at_most="low" if len(at_first) and at_first.mean() > SET_UP else "high",
            serious_share=0.5,
            serious_rise=0.02,
        )
