"""Small runs for all tests of the terminal viewer."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.tui.runs import relax_line, write_run

from rollscope import record

LOOP = "Let me see. " + "wait, no. " * 60
ANSWERS = ["so we add and get 4", "so we add and get 5", "so I guess 7"]


@pytest.fixture(scope="session")
def kept_index(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An index that lasts for the session: most tests are about the screen, not about reading a run anew."""
    return tmp_path_factory.mktemp("kept_index")


@pytest.fixture(autouse=True)
def index_for_viewers(kept_index: Path, index_dir: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """After `index_dir`, which gives every test an empty one."""
    monkeypatch.setenv("ROLLSCOPE_INDEX_DIR", str(kept_index))


@pytest.fixture(scope="session")
def run_path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run with six steps of eight kept and four discarded samples, and two eval sets. To be read, never written."""
    return write_run(tmp_path_factory.mktemp("runs") / "arithmetic")


@pytest.fixture
def looping(tmp_path: Path) -> Path:
    """From step 3 on, two of eight samples end in a loop."""
    folder = tmp_path / "looping" / "train"
    folder.mkdir(parents=True)
    for step in range(6):
        texts = [LOOP if step >= 3 and index in (2, 5) else f"It is {step + index}." for index in range(8)]
        lines = [relax_line(step, index, text) for index, text in enumerate(texts)]
        (folder / f"{step}.jsonl").write_text("\n".join(lines) + "\n")
    return folder.parent


@pytest.fixture
def recorded_path(tmp_path: Path) -> Path:
    """A group of three; two of them have the values of their tokens, with one outlier each."""
    run = record.start(tmp_path / "run")
    with run.iteration(0) as iteration, iteration.group(prompt="2 + 2?") as group:
        for number, text in enumerate(ANSWERS):
            words = [f"{word} " for word in text.split()]
            sampler = [-0.1] * len(words)
            trainer = [-0.1] * len(words)
            trainer[2] = -1.5
            tokens = {
                "strings": words,
                "logprobs": sampler,
                "trainer_logprobs": trainer,
                "mask": [1] * len(words),
                "top": [{"we": -0.1, "they": -2.0}, *[{}] * (len(words) - 1)],
            }
            sample = group.add(response=text, reward=float(number == 0))
            if number < 2:
                sample.set_tokens(tokens)
    run.close()
    return tmp_path / "run"
