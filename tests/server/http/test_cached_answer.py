"""Lists of a step are kept between requests. Whatever happens to the files and notes, nobody can tell by the answers."""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.fixtures import write_jsonl
from tests.server.asgi import Sent, ask
from tests.server.data import append, record, settled, write_run

from rollscope.query.answers import Progress, SamplePage
from rollscope.query.library import Library
from rollscope.query.lists.answer_cache import AnswerCache
from rollscope.query.run import Run
from rollscope.query.samples.cache import SampleCache
from rollscope.server.app import Application
from rollscope.server.http.cached_answer import CachedAnswer
from rollscope.server.http.encoding import json_body
from rollscope.server.options import ServerOptions
from rollscope.userdata.notes import NewNote

QUESTIONS = [
    "samples?split=train&step=0&preview=true",
    "samples?split=train&step=1&sort=-reward&limit=5",
    "samples?split=train&step=0&where=" + "text%20contains%20%22edited%22",
    "samples?split=train&step=0&where=" + "label%20=%20%22seen%22&discarded=all",
    "groups?split=train&step=0",
    "groups?split=train&step=1&sort=spread&where=reward%20%3E%200.2",
]


class Opened:
    """The application of one server, in this process."""

    def __init__(self, run: Path, index: Path, notes: Path, kept_bytes: int) -> None:
        cache = SampleCache()
        library = Library([run], index_dir=str(index), cache=cache, notes_dir=str(notes))
        (self.run,) = library.runs()
        self.application = Application(library, cache, ServerOptions(host="127.0.0.1"))
        self.application.context.kept_answers = AnswerCache(lambda kept: kept.size, kept_bytes)
        self.app = self.application.guarded(8080)

    def get(self, question: str, **headers: str) -> Sent:
        return ask(self.app, f"/api/runs/{self.run.id}/{question}&wait=60", host="localhost", **headers)

    def close(self) -> None:
        for pool in (self.application.context.answers, self.application.context.searches):
            pool.shutdown()


class Served(Opened):
    """A server, and beside it another one of the same files that keeps no answers."""

    def __init__(self, folder: Path) -> None:
        self.run_folder = settled(write_run(folder / "run", steps=2, samples=8))
        super().__init__(self.run_folder, folder / "index", folder / "notes", kept_bytes=1_000_000)
        self.fresh = Opened(self.run_folder, folder / "fresh", folder / "notes", kept_bytes=0)

    def step(self, number: int) -> Path:
        return self.run_folder / "train" / f"{number}.jsonl"

    def close(self) -> None:
        super().close()
        self.fresh.close()


def without_progress(answer: Sent) -> Any:
    body = json.loads(answer.body)
    body.pop("progress", None)
    return answer.status, body


def add_sample(served: Served) -> None:
    count = len(served.step(0).read_text().splitlines()) if served.step(0).exists() else 0
    append(served.step(0), record(0, count))


def add_half_a_line(served: Served) -> None:
    with served.step(1).open("a") as file:
        file.write('{"rollout_id": 1')


def edit_in_place(served: Served) -> None:
    """Same size, same inode."""
    if served.step(0).exists():
        text = served.step(0).read_bytes()
        with served.step(0).open("r+b") as file:
            file.write(text.replace(b"The answer", b"edited one", 1))


def rewrite(served: Served) -> None:
    write_jsonl(served.step(1), (record(1, index, reward=0.9 - index / 10, response="edited") for index in range(6)))


