"""Runs in repositories of the Hugging Face Hub: `hf://datasets/USER/REPOSITORY[@REVISION]/FOLDER`.

Its own file system (huggingface_hub) lists and reads. A listing is one of a commit, and every read names that commit: what is
read is what was listed, whatever is pushed meanwhile. The state of a file is the name of its content."""

from __future__ import annotations

import time
from typing import Any

from rollscope.storage.fingerprint import Fingerprint
from rollscope.storage.objects.object_client import listing_error, reading_error
from rollscope.storage.objects.object_store import MAX_KEYS, ObjectStore, _Listed, _tree
from rollscope.storage.store import FileChanged

#: Repository -> the commit that was listed last.
_commits: dict[str, str] = {}


class HubStore(ObjectStore):
    def _take(self, prefix: str) -> _Listed:
        started = time.monotonic()
        repository = self._url.bucket
        try:
            commit = _commit(self._client, repository)
            place = _at(repository, commit)
            found = self._client.find(f"{place}/{prefix}".rstrip("/"), detail=True, refresh=True)
        except FileNotFoundError:
            found, commit, place = {}, "", repository
        except Exception as error:  # noqa: BLE001  # each version of the library has errors of its own
            raise listing_error(error, self._url) from None
        _commits[repository] = commit
        objects = {}
        for name, item in found.items():
            if item["type"] == "file":
                objects[name.removeprefix(f"{place}/").removeprefix(f"{repository}/")] = _fingerprint(item)
            if len(objects) >= MAX_KEYS:
                break
        cut = len(objects) >= MAX_KEYS
        return _Listed(objects, _tree(objects), cut, time.monotonic(), time.monotonic() - started)

    def _head(self, key: str) -> Fingerprint | None:
        return self._take(key.rpartition("/")[0]).objects.get(key)

    def _fetch(self, path: str, state: Fingerprint, start: int, end: int) -> bytes:
        key = self._prefix + path
        listed = self._current().objects.get(key)
        if listed is None or listed.etag != state.etag:
            self.forget()
            raise FileChanged(path)
        name = f"{_at(self._url.bucket, _commits[self._url.bucket])}/{key}"
        try:
            with self._client.open(name, "rb", cache_type="none", size=state.size) as file:
                file.seek(start)
                content: bytes = file.read(end - start)
        except Exception as error:  # noqa: BLE001
            raise reading_error(error, self._url, path) from None
        return content


def _commit(client: Any, repository: str) -> str:
    """The newest of the revision that was named."""
    where = client.resolve_path(repository)
    info = client._api.repo_info(where.repo_id, repo_type=where.repo_type, revision=where.revision)
    return str(info.sha)


def _at(repository: str, commit: str) -> str:
    return f"{repository.partition('@')[0]}@{commit}" if commit else repository


def _fingerprint(item: Any) -> Fingerprint:
    content = (item.get("lfs") or {}).get("sha256") or item.get("blob_id") or item.get("xet_hash") or ""
    committed = item.get("last_commit")
    written = getattr(committed, "date", None)
    return Fingerprint(item["size"], int(written.timestamp() * 1e9) if written is not None else 0, etag=str(content))
