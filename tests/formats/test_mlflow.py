from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from pathlib import Path

from tests.fixtures import fixture_path
from tests.formats.rows_and_samples import only_run, opened, said

from rollscope.query.library import Library


def test_traces_with_a_step_are_the_rollouts_of_their_run() -> None:
    path = fixture_path("mlflow")
    run = only_run(path)
    ours = sorted((row.step, row.reward or 0.0, said(sample)) for row, sample in opened(run))
    with closing(sqlite3.connect(f"file:{path / 'mlflow.db'}?mode=ro&immutable=1", uri=True)) as database:
        rewards = dict(database.execute("SELECT request_id, value FROM trace_tags WHERE key = 'reward'").fetchall())
        answers = dict(database.execute("SELECT request_id, response_preview FROM trace_info").fetchall())
    assert [step for step, _, _ in ours] == [1] * len(rewards)
    assert sorted(reward for _, reward, _ in ours) == sorted(map(float, rewards.values()))
    assert all(any(text in answer for answer in answers.values()) for _, _, text in ours)
    assert run.name.endswith("industrious-kit-400")


def test_its_metrics_are_curves() -> None:
    series = {item.name: item for item in only_run(fixture_path("mlflow")).metrics()}
    assert [(point[0], point[1]) for point in series["train/reward"].points] == [(1, 0.5)]


_SpanRow = tuple[str | None, str, object, object]


def _write_store(path: Path, traces: dict[str, tuple[dict[str, str], list[_SpanRow]]]) -> None:
    """Traces by name: their tags, and their spans (parent, type, inputs, outputs)."""
    with closing(sqlite3.connect(path / "mlflow.db")) as database, database:
        database.execute("CREATE TABLE runs (run_uuid, name)")
        database.execute("CREATE TABLE metrics (key, value, timestamp, run_uuid, step)")
        database.execute("CREATE TABLE trace_info (request_id, timestamp_ms, execution_time_ms, status)")
        database.execute("CREATE TABLE trace_tags (key, value, request_id)")
        database.execute("CREATE TABLE assessments (trace_id, name, assessment_type, value)")
        database.execute("CREATE TABLE spans (trace_id, parent_span_id, type, start_time_unix_nano, content)")
        database.execute("INSERT INTO runs VALUES ('u1', 'exp-a')")
        database.execute("INSERT INTO metrics VALUES ('loss', 0.5, 1000, 'u1', 3)")
        for place, (name, (tags, spans)) in enumerate(traces.items()):
            database.execute("INSERT INTO trace_info VALUES (?, ?, 5, 'OK')", [name, place])
            database.executemany("INSERT INTO trace_tags VALUES (?, ?, ?)", [(key, tags[key], name) for key in tags])
            for start, (parent, kind, given, made) in enumerate(spans):
                told = {"mlflow.spanInputs": json.dumps(given), "mlflow.spanOutputs": json.dumps(made)}
                content = json.dumps({"attributes": told})
                database.execute("INSERT INTO spans VALUES (?, ?, ?, ?, ?)", [name, parent, kind, start, content])


def test_verl_s_traces_are_runs_by_experiment_with_tokens_and_texts(tmp_path: Path) -> None:
    tags = {"step": "3", "sample_index": "7", "rollout_n": "0", "validate": "False", "experiment_name": "exp-a"}
    result = {"prompt_ids": [1, 2], "response_ids": [3, 4, 5], "response_mask": [1, 0, 1], "reward_score": 0.5,
              "prompt_text": "<|im_start|>user\nq<|im_end|>\n<|im_start|>assistant\n", "response_text": "a"}  # fmt: skip
    bare = {key: value for key, value in result.items() if not key.endswith("_text")}
    asked = {"kwargs": {"raw_prompt": [{"role": "user", "content": "q"}]}}
    other = {**tags, "experiment_name": "exp-b", "validate": "True"}
    loop: list[_SpanRow] = [
        (None, "UNKNOWN", None, None),
        ("r", "UNKNOWN", asked, result),
        ("l", "UNKNOWN", {}, {"token_ids": [3]}),
    ]
    _write_store(tmp_path, {"t1": (tags, loop), "t2": (other, [("r", "UNKNOWN", asked, bare)])})
    one, two = sorted(Library([tmp_path]).runs(), key=lambda run: run.name)
    ((row, sample),) = opened(one)
    assert (row.split, row.step, row.group, row.reward) == ("train", 3, 7, 0.5)
    assert (row.prompt_tokens, row.completion_tokens, said(sample)) == (2, 2, "a")
    assert sample.tokens is not None
    assert (sample.tokens.ids, sample.tokens.mask) == ([3, 4, 5], [1, 0, 1])
    assert [item.name for item in one.metrics()].count("loss") == 1
    ((row, sample),) = opened(two)
    assert (row.split, [message.text for message in sample.messages]) == ("eval/validation", ["q"])
    assert "token2text" in sample.notes[0]


def test_a_completion_s_answer_and_what_people_judged_are_shown(tmp_path: Path) -> None:
    asked = {"messages": [{"role": "user", "content": "q"}]}
    made = {"choices": [{"message": {"role": "assistant", "content": "a"}, "finish_reason": "length"}]}
    _write_store(tmp_path, {"t": ({"step": "1"}, [(None, "CHAT_MODEL", asked, made)])})
    with closing(sqlite3.connect(tmp_path / "mlflow.db")) as database, database:
        rows = [("reward", "feedback", "0.25"), ("format", "feedback", "true"), ("expected", "expectation", '"4"')]
        database.executemany("INSERT INTO assessments VALUES ('t', ?, ?, ?)", rows)
    ((row, sample),) = opened(only_run(tmp_path))
    assert (row.reward, row.metrics, row.status, row.stop_reason) == (0.25, {"format": 1.0}, "truncated", "length")
    assert (said(sample), sample.golden_answers) == ("a", {"expected": "4"})


def test_spans_that_lie_in_files_beside_an_older_store_are_read(tmp_path: Path) -> None:
    """MLflow before 3.5; a trace's name is no way out of the run's folder."""
    asked, answer = {"messages": [{"role": "user", "content": "q"}]}, {"choices": [{"message": {"content": "a"}}]}
    _write_store(tmp_path, {name: ({"step": "3"}, []) for name in ("t1", "../t2")})
    with closing(sqlite3.connect(tmp_path / "mlflow.db")) as database, database:
        database.execute("DROP TABLE spans")
        database.execute("ALTER TABLE trace_info ADD COLUMN experiment_id")
        database.execute("UPDATE trace_info SET experiment_id = 1")
    attributes = {"mlflow.spanType": "LLM", "mlflow.spanInputs": asked, "mlflow.spanOutputs": answer}
    span = {"parent_span_id": "", "attributes": {name: json.dumps(value) for name, value in attributes.items()}}
    for folder in ("traces/t1", "t2"):
        file = tmp_path / "mlruns" / "1" / folder / "artifacts" / "traces.json"
        file.parent.mkdir(parents=True)
        file.write_text(json.dumps({"spans": [span]}))

    said_by = [[message.text for message in sample.messages] for _, sample in opened(only_run(tmp_path))]

    assert said_by == [["q", "a"], []]
