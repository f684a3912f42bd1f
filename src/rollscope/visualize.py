"""``python -m rollscope.visualize DIR …`` is `rollscope view DIR …`, for people who know the command by that name."""

from __future__ import annotations

import sys

from rollscope.cli.main import main

if __name__ == "__main__":
    main(["view", *sys.argv[1:]])
