"""Where a row is measured: a folder of the bucket, a folder of this machine, the variables that name the server."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct
from tests.cloud.servers import BUCKET, KEYS, Bucket, Server

from bench.measure import Row


class Sizes(Struct):
    #: Of the run that is indexed.
    megabytes: int = 100
    #: Of the bucket that is watched.
    objects: int = 2_000
    #: Of the bucket that is listed and of which one sample is opened.
    keys: int = 20_000
    #: Of an object that is replaced while it is shown.
    rounds: int = 100
    writers: int = 4
    commits: int = 6

    def items(self) -> Iterator[tuple[str, int]]:
        return iter(msgspec.structs.asdict(self).items())


class Place(Struct):
    folder: Path
    bucket: Bucket
    server: Server
    sizes: Sizes

    @classmethod
    def new(cls, folder: Path, server: Server, sizes: Sizes) -> Place:
        from rollscope.storage.objects import object_store

        folder.mkdir(parents=True)
        for name in [name for name in os.environ if name.startswith(("AWS_", "ROLLSCOPE_"))]:
            del os.environ[name]
        os.environ.update(
            KEYS,
            AWS_ENDPOINT_URL=server.endpoint,
            AWS_REGION="us-east-1",
            ROLLSCOPE_INDEX_DIR=str(folder / "index"),
            XDG_CACHE_HOME=str(folder / "cache"),
        )
        object_store._listed.clear()
        return cls(folder, Bucket(BUCKET, server.endpoint, folder.name), server, sizes)


@contextmanager
def counted() -> Iterator[dict[str, int]]:
    """Requests of this process, by kind."""
    import obstore

    found: dict[str, int] = {}
    whole = {name: getattr(obstore, name) for name in ("get", "list", "head", "put")}

    def counting(name: str) -> Any:
        def ask(*given: Any, **named: Any) -> Any:
            found[name] = found.get(name, 0) + 1
            return whole[name](*given, **named)

        return ask

    for name in whole:
        setattr(obstore, name, counting(name))
    try:
        yield found
    finally:
        for name, function in whole.items():
            setattr(obstore, name, function)


def at_most(what: str, value: float, bar: float, unit: str = "") -> Row:
    return Row(what, f"{value:g}{unit}", "", None, f"≤ {bar:g}{unit}", value <= bar)


def holds(what: str, said: str, ok: bool) -> Row:
    return Row(what, said, "", None, "must hold", ok)
