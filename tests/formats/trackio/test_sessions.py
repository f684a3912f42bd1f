"""trackio's session files say what its database says, opened from any folder above them."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.fixtures import copy_fixture, fixture_path, write_jsonl
from tests.formats.opened import opened

from rollscope.model import Sample
from rollscope.query.library import Library


def said(sample: Sample) -> tuple[object, ...]:
    """Without the prompt, whose system message session files call the developer's, and blanks in arguments."""
    told = [(message.role, message.text.replace(": ", ":")) for message in sample.messages if message.turn is not None]
    return (sample.split, sample.step, sample.reward, sample.advantage, str(sample.group), sample.metrics, told)


@pytest.mark.parametrize("folder", ["traces", "traces/rollouts", "traces/rollouts/dainty-sunset-0"])
def test_session_files_have_the_samples_of_their_database(folder: str) -> None:
    path = fixture_path("trackio_traces")
    found = opened(path / folder)
    assert len(found) == 12
    assert sorted(map(repr, map(said, found))) == sorted(map(repr, map(said, opened(path))))
    assert {message.role for sample in found for message in sample.messages} == {
        "developer",
        "user",
        "assistant",
        "tool",
    }


def test_beside_their_database_session_files_are_not_read_again(tmp_path: Path) -> None:
    copy_fixture("trackio_traces", tmp_path / "trackio")
    (run,) = Library([tmp_path]).runs()
    assert run.format == "trackio"


def test_other_sessions_are_none_of_trackio_s_and_a_torn_one_is_told(tmp_path: Path) -> None:
    header = {"type": "session", "version": 3, "trackio": {"step": 1, "key": "rollouts", "metadata": {"reward": 1.0}}}
    answer = {"type": "message", "message": {"role": "assistant", "content": [{"type": "text", "text": "4"}]}}
    write_jsonl(tmp_path / "run" / "a.jsonl", [header, answer])
    write_jsonl(tmp_path / "run" / "b.jsonl", [answer])
    write_jsonl(tmp_path / "pi" / "a.jsonl", [{"type": "session", "version": 3, "id": "x"}, answer])
    runs = [run for run in Library([tmp_path]).runs() if run.format == "trackio_sessions"]
    assert [(row.reward, row.step) for run in runs for row in run.samples().rows] == [(1.0, 1)]
    assert [skipped.file for run in runs for skipped in run.doctor().skipped] == ["b.jsonl"]
