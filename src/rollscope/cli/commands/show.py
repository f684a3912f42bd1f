"""`show`: one whole sample, for a reader, as JSON, or as its raw text."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from typing import TYPE_CHECKING

from rollscope.cli import output
from rollscope.cli.numbers import MISSING, number
from rollscope.cli.opening import one_run, refresh
from rollscope.cli.output import clean, for_reader, heading
from rollscope.errors import NotFoundError
from rollscope.fields import Field, shown_in
from rollscope.render import readable

if TYPE_CHECKING:
    from rollscope.cli.arguments import Arguments
    from rollscope.model import Message, Sample, Turn
    from rollscope.query.insights.findings.marks.sample_findings import SampleFindings
    from rollscope.query.run import Run

DIM = "2"
#: Of each finding, so many places and so many characters of each.
SEEN_SPANS, SEEN_CHARS = 3, 80
#: Said by the heading already.
_IN_ADDRESS = frozenset({"address", "split", "step", "index"})


def show(arguments: Arguments) -> None:
    run = one_run(arguments)
    try:
        # No refresh first: a sample of a step that has not been read yet needs no index of the rest.
        _print(run, arguments)
    except NotFoundError:
        # Now it does: the error then says what there is.
        refresh(run)
        _print(run, arguments)


def _print(run: Run, arguments: Arguments) -> None:
    if arguments.json:
        output.write_encoded(run.sample_json(arguments.address))
    elif arguments.raw:
        text = for_reader(run.raw(arguments.address))
        # A pipe gets the text and nothing else; a terminal's prompt begins on its own line.
        sys.stdout.write(text + "\n" if sys.stdout.isatty() and not text.endswith("\n") else text)
    else:
        _print_sample(run.sample(arguments.address))
        if arguments.findings:
            sys.stdout.flush()  # findings are about the whole run and take a moment; the sample is there to be read
            _print_findings(run.sample_findings(arguments.address))


def _print_sample(sample: Sample) -> None:
    print(heading(clean(sample.address)))
    _print_fields(_outcome(sample))
    _print_fields({f"reward {name}": number(value) for name, value in sample.rewards.items()})
    _print_fields(
        {name: number(value, sample.nonfinite.get(f"metrics.{name}")) for name, value in sample.metrics.items()}
    )
    for note in sample.notes:
        print(heading(clean(f"note: {note}"), DIM))
    for name, answer in sample.golden_answers.items():
        _print_block(f"golden answer: {name}" if name else "golden answer", answer)
    turns = {turn.index: turn for turn in sample.turns}
    for message in sample.messages:
        turn = turns.pop(message.turn, None) if message.turn is not None else None
        _print_message(message, turn)
    for transcript in sample.unmatched:
        print(f"\n{heading(clean(f'unmatched transcript of this group: {transcript.title}'))}")
        for message in transcript.messages:
            _print_message(message, None)


def _print_findings(known: SampleFindings) -> None:
    """Those that mean this sample. Not even asked for they are waited for: `findings` computes what they need."""
    if not known.ready:
        output.talk("the findings of this sample are not known yet: rollscope findings looks for them")
        return
    print(f"\n{heading('── findings ──')}")
    if not known.findings:
        print("none means this sample")
    for finding in known.findings:
        print(f"{finding.severity:<6} {clean(finding.kind)}  {clean(finding.title)}")
        for span in finding.spans[:SEEN_SPANS]:
            place = f"{span.field}[{number(span.start)}:{number(span.end)}]"
            print(f"       {place}  {clean(span.value)[:SEEN_CHARS]}")


def _print_message(message: Message, turn: Turn | None) -> None:
    """Without the chat template's own marks; `--raw` has them. A message that is nothing else is not shown."""
    parts = [part for part in message.parts if part.type != "marker"]
    if parts or not message.parts:
        _print_block(_message_title(message, turn), readable(parts))


def _outcome(sample: Sample) -> dict[str, str]:
    """The scalars in the order in which people ask for them; what the source does not have is left out."""
    fields = {
        field.title.lower(): _value(sample, field) for field in shown_in("details") if field.name not in _IN_ADDRESS
    }
    if sample.source:
        fields["source"] = ":".join(str(value) for value in sample.source.values() if value is not None)
    return {name: value for name, value in fields.items() if value != MISSING}


def _value(sample: Sample, field: Field) -> str:
    value = getattr(sample, field.name)
    if field.name == "turns" or (field.name == "attempt" and not value):
        return MISSING  # each turn has its own heading; the first attempt needs no word
    if isinstance(value, list):
        return ", ".join(value) or MISSING
    if field.is_number or field.name in sample.nonfinite:
        return number(value, sample.nonfinite.get(field.name))
    return MISSING if value in (None, "") else str(value)


def _print_fields(fields: Mapping[str, str]) -> None:
    for name, value in fields.items():
        print(f"  {clean(name):<18} {clean(value)}")


def _message_title(message: Message, turn: Turn | None) -> str:
    words = [message.role]
    if message.name:
        words.append(message.name)
    if message.guessed:
        words.append("(role guessed)")
    if message.turn is not None:
        words.append(f"turn {message.turn + 1}")
    if message.tokens is not None:
        words.append(f"{message.tokens} tokens")
    if turn and turn.reward is not None:
        words.append(f"reward {number(turn.reward)}")
    return " · ".join(words)


def _print_block(title: str, text: str) -> None:
    print(f"\n{heading(f'── {clean(title)} ──')}")
    print(for_reader(text.strip("\n")))
