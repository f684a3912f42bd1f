"""Tests of telescope do not wait before they look at a damaged archive again."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from rollscope.storage import open_files


@pytest.fixture(autouse=True, scope="module")
def _no_pauses() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(open_files, "PAUSE_SECONDS", 0.0)
        yield
