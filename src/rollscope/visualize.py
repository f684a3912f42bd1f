"""``python -m rollscope.visualize DATA_DIR --port 8080``: the same command as ``rollscope view``.

``--data-dir DATA_DIR`` is taken too, as viewers people come from have it."""

from __future__ import annotations

import sys

from rollscope.cli.main import main

if __name__ == "__main__":
    words = [word.removeprefix("--data-dir=") for word in sys.argv[1:] if word != "--data-dir"]
    sys.exit(main(["view", *words]))
