"""One archive: a zip of parquet tables. Telescope rewrites its newest archives in place every few seconds."""

from __future__ import annotations

import io
import zipfile

from rollscope.formats.containers.parquet import Table
from rollscope.formats.telescope.inflate import Member
from rollscope.storage.open_files import KeptOpen
from rollscope.storage.store import Store


class Archive:
    """An open archive. Its tables share one file position: one thread at a time."""

    def __init__(self, store: Store, path: str) -> None:
        self.path = path
        self._file = store.open(path)
        self.size = self._file.seek(0, io.SEEK_END)
        try:
            with zipfile.ZipFile(self._file) as listing:
                self._infos = {info.filename: info for info in listing.infolist()}
        except BaseException:
            self._file.close()
            raise
        self._tables: dict[str, Table] = {}

    def __del__(self) -> None:
        if file := getattr(self, "_file", None):
            file.close()

    def has(self, table: str) -> bool:
        return f"{table}.parquet" in self._infos

    def has_any(self, *tables: str) -> bool:
        return any(map(self.has, tables))

    def table(self, name: str) -> Table:
        table = self._tables.get(name)
        if table is None:
            table = self._tables[name] = Table(Member(self._file, self._infos[f"{name}.parquet"]))
        return table


#: Each may hold some 30 MB of texts around the samples that were last asked for.
ARCHIVES = KeptOpen(Archive, limit=3)
