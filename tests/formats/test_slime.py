"""slime's and miles' dumps, read without torch and joined with what was trained."""

from __future__ import annotations

import os
import pickle
import shutil
import zipfile
from pathlib import Path
from typing import Any

from tests.fixtures import copy_fixture, fixture_path
from tests.formats.expected import assert_as_expected
from tests.formats.opened import opened, texts

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


def test_what_was_trained_later_is_joined_when_it_comes(tmp_path: Path) -> None:
    run = copy_fixture("slime", tmp_path)
    held = run / "train_data" / "1.pt"
    data = held.read_bytes()
    held.unlink()
    (opened_run,) = Library([run]).runs()
    assert {row.advantage for row in opened_run.samples(split="train", step=1).rows} == {None}
    held.write_bytes(data)
    opened_run.refresh()
    assert None not in {row.advantage for row in opened_run.samples(split="train", step=1).rows}


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


def test_a_prompt_of_messages_and_metadata(tmp_path: Path) -> None:
    prompt = [{"role": "user", "content": "2 + 2?"}]
    told = record(
        0,
        prompt=prompt,
        response="4<|im_end|>",
        metadata={"turns": 3, "data_source": "maths"},
        weight_versions=["7", "8"],
    )
    save(tmp_path / "rollout_data" / "9.pt", {"rollout_id": 9, "samples": [told]})
    (sample,) = opened(tmp_path)
    assert texts(sample) == [("user", "2 + 2?"), ("assistant", "4<|im_end|>")]
    assert (sample.metrics, sample.dataset, sample.sampling_step, sample.staleness) == ({"turns": 3.0}, "maths", 7, 2)


class Evil:
    def __reduce__(self) -> Any:
        return os.system, ("touch /tmp/rollscope-was-here",)


def test_hostile_and_cut_files_are_named_and_the_others_open(tmp_path: Path) -> None:
    save(tmp_path / "rollout_data" / "1.pt", {"rollout_id": 1, "samples": [record(0)]})
    save(tmp_path / "rollout_data" / "2.pt", {"rollout_id": 2, "samples": [Evil()]})
    cut = save(tmp_path / "rollout_data" / "3.pt", {"rollout_id": 3, "samples": [record(0)]})
    cut.write_bytes(cut.read_bytes()[:-30])
    save(tmp_path / "rollout_data" / "4.pt", {"rollout_id": 4, "samples": [record(0), "nothing"]})
    (run,) = Library([tmp_path]).runs()
    assert [row.address for row in run.samples().rows] == ["train/1/0", "train/4/0"]
    reasons = {skip.file: skip.reason for skip in run.doctor().skipped}
    assert "posix.system" in reasons["rollout_data/2.pt"]
    assert reasons.keys() == {"rollout_data/2.pt", "rollout_data/3.pt", "rollout_data/4.pt"}
    assert not Path("/tmp/rollscope-was-here").exists()


def test_weights_are_not_rollouts(tmp_path: Path) -> None:
    save(tmp_path / "model_1.pt", {"layer.0.weight": [1.0, 2.0]})
    save(tmp_path / "more" / "rollout_data" / "1.pt", {"rollout_id": 1, "samples": [record(0)]})
    assert [run.root.endswith("more") for run in Library([tmp_path]).runs()] == [True]


def test_files_are_known_by_whatever_path_was_given(tmp_path: Path) -> None:
    for name in ("1", "eval_1"):
        shutil.copyfile(fixture_path("slime") / "rollout_data" / f"{name}.pt", tmp_path / f"dump{name}.pt")
    (run,) = Library([tmp_path]).runs()
    assert run.splits == ["train", "eval/all"]
