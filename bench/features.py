"""What all features together cost: the whole pass, from bytes to stored columns, against one plain orjson pass."""

from __future__ import annotations

import json
import random
import statistics
import tempfile
from collections.abc import Iterator
from pathlib import Path

from bench.insights import sentences
from bench.measure import Row, run_python

#: Less than a task: it is then computed in this very process, on one core.
BYTES = 3_500_000
#: Modules are imported, patterns compiled and their automata made by the first run; processor time, as other work on the
#: machine is no cost.
PASS = """
import sys, time
from pathlib import Path
import orjson
import rollscope
warm, root, place, compiled = sys.argv[1:]
if compiled == "numpy":
    from rollscope.features.batches import text_scan

    text_scan.compiled = lambda: None
rollscope.open(warm, index_dir=place).compute_features()
run = rollscope.open(root, index_dir=place)
run.refresh()
lines = [line for file in Path(root).rglob("*.jsonl") for line in file.read_bytes().splitlines()]
def plain():
    start = time.process_time()
    for line in lines:
        orjson.loads(line)
    return time.process_time() - start
times = [plain() for _ in range(4)]
start = time.process_time()
assert run.compute_features().done
mine = time.process_time() - start
times += [plain() for _ in range(3)]
print(sorted(times)[3], mine, len(lines))
"""
#: Bytes of a line, and whether by compiled code or, where there was no compiler, by numpy.
WAYS = (
    (500, "compiled"),
    (2_000, "compiled"),
    (10_000, "compiled"),
    (50_000, "compiled"),
    (2_000, "numpy"),
    (10_000, "numpy"),
)


def feature_speed(data: Path) -> Iterator[Row]:
    warm = _write(data / "features-warmer", 2_000, 1_000_000, seed=2)
    for size, way in WAYS:
        root = _write(data / f"features-{size}", size, BYTES)
        found = []
        for _ in range(3):
            with tempfile.TemporaryDirectory() as place:
                said = run_python(PASS, str(warm), str(root), place, way, cores=1)
                found.append(tuple(map(float, said.split())))
        ratios = [mine / plain for plain, mine, _ in found]
        plain, mine, samples = sorted(found, key=lambda item: item[1] / item[0])[1]
        yield Row(
            f"all features of lines of {size / 1000:g} kB, {way}",
            f"{mine / samples * 1e6:.0f} µs a sample",
            f"orjson {plain / samples * 1e6:.1f} µs",
            statistics.median(ratios),
            f"≤ 10 × ({min(ratios):.1f}–{max(ratios):.1f})",
            statistics.median(ratios) <= 10,
        )


def _write(root: Path, size: int, total: int, seed: int = 1) -> Path:
    """Thoughts and answers of prose, in groups of eight, half of the answers right."""
    file = root / "train" / "0.jsonl"
    if file.exists():
        return root
    chance, prose = random.Random(seed), sentences()
    file.parent.mkdir(parents=True, exist_ok=True)
    with file.open("w") as out:
        for index in range(total // size):
            said: list[str] = []
            while sum(map(len, said)) < size - 450:
                said.append(chance.choice(prose))
            half, answer = (len(said) + 1) // 2, index // 8
            thought, told = " ".join(said[:half]), "\n\n".join(said[half:])
            wrong = chance.random() < 0.5
            record = {
                "rollout_id": 0, "sample_index": index, "prompt": f"What is {answer}? Answer in a box.",
                "response": f"<think>\n{thought}\n</think>\n\n{told}\n\nThe answer is \\boxed{{{answer + wrong}}}.",
                "label": str(answer), "reward": 1.0 - wrong, "response_length": 900, "total_length": 950,
                "status": "completed", "group_index": answer,
            }  # fmt: skip
            out.write(json.dumps(record) + "\n")
    return root
