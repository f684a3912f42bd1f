"""`contrast` and `changes`: what tells two selections of samples apart."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rollscope.cli import output
from rollscope.cli.numbers import MISSING, number, percent, plural
from rollscope.cli.opening import one_run, refresh, run_at
from rollscope.cli.output import TableColumn

if TYPE_CHECKING:
    from rollscope.cli.arguments import Arguments
    from rollscope.query.insights.contrast.model import Contrast, ContrastSide


def contrast(arguments: Arguments) -> None:
    run = one_run(arguments)
    refresh(run)
    other = run_at(arguments.other, arguments) if arguments.other else None
    if other is not None:
        refresh(other)
    found = run.contrast(
        arguments.a,
        arguments.b,
        other=other,
        split=arguments.split,
        a_steps=arguments.a_steps,
        b_steps=arguments.b_steps,
        field=getattr(arguments, "in"),
        limit=arguments.settings.limit or None,
    )
    _write(found, arguments)


def changes(arguments: Arguments) -> None:
    run = one_run(arguments)
    refresh(run)
    found = run.changes(
        getattr(arguments, "from"),
        arguments.to,
        split=arguments.split,
        where=arguments.where,
        field=getattr(arguments, "in"),
        limit=arguments.settings.limit or None,
    )
    _write(found, arguments)


def _write(found: Contrast, arguments: Arguments) -> None:
    if arguments.json:
        output.write_json(found)
        return
    output.talk(f"a: {_side(found.a)}")
    output.talk(f"b: {_side(found.b)}")
    for note in found.notes:
        output.talk(note)
    columns = [
        *(TableColumn(title, right=True) for title in ("a", "b", "z")),
        TableColumn("phrase"),
        TableColumn("example"),
    ]
    output.write_table(
        columns,
        (
            [
                percent(phrase.a_share),
                percent(phrase.b_share),
                f"{phrase.z:+.1f}",
                phrase.text,
                f"{phrase.example.address}:{phrase.example.start}" if phrase.example else MISSING,
            ]
            for phrase in found.phrases
        ),
    )
    if not found.phrases:
        output.talk(f"no phrase tells them apart; looked at {found.looked_at:,}")
    if found.fields:
        print()
    columns = [*(TableColumn(title, right=True) for title in ("a", "b", "effect")), TableColumn("field")]
    output.write_table(
        columns,
        (
            [
                number(row.a) if row.value is None else percent(row.a),
                number(row.b) if row.value is None else percent(row.b),
                f"{row.effect:+.2f}",
                row.field if row.value is None else f"{row.field} = {row.value}",
            ]
            for row in found.fields
        ),
    )


def _side(side: ContrastSide) -> str:
    asked = [
        side.run,
        side.split or "",
        side.where or "",
        f"steps {side.window}" if side.window else "",
        plural(side.samples, "sample"),
        f"{side.read:,} read" if side.read != side.samples else "",
    ]
    return ", ".join(part for part in asked if part)
