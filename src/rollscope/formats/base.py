"""The protocol every format speaks, and the small types it speaks in.

A format answers six questions about a directory: is it yours (`detect`), which files hold samples (`sources`), what
are the scalars of the samples in this stretch of a file (`scan`), what is this one sample, whole (`load`), what else
is known about the run (`metrics`, `config`, …), and what can you not know (`limits`).

Nothing here reads a whole file into memory, and bad data is a value (`Skipped`), never an exception.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain
from typing import Any, ClassVar, Literal, Self

from msgspec import Struct, field

from rollscope import fields
from rollscope.model import Checkpoint, Message, Range, Sample, Skipped
from rollscope.render import split_parts
from rollscope.storage.store import Store

Grouping = Literal["recorded", "equal_prompt", "consecutive_prompt"]


class Claim(Struct, kw_only=True, frozen=True):
    """ "This directory is mine." ``confidence`` from 0 to 1; ``reasons`` are sentences for `rollscope doctor`.

    1.0 a file only this trainer writes; 0.8 names and keys agree; 0.5 names agree; 0.1 the fallback."""

    confidence: float
    reasons: tuple[str, ...]


class Source(Struct, kw_only=True, frozen=True):
    """One file with samples. ``split`` and ``step`` are given where the name says them, so that a step can be opened
    before anything else is read; a file whose lines say it has None."""

    path: str
    split: str | None = None
    step: int | None = None
    #: Of two rows with the same key, the one from the lower rank counts (see `Scan.columns["key"]`).
    rank: int = 0
    #: A line format can be scanned from any newline on and grows by appending. A container is scanned whole and
    #: anew when it changes.
    appendable: bool = True
    #: Why it cannot be read, where its name already tells. It is listed among what was skipped.
    error: str = ""
    #: Places in it are those of the text inside, not of the file's own bytes: it is compressed.
    packed: bool = False
    #: Whatever else the format wants to remember about this file (a small string).
    note: str = ""


_ARROW_TYPES = {
    "number": "float64",
    "integer": "int64",
    "boolean": "bool",
    "string": "string",
    "strings": "list<string>",
}

#: Scalar columns a scan may give: name -> Arrow type name. Besides these, "metrics.NAME" and "rewards.NAME" are float64.
#: A column that is absent, or None in a row, is missing.
COLUMNS: dict[str, str] = {
    # A sample's number in its step is counted, not read.
    **{item.name: _ARROW_TYPES[item.type] for item in fields.STORED if item.name != "index"},
    "prompt_hash": "uint64",
    #: Rows with the same (split, key) are one sample: the one from the lowest Source.rank counts, then the earliest.
    "key": "string",
    # Where the sample lies. Line formats: byte offset and length of the line, 1-based line number.
    # Containers: `member` names the table or file inside, `offset` is the row in it.
    "offset": "int64",
    "length": "int64",
    "line": "int64",
    "member": "string",
    #: The line is not strict JSON (bare NaN, lone surrogates, invalid UTF-8 …) and was read leniently.
    "lenient": "bool",
}


class Scan(Struct, kw_only=True):
    """The rows of a stretch of a file, as columns of equal length."""

    columns: dict[str, Sequence[Any]]
    rows: int
    skipped: list[Skipped] = field(default_factory=list)
    #: Where the next scan goes on: behind the last finished line, at the start where there was none. For containers the
    #: file's size.
    end: int = 0
    #: Lines seen up to `end` in this stretch.
    lines: int = 0
    #: The scan stopped before the asked end to keep memory flat: go on from `end`.
    more: bool = False


class Place(Struct, kw_only=True, frozen=True):
    """Where one sample lies: what `load` needs to find it again."""

    offset: int
    length: int
    line: int = 0
    member: str = ""
    split: str = "train"
    step: int = 0
    group: str | None = None


class MetricRow(Struct, kw_only=True):
    """Logged values of one step. ``time`` in seconds since the epoch where the source has it."""

    step: int
    time: float | None
    values: dict[str, float]


Texts = list[tuple[str, str]]


class Format:
    """Base class of all formats; the defaults are for a trainer that writes nothing but samples.

    A format object has no state but the run that it reads: it is created in every scanning process.
    """

    #: The name users give to `--format`; also the entry point's name.
    name: ClassVar[str]
    #: How samples are put into groups where the source has no group id.
    grouping: ClassVar[Grouping] = "equal_prompt"
    #: Asked only when no other format knows a directory.
    last_resort: ClassVar[bool] = False
    #: Can be searched by its raw bytes: a sample's bytes [offset, offset + length) of the source hold all of its text, as
    #: JSON. Search then passes over samples whose bytes lack the words, and gives the others to `line_texts`. Without it
    #: every sample is loaded, at a twentieth of the speed.
    texts_in_line: ClassVar[bool] = False
    #: What in those bytes (a regular expression) says that the texts may not stand in them word for word, besides JSON's
    #: escapes: all such samples are decoded.
    reworded: ClassVar[bytes | None] = None
    #: What this trainer's files do not tell, in sentences; shown by `doctor` and on the Run page.
    limits: ClassVar[tuple[str, ...]] = ()
    #: Which of the runs of its directory this object reads, by the name that `runs` gave it; "" where there is only one.
    part: str = ""

    def detect(self, store: Store) -> Claim | None:
        """Is this directory (not its children) a run of yours? Look at names first, then at one line of one file."""
        raise NotImplementedError

    def guesses(self, store: Store, sources: Sequence[Source]) -> list[str]:
        """What was guessed about this very run, in sentences: shown wherever the run is opened. Nothing, where its files
        say everything that is shown. `sources` are those of the run, as they were listed last."""
        return []

    def guessed_keys(self, sources: Sequence[Source]) -> dict[str, str]:
        """Field of a sample -> the key that was taken for it by its name: what a mapping could say otherwise. Empty for a
        format that takes no mapping (`with_mapping`)."""
        return {}

    def finished(self, store: Store) -> bool | None:
        """Whether the run's files say that it came to its end; None where they say nothing about it."""
        return None

    def with_mapping(self, mapping: Mapping[str, str]) -> Format | None:
        """This format with the keys that the user named for a sample's fields; None: its keys are known."""
        return None

    def run_name(self, store: Store) -> str | None:
        """A better name for the run than its folder's, where the trainer's layout has one."""
        return None

    def runs(self, store: Store) -> Sequence[str]:
        """The names of the runs in this folder, where its files hold several at once; empty: it is one run."""
        return ()

    def of_run(self, name: str) -> Self:
        """This format, reading that one of the folder's runs."""
        made = type(self)()
        made.part = name
        return made

    def sources(self, store: Store) -> Iterable[Source]:
        """The files with samples, in the order in which their samples count."""
        raise NotImplementedError

    def source_now(self, store: Store, source: Source) -> Source:
        """The same source as `sources` would give it now, without listing folders: what lies beside the file and belongs
        to its samples may have changed. Asked with every click on a step."""
        return source

    def scan(self, store: Store, source: Source, start: int, end: int) -> Scan:
        """Index rows for the samples whose lines begin in bytes [start, end) of the source (containers: the whole file).

        `start` may lie inside a line, which then belongs to the stretch before. A line that has no newline yet waits."""
        raise NotImplementedError

    def load(self, store: Store, source: Source, place: Place) -> Sample:
        """One sample, whole. `address`, `index` and derived groups are filled in by the caller."""
        raise NotImplementedError

    def texts(self, store: Store, source: Source, place: Place) -> Texts:
        """The sample's texts for search: ("prompt", …), ("response", …), ("golden", …). Cheaper than `load` if it can be."""
        return sample_texts(self.load(store, source, place))

    def line_texts(self, line: bytes, source: Source, place: Place) -> Texts:
        """The same from the sample's bytes, which search has read already. Needed where `texts_in_line` is set; raises
        `Unreadable` for bytes that hold no sample."""
        raise NotImplementedError

    def starts(self, store: Store, source: Source, place: Place, chars: int) -> Texts:
        """How the last question to the model and its answer begin, for lists."""
        return message_starts(self.load(store, source, place).messages, chars)

    def metric_files(self, store: Store) -> list[str]:
        """The files `metrics` reads, so that it is called again only when one of them changed."""
        return []

    def metrics(self, store: Store) -> Iterator[MetricRow]:
        """Logged metrics in file order; of several rows with the same step and name the last counts."""
        return iter(())

    def config(self, store: Store) -> Any:
        """The run's configuration as JSON-like data, or None."""
        return None

    def checkpoints(self, store: Store) -> list[Checkpoint]:
        return []

    def ranges(self, store: Store) -> dict[str, dict[str, Range]]:
        """Declared ranges: environment ("*" = any) -> "reward" or "metrics.NAME" -> range."""
        return {}

    def code_diff(self, store: Store) -> str | None:
        return None

    def reports(self, store: Store) -> list[str]:
        """Paths of logtree JSON files that can be shown as reports."""
        return []

    def claims(self, store: Store, path: str) -> bool:
        """Does this file belong to the format, although it holds no samples? (For `doctor`'s list of unclaimed files.)"""
        return False


