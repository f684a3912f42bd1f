"""Notes on samples: a text, labels, a rating, perhaps a place in the text; by whom and when.

Each writer appends to a file of its own, so several people may write into one shared folder at once; nothing is ever
changed in place. A note says by its key which sample it is about: a hash of the sample's text, so that it survives a new
index, a moved folder and a resumed run.
"""

from __future__ import annotations

import os
import re
import socket
import threading
import time
import uuid
from collections.abc import Iterable
from pathlib import Path
from typing import Annotated

import msgspec
import xxhash
from msgspec import Meta, Struct

from rollscope.errors import NotFoundError, UsageError
from rollscope.model import Sample
from rollscope.userdata.store import append_line, folder

MAX_TEXT = 20_000
MAX_LABELS = 20
MAX_LABEL = 60
MIN_RATING, MAX_RATING = 1, 5
#: A shared folder may be far away: its files are looked at this often, not with every question.
LOOK_SECONDS = 0.2


class Span(Struct, kw_only=True, forbid_unknown_fields=True):
    """A place in the sample: characters of one part of one message."""

    message: Annotated[int, Meta(ge=0)]
    part: Annotated[int, Meta(ge=0)]
    start: Annotated[int, Meta(ge=0)]
    end: Annotated[int, Meta(ge=0)]


class NewNote(Struct, kw_only=True, forbid_unknown_fields=True):
    """What a person writes about a sample."""

    address: str
    text: Annotated[str, Meta(max_length=MAX_TEXT)] = ""
    labels: Annotated[list[Annotated[str, Meta(min_length=1, max_length=MAX_LABEL)]], Meta(max_length=MAX_LABELS)] = []
    rating: Annotated[int, Meta(ge=MIN_RATING, le=MAX_RATING)] | None = None
    span: Span | None = None
    id: Annotated[str | None, Meta(description="An earlier note of the same author that this one replaces.")] = None
    author: Annotated[str, Meta(max_length=100, description="Who writes; the server's user unless given.")] = ""


class Note(Struct, kw_only=True):
    id: str
    address: Annotated[str, Meta(description="Where the sample was when the note was written, or where it is now.")]
    text: str
    labels: list[str]
    rating: int | None
    span: Span | None
    author: str
    time: Annotated[float, Meta(description="Seconds since the epoch.")]
    key: Annotated[str, Meta(description="The sample's content.")]
    prompt: Annotated[str | None, Meta(description="The prompt's hash, by which the sample is found again.")] = None


class _NoteLine(Note, kw_only=True):
    """A note as it is on disk; a later line of the same id replaces it or takes it back."""

    removed: bool = False


_SPACE = re.compile(r"\s+")


def content_key(sample: Sample) -> str:
    """The sample's text as a hash, whatever its step, address or file. White space and the division into messages do not
    count: they depend on how a format is read. A sample without text is known by its address alone."""
    text = _SPACE.sub("", "".join(message.text for message in sample.messages)) or sample.address
    return str(xxhash.xxh3_128_hexdigest(text.encode("utf-8", "surrogatepass")))


