"""What the Hugging Face Hub keeps: `hf://datasets/USER/REPOSITORY[@REVISION]/FOLDER`, `hf://buckets/USER/BUCKET/FOLDER`.

Its own file system (huggingface_hub) lists and reads. A listing of a repository is one of a commit, and every read names that
commit: what is read is what was listed, whatever is pushed meanwhile. Files of a bucket are replaced in place and a read
cannot say which state it wants: after each, the bucket is asked whether the file is still the one that was listed.
The state of a file is the name of its content."""

from __future__ import annotations

import errno
import time
from collections.abc import Callable
from typing import Any, TypeVar
from urllib.parse import unquote

from rollscope.storage.fingerprint import Fingerprint
from rollscope.storage.objects.object_client import RETRY_SECONDS, is_passing, listing_error, reading_error
from rollscope.storage.objects.object_listing import ObjectListing, folders_of
from rollscope.storage.objects.object_store import MAX_KEYS, ObjectStore
from rollscope.storage.store import FileChanged, StoreUnavailableError

T = TypeVar("T")
#: A try that took longer than this has waited and repeated itself: the library does so, but not for all of its requests.
PATIENT_SECONDS = 4


class HubStore(ObjectStore):
    def _take(self, prefix: str) -> ObjectListing:
        started = time.monotonic()
        try:
            commit = self._commit()
            place = self._repository_at(commit)
            # It keeps the entries of every commit that it has listed.
            self._client.invalidate_cache()
            found = _patiently(lambda: self._client.find(f"{place}/{prefix}".rstrip("/"), detail=True, refresh=True))
        except Exception as error:  # noqa: BLE001  # each version of the library has errors of its own
            # A bucket that is not there is first a file that is not there.
            cause = error.__cause__ if isinstance(error, FileNotFoundError) else None
            raise listing_error(cause if isinstance(cause, Exception) else error, self._url) from None
        objects = {}
        for name, item in found.items():
            if item["type"] == "file":
                objects[name.removeprefix(f"{place}/")] = _fingerprint(item)
            if len(objects) >= MAX_KEYS:
                break
        cut = len(objects) >= MAX_KEYS
        return ObjectListing(objects, folders_of(objects), cut, time.monotonic(), time.monotonic() - started, commit)

    def _head(self, key: str) -> Fingerprint | None:
        return self._take(key.rpartition("/")[0]).objects.get(key)

    def _fetch(self, path: str, state: Fingerprint, start: int, end: int) -> bytes:
        key = self._prefix + path
        # A commit stays readable: a listing that is no longer the newest one serves as well.
        listed = next((each for each in self._known_listings() if _has(each, key, state)), None)
        if listed is None:
            self.forget()
            raise FileChanged(path)
        name = f"{self._repository_at(listed.commit)}/{key}"

        def read() -> bytes:
            with self._client.open(name, "rb", cache_type="none", size=state.size) as file:
                file.seek(start)
                content: bytes = file.read(end - start)
                return content

        try:
            content = _patiently(read)
            unchanged = bool(listed.commit) or self._bucket_still_has(key, state)
        except Exception as error:  # noqa: BLE001
            if type(error).__name__.endswith(("EntryNotFoundError", "RevisionNotFoundError")):
                self.forget()
                raise FileChanged(path, "it was removed while it was read") from None
            raise reading_error(error, self._url, path) from None
        if not unchanged:
            self.forget()
            raise FileChanged(path)
        if len(content) != end - start:
            raise StoreUnavailableError(
                errno.EIO, f"{self._url.base} answered with other bytes than it was asked for", path
            )
        return content

    def _known_listings(self) -> list[ObjectListing]:
        """The one this object goes by, and the newest only if that does not do."""
        return [self._objects()] if self._taken is None else [self._taken, self._current()]

    def _commit(self) -> str:
        """The newest of the revision that was named; "" for a bucket, which has none."""
        from huggingface_hub import HfApi

        parts = self._url.bucket.partition("@")
        kind, _, rest = parts[0].partition("/")
        if kind == "buckets":
            return ""
        name, repo_type = (rest, kind.removesuffix("s")) if kind in ("datasets", "spaces") else (parts[0], "model")
        revision = unquote(parts[2]) or None
        info = _patiently(
            lambda: HfApi(self._client.endpoint).repo_info(name, repo_type=repo_type, revision=revision, timeout=10)
        )
        return str(info.sha)

    def _repository_at(self, commit: str) -> str:
        return f"{self._url.bucket.partition('@')[0]}@{commit}" if commit else self._url.bucket

    def _bucket_still_has(self, key: str, state: Fingerprint) -> bool:
        from huggingface_hub import HfApi

        bucket = self._url.bucket.removeprefix("buckets/")
        found = _patiently(lambda: list(HfApi(self._client.endpoint).get_bucket_paths_info(bucket, [key])))
        return [(item.xet_hash, item.size) for item in found] == [(state.etag, state.size)]


def _has(listed: ObjectListing, key: str, state: Fingerprint) -> bool:
    found = listed.objects.get(key)
    return found is not None and found.etag == state.etag


def _fingerprint(item: Any) -> Fingerprint:
    content = (item.get("lfs") or {}).get("sha256") or item.get("blob_id") or item.get("xet_hash") or ""
    committed = item.get("last_commit")
    written = getattr(committed, "date", None) or item.get("mtime") or item.get("uploaded_at")
    return Fingerprint(item["size"], int(written.timestamp() * 1e9) if written is not None else 0, etag=str(content))


def _patiently(work: Callable[[], T]) -> T:
    """Repeat what failed for a moment, with growing pauses."""
    end, pause = time.monotonic() + RETRY_SECONDS, 0.5
    while True:
        started = time.monotonic()
        try:
            return work()
        except Exception as error:
            now = time.monotonic()
            if not is_passing(error) or now - started > PATIENT_SECONDS or now + pause > end:
                raise
            time.sleep(pause)
            pause *= 2
