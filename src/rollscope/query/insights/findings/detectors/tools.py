"""Detectors of tool calls that repeat or fail."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from rollscope.features import tools
from rollscope.query.insights.findings.model import CannotKnow, Found, SplitData

#: The same call this many times in a row is a loop.
TOOL_REPEATS = 3
#: Errors are a finding at this share, even if there were as many from the start.
TOOL_ERRORS_ALWAYS = 0.01


def tool_loop(data: SplitData) -> Iterator[Found]:
    """The same tool call repeated."""
    if not data.has("text.tool_repeats"):
        raise CannotKnow("no tool calls were found in the responses")
    values = data.numbers("text.tool_repeats")
    yield Found(
        kind="tool_loop",
        title="The same tool call repeated",
        where=f"text.tool_repeats >= {TOOL_REPEATS}",
        mask=values >= TOOL_REPEATS,
        known=np.isfinite(values),
        why=f"the same call with the same arguments at least {TOOL_REPEATS} times in a row",
        spans=lambda texts: [found[1] for found in [tools.longest_run(texts)] if found],
    )


def tool_errors(data: SplitData) -> Iterator[Found]:
    """Tools return errors."""
    if not data.has("text.tool_errors"):
        raise CannotKnow("no tool results were found in the responses")
    values = data.numbers("text.tool_errors")
    yield Found(
        kind="tool_errors",
        title="Tools return errors",
        where="text.tool_errors > 0",
        mask=values > 0,
        known=np.isfinite(values),
        why="a tool returned an error",
        spans=tools.error_spans,
        rise=0.005,
        always=TOOL_ERRORS_ALWAYS,
        serious_share=0.2,
        serious_rise=0.05,
    )
