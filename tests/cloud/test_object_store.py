"""Runs in a bucket: the same answers as from a disk, few requests, one sentence for what goes wrong, nothing mixed."""

from __future__ import annotations

import http.server
import json
import os
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from tests.cloud.conftest import Requests
from tests.cloud.in_thread import answering
from tests.cloud.servers import KEYS, Bucket, Server, rclone
from tests.fixtures import REPOSITORY
from tests.runs import relax_record, write_relax

import rollscope
from rollscope.errors import NotFoundError, UnreadableError, UsageError
from rollscope.index.changes import plan
from rollscope.query.library import Library
from rollscope.query.run import Run
from rollscope.storage.objects import object_client, object_store
from rollscope.storage.objects.object_store import ObjectStore

DATA = REPOSITORY / "tests" / "data"


def lines(*records: dict[str, Any]) -> bytes:
    return b"".join(json.dumps(record).encode() + b"\n" for record in records)


def said(run: Run) -> dict[str, Any]:
    """All rows and whole samples, without what names the place."""
    rows = [json.loads(rollscope.model.encode_json(row)) for row in run.samples(discarded=None).rows]
    samples = [json.loads(run.sample_json(row["address"])) for row in rows]
    return {"rows": rows, "samples": samples}


def test_every_run_of_the_tests_says_the_same_from_a_bucket_as_from_a_disk(
    bucket: Bucket, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ROLLSCOPE_POLL", "3600")
    bucket.upload(DATA, "data")
    there, here = Library([f"{bucket.url}/data"]), Library([DATA])
    local = {run.id: run for run in here.runs()}
    found = {run.id: run for run in there.runs()}
    assert found.keys() == local.keys()
    for id_, run in found.items():
        assert said(run) == said(local[id_]), id_


def test_a_file_is_indexed_with_a_request_a_piece(
    bucket: Bucket, requests: Requests, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(plan, "CHUNK_BYTES", 2 << 20)
    record = {"prompt": "p " * 5000, "response": "r " * 5000, "reward": 1.0}
    content = lines(*({**relax_record(0, index), **record} for index in range(400)))
    (tmp_path / "run" / "train").mkdir(parents=True)
    (tmp_path / "run" / "train" / "0.jsonl").write_bytes(content)
    run = rollscope.open(bucket.upload(tmp_path / "run", "run"))
    requests.since()
    run.refresh()
    pieces = -(-len(content) // (2 << 20))
    used = requests.since()
    assert used["get"] <= pieces + 1, "a line that goes past its piece takes no request of its own"
    assert used.get("head", 0) == 0
    assert said(run) == said(rollscope.open(tmp_path / "run"))


def test_a_page_with_previews_and_a_sample_take_few_requests(
    bucket: Bucket, requests: Requests, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    url = bucket.upload(write_relax(tmp_path / "run", steps=3, samples=200), "run")
    rollscope.open(url).refresh()
    monkeypatch.setattr(object_store, "_bytes", type(object_store._bytes)(1 << 26))
    monkeypatch.setenv("ROLLSCOPE_POLL", "3600")
    run = rollscope.open(url)
    requests.since()
    page = run.samples(split="train", step=1, limit=50, sort="-reward", preview=True)
    assert all(row.response_start for row in page.rows)
    assert requests.since().get("get", 0) <= 4
    run.sample("train/2/7")
    assert requests.since().get("get", 0) <= 1


def test_an_idle_viewer_lists_once_in_its_interval_and_asks_for_no_file(
    bucket: Bucket, requests: Requests, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = rollscope.open(bucket.upload(write_relax(tmp_path / "run", steps=20, samples=2), "run"))
    run.refresh()
    monkeypatch.setenv("ROLLSCOPE_POLL", "3600")
    run.refresh(wait=False)
    requests.since()
    for _ in range(50):
        run.refresh(wait=False)
        run.info(wait=False)
    assert requests.since() == {}


def test_a_run_that_is_being_uploaded_opens_and_grows(bucket: Bucket) -> None:
    bucket.put("run/train/0.jsonl", lines(*(relax_record(0, index) for index in range(4))))
    run = rollscope.open(f"{bucket.url}/run")
    assert run.samples().total == 4
    bucket.put("run/train/1.jsonl", lines(*(relax_record(1, index) for index in range(4))))
    bucket.put("run/train/0.jsonl", lines(*(relax_record(0, index) for index in range(6))))
    assert run.samples(wait=True).total == 10 or run.refresh()
    assert run.samples().total == 10
    bucket.delete("run/train/1.jsonl")
    run.refresh()
    assert run.samples().total == 6


def test_an_object_that_is_replaced_again_and_again_is_never_shown_mixed(bucket: Bucket) -> None:
    """Every state has its number in the prompt and in the response; both must be of one state."""

    def state(number: int) -> bytes:
        sample = {
            **relax_record(0, 0),
            "prompt": f"asked {number} " * 50,
            "response": f"answer {number} " * (50 + number % 7),
        }
        return lines(sample, {**sample, "sample_index": 1})

    bucket.put("run/train/0.jsonl", state(0))
    run = rollscope.open(f"{bucket.url}/run")
    run.refresh()
    stop = threading.Event()

    def replace() -> None:
        number = 1
        while not stop.wait(0.02):
            bucket.put("run/train/0.jsonl", state(number))
            number += 1

    writer = threading.Thread(target=replace)
    writer.start()
    shown = refused = 0
    try:
        for _ in range(100):
            try:
                text = run.raw("train/0/1")
            except (UnreadableError, NotFoundError) as error:
                assert len(str(error).splitlines()) == 1  # noqa: PT017  # one of the two right outcomes
                assert "malformed" not in str(error), "the place of one state in the bytes of another"  # noqa: PT017
                refused += 1
            else:
                numbers = {word for word in text.split() if word.isdigit()}
                assert len(numbers) == 1, text
                shown += 1
    finally:
        stop.set()
        writer.join()
    assert shown
    run.refresh()
    assert run.raw("train/0/1")


def test_names_with_odd_characters_are_read(bucket: Bucket) -> None:
    folder = "a b#%41~é 'x' +&=@:(1)"
    bucket.put(f"{folder}/train/0.jsonl", lines(relax_record(0, 0)))
    (run,) = Library([f"{bucket.url}/{folder}"]).runs()
    assert run.samples().total == 1
    assert run.sample("train/0/0").messages


def test_workers_read_the_state_that_was_planned(
    bucket: Bucket, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("rollscope.index.refresh.INLINE_BYTES", 0)
    folder = write_relax(tmp_path / "run", steps=5, samples=20)
    run = rollscope.open(bucket.upload(folder, "run"))
    run.refresh()
    assert said(run) == said(rollscope.open(folder))


def test_credentials_are_in_no_answer_and_no_file_of_the_index(bucket: Bucket, tmp_path: Path) -> None:
    run = rollscope.open(bucket.upload(write_relax(tmp_path / "run", steps=2), "run"))
    run.refresh()
    answers = [str(run.info()), str(run.details()), str(run.doctor()), repr(run), run.path]
    kept = [path.read_bytes() for path in (tmp_path / "index").rglob("*") if path.is_file()]
    assert kept
    for secret in KEYS.values():
        if secret != "test":
            assert not any(secret in answer for answer in answers)
            assert not any(secret.encode() in content for content in kept)


# What goes wrong


def command(*words: str, **variables: str) -> tuple[int, str]:
    done = subprocess.run(
        [sys.executable, "-m", "rollscope", *words],
        check=False,
        env={**os.environ, **variables},
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert "Traceback" not in done.stderr
    return done.returncode, done.stderr


def test_a_wrong_bucket_a_wrong_key_and_no_permission_are_one_sentence_each(
    bucket: Bucket, s3_server: Server, tmp_path: Path
) -> None:
    bucket.upload(write_relax(tmp_path / "run", steps=1), "run")
    status, message = command("ls", "s3://no-such-bucket/run")
    assert (status, message.count("\n")) == (1, 1)
    assert "there is no bucket s3://no-such-bucket" in message
    status, message = command("ls", f"{bucket.url}/run", AWS_ACCESS_KEY_ID="nobody")
    assert (status, message.count("\n")) == (1, 1)
    assert "does not accept the credentials" in message
    assert KEYS["AWS_SECRET_ACCESS_KEY"] not in message
    reader = {"AWS_ACCESS_KEY_ID": "reader", "AWS_SECRET_ACCESS_KEY": "reader-secret"}
    status, message = command("ls", f"{bucket.url}/run", **reader)
    assert (status, message.count("\n")) == (1, 1)
    assert f"no permission to read {bucket.url}/run" in message
    lister = {"AWS_ACCESS_KEY_ID": "lister", "AWS_SECRET_ACCESS_KEY": "lister-secret"}
    status, message = command("ls", f"{bucket.url}/run", **lister)
    assert (status, message.count("\n")) == (1, 1), "who may list and not read is not told of other formats"
    assert f"no permission to read {bucket.url}/run/train/0.jsonl" in message
    status, message = command("ls", f"{bucket.url}/other")
    assert (status, message.count("\n")) == (1, 1)
    assert f"there is nothing at {bucket.url}/other" in message


def test_an_endpoint_that_goes_down_keeps_what_was_read(
    bucket: Bucket, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(object_client, "RETRIES", 1)
    url = bucket.upload(write_relax(tmp_path / "run", steps=2, samples=4), "run")
    run = rollscope.open(url)
    run.refresh()
    monkeypatch.setattr(ObjectStore, "__init__", _nowhere(ObjectStore.__init__))
    with pytest.raises(UnreadableError, match="does not answer"):
        run.refresh()
    assert "does not answer" in " ".join(run.warnings())
    assert run._index.snapshot.sample_count == 8


def test_a_store_that_is_away_keeps_no_other_run_from_being_found(
    bucket: Bucket, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    url = bucket.upload(write_relax(tmp_path / "run", steps=2, samples=4), "far")
    write_relax(tmp_path / "here" / "one", steps=1)
    library = Library([url, tmp_path / "here"])
    assert sorted(run.name for run in library.runs()) == ["far", "one"]
    with monkeypatch.context() as away:
        away.setattr(ObjectStore, "__init__", _nowhere(ObjectStore.__init__))
        write_relax(tmp_path / "here" / "two", steps=1)
        library.rescan()
        assert sorted(run.name for run in library.runs()) == ["far", "one", "two"]
        assert "does not answer" in " ".join(library.warnings)
    library.rescan()
    assert library.warnings == []


def _nowhere(whole: Callable[..., None]) -> Callable[..., None]:
    def connected_to_nobody(self: Any, *given: Any) -> None:
        from obstore.store import S3Store

        whole(self, *given)
        self._client = S3Store(
            "bucket",
            endpoint="http://127.0.0.1:9",
            region="us-east-1",
            skip_signature=True,
            client_options={"allow_http": True},
            retry_config={"max_retries": 0},
        )

    return connected_to_nobody


def test_a_bucket_that_is_open_to_everybody_needs_no_credentials(
    s3_server: Server, in_cloud: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    public = s3_server.bucket("public")
    url = public.upload(write_relax(tmp_path / "run", steps=1, samples=4), "run")
    monkeypatch.delenv("AWS_ACCESS_KEY_ID")
    monkeypatch.delenv("AWS_SECRET_ACCESS_KEY")
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")
    monkeypatch.setenv("AWS_SHARED_CREDENTIALS_FILE", str(tmp_path / "none"))
    monkeypatch.setenv("AWS_CONFIG_FILE", str(tmp_path / "none"))
    assert rollscope.open(url).samples().total == 4


def test_a_profile_gives_credentials_and_endpoint(
    bucket: Bucket, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    url = bucket.upload(write_relax(tmp_path / "run", steps=1, samples=4), "run")
    (tmp_path / "config").write_text(f"[profile lab]\nregion = eu-west-1\nendpoint_url = {bucket.endpoint}\n")
    (tmp_path / "credentials").write_text(
        f"[lab]\naws_access_key_id = test\naws_secret_access_key = {KEYS['AWS_SECRET_ACCESS_KEY']}\n"
    )
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_ENDPOINT_URL", "AWS_REGION"):
        monkeypatch.delenv(name)
    monkeypatch.setenv("AWS_PROFILE", "lab")
    monkeypatch.setenv("AWS_CONFIG_FILE", str(tmp_path / "config"))
    monkeypatch.setenv("AWS_SHARED_CREDENTIALS_FILE", str(tmp_path / "credentials"))
    assert rollscope.open(url).samples().total == 4


@pytest.mark.parametrize(
    ("url", "words"),
    [
        ("s3://user:password@bucket/run", "holds no user or password"),
        ("s3://", "names no bucket"),
        ("https://host/run?token=x", "no options"),
    ],
)
def test_a_url_names_a_place_and_nothing_more(url: str, words: str) -> None:
    with pytest.raises(UsageError, match=words):
        ObjectStore.at(url)


# Web servers


class _Web(http.server.BaseHTTPRequestHandler):
    """One file with ranges and an etag, no listings; busy as often as it is told to be."""

    content: bytes = b""
    busy: int = 0
    answered: list[int]

    def _head(self) -> tuple[int, int, int]:
        if type(self).busy > 0:
            type(self).busy -= 1
            return 503, 0, 0
        if self.path != "/logs/run.jsonl" or self.command == "PROPFIND":
            return 404, 0, 0
        start, end = 0, len(self.content)
        if asked := self.headers.get("Range"):
            first, _, last = asked.removeprefix("bytes=").partition("-")
            start, end = int(first), min(int(last) + 1, end)
        return (206 if asked else 200), start, end

    def do_GET(self) -> None:
        status, start, end = self._head()
        self.answered.append(status)
        self.send_response(status)
        self.send_header("Content-Length", str(end - start))
        self.send_header("ETag", '"one"')
        self.send_header("Last-Modified", "Mon, 02 Nov 2026 10:00:00 GMT")
        if status == 206:
            self.send_header("Content-Range", f"bytes {start}-{end - 1}/{len(self.content)}")
        self.end_headers()
        if self.command == "GET":
            self.wfile.write(self.content[start:end])

    do_HEAD = do_PROPFIND = do_GET  # noqa: N815  # the names that http.server looks for

    def log_message(self, *_: object) -> None:
        return


@contextmanager
def web_server(content: bytes, busy: int = 0) -> Iterator[tuple[str, list[int]]]:
    answered: list[int] = []
    handler = type("_Here", (_Web,), {"content": content, "busy": busy, "answered": answered})
    with answering(http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)) as address:
        yield f"{address}/logs/run.jsonl", answered


def test_a_file_of_a_web_server_opens_by_its_address(in_cloud: None) -> None:
    records = [{"prompt": f"p{i}", "response": f"r{i}", "reward": float(i), "step": i // 2} for i in range(6)]
    with web_server(lines(*records), busy=2) as (url, answered):
        run = rollscope.open(url)
        assert run.samples().total == 6
        assert "r5" in run.raw("train/2/1")
        assert 503 in answered, "it was busy at first, and asked again"


def test_a_folder_of_a_web_server_opens_where_it_is_listed_by_webdav(in_cloud: None, tmp_path: Path) -> None:
    write_relax(tmp_path / "served" / "logs" / "run", steps=3, samples=4)
    local = said(rollscope.open(tmp_path / "served" / "logs" / "run"))
    with rclone(tmp_path / "served", "webdav") as address:
        assert said(rollscope.open(f"{address}/logs/run")) == local
        assert [run.name for run in Library([f"{address}/logs"]).runs()] == ["run"]


def test_a_server_that_stays_busy_is_one_sentence(in_cloud: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(object_client, "RETRIES", 2)
    with web_server(b"", busy=1000) as (url, answered), pytest.raises(UnreadableError) as caught:
        rollscope.open(url)
    assert "asked to slow down" in str(caught.value)
    assert caught.value.hint == "ask again in a while", "nothing is wrong with the credentials"
    assert answered.count(503) >= 3
