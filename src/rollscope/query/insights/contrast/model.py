"""What contrasts answer: two sides, and the phrases and fields that tell them apart."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta, Struct

from rollscope.query.insights.contrast.fields import FieldContrast


class PhraseExample(Struct, kw_only=True):
    """Where something is to be seen: characters of one of a sample's texts."""

    run: str
    address: str
    field: str
    start: int
    end: int
    before: Annotated[str, Meta(description="The words before it, a few.")]
    value: str
    after: str


class PhraseContrast(Struct, kw_only=True):
    text: Annotated[str, Meta(description="As the example has it.")]
    a: Annotated[int, Meta(description="Samples of a that hold it, of those read.")]
    b: int
    a_share: float
    b_share: float
    z: Annotated[float, Meta(description="Above 0: typical of a; below: of b. See `method`.")]
    q: Annotated[float, Meta(description="The share of phrases at least as sure that chance alone may give.")]
    where: Annotated[str, Meta(description="A filter for the samples that hold it.")]
    example: Annotated[PhraseExample | None, Meta(description="Null where its file has changed meanwhile.")]


class ContrastSide(Struct, kw_only=True):
    run: str
    where: str | None
    split: str | None
    window: Annotated[str | None, Meta(description="The steps asked for: 10:20 is 10 to 19.")]
    samples: Annotated[int, Meta(description="Samples selected.")]
    read: Annotated[int, Meta(description="Those whose text was read.")]
    steps: Annotated[tuple[int, int] | None, Meta(description="The first and the last step of its samples.")]


class Contrast(Struct, kw_only=True):
    """What tells two selections apart."""

    a: ContrastSide
    b: ContrastSide
    field: Annotated[str, Meta(description="Whose words these are: response, prompt, golden or text.")]
    phrases: Annotated[list[PhraseContrast], Meta(description="The surest first.")]
    fields: Annotated[list[FieldContrast], Meta(description="The greatest effects first.")]
    looked_at: Annotated[int, Meta(description="Phrases that were compared.")]
    notes: Annotated[list[str], Meta(description="What must be known to read this, in sentences.")]
    method: str
