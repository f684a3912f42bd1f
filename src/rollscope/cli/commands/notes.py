"""`note` and `notes`: what people write about samples. It is kept in their own folder, never in the run."""

from __future__ import annotations

from collections import Counter
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from rollscope.cli import output
from rollscope.cli.numbers import MISSING, plural
from rollscope.cli.opening import chosen_runs, one_run, refresh, say_left_out
from rollscope.cli.output import TableColumn
from rollscope.errors import NotFoundError, UsageError

if TYPE_CHECKING:
    from rollscope.cli.arguments import Arguments
    from rollscope.userdata.notes import Note


def note(arguments: Arguments) -> None:
    run = one_run(arguments)
    refresh(run)
    if arguments.remove:
        if arguments.text or arguments.label or arguments.rating is not None:
            raise UsageError("--remove takes no text, label or rating", hint="it removes all you wrote on the sample")
        done = run.remove_notes(arguments.address, arguments.author)
        if not done:
            raise NotFoundError(
                f"there is no note of yours on {arguments.address}", hint="`rollscope notes` lists all there are"
            )
    else:
        from rollscope.userdata.notes import NewNote

        new = NewNote(
            address=arguments.address,
            text=arguments.text or "",
            labels=arguments.label,
            rating=arguments.rating,
            author=arguments.author,
        )
        done = [run.write_note(new)]
    if arguments.json:
        output.write_json([_fields(run.name, item) for item in done])
    else:
        verb = "removed" if arguments.remove else "wrote"
        output.talk(f"{verb} {plural(len(done), 'note')} on {arguments.address}, by {done[0].author}")


def notes(arguments: Arguments) -> None:
    runs = chosen_runs(arguments)
    for run in runs:
        refresh(run)
    found = [(run.name, item) for run in runs for item in run.notes()]
    listed = found[: arguments.settings.limit or None]
    if arguments.json:
        with output.JsonArray() as array:
            for name, item in listed:
                array.add(_fields(name, item))
    else:
        titles = ("address", "rating", "labels", "note", "author", "time (UTC)")
        columns = [TableColumn("run")] if len(runs) > 1 else []
        columns += [TableColumn(title, right=title == "rating") for title in titles]
        output.write_table(columns, ([*([name] if len(runs) > 1 else []), *_cells(item)] for name, item in listed))
    _say_how_many(found)
    say_left_out(len(listed), len(found), "notes")


def _cells(item: Note) -> list[str]:
    written = datetime.fromtimestamp(item.time, UTC).strftime("%Y-%m-%d %H:%M")
    rating = MISSING if item.rating is None else str(item.rating)
    return [item.address, rating, ", ".join(item.labels), item.text, item.author, written]


def _say_how_many(found: list[tuple[str, Note]]) -> None:
    """Totals for who reviews: how many samples, and how often each label."""
    if not found:
        output.talk("nobody wrote a note here; `rollscope note PATH ADDRESS TEXT` writes one")
        return
    samples = len({(name, item.address) for name, item in found})
    labels = Counter(label for _, item in found for label in item.labels)
    listed = f"; labels: {', '.join(f'{label} {count:,}' for label, count in labels.most_common())}" if labels else ""
    output.talk(f"{plural(len(found), 'note')} on {plural(samples, 'sample')}{listed}")


def _fields(run: str, item: Note) -> dict[str, Any]:
    from msgspec.structs import asdict

    return {"run": run, **asdict(item)}
