"""Keeps a Ray cluster of two nodes with one core each, until its standard input ends. Run in a process of its own.

The variable says "no cluster of several machines", which makes Ray listen on the loopback and nowhere else.
"""

from __future__ import annotations

import json
import os
import sys

ENVIRONMENT = {
    "RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER": "0",
    "RAY_USAGE_STATS_ENABLED": "0",
    # A node that died is noticed within seconds instead of half a minute.
    "RAY_health_check_initial_delay_ms": "500",
    "RAY_health_check_period_ms": "500",
    "RAY_health_check_timeout_ms": "2000",
    "RAY_health_check_failure_threshold": "3",
}


def main() -> None:
    os.environ.update(ENVIRONMENT)
    from ray.cluster_utils import Cluster

    node = {"num_cpus": 1, "object_store_memory": 80_000_000, "node_ip_address": "127.0.0.1"}
    cluster = Cluster(initialize_head=True, head_node_args={**node, "include_dashboard": False})
    cluster.add_node(**node)
    print(json.dumps({"address": cluster.address}), flush=True)
    sys.stdin.read()
    cluster.shutdown()


if __name__ == "__main__":
    main()
