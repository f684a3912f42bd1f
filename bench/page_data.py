"""Runs for the page's lines of the table: a long list, many steps, samples of three sizes, many charts."""

from __future__ import annotations

import json
import random
from collections.abc import Iterable
from pathlib import Path

from bench.data import WORDS, write_small_steps

LIST_SAMPLES = 100_000
STEPS = 2_000
CHARTS, POINTS = 100, 10_000

#: Steps of the run "texts", by the size of their samples' responses; their number of samples.
SMALL, LARGE, HUGE = 0, 1, 2
SIZES = {SMALL: 10_000, LARGE: 1_000_000, HUGE: 20_000_000}
COUNTS = {SMALL: 80, LARGE: 48, HUGE: 1}


def write_page_runs(root: Path) -> Path:
    """All of them below one root, as one server shows them. What is there already stays."""
    write_small_steps(root / "list", 1, LIST_SAMPLES)
    write_small_steps(root / "steps", STEPS, 8)
    for step, size in SIZES.items():
        write_texts(root / "texts" / "train" / f"{step}.jsonl", step, size, COUNTS[step])
    write_charts(root / "charts", CHARTS, POINTS)
    return root


def last_words(step: int, sample: int) -> str:
    """How this sample's response ends, and no other text: the page opens a long text at its end."""
    return f"(the end of sample {sample} in step {step})"


def write_texts(path: Path, step: int, size: int, count: int) -> Path:
    """Relax records whose responses are this many bytes of paragraphs with formulas, all of it in view at once or by
    scrolling: nothing is folded away as thinking."""

    def records() -> Iterable[str]:
        chance = random.Random(step)
        for index in range(count):
            yield json.dumps(
                {
                    "rollout_id": step,
                    "sample_index": index,
                    "prompt": "<|im_start|>user\n"
                    + " ".join(chance.choices(WORDS, k=60))
                    + "<|im_end|>\n<|im_start|>assistant\n",
                    "response": f"{_paragraphs(chance, size)}\n\n{last_words(step, index)}",
                    "reward": chance.random(),
                    "prompt_length": 60,
                    "response_length": size // 5,
                    "total_length": size // 5 + 60,
                    "status": "completed",
                    "group_index": index // 8,
                    "label": "42",
                },
                ensure_ascii=False,
            )

    return _write_once(path, records())


def _paragraphs(chance: random.Random, size: int) -> str:
    """The same 100 KB again and again where more is asked for: what is measured does not look at the words."""
    block = ""
    while len(block.encode()) < min(size, 100_000):
        block += " ".join(chance.choices(WORDS, k=80)) + ".\n\n"
    whole = block * max(1, round(size / len(block.encode())))
    return whole.rstrip()


def write_charts(run: Path, charts: int, points: int) -> Path:
    """A recorded run of one step of samples, and metrics that wander for many more."""
    from rollscope import record

    if not (run / "config.json").exists():
        with (
            record.start(run, {"charts": charts}, total_steps=points) as recording,
            recording.iteration(0) as iteration,
            iteration.group(prompt="What is 1 + 1?", env="sums") as group,
        ):
            for reward in (0.0, 1.0):
                group.add(response="It is 2.", reward=reward)
    names = [f"layers/{number // 10}/norm_{number % 10}" for number in range(charts)]

    def rows() -> Iterable[str]:
        chance = random.Random(2)
        values = [chance.random() for _ in names]
        for step in range(points):
            values = [value + chance.gauss(0, 0.02) for value in values]
            measured = ", ".join(f'"{name}": {value:.5f}' for name, value in zip(names, values))
            yield f'{{"step": {step}, "timestamp": {1_790_000_000 + step * 60}, {measured}}}'

    # A second writer's file, as when several processes log into one run.
    _write_once(run / "metrics.bench.jsonl", rows())
    return run


def _write_once(path: Path, lines: Iterable[str]) -> Path:
    """Under another name until it is whole: a run that was stopped leaves nothing that looks finished."""
    if path.exists():
        return path
    path.parent.mkdir(parents=True, exist_ok=True)
    unfinished = path.with_name(f".{path.name}.unfinished")
    with unfinished.open("w", encoding="utf-8") as file:
        for line in lines:
            file.write(line + "\n")
    return unfinished.rename(path)