def cut(served: Served) -> None:
    if served.step(0).exists():
        os.truncate(served.step(0), served.step(0).stat().st_size // 2)


def delete(served: Served) -> None:
    served.step(0).unlink(missing_ok=True)


def settle(served: Served) -> None:
    settled(served.run_folder)


def label_one(served: Served) -> None:
    if served.step(0).exists() and served.fresh.run.samples(split="train", step=0).total:
        served.run.write_note(NewNote(address="train/0/0", labels=["seen"]))


def remove_notes(served: Served) -> None:
    for note in served.run.notes():
        served.run.remove_note(note.id)


CHANGES: list[Callable[[Served], None]] = [
    add_sample,
    add_half_a_line,
    edit_in_place,
    rewrite,
    cut,
    delete,
    settle,
    label_one,
    remove_notes,
]


@settings(max_examples=8)
@given(st.lists(st.sampled_from(CHANGES), min_size=2, max_size=6))
def test_a_kept_answer_is_what_a_fresh_one_would_be(changes: list[Callable[[Served], None]]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        served = Served(Path(folder))
        try:
            for change in changes:
                change(served)
                for question in QUESTIONS:
                    expected = without_progress(served.fresh.get(question))
                    for _ in range(2):
                        assert without_progress(served.get(question)) == expected, (change.__name__, question)
        finally:
            served.close()


@pytest.fixture
def served(tmp_path: Path) -> Any:
    opened = Served(tmp_path)
    yield opened
    opened.close()


def test_a_list_is_made_once_for_many_who_ask(served: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    made = 0
    samples = Run.samples

    def count(self: Run, **asked: Any) -> Any:
        nonlocal made
        made += 1
        return samples(self, **asked)

    served.get(QUESTIONS[1])  # which reads the run's files
    monkeypatch.setattr(Run, "samples", count)
    first, second = served.get(QUESTIONS[0]), served.get(QUESTIONS[0])
    assert first.body == second.body
    assert made == 1


def test_another_step_s_news_leave_a_kept_answer_alone(served: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    tag = served.get(QUESTIONS[1]).headers["etag"]
    version = served.run.version
    append(served.step(0), record(0, 8))
    served.run.refresh()
    assert served.run.version > version
    monkeypatch.setattr(Run, "samples", None)  # making one would fail
    answer = served.get(QUESTIONS[1])
    assert answer.headers["etag"] != tag  # its progress counts the new sample
    assert json.loads(answer.body)["progress"]["samples"] == 2 * 8 + 4 + 1
    assert served.get(QUESTIONS[1], if_none_match=answer.headers["etag"]).status == 304


@pytest.mark.parametrize("text", ["", '{"\\u0000progress\\u0000":0}', "\ud800", '"progress":'])
def test_progress_is_put_where_it_belongs_whatever_the_rows_say(text: str) -> None:
    page = SamplePage(total=0, offset=0, rows=[text], progress=Progress(done=False))  # type: ignore[list-item]
    now = Progress(done=True, samples=7)
    assert CachedAnswer(page).sent(now).body == json_body(msgspec.structs.replace(page, progress=now))


def test_what_lies_beside_the_samples_is_seen_of_a_run_and_of_a_sample(tmp_path: Path) -> None:
    """Its config is no part of the index; an annotation is no part of the sample's own file."""
    run = tmp_path / "run"
    line = {"group": 0, "index": 0, "reward": 1.0, "messages": [], "writer": "main", "attempt": 0}
    write_jsonl(run / "train_iteration_000000_rollouts.jsonl", [line])
    (run / "config.json").write_text('{"lr": 1}')
    settled(run)
    opened = Opened(run, tmp_path / "index", tmp_path / "notes", 1 << 20)
    try:
        path = f"/api/runs/{opened.run.id}"
        questions = {"run": f"{path}?wait=60", "sample": f"{path}/sample?address=train/0/0"}
        old = {name: ask(opened.app, question, host="localhost") for name, question in questions.items()}
        (run / "config.json").write_text('{"lr": 2}')
        learned = {"group": 0, "index": 0, "advantage": 0.5, "writer": "main", "attempt": 0}
        write_jsonl(run / "train_iteration_000000_annotations.jsonl", [learned])
        opened.run.refresh()
        new = {
            name: ask(opened.app, question, host="localhost", if_none_match=old[name].headers["etag"])
            for name, question in questions.items()
        }
        assert json.loads(new["run"].body)["config"] == {"lr": 2}
        assert json.loads(new["sample"].body)["advantage"] == 0.5
    finally:
        opened.close()
