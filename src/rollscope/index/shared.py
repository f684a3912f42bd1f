"""An index that many processes share, in an object store.

    <base>/v<version>/<run>/files/<name>       segments and parts of manifests, under names nobody else chooses
                           /roots/<number>     which parts a state consists of; created once, never overwritten

Whoever commits writes its files first and then creates the root with the next number. If somebody else created that one, their
state is taken over, ours is put on top of it, and the next number is tried. A reader takes the newest root. Files are kept in
the folder of this machine that a local index would lie in: names are never used twice, so that nothing there goes stale.
"""

from __future__ import annotations

import os
import time
from pathlib import Path

import msgspec
import xxhash

from rollscope.index.manifest.parts import FilePart, StepPart
from rollscope.index.manifest.root import VERSION, Manifest, Root
from rollscope.storage.atomic import write_atomically
from rollscope.storage.fingerprint import DIGEST_BYTES
from rollscope.storage.objects.object_store import poll_seconds
from rollscope.storage.objects.shared_folder import SharedFolder

#: Roots that are kept behind the newest one: readers may still be at them.
KEPT_ROOTS = 50
#: Files that the newest state does not name are removed when they are older than this.
GARBAGE_SECONDS = 24 * 3600.0

_decode = msgspec.msgpack.Decoder(Root).decode


class SharedIndex:
    """The shared state of one run's index. `folder` is where its files lie on this machine."""

    def __init__(self, base: str, run: str, folder: str, *, readonly: bool) -> None:
        self.readonly = readonly
        #: The number of the root that was read or written last.
        self.number = 0
        self._looked = float("-inf")
        self._shared = SharedFolder(f"{base.rstrip('/')}/v{VERSION}/{run}")
        self._folder = folder
        #: Names of files that are known to be there.
        self._there: set[str] = set()
        if not readonly:
            self._shared.check_writers()

    def newer(self, root: bytes, format_name: str, *, at_once: bool = False) -> Manifest | None:
        """The newest state, if it is newer than the one that is known. Looked for every few seconds, or `at_once`."""
        if not at_once and time.monotonic() - self._looked < poll_seconds():
            return None
        self._looked = time.monotonic()
        names = self._shared.names("roots", f"{self.number:012}" if self.number else "")
        if not names:
            return None
        content = self._shared.get(f"roots/{names[-1]}")
        if content is None or xxhash.xxh3_64_digest(content[DIGEST_BYTES:]) != content[:DIGEST_BYTES]:
            return None
        found = _decode(content[DIGEST_BYTES:])
        if found.root != root or found.format != format_name:
            return None
        try:
            files = [FilePart.decoded(name, self._bytes(name)) for name in found.files]
            steps = [StepPart.decoded(name, self._bytes(name)) for name in found.steps]
        except (FileNotFoundError, ValueError):
            return None  # removed between our two looks, or damaged: what is known stays
        manifest = Manifest(root, format_name, files, steps)
        self.number = int(names[-1])
        self._there |= {*found.files, *found.steps, *manifest.segments}
        return manifest

    def _bytes(self, name: str) -> bytes:
        if not self.fetch(name):
            raise FileNotFoundError(name)
        return Path(self._folder, name).read_bytes()

    def fetch(self, name: str) -> bool:
        """Bring a file to this machine, unless it is here."""
        path = Path(self._folder, name)
        if path.exists():
            return True
        content = self._shared.get(f"files/{name}")
        if content is None:
            return False
        os.makedirs(self._folder, exist_ok=True)
        write_atomically(path, content, durable=False)
        return True

    def commit(self, manifest: Manifest) -> bool:
        """Make a state that was saved on this machine the newest one. False when somebody else was quicker."""
        parts = [part.name for part in manifest.parts]
        for name in [*manifest.segments, *parts]:
            if name not in self._there:
                self._shared.put(f"files/{name}", Path(self._folder, name).read_bytes())
                self._there.add(name)
        root = Root(
            root=manifest.root,
            format=manifest.format,
            files=[part.name for part in manifest.file_parts],
            steps=[part.name for part in manifest.step_parts],
        )
        content = msgspec.msgpack.encode(root)
        if not self._shared.create(f"roots/{self.number + 1:012}", xxhash.xxh3_64_digest(content) + content):
            return False
        self.number += 1
        if self.number % KEPT_ROOTS == 0:
            self._remove_garbage({*manifest.segments, *parts})
        return True

    def _remove_garbage(self, named: set[str]) -> None:
        self._shared.delete([f"roots/{name}" for name in self._shared.names("roots")[:-KEPT_ROOTS]])
        limit = time.time() - GARBAGE_SECONDS
        old = [name for name, written in self._shared.ages("files") if name not in named and written < limit]
        self._shared.delete([f"files/{name}" for name in old])
