"""Rollscope's own runs, written by the real recorder and read back: nothing is lost on the way."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import pytest

import rollscope
from rollscope import model, record
from rollscope.formats.lines.preview import HEAD_BYTES
from rollscope.formats.rollscope import RollscopeFormat
from rollscope.query.run import Run
from rollscope.storage.open_store import open_store

CONVERSATION: list[dict[str, Any]] = [
    {"role": "system", "content": "Use the tool."},
    {"role": "user", "content": "Weather in Oslo?"},
    {"role": "assistant", "content": "<think>ask</think>", "tool_calls": [{"id": "c1", "function": {"name": "w"}}]},
    {"role": "tool", "content": "4 °C", "tool_call_id": "c1"},
    {"role": "assistant", "content": "It is 4 °C."},
]
WHOLE: dict[str, Any] = {
    "reward": {"total": 0.75, "format": 0.25},
    "advantage": -0.5,
    "metrics": {"correct": True, "tool_calls": 1},
    "golden_answers": {"answer": "4 °C"},
    "stop_reason": "stop",
    "sampling_step": 10,
    "env": "weather",
    "dataset": "cities",
    "tags": ["tools", "short"],
    "prompt_id": "oslo",
    "prompt_tokens": 12,
    "completion_tokens": 30,
    "total_tokens": 55,
    "timings": {"generation": 1.5},
    "turns": [
        {"reward": 0.0, "completion_tokens": 10, "logs": {"tool": "w"}},
        {"reward": 0.75, "completion_tokens": 20},
    ],
    "tokens": {"ids": [1, 2, 3], "logprobs": [-0.1, -0.2, -0.3], "mask": [1, 0, 1]},
}


def test_everything_that_was_said_of_a_sample_comes_back(tmp_path: Path) -> None:
    with record.start(tmp_path / "run") as recorded, recorded.iteration(12) as iteration:
        iteration.add(CONVERSATION, **WHOLE)
    run = rollscope.open(tmp_path / "run")
    assert (run.format, run.splits) == ("rollscope", ["train"])
    sample = run.sample("train/12/0")
    assert (sample.reward, sample.rewards["format"], sample.advantage) == (0.75, 0.25, -0.5)
    assert (sample.metrics, sample.golden_answers) == ({"correct": 1.0, "tool_calls": 1.0}, {"answer": "4 °C"})
    assert (sample.env, sample.dataset, sample.tags, sample.prompt_id) == (
        "weather",
        "cities",
        ["tools", "short"],
        "oslo",
    )
    assert (sample.status, sample.stop_reason, sample.sampling_step, sample.staleness) == ("completed", "stop", 10, 2)
    assert (sample.prompt_tokens, sample.completion_tokens, sample.total_tokens) == (12, 30, 55)
    assert [(turn.reward, turn.completion_tokens) for turn in sample.turns] == [(0.0, 10), (0.75, 20)]
    assert sample.turns[0].logs == {"tool": "w"}
    assert sample.tokens is not None
    assert (sample.tokens.ids, sample.tokens.mask) == ([1, 2, 3], [1, 0, 1])
    assert [(message.role, message.turn) for message in sample.messages] == [
        ("system", None),
        ("user", None),
        ("assistant", 0),
        ("tool", 0),
        ("assistant", 1),
    ]
    row = run.samples().rows[0]
    for name in ("reward", "advantage", "env", "dataset", "status", "stop_reason", "staleness", "total_tokens"):
        assert getattr(row, name) == getattr(sample, name), name
    assert (row.metrics, row.rewards, row.turns) == (sample.metrics, sample.rewards, 2)


def test_every_line_is_a_sample_with_its_reward(tmp_path: Path) -> None:
    write(tmp_path / "run", steps=3)
    run = rollscope.open(tmp_path / "run")
    for split, stem in [("train", "train"), ("eval/held-out", "eval_held-out")]:
        for step in range(3):
            file = tmp_path / "run" / f"{stem}_iteration_{step:06d}_rollouts.jsonl"
            lines = [json.loads(line) for line in file.read_text().splitlines()]
            rows = run.samples(split=split, step=step, discarded=None).rows
            assert [row.reward for row in rows] == [line["reward"] for line in lines]
            assert [row.group for row in rows] == [line["group"] for line in lines]
            assert [run.sample(row.address).record for row in rows] == lines


def write(store: Path, steps: int = 1, samples: int = 4, **options: Any) -> None:
    with record.start(store, {"lr": 5e-7, "model": {"name": "tiny"}}, total_steps=steps, **options) as run:
        run.declare_range("sums", reward=(0, 1))
        for step in range(steps):
            with run.iteration(step) as iteration:
                for number in range(2):
                    with iteration.group(prompt=f"What is {number} + {step}?", env="sums") as group:
                        for place in range(samples // 2):
                            sample = group.add(response=f"It is {number + step + place}.", reward=place / 2)
                            if place == 0 and number == 1:
                                sample.discard("zero_advantage")
                iteration.log_metrics({"optim/lr": 1e-4 / (step + 1)})
            with run.evaluation("held-out", step) as evaluation:
                evaluation.add(prompt="2 + 2?", response="4", reward=1.0)


def test_discarded_samples_carry_their_reason(tmp_path: Path) -> None:
    write(tmp_path / "run")
    run = rollscope.open(tmp_path / "run")
    assert [row.address for row in run.samples(split="train").rows] == ["train/0/0", "train/0/1", "train/0/3"]
    (gone,) = run.samples(discarded=True).rows
    assert (gone.address, gone.discard_reason) == ("train/0/2", "zero_advantage")
    assert run.sample("train/0/2").discard_reason == "zero_advantage"


def test_metrics_config_ranges_and_reports_of_the_run(tmp_path: Path) -> None:
    write(tmp_path / "run", steps=2)
    run = rollscope.open(tmp_path / "run")
    (learning_rate,) = run.series(["optim/lr"])
    assert [value for _, value in learning_rate.points] == pytest.approx([1e-4, 5e-5])
    details = run.details()
    assert details.config["model"] == {"name": "tiny"}
    assert (details.ranges["sums"]["reward"].min, details.ranges["sums"]["reward"].max) == (0, 1)
    assert "train_iteration_000000_logtree.json" in details.reports
    assert run.report("train_iteration_000000_logtree.json")["root"]
    assert run.doctor().unclaimed == []
    assert run.detection.claim.confidence == 1.0


def test_several_writers_make_one_step(tmp_path: Path) -> None:
    store = tmp_path / "run"
    for rank, writer in enumerate([None, "rank1", "node/2"]):
        with record.start(store, writer=writer, attempt=0) as run, run.iteration(3) as iteration:
            for place in range(2):
                iteration.add(prompt=f"question of {rank}", response=str(place), reward=rank + place / 10)
    run_read = rollscope.open(store)
    rows = run_read.samples(step=3).rows
    assert sorted(row.reward or 0.0 for row in rows) == [0.0, 0.1, 1.0, 1.1, 2.0, 2.1]
    assert [row.index for row in rows] == list(range(6))
    writers = [run_read.sample(row.address).source.get("writer") for row in rows]
    assert len(set(writers)) == 3
    assert writers[:2] == [None, None]


def test_the_newest_attempt_at_a_step_counts(tmp_path: Path) -> None:
    store = tmp_path / "run"
    for attempt, steps in enumerate([range(3), range(2, 4)]):
        with record.start(store) as run:
            for step in steps:
                with run.iteration(step) as iteration:
                    for place in range(3 - attempt):
                        iteration.add(prompt="q", response=str(place), reward=attempt * 10 + step)
    read = rollscope.open(store)
    assert [(row.step, row.samples) for row in read.steps().steps] == [(0, 3), (1, 3), (2, 2), (3, 2)]
    assert [row.reward for row in read.samples(step=2).rows] == [12.0, 12.0]
    assert read.sample("train/2/0").attempt == 1
    assert [row.address for row in read.samples(step=2).rows] == ["train/2/0", "train/2/1"]


def test_numbers_json_has_no_word_for_come_back(tmp_path: Path) -> None:
    with record.start(tmp_path / "run") as recorded, recorded.iteration(0) as iteration:
        iteration.add(
            prompt="q",
            response="a",
            reward=math.nan,
            advantage=math.inf,
            metrics={"kl": -math.inf, "ok": 1},
            rewards={"part": math.nan},
        )
        iteration.log_metrics({"loss": math.nan, "lr": 1.0})
    run = rollscope.open(tmp_path / "run")
    sample = run.sample("train/0/0")
    assert sample.reward is not None
    assert math.isnan(sample.reward)
    assert (sample.advantage, sample.metrics) == (math.inf, {"kl": -math.inf, "ok": 1.0})
    assert math.isnan(sample.rewards["part"])
    row = run.samples().rows[0]
    assert (row.reward, row.advantage, row.metrics["kl"], row.metrics["ok"]) == (None, None, None, 1.0)
    assert row.nonfinite is not None
    assert {row.nonfinite["reward"], row.nonfinite["advantage"], row.nonfinite["metrics.kl"]} == {
        "NaN",
        "Infinity",
        "-Infinity",
    }
    json.loads(model.encode_json(run.samples()), parse_constant=lambda word: pytest.fail(f"bare {word}"))
    json.loads(run.sample_json("train/0/0"), parse_constant=lambda word: pytest.fail(f"bare {word}"))


def test_a_prompt_is_the_same_prompt_over_steps(tmp_path: Path) -> None:
    with record.start(tmp_path / "run") as recorded:
        for step in range(3):
            with recorded.iteration(step) as iteration:
                iteration.add(prompt="always asked", response=str(step), reward=0)
                iteration.add(prompt=f"asked in {step}", response="x", reward=0)
    run = rollscope.open(tmp_path / "run")
    assert [row.address for row in run.prompt_history("train/0/0")] == ["train/0/0", "train/1/0", "train/2/0"]
    assert [row.address for row in run.prompt_history("train/1/1")] == ["train/1/1"]


def test_a_prompt_of_messages_is_recognised_too(tmp_path: Path) -> None:
    with record.start(tmp_path / "run") as recorded:
        for step in range(2):
            with recorded.iteration(step) as iteration:
                iteration.add([*CONVERSATION[:-1], {"role": "assistant", "content": f"answer {step}"}], reward=step)
    run = rollscope.open(tmp_path / "run")
    assert len(run.prompt_history("train/0/0")) == 2


def test_text_is_found_where_it_was_said(tmp_path: Path) -> None:
    with record.start(tmp_path / "run") as recorded, recorded.iteration(0) as iteration:
        iteration.add(CONVERSATION, golden_answers={"answer": "frost"})
    run = rollscope.open(tmp_path / "run")
    assert [(hit.address, hit.field) for hit in run.search("4 °C")] == [("train/0/0", "response")]
    assert [(hit.address, hit.field) for hit in run.search("Oslo")] == [("train/0/0", "prompt")]
    assert [(hit.address, hit.field) for hit in run.search("frost")] == [("train/0/0", "golden")]


def test_words_are_found_across_the_parts_of_a_message(tmp_path: Path) -> None:
    parts = [{"type": "thinking", "text": "so it is ele"}, {"type": "text", "text": "ven"}]
    line = {"messages": [{"role": "user", "parts": []}, {"role": "assistant", "parts": parts, "turn": 0}]}
    for separators in ((",", ":"), (", ", ": ")):
        path = tmp_path / "run" / f"train_iteration_{len(separators[0]):06}_rollouts.jsonl"
        path.parent.mkdir(exist_ok=True)
        path.write_text(json.dumps(line, separators=separators) + "\n")
    run = rollscope.open(tmp_path / "run")
    for regex in (False, True):
        hits = [(hit.address, hit.field, hit.start, hit.end) for hit in run.search("eleven", regex=regex)]
        assert hits == [("train/1/0", "response", 9, 15), ("train/2/0", "response", 9, 15)]
    assert run.samples(where='response icontains "Eleven"').total == 2


def test_wherever_a_message_says_its_turn_the_prompt_is_what_stands_before(tmp_path: Path) -> None:
    """The recorder writes it last; whoever else writes such lines may write it first."""
    asked = {"role": "user", "parts": [{"text": "why? " * 100}], "turn": None}
    said = {"parts": [{"text": "because " * 100}]}
    answers = [{"role": "assistant", "turn": 0, **said}, {**said, "role": "assistant", "turn": 0}]
    lines = [json.dumps({"group": number, "messages": [asked, answer]}) for number, answer in enumerate(answers)]
    (tmp_path / "train_iteration_000000_rollouts.jsonl").write_text("\n".join(lines) + "\n")
    run = rollscope.open(tmp_path)
    assert len(run.prompt_history("train/0/0")) == 2
    assert [row.response_bytes for row in run.samples()] == [len(json.dumps(answer)) for answer in answers]


def test_the_beginning_of_a_very_long_sample_is_shown_in_lists(tmp_path: Path) -> None:
    with record.start(tmp_path / "run") as recorded, recorded.iteration(0) as iteration:
        iteration.add(prompt="How long?", response="so long " * (HEAD_BYTES // 4), reward=1.0)
        iteration.add(prompt="How short?", response="so", reward=1.0)
    rows = rollscope.open(tmp_path / "run").samples(preview=True).rows
    assert [row.prompt_start for row in rows] == ["How long?", "How short?"]
    assert (rows[0].response_start or "").startswith("so long so long")


@pytest.mark.parametrize(
    "damage",
    [
        {"messages": "not a list"},
        {"messages": [1, None]},
        {"metrics": [1]},
        {"rewards": None},
        {"turns": "x"},
        {"tokens": 5},
        {"reward": "high"},
        {"step": "twelve"},
        {"nonfinite": {"reward": "what"}},
        {"golden_answers": {"a": None}},
        {"tags": "one"},
    ],
)
def test_a_line_that_another_program_damaged_is_skipped_or_read_and_never_fatal(
    tmp_path: Path, damage: dict[str, Any]
) -> None:
    write(tmp_path / "run")
    file = tmp_path / "run" / "train_iteration_000000_rollouts.jsonl"
    lines = [json.loads(line) for line in file.read_text().splitlines()]
    lines[1].update(damage)
    file.write_text("".join(json.dumps(line) + "\n" for line in lines))
    run = rollscope.open(tmp_path / "run")
    rows = run.samples(split="train", discarded=None, preview=True).rows
    assert [row.reward for row in rows[:1] + rows[-2:]] == [line["reward"] for line in lines[:1] + lines[-2:]]
    for row in rows:
        json.loads(run.sample_json(row.address))
    assert len(list(run.search("It is"))) >= 3


def test_names_of_evals_are_splits(tmp_path: Path) -> None:
    with record.start(tmp_path / "run") as recorded:
        for name in ("aime 2024", "math/hard", "plain"):
            with recorded.evaluation(name, 5) as evaluation:
                evaluation.add(prompt="p", response="r", reward=1)
    run = rollscope.open(tmp_path / "run")
    assert len(run.splits) == 3
    assert all(split.startswith("eval/") for split in run.splits)
    assert "eval/plain" in run.splits


def test_a_run_that_has_only_begun_is_not_lost(tmp_path: Path) -> None:
    """The first iteration is open: its files are not there yet, and nothing is said that is not so."""
    recorded = record.start(tmp_path / "run", {"lr": 1})
    with recorded.iteration(0) as iteration:
        iteration.add(prompt="p", response="r", reward=1)
        iteration.flush()
        recorded.flush()
        assert reading(tmp_path / "run").samples().total == 1
        iteration.add(prompt="p", response="r2", reward=0)
    recorded.close()
    assert reading(tmp_path / "run").samples().total == 2


def reading(path: Path) -> Run:
    return rollscope.open(path)


def test_only_the_recorders_own_names_are_its_samples(tmp_path: Path) -> None:
    write(tmp_path / "run")
    (tmp_path / "run" / "train_iteration_12_rollouts.jsonl").write_text("{}\n")
    (tmp_path / "run" / "my_train_iteration_000001_rollouts.jsonl").write_text("{}\n")
    paths = [source.path for source in RollscopeFormat().sources(open_store(tmp_path / "run"))]
    assert paths == ["train_iteration_000000_rollouts.jsonl", "eval_held-out_iteration_000000_rollouts.jsonl"]


def test_the_start_of_a_response_has_no_delimiters(tmp_path: Path) -> None:
    with record.start(tmp_path / "run") as run, run.iteration(0) as iteration, iteration.group(prompt="?") as group:
        group.add(response="<think>Let me see.</think>\n<answer>42</answer>", reward=1.0)
    (row,) = rollscope.open(tmp_path / "run").samples(preview=True)
    assert row.response_start == "Let me see. 42"


def test_steps_before_the_first_are_steps(tmp_path: Path) -> None:
    """Trainers that evaluate before they train call that step -1."""
    with record.start(tmp_path / "run") as recorded:
        with recorded.evaluation("aime", -1) as evaluation:
            early = evaluation.add(prompt="q", response="a", reward=0.25)
        with recorded.iteration(-12) as iteration:
            iteration.add(prompt="q", response="a", reward=0.5)
        early.annotate(advantage=0.125)
    run = rollscope.open(tmp_path / "run")
    rows = run.samples(discarded=None).rows
    assert [(row.address, row.reward, row.advantage) for row in rows] == [
        ("train/-12/0", 0.5, None),
        ("eval/aime/-1/0", 0.25, 0.125),
    ]
    assert run.sample("eval/aime/-1/0").advantage == 0.125
    assert run.doctor().unclaimed == []
