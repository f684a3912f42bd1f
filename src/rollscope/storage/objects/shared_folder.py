"""A folder of an object store that several processes write to: files get there whole, and some may be created only once."""

from __future__ import annotations

import uuid

from rollscope.errors import UnreadableError, UsageError
from rollscope.storage.objects.object_client import client_of, listing_error, parse_url, repeated, store_errors


class SharedFolder:
    """Files have names and contents, and are read and written whole. Raises UnreadableError with a sentence."""

    def __init__(self, address: str) -> None:
        self._url = parse_url(address)
        if self._url.scheme in ("http", "https", "hf"):
            raise UsageError(f"nothing can be kept at {address}", hint="an index is shared in s3://, gs:// or az://")
        self._client = client_of(self._url)

    def _key(self, name: str) -> str:
        return f"{self._url.prefix}/{name}" if self._url.prefix else name

    def get(self, name: str) -> bytes | None:
        """None when there is none."""
        import obstore

        try:
            return bytes(obstore.get(self._client, self._key(name)).bytes())
        except FileNotFoundError:
            return None
        except store_errors() as error:
            raise listing_error(error, self._url) from None

    def put(self, name: str, content: bytes) -> None:
        import obstore

        try:
            obstore.put(self._client, self._key(name), content)
        except store_errors() as error:
            raise listing_error(error, self._url) from None

    def create(self, name: str, content: bytes) -> bool:
        """False when somebody was quicker: then theirs stays."""
        import obstore
        from obstore.exceptions import AlreadyExistsError, PreconditionError

        try:
            obstore.put(self._client, self._key(name), content, mode="create")
        except (AlreadyExistsError, PreconditionError):
            return False
        except store_errors() as error:
            raise listing_error(error, self._url) from None
        return True

    def names(self, folder: str, after: str = "") -> list[str]:
        """Names in a folder that come behind `after`, in order."""
        return [name for name, _ in self.ages(folder, after)]

    def ages(self, folder: str, after: str = "") -> list[tuple[str, float]]:
        """(name, time of writing) for every file below `folder`."""
        import obstore

        prefix = self._key(folder)
        offset = f"{prefix}/{after}" if after else None

        def listed() -> list[tuple[str, float]]:
            chunks = obstore.list(self._client, prefix, offset=offset, chunk_size=1000)
            return [
                (item["path"].removeprefix(f"{prefix}/"), item["last_modified"].timestamp())
                for chunk in chunks
                for item in chunk
            ]

        try:
            found = repeated(listed)
        except store_errors() as error:
            raise listing_error(error, self._url) from None
        return sorted(item for item in found if item[0] > after)

    def delete(self, names: list[str]) -> None:
        import obstore

        for name in names:
            try:
                obstore.delete(self._client, self._key(name))
            except FileNotFoundError:
                continue  # somebody was quicker
            except store_errors() as error:
                raise listing_error(error, self._url) from None

    def check_writers(self) -> None:
        """Some stores overwrite what should be created only if it is not there: two writers would lose each other's work."""
        name = f"probe/{uuid.uuid4().hex}"
        try:
            once = self.create(name, b"1")
            twice = self.create(name, b"2")
        finally:
            self.delete([name])
        if not once or twice:
            raise UnreadableError(
                f"an index in {self._url} cannot be shared by writers: the store overwrites what it should create only once",
                hint="use another store, or ROLLSCOPE_INDEX_READONLY=1 for those who only look",
            )
