"""A store that fails in the middle, by a proxy in front of the real one: one sentence, nothing mixed, nothing lost."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.cloud.fault_proxy import (
    AWAY,
    CUT,
    EXPIRED,
    FORBIDDEN,
    INTERNAL,
    SLOW_DOWN,
    TOO_MANY,
    Fault,
    Proxy,
    fault_proxy,
)
from tests.cloud.servers import Bucket, Server
from tests.cloud.test_object_store import lines, said
from tests.runs import relax_record, write_relax
from tests.server.client import Events, eventually, serving
from tests.tui.terminal import on_terminal

import rollscope
from rollscope.errors import UnreadableError
from rollscope.index.changes import plan
from rollscope.query.library import Library
from rollscope.storage.objects import object_client

STEPS, SAMPLES = 6, 40


@pytest.fixture
def proxy(bucket: Bucket, s3_server: Server, monkeypatch: pytest.MonkeyPatch) -> Iterator[Proxy]:
    """In front of the store, for all who go by the usual variables."""
    with fault_proxy(s3_server.endpoint) as proxy:
        monkeypatch.setenv("AWS_ENDPOINT_URL", proxy.address)
        yield proxy


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return write_relax(tmp_path / "run", steps=STEPS, samples=SAMPLES)


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """A request that fails is repeated once: the last word comes within a moment."""
    monkeypatch.setattr(object_client, "RETRIES", 1)


def test_a_store_that_is_busy_now_and_then_is_asked_again(bucket: Bucket, tmp_path: Path, proxy: Proxy) -> None:
    root = write_relax(tmp_path / "run", steps=5, samples=4)
    url = bucket.upload(root, "run")
    proxy.every(3, SLOW_DOWN, TOO_MANY, INTERNAL, CUT, AWAY)
    assert said(rollscope.open(url)) == said(rollscope.open(root))
    assert {fault for _, _, fault in proxy.asked if fault} == {SLOW_DOWN, TOO_MANY, INTERNAL, CUT, AWAY}


@pytest.mark.parametrize(
    ("fault", "words"),
    [
        (EXPIRED, "have expired"),
        (FORBIDDEN, "no permission to read"),
        (SLOW_DOWN, "asked to slow down"),
        (TOO_MANY, "asked to slow down"),
        (INTERNAL, "had an error of its own"),
        (CUT, "broke off its answer"),
        (AWAY, "does not answer"),
    ],
)
def test_what_goes_wrong_while_a_run_is_read_is_one_sentence_and_nothing_is_lost(
    bucket: Bucket,
    root: Path,
    proxy: Proxy,
    impatient: None,
    monkeypatch: pytest.MonkeyPatch,
    fault: Fault,
    words: str,
) -> None:
    monkeypatch.setattr(plan, "MAX_PIECES", 1)
    url = bucket.upload(root, "run")
    run = rollscope.open(url)
    proxy.after(2, fault, word=".jsonl")
    try:
        run.refresh()
        told = " ".join(run.warnings()) + " ".join(item.reason for item in run.doctor().skipped)
    except UnreadableError as error:
        told = str(error)
    assert words in told
    assert "\n" not in told
    read = run._index.snapshot.sample_count
    assert 0 < read < STEPS * SAMPLES, "what was read before is kept"
    proxy.well()
    run.refresh()
    assert said(run) == said(rollscope.open(root)), "what was left out is read when the store answers"


def test_a_listing_that_fails_in_the_middle_takes_no_run_away(
    bucket: Bucket, root: Path, proxy: Proxy, impatient: None, tmp_path: Path
) -> None:
    url = bucket.upload(root, "runs/far")
    write_relax(tmp_path / "here" / "near", steps=1)
    library = Library([url, tmp_path / "here"])
    far = next(run for run in library.runs() if run.name == "far")
    whole = said(far)
    for fault, words in ((EXPIRED, "have expired"), (SLOW_DOWN, "asked to slow down"), (AWAY, "does not answer")):
        proxy.after(0, fault, word="list-type")
        library.rescan()
        assert sorted(run.name for run in library.runs()) == ["far", "near"]
        assert words in " ".join(library.warnings)
    proxy.well()
    library.rescan()
    assert library.warnings == []
    assert said(far) == whole


def test_an_object_that_goes_while_its_run_is_read_is_left_out_and_the_others_are_read(
    bucket: Bucket, root: Path, proxy: Proxy
) -> None:
    url = bucket.upload(root, "run")
    run = rollscope.open(url)

    def remove(method: str, path: str) -> None:
        if method == "GET" and path.partition("?")[0].endswith("/3.jsonl"):
            proxy.well()
            bucket.delete("run/train/3.jsonl")

    proxy.plan = remove
    run.refresh()
    run.refresh()
    (root / "train" / "3.jsonl").unlink()
    assert said(run) == said(rollscope.open(root))


@pytest.mark.parametrize("command", ["ls", "samples", "index"])
def test_commands_say_one_line(bucket: Bucket, root: Path, proxy: Proxy, command: str) -> None:
    url = bucket.upload(root, "run")
    proxy.after(1, EXPIRED)
    words = [sys.executable, "-m", "rollscope", command, url]
    done = subprocess.run(words, check=False, capture_output=True, text=True, timeout=120)
    assert done.returncode == 1
    assert "the credentials for s3://runs have expired" in done.stderr
    assert done.stderr.count("\n") == 1


def test_the_page_s_server_says_one_sentence_and_goes_on_when_the_store_answers(
    bucket: Bucket, root: Path, proxy: Proxy, tmp_path: Path
) -> None:
    url = bucket.upload(root, "run")
    environment = {"XDG_DATA_HOME": str(tmp_path / "home")}
    with serving(url, env=environment) as server:
        run = f"/api/runs/{server.run_id()}"
        of_step = {"split": "train", "step": 2}
        questions: dict[str, dict[str, Any]] = {"steps": {}, "samples": of_step, "groups": of_step}
        asked = {path: server.json(f"{run}/{path}", **query) for path, query in questions.items()}
        assert asked["samples"]["total"] == SAMPLES
        for fault, words in ((EXPIRED, "have expired"), (FORBIDDEN, "no permission to read")):
            proxy.after(0, fault)
            for path, before in asked.items():
                reply = server.get(f"{run}/{path}", **questions[path])
                said = reply.json()
                assert (reply.status == 200 and said == before) or words in said["detail"], (path, said)
            refused = server.get(f"{run}/sample", address="train/4/7")
            assert (refused.status, words in refused.json()["detail"]) == (422, True), refused.text
            eventually(lambda: words in str(server.json("/api/runs")))  # noqa: B023  # it is asked at once
            assert server.get("/").status == 200
        proxy.well()
        assert server.get(f"{run}/sample", address="train/4/7").status == 200
        for path, before in asked.items():
            assert server.json(f"{run}/{path}", **questions[path]) == before


def test_a_page_and_a_terminal_follow_a_bucket_through_faults(
    bucket: Bucket, root: Path, proxy: Proxy, tmp_path: Path
) -> None:
    """A new step is told to a page that is open, and comes on the terminal; a store that is away in between ends neither."""
    url = bucket.upload(root, "run")
    home, cache = str(tmp_path / "home"), str(tmp_path / "cache")
    with (
        serving(url, env={"XDG_DATA_HOME": home}) as server,
        Events(server) as events,
        on_terminal("tui", url, state=tmp_path / "state", XDG_CACHE_HOME=cache, XDG_DATA_HOME=home) as viewer,
    ):
        assert len(server.json(f"/api/runs/{server.run_id()}/steps")) == STEPS
        viewer.wait_for(f"step {STEPS - 1}")
        viewer.type("F")
        for step in range(STEPS, STEPS + 2):
            proxy.after(0, EXPIRED)
            eventually(lambda: "have expired" in str(server.json("/api/runs")))
            proxy.well()
            bucket.put(f"run/train/{step}.jsonl", lines(*(relax_record(step, index) for index in range(4))))
            eventually(lambda: _last_steps(events)[-1:] == [step])  # noqa: B023  # it is asked at once
            viewer.wait_for(f"step {step}")
        assert viewer.process.poll() is None


def _last_steps(events: Events) -> list[int]:
    """What the page was told, one after the other."""
    return [split["last_step"] for told in events.named("run") for split in told["splits"]]
