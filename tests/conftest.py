"""What holds for every test: its own index directory, none of the user's settings, no deadline for generated cases."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import hypothesis
import pytest

# A shared machine may stall any single example; a test that really hangs is ended by pytest-timeout.
hypothesis.settings.register_profile("rollscope", deadline=None, print_blob=True)
hypothesis.settings.load_profile("rollscope")

# A shell that starts the tests in the background has them, and what they start, ignore Ctrl-C.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

#: Variables that steer the tests themselves and so must reach them.
KEPT = frozenset({"ROLLSCOPE_FIXTURES"})


@pytest.fixture(autouse=True)
def index_dir(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty index for every test, in this process and in the commands it starts.

    It lies outside ``tmp_path``, so that a test may open ``tmp_path`` as a root of runs."""
    for name in [name for name in os.environ if name.startswith("ROLLSCOPE_") and name not in KEPT]:
        monkeypatch.delenv(name)
    directory = tmp_path_factory.mktemp("index")
    monkeypatch.setenv("ROLLSCOPE_INDEX_DIR", str(directory))
    return directory
