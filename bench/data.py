"""Generated dumps: realistic lines (about 10 KB, several scripts, escapes), made fast by repeating shuffled blocks."""

from __future__ import annotations

import json
import random
from pathlib import Path

WORDS = (
    "the of and to in we let x that is for equals so therefore value step check wait compute because sum then "
    'négatif größer 数学 証明 integral \\frac{a}{b} $x_1$ "quoted" prove number prime even odd square root'
).split()
BLOCK_LINES = 400


def lines(seed: int, step: int, count: int, start: int = 0) -> list[bytes]:
    """Relax records of one step: groups of 8, rewards, lengths, and 2–25 KB of text."""
    chance = random.Random(seed)
    made = []
    for index in range(start, start + count):
        if index % 8 == 0:
            prompt = (
                "<|im_start|>user\n" + " ".join(chance.choices(WORDS, k=60)) + "<|im_end|>\n<|im_start|>assistant\n"
            )
        tokens = chance.randint(300, 3500)
        record = {
            "rollout_id": step,
            "sample_index": index,
            "prompt": prompt,
            "response": "<think>\n" + " ".join(chance.choices(WORDS, k=tokens)) + "\n</think>\nThe answer is 42.",
            "reward": chance.random(),
            "prompt_length": 60,
            "response_length": tokens,
            "total_length": tokens + 60,
            "status": "completed" if tokens < 3000 else "truncated",
            "group_index": index // 8,
            "label": "42",
        }
        made.append(json.dumps(record, ensure_ascii=False).encode() + b"\n")
    return made


def write_step(path: Path, megabytes: float, step: int = 0) -> Path:
    """One file of about this size. The same block again and again: what is measured does not look at the words."""
    path.parent.mkdir(parents=True, exist_ok=True)
    if path.exists() and abs(path.stat().st_size - megabytes * 1e6) < 2e7:
        return path
    block = b"".join(lines(step, step, BLOCK_LINES))
    with path.open("wb") as file:
        for _ in range(max(1, round(megabytes * 1e6 / len(block)))):
            file.write(block)
    return path


def write_small_steps(root: Path, files: int, samples: int, large: range = range(0), large_samples: int = 0) -> Path:
    """Many steps of short samples: for the cost of steps, files and rows rather than of bytes. The steps in `large` have
    `large_samples`."""
    (root / "train").mkdir(parents=True, exist_ok=True)
    if len(list((root / "train").iterdir())) == files:
        return root
    for step in range(files):
        small_step(root, step, large_samples if step in large else samples)
    return root


def small_step(root: str | Path, step: int, samples: int = 8) -> None:
    chance = random.Random(step)
    rows = [
        f'{{"rollout_id": {step}, "sample_index": {index}, "prompt": "What is {index // 8} + {step}?", '
        f'"response": "It is {index}.", "reward": {chance.random():.4f}, "response_length": {chance.randint(5, 900)}, '
        f'"total_length": 950, "status": "completed", "group_index": {index // 8}, "acc": {index % 2}, "format": 1.0, '
        f'"label": "1"}}\n'
        for index in range(samples)
    ]
    Path(root, "train", f"{step}.jsonl").write_text("".join(rows))
