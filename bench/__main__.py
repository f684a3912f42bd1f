"""Print the table of docs/performance.md. `--size` in MB, `--only` a part, `--growth` the curves of cost."""

from __future__ import annotations

import argparse
import platform
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

from bench import engine
from bench.commands import one_shot
from bench.features import feature_speed
from bench.file_growth import search_by_files
from bench.http_speed import http_speed
from bench.insights import insight_speed
from bench.measure import Row, show
from bench.page import page_speed
from bench.record import recorder
from bench.sealed_chunk import sealed_chunk


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m bench", description=__doc__)
    parser.add_argument("--size", type=int, default=1000, help="MB of the large dump (10000 for the 10 GB lines)")
    parser.add_argument(
        "--data", type=Path, default=engine.temporary(), help="where generated data is kept between runs"
    )
    parser.add_argument(
        "--only",
        action="append",
        default=[],
        help="a part: index, many, refresh, search, files, commands, start, http, sealed, insights, features, record, page",
    )
    parser.add_argument("--growth", action="store_true", help="also how cost grows: 0.1–3 GB, 1,000–100,000 files")
    options = parser.parse_args()
    parts: dict[str, Callable[[], Iterator[Row]]] = {
        "start": engine.startup,
        "index": lambda: engine.index_speed(options.data, options.size),
        "many": lambda: engine.many_samples(options.data),
        "refresh": lambda: engine.refresh_cost(options.data, options.size),
        "search": lambda: engine.search_speed(options.data, options.size),
        "commands": lambda: one_shot(options.data, options.size),
        "files": lambda: search_by_files(options.data),
        "http": lambda: http_speed(options.data, options.size),
        "sealed": lambda: sealed_chunk(options.data, options.size),
        "insights": lambda: insight_speed(options.data),
        "features": lambda: feature_speed(options.data),
        "record": recorder,
        "page": lambda: page_speed(options.data),
    }
    rows: list[Row] = []
    for name, part in parts.items():
        if options.only and name not in options.only:
            continue
        print(f"measuring {name} …", file=sys.stderr)
        rows += part()
    print(f"{platform.platform()}, Python {platform.python_version()}")
    print(show(rows))
    if not options.only or "index" in options.only:
        print(engine.references(options.data, options.size))
    if options.growth:
        print(engine.growth(options.data, [0.1, 0.3, 1, 3], [1_000, 10_000, 100_000]))
    return 0


if __name__ == "__main__":
    sys.exit(main())
