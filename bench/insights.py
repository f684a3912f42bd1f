"""Lines about insights: contrast, diff, group tree, compare, tokens. Bars are those that docs/insights.md states."""

from __future__ import annotations

import json
import random
import re
import resource
from collections.abc import Iterator
from pathlib import Path
from pydoc_data.topics import topics

from bench.data import write_small_steps
from bench.measure import Row, run_python, within
from rollscope.model import TokenArrays

#: What a fresh process takes to answer, with its imports; the runs are indexed.
CONTRAST = """
import sys, time; start = time.perf_counter()
import rollscope
run = rollscope.open(sys.argv[1], index_dir=sys.argv[2])
found = run.contrast("reward > 0.5", "reward < 0.5")
assert "grader" in found.phrases[0].text, found.phrases[:3]
print(time.perf_counter() - start)
"""
COMPARE = """
import sys, time; start = time.perf_counter()
import rollscope
a, b = (rollscope.open(path, index_dir=sys.argv[3]) for path in sys.argv[1:3])
found = a.compare(b, limit=50)
assert found.matched > 100_000, found.matched
print(time.perf_counter() - start)
"""
FEATURES = """
import sys, rollscope
assert rollscope.open(sys.argv[1], index_dir=sys.argv[2]).compute_features().done
"""
FINDINGS = """
import sys, time; start = time.perf_counter()
import rollscope
found = rollscope.open(sys.argv[1], index_dir=sys.argv[2]).findings_report()
assert found.samples >= 1_000_000 and len(found.kinds) > 15, (found.samples, found.kinds)
print(time.perf_counter() - start)
"""


def sentences() -> list[str]:
    """Prose that comes with Python."""
    found = {" ".join(part.split()) for text in topics.values() for part in re.split(r"(?<=[.!?])\s+|\n\s*\n", text)}
    return sorted(sentence for sentence in found if 40 < len(sentence) < 300)


def insight_speed(data: Path) -> Iterator[Row]:
    place = str(data / "index-insights")
    for samples, bar in ((2_000, 3), (20_000, 15)):
        run = write_prose(data / f"prose-{samples}", samples)
        run_python(
            "import sys, rollscope; rollscope.open(sys.argv[1], index_dir=sys.argv[2]).refresh()", str(run), place
        )
        yield _cold(f"contrast of 2 × {samples:,} samples of 5 KB", CONTRAST, bar, str(run), place)
    runs = [str(write_small_steps(data / f"compare-{name}", 2_000, 500)) for name in "ab"]
    for path in runs:
        run_python("import sys, rollscope; rollscope.open(sys.argv[1], index_dir=sys.argv[2]).refresh()", path, place)
    yield _cold("compare of 2 × 1,000,000 samples", COMPARE, 2, *runs, place)
    run_python(FEATURES, runs[0], place)
    yield _cold("findings of 1,000,000 samples with their features", FINDINGS, 1, runs[0], place)
    yield from texts_beside_each_other()


def _cold(what: str, code: str, bar: float, *arguments: str) -> Row:
    """By the clock, and the processor time of the process with its workers: that is the same on a busy machine, nearly."""
    times, spent = [], []
    for _ in range(3):
        before = _processor_seconds()
        times.append(float(run_python(code, *arguments)))
        spent.append(_processor_seconds() - before)
    times.sort()
    spent.sort()
    limits = f"≤ {bar:g} s ({times[0]:.2f}–{times[-1]:.2f})"
    took = f"{times[1]:.2f} s; {spent[1]:.2f} s of processors ({spent[0]:.2f}–{spent[-1]:.2f})"
    return Row(what, took, "a fresh process, indexed", None, limits, times[1] <= bar)


def _processor_seconds() -> float:
    """Of all processes that were started here and have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def texts_beside_each_other() -> Iterator[Row]:
    from rollscope.query.insights.group_tree import build_tree
    from rollscope.query.insights.tokens.values import token_values
    from rollscope.query.insights.word_diff import word_diff

    chance = random.Random(1)
    prose = sentences()

    def words(count: int) -> list[str]:
        said: list[str] = []
        while len(said) < count:
            said += chance.choice(prose).split()
        return said[:count]

    first = words(20_000)
    edited = [word for word in first if chance.random() > 0.15]
    while len(edited) < 28_000:
        place = chance.randrange(len(edited))
        edited[place:place] = words(30)
    a, b, other = (" ".join(said) for said in (first, edited[:28_000], words(28_000)))
    yield within("diff of 20,000 × 28,000 words, one made of the other", lambda: word_diff(a, b), 50)
    yield within("diff of 20,000 × 28,000 words that share nothing", lambda: word_diff(a, other), 50)
    shared = words(4_000)
    group = [" ".join([*shared[: chance.randint(500, 4_000)], *words(8_000)][:8_000]) for _ in range(16)]
    rewards = [chance.random() for _ in group]
    yield within("group tree of 16 × 8,000 words", lambda: build_tree(group, rewards), 50)
    tokens = _tokens(chance, 32_000)
    yield within("all values of 32,000 tokens", lambda: token_values(tokens), 100)


def _tokens(chance: random.Random, count: int) -> TokenArrays:
    sampler: list[float | None] = [-chance.random() for _ in range(count)]
    return TokenArrays(
        ids=list(range(count)), logprobs=sampler, trainer_logprobs=sampler, entropy=sampler, mask=[1] * count
    )


def write_prose(root: Path, samples: int) -> Path:
    """Two sides of so many samples of 5 KB; a twentieth of one side has a planted phrase."""
    steps = 10
    if (root / "train" / f"{steps - 1}.jsonl").exists():
        return root
    chance, prose = random.Random(1), sentences()
    (root / "train").mkdir(parents=True, exist_ok=True)
    for step in range(steps):
        with (root / "train" / f"{step}.jsonl").open("w") as file:
            for index in range(2 * samples // steps):
                said: list[str] = []
                while sum(map(len, said)) < 4_950:
                    said.append(chance.choice(prose))
                if index % 2 and chance.random() < 0.05:
                    said.insert(chance.randrange(len(said)), "As every careful grader will confirm.")
                record = {
                    "rollout_id": step, "sample_index": index, "prompt": f"{step} {index // 8}", "response": " ".join(said),
                    "reward": float(index % 2), "response_length": 900, "total_length": 950, "status": "completed",
                    "group_index": index // 8,
                }  # fmt: skip
                file.write(json.dumps(record) + "\n")
    return root