class Notes:
    """The notes of one folder. May be used from any thread."""

    def __init__(self, directory: str | None = None) -> None:
        self.directory = folder("notes", directory)
        self._lock = threading.Lock()
        self._stamp: tuple[tuple[str, int, int], ...] = ()
        self._notes: dict[str, Note] = {}
        self._version = 0
        self._looked = -LOOK_SECONDS
        #: Lines that cannot be read.
        self.skipped = 0

    def all(self) -> list[Note]:
        """Every note that was not taken back, oldest first."""
        with self._lock:
            self._look()
            return list(self._notes.values())

    @property
    def version(self) -> int:
        """Increases when a note was written or removed, here or elsewhere; checked every `LOOK_SECONDS`."""
        with self._lock:
            if time.monotonic() - self._looked > LOOK_SECONDS:
                self._look()
            return self._version

    def look(self) -> int:
        """The version as of now."""
        with self._lock:
            self._look()
            return self._version

    def _look(self) -> None:
        self._looked = time.monotonic()
        stamp = tuple(self._files())
        if stamp != self._stamp:
            self._notes = self._read(name for name, _, _ in stamp)
            self._stamp = stamp
            self._version += 1

    def on(self, key: str) -> list[Note]:
        """The notes on one sample."""
        return [note for note in self.all() if note.key == key]

    def write(self, new: NewNote, key: str, prompt: str | None = None) -> Note:
        _check(new)
        labels = list(dict.fromkeys(label.strip() for label in new.labels if label.strip()))
        if not (new.text.strip() or labels or new.rating is not None):
            raise UsageError("the note is empty", hint="give it a text, a label or a rating")
        author = author_name(new.author)
        if new.id is not None:
            self._note_of_author(new.id, author, "change")
        line = _NoteLine(
            id=new.id or uuid.uuid4().hex,
            address=new.address,
            text=new.text,
            labels=labels,
            rating=new.rating,
            span=new.span,
            author=author,
            time=time.time(),
            key=key,
            prompt=prompt,
        )
        self._append(line)
        return msgspec.convert(line, Note, from_attributes=True)

    def remove(self, id: str, author: str | None = None) -> Note:  # noqa: A002  # the word of the interface
        note = self._note_of_author(id, author_name(author), "remove")
        fields = {name: getattr(note, name) for name in Note.__struct_fields__}
        self._append(_NoteLine(**{**fields, "time": time.time()}, removed=True))
        return note

    def _note_of_author(self, id: str, author: str, what: str) -> Note:  # noqa: A002
        note = next((note for note in self.all() if note.id == id), None)
        if note is None:
            raise NotFoundError(f"there is no note {id!r}", hint="it may have been removed")
        if note.author != author:
            raise UsageError(f"{author} cannot {what} a note of {note.author}", hint="write one of your own")
        return note

    def _append(self, line: _NoteLine) -> None:
        append_line(self.directory / _writer_file(), msgspec.json.encode(line))
        with self._lock:
            self._look()

    def _files(self) -> Iterable[tuple[str, int, int]]:
        try:
            found = sorted(self.directory.glob("*.jsonl"))
        except OSError:
            return
        for path in found:
            try:
                stat = path.stat()
            except OSError:
                continue
            yield path.name, stat.st_size, stat.st_mtime_ns

    def _read(self, names: Iterable[str]) -> dict[str, Note]:
        lines: list[_NoteLine] = []
        skipped = 0
        decoder = msgspec.json.Decoder(_NoteLine)
        for name in names:
            for raw in _lines(self.directory / name):
                try:
                    lines.append(decoder.decode(raw))
                except (msgspec.DecodeError, UnicodeDecodeError):
                    skipped += 1
        self.skipped = skipped
        # Stable: of two lines of one moment the later one in its file counts.
        lines.sort(key=lambda line: line.time)
        found: dict[str, Note] = {}
        for line in lines:
            found.pop(line.id, None)
            if not line.removed:
                found[line.id] = msgspec.convert(line, Note, from_attributes=True)
        return found


def _lines(path: Path) -> list[bytes]:
    """Finished lines; one that is being written is read when it is done."""
    try:
        body = path.read_bytes()
    except OSError:
        return []
    return [line for line in body.split(b"\n")[:-1] if line.strip()]


def _check(new: NewNote) -> None:
    """Raise UsageError for what is longer or larger than a note may be: a caller in Python is not checked otherwise."""
    try:
        msgspec.convert(msgspec.to_builtins(new), NewNote)
    except msgspec.ValidationError as error:
        limits = {
            "rating": f"a rating is a whole number from {MIN_RATING} to {MAX_RATING}",
            "labels": f"a note has at most {MAX_LABELS} labels, of 1 to {MAX_LABEL} characters",
            "text": f"a note's text has at most {MAX_TEXT:,} characters",
        }
        field = re.search(r"\$\.(\w+)", str(error))
        raise UsageError(limits.get(field[1] if field else "", f"the note is not valid: {error}")) from None
    try:
        " ".join([new.text, new.author, *new.labels]).encode()
    except UnicodeEncodeError:
        raise UsageError("the note is not UTF-8", hint="notes are kept as UTF-8 text") from None


def author_name(given: str | None = None) -> str:
    """Who writes: the name given, else the user's."""
    return (given or "").strip() or _user()


def _user() -> str:
    import getpass  # only who writes a note needs a name

    try:
        return getpass.getuser()
    except (KeyError, OSError):  # a container's user may have no name
        return f"user {os.getuid()}" if hasattr(os, "getuid") else "unknown"


def _writer_file() -> str:
    """One a user and machine: no two machines ever append to the same file, which network filesystems cannot do."""
    return re.sub(r"[^\w.@-]", "_", f"{_user()}@{socket.gethostname()}") + ".jsonl"
