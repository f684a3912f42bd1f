"""Numbers and categories that tell two selections apart."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.query.insights.contrast.test_contrast import run_of


def test_numbers_and_categories_that_differ_are_told(tmp_path: Path) -> None:
    records: list[dict[str, Any]] = [
        {
            "reward": float(n % 2),
            "response_length": 100 + n % 7 + 50 * (n % 2),
            "status": ("truncated", "completed")[n % 2],
        }
        for n in range(60)
    ]
    answer = run_of(tmp_path / "run", records).contrast("reward > 0.5")
    told = {(row.field, row.value): row for row in answer.fields}
    tokens = told["completion_tokens", None]
    a, b = ([r["response_length"] for r in records if r["reward"] == side] for side in (1.0, 0.0))
    assert [tokens.a, tokens.b] == pytest.approx([np.mean(a), np.mean(b)])
    spread = np.sqrt((np.var(a, ddof=1) + np.var(b, ddof=1)) / 2)
    assert tokens.effect == pytest.approx((np.mean(a) - np.mean(b)) / spread)
    assert (told["status", "truncated"].a, told["status", "truncated"].b) == (0.0, 1.0)
    assert told["status", "truncated"].effect == pytest.approx(-np.pi)
    assert ("step", None) not in told
