"""A real S3 server for all tests of this folder: SeaweedFS, on the loopback only, with its telemetry off."""

from __future__ import annotations

import os
import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.cloud.servers import BUCKET, KEYS, Bucket, Server, seaweedfs

from rollscope.storage.objects import object_store

CLOUD = Path(__file__).parent


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if CLOUD in item.path.parents:
            item.add_marker(pytest.mark.cloud)


@pytest.fixture(scope="session")
def s3_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with seaweedfs(tmp_path_factory.mktemp("cloud") / "weed") as server:
        yield server


@pytest.fixture
def bucket(s3_server: Server, in_cloud: None) -> Bucket:
    """A folder that no other test knows, of one bucket: the server takes seven volumes for each bucket."""
    return Bucket(BUCKET, s3_server.endpoint, uuid.uuid4().hex[:12])


@pytest.fixture
def in_cloud(s3_server: Server, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """The usual variables name the server; nothing that was listed for another test is known, and looks are not spared."""
    for name in [name for name in os.environ if name.startswith("AWS_")]:
        monkeypatch.delenv(name)
    for name, value in {**KEYS, "AWS_ENDPOINT_URL": s3_server.endpoint, "AWS_REGION": "us-east-1"}.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setenv("ROLLSCOPE_POLL", "0")
    monkeypatch.setenv("ROLLSCOPE_INDEX_DIR", str(tmp_path / "index"))
    monkeypatch.setattr(object_store, "_listed", {})


class Requests:
    """Counts what is asked of stores in this process."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        import obstore

        self.counted: dict[str, int] = {}
        for name in ("get", "list", "head", "put"):
            monkeypatch.setattr(obstore, name, self._counting(name, getattr(obstore, name)))

    def _counting(self, name: str, whole: Any) -> Any:
        def counting(*given: Any, **named: Any) -> Any:
            self.counted[name] = self.counted.get(name, 0) + 1
            return whole(*given, **named)

        return counting

    def since(self) -> dict[str, int]:
        counted, self.counted = self.counted, {}
        return counted


@pytest.fixture
def requests(monkeypatch: pytest.MonkeyPatch) -> Requests:
    return Requests(monkeypatch)
