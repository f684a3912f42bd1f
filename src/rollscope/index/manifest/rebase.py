"""Two states of one index put together: what somebody else committed, and what we know beyond it."""

from __future__ import annotations

from rollscope.index.manifest.entries import FileEntry, Key


def rebase(theirs: list[FileEntry], mine: list[FileEntry]) -> tuple[list[FileEntry], set[Key]]:
    """Their files, with ours where ours were seen later in another state, and the steps that this changes."""
    own = {entry.source.path: entry for entry in mine}
    files: list[FileEntry] = []
    touched: set[Key] = set()
    for entry in theirs:
        ours = own.pop(entry.source.path, None)
        if ours is None or not _is_newer(ours, entry):
            files.append(entry)
            continue
        files.append(ours)
        touched |= _keys(entry) | _keys(ours)
    for entry in own.values():
        if entry.pieces:
            files.append(entry)
            touched |= _keys(entry)
    return files, touched


def _is_newer(ours: FileEntry, theirs: FileEntry) -> bool:
    if not ours.pieces or (ours.seen == theirs.seen and theirs.complete):
        return False
    return not theirs.pieces or (ours.complete and ours.seen_ns > theirs.seen_ns)


def _keys(entry: FileEntry) -> set[Key]:
    return {key for piece in entry.pieces for key in piece.keys}
