"""``python -m rollscope.visualize DATA_DIR --port 8080``: the same command as ``rollscope view``."""

from __future__ import annotations

import sys

from rollscope.cli.main import main

if __name__ == "__main__":
    sys.exit(main(["view", *sys.argv[1:]]))
