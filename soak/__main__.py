"""Run the parts and print their figures: `python -m soak [--only PART]… [--long] [--count N]`."""

from __future__ import annotations

import argparse
import importlib
import platform
import sys
import time
import traceback

#: Name -> what it does, in the order in which they run.
PARTS = {
    "kills": "1,000 SIGKILLs of the recorder, 1,000 of the indexer",
    "mutations": "mutated lines over all formats (--long: 1,000,000)",
    "containers": "damaged zip, parquet, SQLite, zstd and pickle files (--long: 60,000)",
    "questions": "questions about odd runs, against a plain reader (--long: 2,000 runs)",
    "states": "random changes of files and index under a running server",
    "disk": "a disk that is full at every page written",
    "clients": "500 clients while the run grows",
    "slow": "clients that read slowly, or stop reading",
    "day": "24 hours of a live run in fast motion",
    "hostile": "100 hostile samples in the browser",
}
#: Those that can be told how much to do.
COUNTED = ("mutations", "containers", "questions", "states")


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m soak", description=__doc__)
    parser.add_argument("--only", action="append", choices=PARTS, default=[], help="a part; may be given several times")
    parser.add_argument("--long", action="store_true", help="the whole numbers, which take hours instead of minutes")
    parser.add_argument(
        "--count",
        type=int,
        help=f"so many instead: lines, files, runs, sequences; of the parts {', '.join(COUNTED)} only",
    )
    options = parser.parse_args()
    if options.count is not None and (options.count < 1 or not options.only or {*options.only} - {*COUNTED}):
        parser.error(f"--count is a number above 0, with --only of {', '.join(COUNTED)}")
    print(f"{platform.platform()}, Python {platform.python_version()}", flush=True)
    failed = []
    for name, about in PARTS.items():
        if options.only and name not in options.only:
            continue
        print(f"\n{name}: {about}", flush=True)
        started = time.monotonic()
        try:
            counted = {"count": options.count} if name in COUNTED else {}
            for what, figure in importlib.import_module(f"soak.{name}").run(options.long, **counted):
                print(f"  {what}: {figure}", flush=True)
        except Exception:  # noqa: BLE001  # a violation of one part keeps no other from running
            traceback.print_exc()
            failed.append(name)
        print(f"  ({time.monotonic() - started:.0f} s)", flush=True)
    print(f"\nviolations in: {', '.join(failed)}" if failed else "\nno violation", flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
