"""Trajectories in ATIF."""

from __future__ import annotations

import json
from pathlib import Path

from tests.formats.harbor.test_harbor import STEPS, atif, result, write
from tests.formats.opened import opened, texts

from rollscope.query.library import Library


def test_continuations_go_on_and_what_they_copy_is_left_out(tmp_path: Path) -> None:
    write(tmp_path / "t" / "result.json", result())
    agent = tmp_path / "t" / "agent"
    write(agent / "trajectory.json", atif())
    write(agent / "trajectory.cont-10.json", atif([{"source": "agent", "message": "last"}]))
    copied = {"source": "user", "message": "count lines", "is_copied_context": True}
    write(agent / "trajectory.cont-2.json", atif([copied, {"source": "user", "message": "go on"}]))
    write(agent / "trajectory.summarization-1.json", atif([{"source": "user", "message": "sum up"}]))
    (sample,) = opened(tmp_path)
    assert [text for _, text in texts(sample)] == ["count lines", "3", "go on", "last"]
    assert [message.text for message in sample.unmatched[0].messages] == ["sum up"]


def test_bare_trajectories(tmp_path: Path) -> None:
    parts = [{"type": "text", "text": "see"}, {"type": "image", "source": {"media_type": "image/png", "path": "a.png"}}]
    write(
        tmp_path / "a.json",
        atif([{"source": "user", "message": parts}, STEPS[1]], final_metrics={"total_cost_usd": 0.5}),
    )
    write(tmp_path / "b.json", atif())
    write(tmp_path / "other.json", {"hello": 1})
    first, second = opened(tmp_path)
    assert (first.split, first.reward, first.status, first.metrics) == ("eval/all", None, None, {"cost_usd": 0.5})
    assert [part.type for part in first.messages[0].parts] == ["text", "media"]
    assert texts(second) == [("user", "count lines"), ("assistant", "3")]


def test_a_trajectory_a_line(tmp_path: Path) -> None:
    lines = [json.dumps(atif()), json.dumps(atif([{"step_id": 1, "source": "user", "message": "hi"}])), "{}", '{"sch']
    (tmp_path / "trajectories.jsonl").write_text("\n".join(lines))
    first, second = opened(tmp_path)
    assert (first.split, first.messages[-1].role, second.messages[0].text) == ("eval/all", "assistant", "hi")
    (run,) = Library([tmp_path]).runs()
    assert [(skip.line, skip.reason) for skip in run.doctor().skipped] == [(3, "it is no trajectory: it has no steps")]
