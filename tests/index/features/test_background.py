"""Features computed in the background."""

from __future__ import annotations

from pathlib import Path

from tests.runs import settle, write_relax

import rollscope


def test_the_background_computes_all_and_starts_no_second_time(tmp_path: Path) -> None:
    run = rollscope.open(settle(write_relax(tmp_path / "run")))
    run.refresh()
    run.compute_features_soon()
    background = run._background
    assert background is not None
    assert background._thread is not None
    background._thread.join(60)
    assert run.feature_report().samples_done == 24
    thread = background._thread
    run.compute_features_soon()
    assert background._thread is thread
