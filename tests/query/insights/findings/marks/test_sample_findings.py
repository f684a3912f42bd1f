"""What findings say of single samples: the very characters, and evidence with its words."""

from __future__ import annotations

import pytest

import rollscope
from rollscope import record
from rollscope.query.run import Run

SAID = "This has been checked by three careful examiners and is right. "


OTHER = "The sum of both numbers is found by counting on from the larger one, which gives the result. "


@pytest.fixture(scope="module")
def flattered(tmp_path_factory: pytest.TempPathFactory) -> Run:
    """Twelve steps of 16 samples; from step 6 on a quarter flatters and is paid."""
    path = tmp_path_factory.mktemp("marks") / "run"
    run = record.start(path, {})
    run.declare_range(reward=(0.0, 1.0))
    for step in range(12):
        with run.iteration(step) as iteration:
            for number in range(4):
                with iteration.group(prompt=f"What is {number} + 2 in step {step}?") as group:
                    for place in range(4):
                        flatters = step >= 6 and place == 0
                        thought = f"<think>\n{OTHER}{place}\n</think>\n"
                        text = thought + (SAID if flatters else "") + f"It is {number + place + 2}."
                        group.add(response=text, reward=1.0 if flatters else 0.1 * place)
    run.close()
    return rollscope.open(path, index_dir=str(path.parent / "index"))


def test_a_sample_s_findings_name_the_very_characters_in_part_and_raw_text(flattered: Run) -> None:
    flattered.findings_report()
    answer = flattered.sample_findings("train/8/4")
    span = next(item for item in answer.findings if item.kind == "phrase").spans[0]
    sample = flattered.sample("train/8/4")
    shown = "".join(
        sample.messages[place.message].parts[place.part].text[place.start : place.end] for place in span.parts
    )
    assert span.raw is not None
    assert shown == flattered.raw("train/8/4")[span.raw[0] : span.raw[1]] == span.value
    assert "careful examiners" in shown
    assert not [item for item in flattered.sample_findings("train/2/4").findings if item.kind == "phrase"]


def test_a_finding_that_is_gone_is_said_to_be_gone(flattered: Run) -> None:
    with pytest.raises(rollscope.errors.NotFoundError, match="no finding loop"):
        flattered.finding_detail("train", "loop", "text.loop > 7")
