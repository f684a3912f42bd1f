"""`search`: every sample whose text matches, printed as it is found."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from contextlib import nullcontext
from itertools import islice
from typing import TYPE_CHECKING

from rollscope.cli.numbers import plural
from rollscope.cli.opening import chosen_runs, expect_search, expect_step, having_split, refresh
from rollscope.cli.output import JsonArray, clean, heading, talk
from rollscope.errors import UsageError

if TYPE_CHECKING:
    from rollscope.cli.arguments import Arguments
    from rollscope.query.answers import Hit
    from rollscope.query.run import Run


def search(arguments: Arguments) -> None:
    from rollscope.query.lists.several_runs import fields_of_runs

    if not arguments.pattern:
        raise UsageError("PATTERN is empty: every sample would match")
    expect_search([arguments.path], arguments)
    runs = chosen_runs(arguments)
    for run in runs:
        refresh(run)
    runs = having_split(runs, arguments.split)
    expect_step(runs, arguments.split, arguments.step)
    fields = vars(arguments)["in"]  # a keyword of Python's, so not an attribute
    names = None if fields is None else [name.strip() for name in fields.split(",")]
    limit = arguments.settings.limit or None
    known = fields_of_runs(runs, arguments.where)
    hits = (hit for run in runs for hit in _hits(run, arguments, names, known, limit))
    shown = 0
    with JsonArray() if arguments.json else nullcontext() as array:
        for hit in islice(hits, limit):
            if array is not None:
                array.add(hit)
            else:
                _print_hit(hit, len(runs) > 1)
            sys.stdout.flush()
            shown += 1
    if limit is not None and shown == limit and next(hits, None) is not None:
        talk(f"stopped after {plural(shown, 'hit')}; --limit 0 lists all")
    elif not shown:
        talk("no match")


def _hits(
    run: Run, arguments: Arguments, fields: list[str] | None, known: list[str], limit: int | None
) -> Iterator[Hit]:
    return run.search(
        arguments.pattern,
        regex=arguments.regex,
        ignore_case=arguments.ignore_case,
        fields=fields,
        where=arguments.where,
        split=arguments.split,
        step=arguments.step,
        steps=arguments.steps,
        known=known,
        # One more than is shown tells whether anything was left out.
        limit=None if limit is None else limit + 1,
    )


def _print_hit(hit: Hit, several_runs: bool) -> None:
    # Cut where the match begins and ends: the white space there is part of the text.
    before, match, after = (
        clean(re.sub(r"\s+", " ", piece))
        for piece in (
            hit.snippet[: hit.snippet_start],
            hit.snippet[hit.snippet_start : hit.snippet_end],
            hit.snippet[hit.snippet_end :],
        )
    )
    place = f"{clean(hit.run)} {clean(hit.address)}" if several_runs else clean(hit.address)
    print(f"{place}  {hit.field}:{hit.start}  {before}{heading(match)}{after}")
