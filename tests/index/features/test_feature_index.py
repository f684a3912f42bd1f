"""Features over a run's life: computed once, kept, added to when files grow, made anew when they change."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from tests.runs import append, relax_record, settle, write_relax

import rollscope
from rollscope import record
from rollscope.features import size
from rollscope.features.base import SampleTexts
from rollscope.features.registry import registry
from rollscope.index.features import feature_index, feature_rows, task
from rollscope.index.features.blocks import BlockStore
from rollscope.index.features.feature_index import FeatureIndex
from rollscope.query.run import Run

NAMES = ["text.chars", "text.words", "text.loop", "text.copies"]


def values(run: Run) -> list[dict[str, object]]:
    return [row.features for row in run.samples(features=NAMES, discarded=None)]


def expected(run: Run) -> list[int]:
    return [len(run._reader.texts(row.address)["response"]) for row in run.samples(discarded=None)]


@pytest.fixture
def computed(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How many rows each task computes, in this process."""
    counts: list[int] = []
    real = task.compute_features

    def counting(given: task.FeatureTask, *others: object) -> object:
        counts.append(sum(len(rows.offsets) for rows in given.files))
        return real(given, *others)  # type: ignore[arg-type]

    monkeypatch.setattr(feature_rows, "compute_features", counting)
    return counts


def test_every_row_has_what_its_own_text_gives(tmp_path: Path) -> None:
    run = rollscope.open(write_relax(tmp_path / "run"))
    assert [found["text.chars"] for found in values(run)] == expected(run)
    for row in run.samples(features=NAMES):
        texts = run._reader.texts(row.address)
        assert row.features["text.words"] == size.words(SampleTexts("", texts["response"]))


def test_a_second_look_computes_nothing(tmp_path: Path, computed: list[int]) -> None:
    root = settle(write_relax(tmp_path / "run"))
    assert rollscope.open(root).compute_features().done
    assert sum(computed) == 24
    again = rollscope.open(root)
    assert again.feature_report().samples_done == 24
    values(again)
    assert sum(computed) == 24


def test_a_filter_over_one_step_computes_that_step_only(tmp_path: Path, computed: list[int]) -> None:
    run = rollscope.open(settle(write_relax(tmp_path / "run", steps=5)))
    assert run.samples(split="train", step=2, where="text.chars > 0").total == 8
    assert sum(computed) == 8
    assert run.feature_report().samples_done == 8


def test_only_samples_that_the_rest_of_a_filter_leaves_are_computed(tmp_path: Path, computed: list[int]) -> None:
    run = rollscope.open(settle(write_relax(tmp_path / "run", steps=5)))
    assert run.samples(where="step = 1 and index = 3 and text.chars > 0").total == 1
    assert sum(computed) == 1


def test_what_is_appended_is_all_that_is_computed(tmp_path: Path, computed: list[int]) -> None:
    root = settle(write_relax(tmp_path / "run", steps=2))
    rollscope.open(root).compute_features()
    computed.clear()
    same = relax_record(1, 0)["response"]
    append(root / "train" / "1.jsonl", relax_record(1, 8, response=same, group_index=0), relax_record(1, 9))
    append(root / "train" / "2.jsonl", relax_record(2, 0))
    run = rollscope.open(root)
    found = values(run)
    assert sum(computed) == 3
    assert [item["text.chars"] for item in found] == expected(run)
    # The group that got a copy of its first sample is compared anew, without reading the others' texts again.
    assert [item["text.copies"] for item in found][8:17:8] == [1, 1]


def test_a_step_that_only_lost_samples_keeps_what_is_known_of_the_others(tmp_path: Path) -> None:
    """Nothing of it is left to compute, and that is not the end of what was to be computed."""

    def write(writer: str, step: int, *texts: str) -> None:
        run = record.start(tmp_path / "run", writer=writer, attempt=0)
        with run.iteration(step) as iteration, iteration.group(prompt="Say.") as group:
            for text in texts:
                group.add(response=text, reward=1.0)
        run.close()

    write("a", 0, "one")
    write("a", 1, "one two")
    write("b", 1, "one two three")
    assert rollscope.open(tmp_path / "run").compute_features().done
    write("a", 0, "one two three four")
    (tmp_path / "run" / "train_iteration_000001_rollouts.b.jsonl").unlink()
    found = rollscope.open(tmp_path / "run").samples(features=["text.words"])
    assert {row.address: row.features["text.words"] for row in found} == {
        "train/0/0": 1,
        "train/0/1": 4,
        "train/1/0": 2,
    }


def test_an_edited_file_is_computed_anew(tmp_path: Path, computed: list[int]) -> None:
    root = settle(write_relax(tmp_path / "run", steps=2))
    rollscope.open(root).compute_features()
    computed.clear()
    path = root / "train" / "0.jsonl"
    path.write_text(path.read_text().replace("The answer", "My long answer"))
    run = rollscope.open(root)
    assert [found["text.chars"] for found in values(run)] == expected(run)
    assert sum(computed) == 8


def test_a_pass_that_is_stopped_goes_on_where_it_was(tmp_path: Path, computed: list[int]) -> None:
    root = settle(write_relax(tmp_path / "run", steps=6))
    run = rollscope.open(root)

    class StopError(Exception):
        pass

    def stop(done: int, _total: int) -> None:
        if done >= 24:
            raise StopError

    feature_index.SAVE_SECONDS, kept = 0.0, feature_index.SAVE_SECONDS
    try:
        with pytest.raises(StopError):
            run.compute_features(stop)
    finally:
        feature_index.SAVE_SECONDS = kept
    done = rollscope.open(root).feature_report().samples_done
    assert done >= 16
    computed.clear()
    assert rollscope.open(root).compute_features().done
    assert sum(computed) == 48 - done


def test_features_are_found_by_their_entry_points() -> None:
    known = registry()
    assert not known.broken
    assert {"text.chars", "text.loop", "text.similar"} <= set(known.features)
    assert registry("x").digest != known.digest


def test_what_is_stored_while_it_is_computed_is_read_from_there(
    tmp_path: Path, computed: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(feature_index, "SAVE_SECONDS", -1.0)
    run = rollscope.open(settle(write_relax(tmp_path / "run")))
    held: list[int] = []
    real = feature_index.FeatureIndex._compute

    def counting(self: FeatureIndex, *given: Any, **options: Any) -> dict[Any, pa.Table]:
        made = real(self, *given, **options)
        held.append(len(made))
        return made

    monkeypatch.setattr(feature_index.FeatureIndex, "_compute", counting)
    assert [found["text.chars"] for found in values(run)] == expected(run)
    assert (held, sum(computed)) == ([0], 24)


def test_where_nothing_can_be_stored_each_text_is_computed_once_and_held(
    tmp_path: Path, computed: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(self: BlockStore, made: object) -> None:
        raise OSError(28, "no space left on device")

    monkeypatch.setattr(BlockStore, "add", full)
    run = rollscope.open(settle(write_relax(tmp_path / "run")))
    assert [found["text.chars"] for found in values(run)] == expected(run)
    assert sum(computed) == 24


def test_what_another_process_removed_meanwhile_is_computed_again(
    tmp_path: Path, computed: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    run = rollscope.open(settle(write_relax(tmp_path / "run")))
    real = BlockStore.add

    def removed(self: BlockStore, made: Any) -> None:
        real(self, made)
        for path in Path(self.folder).glob("*.arrow"):
            path.unlink()

    monkeypatch.setattr(BlockStore, "add", removed)
    assert [found["text.chars"] for found in values(run)] == expected(run)
    assert sum(computed) == 48
