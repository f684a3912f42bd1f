"""A sample as a table of its fields."""

from __future__ import annotations

from rollscope.model import Sample
from rollscope.render import mask_runs
from rollscope.tui.document import Block, Document, one_line, shown
from rollscope.tui.fields import TEXT_FIELDS, field_names, field_value, text_of
from rollscope.tui.transcript import Reading
from rollscope.tui.wrap import columns, fit

#: Longer names are cut: the values are what one wants to see.
MAX_LABEL = 24


def table(sample: Sample, reading: Reading) -> Document:
    """One field after the other, its name at the left and its value, however long, at the right."""
    names = [name for name in field_names(sample) if reading.shows(name)]
    # Numbers first: they are what a table is read for; texts follow in full.
    names.sort(key=lambda name: name in TEXT_FIELDS)
    labels = {name: fit(one_line(name), MAX_LABEL) for name in names}
    width = max((columns(label) for label in labels.values()), default=0) + 2
    blocks = []
    for name in names:
        value = text_of(sample, name) if name in TEXT_FIELDS else field_value(sample, name)
        label = labels[name] + " " * (width - columns(labels[name]))
        text = shown(mask_runs(value, reading.mask)).strip("\n")
        last_number = name not in TEXT_FIELDS
        blocks.append(
            Block(
                look="field.value",
                text=text,
                label=label,
                indent=" " * width,
                label_look="field.name",
                gap=not last_number,
            )
        )
    return Document(blocks)
