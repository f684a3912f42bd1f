"""Where a sample was when it was indexed, and whether it is still there."""

from __future__ import annotations

from msgspec import Struct

from rollscope.formats.base import Place, Source
from rollscope.formats.lines.sealed import is_sealed
from rollscope.index.manifest.entries import is_container
from rollscope.storage.fingerprint import Change, Fingerprint, HashedBytes, compare, still_begins_with
from rollscope.storage.store import Store


class IndexedPlace(Struct, frozen=True):
    """A sample's file and place in it, the file as it was when it was read, and the hashes of the bytes around it."""

    source: Source
    place: Place
    seen: Fingerprint
    seen_ns: int
    line: int
    #: Hashes of the range it is in; of the whole file if offsets are not those of its bytes.
    evidence: list[HashedBytes]
    #: The fingerprint is that of the bytes that were read; False if they were read in an earlier state of the file.
    compared: bool = True

    def still_there(self, store: Store) -> bool:
        """Whether the bytes at the place are those that were indexed: the file is unchanged, or has only grown."""
        change = compare(self.seen, self.seen_ns, store.stat(self.source.path))
        if change is Change.NONE and self.compared:
            return True
        if is_sealed(self.source.path):
            # Its offset is one in the text and not in the file; a sealed file is replaced, never edited.
            return change in (Change.NONE, Change.UNSURE)
        if change in (Change.REPLACED, Change.GONE) or not self.evidence:
            return False
        if is_container(self.source):
            return change is not Change.GREW and still_begins_with(store, self.source.path, self.evidence)
        (evidence,) = self.evidence
        start, end = self.place.offset, self.place.offset + self.place.length
        try:
            return evidence.holds_at(store, self.source.path, start, end)
        except OSError:
            return False
