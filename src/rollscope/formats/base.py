"""The protocol that every format implements, and the small types it uses.

A format answers six questions about a directory: is it one of mine (`detect`), which files hold samples (`sources`), what
are the scalars of the samples in this range of a file (`scan`), what is this one whole sample (`load`), what else
is known about the run (`metrics`, `config`, …), and what can this format not know (`limits`).

Nothing here reads a whole file into memory, and bad data is a value (`Skipped`), never an exception.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import chain
from typing import Any, ClassVar, Literal, Self

from msgspec import Struct, field

from rollscope import fields, render
from rollscope.model import Checkpoint, Message, Range, Sample, Skipped
from rollscope.storage.store import Store

Grouping = Literal["recorded", "equal_prompt", "consecutive_prompt"]


class Claim(Struct, kw_only=True, frozen=True):
    """ "This directory is mine." ``confidence`` from 0 to 1; ``reasons`` are sentences for `rollscope doctor`.

    1.0: a file that only this trainer writes; 0.9: names and keys agree; 0.5: only names agree; 0.1: the fallback."""

    confidence: float
    reasons: tuple[str, ...]


class Source(Struct, kw_only=True, frozen=True, gc=False):
    """One file with samples. ``split`` and ``step`` are given if its name says them, so that a step can be opened
    before any other file is read; they are None if the lines say them."""

    path: str
    split: str | None = None
    step: int | None = None
    #: Of two rows with the same key, the one from the lower rank counts (see `Scan.columns["key"]`).
    rank: int = 0
    #: A line format can be scanned from any newline on and grows by appending. A container is always scanned as a whole,
    #: and again when it changes.
    appendable: bool = True
    #: Why it cannot be read, if its name already says so. It is then listed among what was skipped.
    error: str = ""
    #: It is compressed: offsets are those of the text inside, not of the file's own bytes.
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

#: Scalar columns that a scan may return: name -> Arrow type name. In addition, "metrics.NAME" and "rewards.NAME" are
#: float64. A value is missing if its column is absent, or None in its row.
COLUMNS: dict[str, str] = {
    # A sample's number in its step is counted, not read.
    **{item.name: _ARROW_TYPES[item.type] for item in fields.STORED if item.name != "index"},
    "prompt_hash": "uint64",
    #: Rows with the same (split, key) are one sample: the one from the lowest Source.rank counts, then the earliest.
    "key": "string",
    # Where the sample is. Line formats: byte offset and length of the line, 1-based line number.
    # Containers: `member` names the table or file inside, `offset` is the row in it.
    "offset": "int64",
    "length": "int64",
    "line": "int64",
    "member": "string",
    #: The line is not strict JSON (bare NaN, lone surrogates, invalid UTF-8 …) and was read leniently.
    "lenient": "bool",
}


class Scan(Struct, kw_only=True):
    """The rows of a range of a file, as columns of equal length."""

    columns: dict[str, Sequence[Any]]
    rows: int
    skipped: list[Skipped] = field(default_factory=list)
    #: Where the next scan continues: after the last finished line, or at `start` if there was none. For containers the
    #: file's size.
    end: int = 0
    #: Lines in this range up to `end`.
    lines: int = 0
    #: The scan stopped early, to limit memory: continue from `end`.
    more: bool = False


class Place(Struct, kw_only=True, frozen=True):
    """Where one sample is: what `load` needs to find it again."""

    offset: int
    length: int
    line: int = 0
    member: str = ""
    split: str = "train"
    step: int = 0
    group: str | None = None


class MetricRow(Struct, kw_only=True):
    """Logged values of one step. ``time`` is in seconds since the epoch, if the source has it."""

    step: int
    time: float | None
    values: dict[str, float]


Texts = list[tuple[str, str]]


class Format:
    """Base class of all formats; the defaults are for a trainer that writes nothing but samples.

    A format object has no state except which run it reads, because every scanning process creates its own.
    """

    #: The name for `--format`; also the entry point's name.
    name: ClassVar[str]
    #: How samples are put into groups if the source has no group id.
    grouping: ClassVar[Grouping] = "equal_prompt"
    #: Asked only if no other format claims a directory.
    last_resort: ClassVar[bool] = False
    #: Can be searched by its raw bytes: a sample's bytes [offset, offset + length) of the source contain all of its text, as
    #: JSON. Search then skips samples whose bytes lack the words, and passes the others to `line_texts`. Without it
    #: every sample is loaded, at a twentieth of the speed.
    texts_in_line: ClassVar[bool] = False
    #: A regular expression for bytes which show that the texts may not be in the line literally, apart from JSON's
    #: escapes: samples that match are always decoded.
    reworded: ClassVar[bytes | None] = None
    #: A regular expression for the bytes right before each piece of a text that is shown as one and stored in several.
    piece: ClassVar[bytes | None] = None
    #: What this trainer's files do not contain, in sentences; shown by `doctor` and on the Run page.
    limits: ClassVar[tuple[str, ...]] = ()
    #: Keys of `config` that say which run it is or when it was written, and not how it was run ("recorder.run_id"): every two
    #: runs differ in them, so a comparison of configs leaves them out.
    config_identity: ClassVar[tuple[str, ...]] = ()
    #: Texts in its reports are HTML-escaped.
    escaped_reports: ClassVar[bool] = False
    #: Which run of its directory this object reads, by its name from `runs`; "" if there is only one.
    part: str = ""

    def limits_of(self, store: Store) -> tuple[str, ...]:
        """Those of `limits` that apply to this run: it may contain something that its trainer does not always write."""
        return self.limits

    def detect(self, store: Store) -> Claim | None:
        """Whether this directory (not its children) is a run of this format. Look at names first, then at one line of one
        file."""
        raise NotImplementedError

    def guesses(self, store: Store, sources: Sequence[Source]) -> list[str]:
        """What was guessed about this particular run, in sentences that are shown wherever the run is opened; empty if its
        files say everything that is shown. `sources` are the run's, as listed last."""
        return []

    def guessed_keys(self, sources: Sequence[Source]) -> dict[str, str]:
        """Field of a sample -> the key that was chosen for it by its name, which a mapping can override. Empty for a
        format that takes no mapping (`with_mapping`)."""
        return {}

    def finished(self, store: Store) -> bool | None:
        """Whether the run has ended, according to its files; None if they do not say."""
        return None

    def with_mapping(self, mapping: Mapping[str, str]) -> Format | None:
        """This format with the keys that the user gave for a sample's fields; None if its keys are known and fixed."""
        return None

    def run_name(self, store: Store) -> str | None:
        """A better name for the run than its folder's, if the trainer's layout has one."""
        return None

    def runs(self, store: Store) -> Sequence[str]:
        """The names of the runs in this folder, if its files hold several; empty if it is one run."""
        return ()

    def of_run(self, name: str) -> Self:
        """This format, for the folder's run of this name."""
        made = type(self)()
        made.part = name
        return made

    def sources(self, store: Store) -> Iterable[Source]:
        """The files with samples, in the order in which their samples count."""
        raise NotImplementedError

    def source_now(self, store: Store, source: Source) -> Source:
        """The same source as `sources` would return it now, without listing folders: neighbouring files that belong to its
        samples may have changed. Called with every click on a step."""
        return source

    def is_about_samples(self, path: str) -> bool:
        """Whether a file of this name may be a source, or affect one. Called for files that were written."""
        return True

    def source_path(self, path: str) -> str:
        """The path of the source that this file belongs to: its own, or that of a neighbouring file."""
        return path

    def next_source(self, store: Store, path: str, last: Source) -> Source | None:
        """The source of a new file as `sources` would return it, if its name alone shows that it comes directly after
        `last`, the last one of its folder and split. None: all files must be listed to know. Called for every file that
        is written while the run is watched; with an answer, the cost of a file does not grow with their number."""
        return None

    def scan(self, store: Store, source: Source, start: int, end: int) -> Scan:
        """Index rows for the samples whose lines begin in bytes [start, end) of the source (containers: the whole file).

        `start` may be inside a line, which then belongs to the range before. A line without a newline is left for a later
        scan."""
        raise NotImplementedError

    def load(self, store: Store, source: Source, place: Place) -> Sample:
        """One whole sample. `address`, `index` and derived groups are filled in by the caller."""
        raise NotImplementedError

    def texts(self, store: Store, source: Source, place: Place) -> Texts:
        """The sample's texts for search: ("prompt", …), ("response", …), ("golden", …). Override it if that is cheaper."""
        return sample_texts(self.load(store, source, place))

    def respelled(self, store: Store, source: Source) -> bytes | None:
        """The same as `reworded`, for values that are no text and are shown in our spelling (`1e5` as `100000.0`). Asked only
        when a number is searched for."""
        return None

    def line_texts(self, line: bytes, source: Source, place: Place) -> Texts:
        """The same from the sample's bytes, which search has already read. Required if `texts_in_line` is set; raises
        `Unreadable` if the bytes are not a sample."""
        raise NotImplementedError

    def text_reader(self) -> Callable[[bytes | memoryview], Any] | None:
        """A function from the bytes of a line to an object with `prompt`, `response` and `golden` as the record has them. For
        passes over many lines, where each microsecond counts; None if only `line_texts` can tell."""
        return None

    def starts(self, store: Store, source: Source, place: Place, chars: int) -> Texts:
        """The beginnings of the last question to the model and of its answer, for lists."""
        return message_starts(self.load(store, source, place).messages, chars)

    def metric_files(self, store: Store) -> list[str]:
        """The files that `metrics` reads: it is called again only if one of them changed."""
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
        """Whether this file belongs to the format although it holds no samples. (For `doctor`'s list of unclaimed files.)"""
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
    parts = (render.split_parts(part.text[: 4 * chars]) if part.type == "text" else [part] for part in message.parts)
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
    response = ((message.text, message.parts) for message in sample.messages if message.turn is not None)
    texts = [("prompt", "\n".join(prompt)), ("response", render.join_messages(response))]
    texts += [("golden", answer) for answer in sample.golden_answers.values()]
    answered = any(message.turn is not None for message in sample.messages)
    return [(name, text) for name, text in texts if text or (name == "response" and answered)]
