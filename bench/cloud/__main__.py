"""Object stores, a shared index and Ray against their bars, with SeaweedFS and Ray on the loopback of this machine.

python -m bench.cloud                      all rows; --only NAME picks some
python -m bench.cloud --megabytes 1000 --objects 50000 --keys 1000000 --rounds 1000 --writers 8 --commits 50
                                           the sizes of the bars
"""

from __future__ import annotations

import argparse
import platform
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

from tests.cloud.servers import seaweedfs

from bench.cloud import cluster, many_keys, reading, sharing
from bench.cloud.place import Place, Sizes
from bench.measure import Row, show

PARTS: dict[str, Callable[[Place], Iterator[Row]]] = {
    "index": reading.indexing,
    "show": reading.showing,
    "idle": reading.idle,
    "replaced": reading.replaced,
    "keys": many_keys.many_keys,
    "writers": sharing.writers,
    "refused": sharing.refused,
    "viewers": sharing.viewers,
    "delayed": sharing.delayed_retry,
    "ray": cluster.ray_speed,
}


def main() -> int:
    parser = argparse.ArgumentParser(
        prog="python -m bench.cloud", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--only", action="append", default=[], choices=list(PARTS))
    for field, default in Sizes().items():
        parser.add_argument(f"--{field}", type=int, default=default)
    options = parser.parse_args()
    sizes = Sizes(**{field: getattr(options, field) for field, _ in Sizes().items()})
    rows: list[Row] = []
    with tempfile.TemporaryDirectory(prefix="rollscope-cloud-") as folder, seaweedfs(Path(folder, "weed")) as server:
        for name, part in PARTS.items():
            if not options.only or name in options.only:
                print(f"measuring {name} …", file=sys.stderr)
                rows += part(Place.new(Path(folder, name), server, sizes))
    print(f"{platform.platform()}, Python {platform.python_version()}; {sizes}")
    print(show(rows))
    return 0 if all(row.ok for row in rows) else 1


if __name__ == "__main__":
    sys.exit(main())
