"""A sample as a table of its fields."""

from __future__ import annotations

from collections.abc import Iterator

from rollscope.model import Sample
from rollscope.render import mask_runs
from rollscope.tui.text.document import Document, TextBlock, one_line, shown
from rollscope.tui.text.fields import TEXT_FIELDS, field_names, field_value, text_of, turn_texts
from rollscope.tui.text.transcript import ReadingOptions
from rollscope.tui.text.wrap import columns, fit

#: Longer names are cut: the values are what one wants to see.
MAX_LABEL = 36


def table(sample: Sample, reading: ReadingOptions) -> Document:
    """Names at the left, values at the right; below them the texts in full, as they are in the source."""
    names = [name for name in field_names(sample) if reading.shows(name)]
    facts = [name for name in names if name not in TEXT_FIELDS]
    labels = {name: fit(one_line(name), MAX_LABEL) for name in facts}
    width = max((columns(label) for label in labels.values()), default=0) + 2
    blocks = [
        TextBlock(
            look="field.value",
            text=_cell_text(field_value(sample, name), reading),
            label=labels[name] + " " * (width - columns(labels[name])),
            indent=" " * width,
            label_look="field.name",
            gap=name == facts[-1],
        )
        for name in facts
    ]
    for name in names:
        if name in TEXT_FIELDS:
            blocks.append(TextBlock(title=name, title_look="field.name", rule=True, gap=False))
            turns = turn_texts(sample) if name == "response" else []
            if len(turns) > 1:
                blocks += _turns(turns, reading)
            else:
                blocks.append(TextBlock(text=_cell_text(text_of(sample, name), reading)))
    return Document(blocks)


def _turns(turns: list[tuple[int, str]], reading: ReadingOptions) -> Iterator[TextBlock]:
    """The response of several turns, each under its number: keys go from one to the next."""
    for turn, text in turns:
        title = f"turn {turn + 1} of {turns[-1][0] + 1}"
        yield TextBlock(title=title, title_look="role", gap=False, turn=turn)
        yield TextBlock(text=_cell_text(text, reading))


def _cell_text(value: str, reading: ReadingOptions) -> str:
    return shown(mask_runs(value, reading.mask)).strip("\n")
