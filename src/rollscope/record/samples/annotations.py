"""What is learned of a sample after it was written, such as its advantage or why it was discarded.

A sample in a file does not change. What comes later is a line of its own in the annotations file of the iteration: it has
the sample's identity and only the fields that are new, and readers join the two.
"""

from __future__ import annotations

import msgspec

from rollscope.record.samples.fields import SampleFields, fill
from rollscope.record.samples.schema import RolloutLine
from rollscope.record.samples.values import Complain

#: Fields that say which sample it is; all others are the annotation itself.
IDENTITY = frozenset(
    {"schema_version", "run_id", "writer", "attempt", "split", "step", "group", "index", "time", "nonfinite"}
)
#: What was asked and answered is the sample: it cannot become another one. Lists and searches rely on that.
_FIXED = ("prompt", "response", "golden_answers", "turns", "env", "dataset", "prompt_id", "tags")
_MERGED = ("rewards", "metrics", "timings")


def annotation_line(identity: RolloutLine, fields: SampleFields, complain: Complain) -> RolloutLine:
    """``fields`` about the sample that ``identity`` names. What follows from other values follows as in a sample."""
    given = dict(fields)
    for name in _FIXED:
        if given.pop(name, None) is not None:
            complain(f"{name} of a sample cannot be annotated; it was left out")
    line = RolloutLine(**{name: getattr(identity, name) for name in IDENTITY - {"nonfinite"}})
    fill(line, None, SampleFields(**given), complain)  # type: ignore[typeddict-item]
    return line


def apply(line: RolloutLine, annotation: RolloutLine) -> None:
    """Put an annotation into a sample that was not written yet."""
    for name in RolloutLine.__struct_fields__:
        value = getattr(annotation, name)
        if name in IDENTITY or value in (None, {}, []):
            continue
        if name in _MERGED:
            setattr(line, name, {**getattr(line, name), **value})
        elif name == "tokens" and line.tokens is not None:
            arrays = {key: array for key in value.__struct_fields__ if (array := getattr(value, key))}
            line.tokens = msgspec.structs.replace(line.tokens, **arrays)
        else:
            setattr(line, name, value)
    line.nonfinite |= annotation.nonfinite
