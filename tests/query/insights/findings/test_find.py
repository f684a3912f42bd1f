"""Which of what detectors say is worth telling, how serious it is, and that one detector's fault hides no other."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import msgspec
import numpy as np
import pytest
from tests.fixtures import write_jsonl
from tests.query.insights.findings.splits import split_data
from tests.runs import relax_record, settle

import rollscope
from rollscope.query.insights.findings import find
from rollscope.query.insights.findings.find import Detectors, assess, detectors, look, report
from rollscope.query.insights.findings.model import CannotKnow, Finding, Found, SplitData
from rollscope.query.run import Run

STEPS, SAMPLES = 20, 20


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Run:
    """Twenty steps of twenty short samples; evidence is read from it."""
    root = tmp_path_factory.mktemp("find") / "run"
    for step in range(STEPS):
        records = [relax_record(step, n, response=f"answer {step}/{n}") for n in range(SAMPLES)]
        write_jsonl(root / "train" / f"{step}.jsonl", records)
    return rollscope.open(settle(root))


def data(paid: float = 0.5) -> SplitData:
    """Every fifth sample has this reward, the others 0.5."""
    rewards = [paid if place % 5 == 0 else 0.5 for place in range(STEPS * SAMPLES)]
    return split_data([step for step in range(STEPS) for _ in range(SAMPLES)], reward=rewards)


def found(start: int = 10, every: int = 5, **changes: Any) -> Found:
    """What a detector says: every fifth sample from this step on."""
    mask = np.array([step >= start and n % every == 0 for step in range(STEPS) for n in range(SAMPLES)])
    known = np.ones(STEPS * SAMPLES, dtype=bool)
    usual = Found(kind="odd", title="Odd", where="x", why="it is", mask=mask, known=known)
    return msgspec.structs.replace(usual, **changes)


def told(run: Run, item: Found, rows: SplitData | None = None) -> Finding:
    finding = assess(run, rows or data(), item)
    assert finding is not None
    return finding


def test_a_finding_has_its_rate_over_steps_and_where_it_began(run: Run) -> None:
    item = told(run, found())
    assert (item.samples, item.share, item.baseline, item.first_step) == (10 * 4, 0.1, 0.0, 10)
    assert item.latest == 0.2
    assert item.onset is not None
    assert item.onset[0] <= 10 <= item.onset[1]
    assert dict(item.rate) == {step: 0.2 if step >= 10 else 0.0 for step in range(STEPS)}


def test_evidence_is_of_samples_it_means_in_their_words(run: Run) -> None:
    evidence = told(run, found()).evidence
    assert len(evidence) == find.MAX_EVIDENCE
    for seen in evidence:
        _, step, index = seen.address.split("/")
        assert int(step) >= 10
        assert int(index) % 5 == 0
        assert seen.value.startswith(f"answer {step}/{index}")


@pytest.mark.parametrize(("paid", "severity"), [(1.0, "high"), (0.5, "medium"), (0.0, "medium")])
def test_what_is_paid_is_more_serious(run: Run, paid: float, severity: str) -> None:
    assert told(run, found(), data(paid)).severity == severity


def test_a_detector_may_say_how_serious_it_can_be(run: Run) -> None:
    assert told(run, found(at_most="medium"), data(1.0)).severity == "medium"
    assert told(run, found(severity="low"), data(1.0)).severity == "low"
    assert told(run, found(serious_share=0.9, serious_rise=0.9), data(1.0)).severity == "low"


def test_a_few_samples_are_no_finding(run: Run) -> None:
    few = np.zeros(STEPS * SAMPLES, dtype=bool)
    few[:2] = True
    assert assess(run, data(), found(mask=few)) is None
    assert told(run, found(mask=few, min_samples=2)).samples == 2


def test_what_has_to_rise_is_no_finding_where_it_was_always_there(run: Run) -> None:
    assert assess(run, data(), found(start=0, rise=0.05)) is None
    assert told(run, found(start=0, rise=0.05, always=0.1)).onset is None
    assert told(run, found(start=10, rise=0.05)).onset is not None


def test_only_samples_that_could_be_judged_count(run: Run) -> None:
    known = np.zeros(STEPS * SAMPLES, dtype=bool)
    known[-40:] = True
    item = told(run, found(known=known))
    assert (item.samples, item.share) == (8, 0.2)


def test_a_detector_that_fails_is_named_and_the_others_are_asked(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(data: SplitData) -> Iterator[Found]:
        raise ZeroDivisionError("oh")
        yield

    def cannot(data: SplitData) -> Iterator[Found]:
        raise CannotKnow("nothing is recorded")
        yield

    def finds(data: SplitData) -> Iterator[Found]:
        """Odd answers.

        More of it is nobody's concern."""
        yield found()

    own = Detectors({"fails": fails, "cannot": cannot, "odd": finds}, [])
    monkeypatch.setattr(find, "detectors", lambda: own)
    findings, unknown, looked = look(run, data(), None)
    assert [item.kind for item in findings] == ["odd"]
    reasons = {item.kind: item.reason for item in unknown}
    assert (reasons["fails"], reasons["cannot"]) == (
        "the detector failed: ZeroDivisionError: oh",
        "nothing is recorded",
    )
    assert {"fails", "cannot", "odd", "phrase"} == set(looked)
    assert (looked["odd"], looked["cannot"]) == ("Odd answers", "")
    assert look(run, data(), "odd")[2] == {"odd": "Odd answers"}


def test_every_built_in_detector_is_an_entry_point_and_says_what_it_looks_for(run: Run) -> None:
    assert detectors().broken == []
    assert {"loop", "garbled", "truncated", "zero_variance", "reward_jump"} <= set(detectors().by_name)
    kinds = run.findings_report().looked_for
    assert kinds.keys() == {*detectors().by_name, "phrase"}
    assert all(kinds.values()), kinds


def test_the_most_serious_come_first(run: Run) -> None:
    low, high = told(run, found(severity="low")), told(run, found(), data(1.0))
    made = report("r", 400, [([low], [], {"a": ""}), ([high], [], {"a": "", "b": ""})])
    assert ([item.severity for item in made.findings], made.kinds, made.samples) == (["high", "low"], ["a", "b"], 400)
