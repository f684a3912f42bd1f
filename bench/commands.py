"""Short commands, each as a process of its own: beside ripgrep, and beside the bare import of numpy and pyarrow."""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

from bench.data import write_small_steps, write_step
from bench.measure import Row, seconds

#: Words before the run's path, and after it.
COMMANDS: tuple[tuple[str, list[str]], ...] = (
    ("ls", []),
    ("steps", ["--limit", "3"]),
    ("samples", ["--step", "5", "--limit", "3"]),
    ("show", ["train/3/2"]),
)


def one_shot(data: Path, megabytes: int) -> Iterator[Row]:
    """Of runs that are indexed; Python's start and all imports are in it."""
    environment = {
        **{name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"},
        "ROLLSCOPE_INDEX_DIR": str(data / "index-commands"),
        # As where it is installed: modules are compiled once.
        "PYTHONPYCACHEPREFIX": str(data / "bytecode"),
    }
    program = str(Path(sys.executable).with_name("rollscope"))

    def rollscope(*words: str) -> Callable[[], object]:
        return lambda: subprocess.run([program, *words], env=environment, capture_output=True, check=True)

    large = data / f"index-{megabytes}"
    file = write_step(large / "train" / "0.jsonl", megabytes)
    rollscope("index", str(large))()
    pattern = "a literal nobody wrote"
    ripgrep = ["rg", "-c", "-j2", "-F", pattern, str(file)]
    yield _row(
        f"rollscope search over {megabytes / 1000:g} GB, as a command",
        rollscope("search", str(large), pattern),
        "ripgrep -F",
        lambda: subprocess.run(ripgrep, capture_output=True, check=False),
        0.8,
    )
    small = write_small_steps(data / "files-1000", 1_000, 8)
    rollscope("index", str(small))()
    bare = [sys.executable, "-c", "import numpy, pyarrow"]
    for name, after in COMMANDS:
        yield _row(
            f"rollscope {name}, 1,000 steps, as a command",
            rollscope(name, str(small), *after),
            "import numpy, pyarrow",
            lambda: subprocess.run(bare, env=environment, check=True),
            0.2,
        )


def _row(
    what: str, work: Callable[[], object], reference_name: str, reference: Callable[[], object], bar: float
) -> Row:
    """In turns; the bar is in seconds, the ratio says how the machine is today."""
    reference()
    work()
    pairs = [(seconds(reference), seconds(work)) for _ in range(7)]
    theirs, mine = (statistics.median(column) for column in zip(*pairs))
    spread = f"{min(m for _, m in pairs):.2f}–{max(m for _, m in pairs):.2f}"
    return Row(
        what, f"{mine:.2f} s", f"{reference_name} {theirs:.2f} s", mine / theirs, f"≤ {bar:g} s ({spread})", mine <= bar
    )
