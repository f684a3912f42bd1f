"""slime's and miles' dumps, read without torch and joined with what was trained."""

from __future__ import annotations

import pickle
import shutil
import zipfile
from pathlib import Path
from typing import Any

from tests.fixtures import fixture_path
from tests.formats.expected import assert_as_expected
from tests.formats.opened import opened

from rollscope.query.library import Library


def save(path: Path, value: Any) -> Path:
    """As torch saves what holds no tensor: a zip with one pickle."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr(f"{path.stem}/data.pkl", pickle.dumps(value, protocol=2))
        archive.writestr(f"{path.stem}/version", "3\n")
    return path


def naive(path: Path) -> list[dict[str, Any]]:
    """The standard library's unpickler, which is safe for a file we know: it holds no classes."""
    with zipfile.ZipFile(path) as archive:
        samples: list[dict[str, Any]] = pickle.loads(archive.read(f"{path.stem}/data.pkl"))["samples"]
    return samples


def record(number: int, **more: Any) -> dict[str, Any]:
    base = {"group_index": number // 2, "index": number, "prompt": "q", "response": "a", "response_length": 2}
    return {**base, "tokens": [1, 2, 3], "reward": 1.0, "status": "completed", "remove_sample": False, **more}


def test_miles_opens_with_exactly_its_samples() -> None:
    assert_as_expected("miles")


def test_the_fixture_of_slime_opens_with_exactly_its_samples() -> None:
    run = fixture_path("slime")
    wanted = [(step, sample) for step in (0, 1) for sample in naive(run / "rollout_data" / f"{step}.pt")]
    found = [sample for sample in opened(run) if sample.split == "train"]
    assert len(found) == len(wanted) == 24
    for sample, (step, told) in zip(found, wanted, strict=True):
        assert (sample.step, sample.group, sample.reward) == (step, told["group_index"], told["reward"])
        assert (sample.status, sample.golden_answers) == (told["status"], {"label": told["label"]})
        assert (sample.discard_reason is not None) == told["remove_sample"]
        assert "".join(message.text for message in sample.messages) == told["prompt"] + told["response"]
        tokens = sample.tokens
        assert tokens is not None
        assert tokens.ids == told["tokens"][-told["response_length"] :]
        assert tokens.logprobs == told["rollout_log_probs"]
        assert tokens.mask == told["loss_mask"]
        assert len(tokens.trainer_logprobs) == len(tokens.advantage) == told["response_length"]
        assert sample.advantage == tokens.advantage[0]
    evals = [sample for sample in opened(run) if sample.split != "train"]
    assert [sample.reward for sample in evals] == [told["reward"] for told in naive(run / "rollout_data" / "eval_1.pt")]


def test_files_of_a_template_of_ones_own(tmp_path: Path) -> None:
    parts = {"score": 0.5, "format": 1.0}
    for step in (2, 10):
        save(tmp_path / f"debug_{step}.pt", {"rollout_id": step, "samples": [[record(0, reward=parts), record(1)]]})
    save(tmp_path / "debug_eval_10.pt", {"rollout_id": 10, "samples": [record(0, reward=None, status="aborted")]})
    found = opened(tmp_path)
    assert [sample.address for sample in found] == [
        "train/2/0",
        "train/2/1",
        "train/10/0",
        "train/10/1",
        "eval/all/10/0",
    ]
    assert (found[0].reward, found[0].rewards) == (0.5, parts)
    assert (found[4].reward, found[4].status) == (None, "aborted")


def test_files_are_known_by_whatever_path_was_given(tmp_path: Path) -> None:
    for name in ("1", "eval_1"):
        shutil.copyfile(fixture_path("slime") / "rollout_data" / f"{name}.pt", tmp_path / f"dump{name}.pt")
    (run,) = Library([tmp_path]).runs()
    assert run.splits == ["train", "eval/all"]
