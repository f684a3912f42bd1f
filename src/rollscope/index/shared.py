"""An index that many processes share, in an object store.

    <base>/v<version>/<run>/files/<name>       segments and parts of manifests, under unique names
                           /roots/<number>     which parts a state consists of; created once, never overwritten

To commit, a process writes its files first and then creates the root with the next number. If another process created
that root, its state is read, our own work is added to it, and the next number is tried. A reader takes the newest root. Files
are cached in the folder that a local index would have on this machine: names are never reused, so nothing there becomes
stale.
"""

from __future__ import annotations

import os
import time
from pathlib import Path

import pyarrow as pa

from rollscope.index.manifest.parts import FilePart
from rollscope.index.manifest.root import VERSION, Manifest, decoded_root, encoded_root, mapped
from rollscope.index.manifest.step_parts import StepPart
from rollscope.storage.atomic import write_atomically
from rollscope.storage.objects.object_listing import poll_seconds
from rollscope.storage.objects.shared_folder import SharedFolder

#: How many older roots are kept: readers may still use them.
KEPT_ROOTS = 50
#: Files that the newest state does not reference are removed when they are older than this.
GARBAGE_SECONDS = 24 * 3600.0


class SharedIndex:
    """The shared state of one run's index. `folder` is where its files are cached on this machine."""

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
        found = decoded_root(content, root, format_name) if content is not None else None
        if found is None:
            return None
        try:
            files = [FilePart.decoded(name, self._bytes(name)) for name in found.files]
            steps = [StepPart.decoded(name, self._mapped(name)) for name in found.steps]
        except (FileNotFoundError, ValueError):
            return None  # removed between the two requests, or damaged: keep the state we have
        manifest = Manifest(root, format_name, files, steps)
        self.number = int(names[-1])
        self._there |= {*found.files, *found.steps, *manifest.segments}
        return manifest

    def _mapped(self, name: str) -> pa.Buffer:
        if not self.fetch(name):
            raise FileNotFoundError(name)
        return mapped(self._folder, name)

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
        """Make a state that was saved on this machine the newest one. False if another process was quicker."""
        parts = [part.name for part in manifest.parts]
        for name in [*manifest.segments, *parts]:
            if name not in self._there:
                self._shared.put(f"files/{name}", Path(self._folder, name).read_bytes())
                self._there.add(name)
        if not self._shared.create(f"roots/{self.number + 1:012}", encoded_root(manifest)):
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