def message_starts(messages: Sequence[Message], chars: int) -> Texts:
    """The beginning of the last user message and of the first response, without template markers."""
    asked = [message for message in messages if message.turn is None]
    question = next((message for message in reversed(asked) if message.role == "user"), asked[-1] if asked else None)
    answer = next((message for message in messages if message.turn is not None), None)
    starts = [("prompt", question), ("response", answer)]
    return [(name, _start(message, chars)) for name, message in starts if message is not None]


def _start(message: Message, chars: int) -> str:
    text = ""
    parts = (split_parts(part.text[: 4 * chars]) if part.type == "text" else [part] for part in message.parts)
    for part in chain.from_iterable(parts):
        if part.type not in ("marker", "pad"):
            end = min(part.lead + chars, len(part.text) - part.tail)
            text += part.text[part.lead : end].lstrip() + " "
        if len(text) > chars:
            break
    return " ".join(text.split())[:chars]


def sample_texts(sample: Sample) -> Texts:
    """A loaded sample's searchable texts: prompt messages, response messages, golden answers."""
    prompt = [message.text for message in sample.messages if message.turn is None]
    response = [message.text for message in sample.messages if message.turn is not None]
    texts = [("prompt", "\n".join(prompt)), ("response", "\n".join(response))]
    texts += [("golden", answer) for answer in sample.golden_answers.values()]
    answered = any(message.turn is not None for message in sample.messages)
    return [(name, text) for name, text in texts if text or (name == "response" and answered)]
