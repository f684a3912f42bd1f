"""What contrasts answer can be sent as JSON, whatever the texts hold."""

from __future__ import annotations

import msgspec

from rollscope.query.insights.contrast.fields import FieldContrast
from rollscope.query.insights.contrast.model import Contrast, ContrastSide, PhraseContrast, PhraseExample

SIDE = ContrastSide(run="r", where=None, split="train", window="10:20", samples=4, read=3, steps=(10, 19))


def test_an_answer_comes_back_as_it_was() -> None:
    example = PhraseExample(
        run="r", address="train/1/0", field="response", start=2, end=5, before="a ", value="phr", after=" b"
    )
    phrase = PhraseContrast(
        text="phr", a=3, b=0, a_share=1.0, b_share=0.0, z=4.5, q=0.01, where='response contains "phr"', example=example
    )
    answer = Contrast(
        a=SIDE, b=SIDE, field="response", phrases=[phrase], fields=[], looked_at=9, notes=["Few."], method="counted"
    )
    assert msgspec.json.decode(msgspec.json.encode(answer), type=Contrast) == answer


def test_every_part_says_what_it_is() -> None:
    schema = msgspec.json.schema(Contrast)["$defs"]
    described = {name for name, part in schema.items() if part.get("properties")}
    assert described == {
        item.__name__ for item in (Contrast, ContrastSide, FieldContrast, PhraseContrast, PhraseExample)
    }
    assert "null where" in schema["PhraseContrast"]["properties"]["example"]["description"].lower()
