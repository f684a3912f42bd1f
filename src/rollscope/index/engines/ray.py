"""The engine of a Ray cluster: tasks run wherever it has a free core.

It joins the cluster of `RAY_ADDRESS` and never starts one: `ray start` listens on every network interface without asking
who calls. Every node must have the same Rollscope and see the run's files: one task a node says so before the first is read.
What tasks make comes back to this process, which alone writes the index.
"""

from __future__ import annotations

import os
import threading
import time
from concurrent.futures import Future
from importlib.util import find_spec
from typing import Any

from rollscope.errors import MissingExtraError, UsageError
from rollscope.index.engines.base import Task, TaskFailed, WorkerDied

#: The number of the cluster's cores is asked for this often.
COUNT_SECONDS = 5.0
READY_SECONDS = 120.0


class RayEngine:
    #: Its workers may be on other machines: they return what they make instead of writing it to a folder.
    remote = True

    def __init__(self) -> None:
        if find_spec("ray") is None:
            raise MissingExtraError(
                "the engine 'ray' needs Ray, which is not installed", hint="pip install 'rollscope[ray]'"
            )
        address = os.environ.get("RAY_ADDRESS")
        if not address or address == "local":
            raise UsageError(
                "the engine 'ray' joins a cluster, and RAY_ADDRESS names none",
                hint="set RAY_ADDRESS to the address that `ray start` printed",
            )
        import ray

        self._ray = ray
        try:
            ray.init(address=address, log_to_driver=False, ignore_reinit_error=True, logging_level="ERROR")
        except (ConnectionError, RuntimeError, ValueError) as error:
            reason = str(error).strip().partition("\n")[0]
            raise UsageError(f"the Ray cluster at {address} cannot be joined: {reason}") from None
        self._lock = threading.Lock()
        self._counted = (0.0, 1)
        self._ready: set[tuple[str, str, bytes]] = set()
        # SPREAD: by default Ray puts most tasks on one node, which took 1.4 times as long on two.
        self._run = ray.remote(num_cpus=1, max_retries=3, scheduling_strategy="SPREAD")(_run)

    @property
    def count(self) -> int:
        asked, count = self._counted
        if time.monotonic() - asked > COUNT_SECONDS:
            count = max(1, int(self._ray.cluster_resources().get("CPU", 1)))
            self._counted = (time.monotonic(), count)
        return count

    def check(self, task: Task) -> None:
        """Run a task on every node. Raises UsageError with what the first of them says, unless it says nothing."""
        from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

        with self._lock:
            asked = {}
            for node in self._ray.nodes():
                key = (node["NodeID"], task.function, task.payload)
                if node["Alive"] and node["Resources"].get("CPU") and key not in self._ready:
                    strategy = NodeAffinitySchedulingStrategy(node["NodeID"], soft=False)
                    run = self._run.options(scheduling_strategy=strategy)
                    asked[key] = (node["NodeManagerAddress"], run.remote(task.function, task.payload))
            for key, (address, reference) in asked.items():
                try:
                    problem = self._ray.get(reference, timeout=READY_SECONDS).decode()
                except (self._ray.exceptions.RayError, ImportError, AttributeError) as error:
                    problem = _reason(error)
                if problem:
                    raise UsageError(
                        f"the Ray node {address} is not ready: {problem}",
                        hint="install the same Rollscope and plug-ins on every node, and put the run where all see it",
                    )
                self._ready.add(key)

    def submit(self, task: Task) -> Future[bytes]:
        future: Future[bytes] = Future()
        reference = self._run.remote(task.function, task.payload)

        def finished(done: Future[Any]) -> None:
            if not future.set_running_or_notify_cancel():
                return
            error = done.exception()
            if error is None:
                future.set_result(done.result())
            elif isinstance(error, self._ray.exceptions.RayTaskError):
                future.set_exception(TaskFailed(str(error.cause)))
            else:
                future.set_exception(WorkerDied(str(error)))

        reference.future().add_done_callback(finished)
        return future

    def start(self, *modules: str) -> None:
        """The cluster's workers are its own business."""

    def close(self) -> None:
        self._ray.shutdown()


def _reason(error: BaseException) -> str:
    cause = getattr(error, "cause", None) or error
    return f"{type(cause).__name__}: {str(cause).strip().splitlines()[-1] if str(cause).strip() else ''}"


def _run(function: str, payload: bytes) -> bytes:
    from rollscope.storage.local import allow_mapping

    # A worker that a mapped file kills is replaced, and its task repeated; at last in the driver, which maps nothing.
    allow_mapping()
    return Task(function, payload).run()
