"""The engine of a Ray cluster: tasks run wherever it has a free core.

It joins the cluster of `RAY_ADDRESS` and never starts one: `ray start` listens on every network interface without asking
who calls. Files must lie where the workers see them under the same path, and Rollscope must be installed there.
"""

from __future__ import annotations

import os
from concurrent.futures import Future
from importlib.util import find_spec
from typing import Any

from rollscope.errors import MissingExtraError, UsageError
from rollscope.index.engines.base import Task, TaskFailed, WorkerDied


class RayEngine:
    def __init__(self) -> None:
        if find_spec("ray") is None:
            raise MissingExtraError(
                "the engine 'ray' needs Ray, which is not installed", hint="pip install 'rollscope[ray]'"
            )
        address = os.environ.get("RAY_ADDRESS")
        if not address:
            raise UsageError(
                "the engine 'ray' joins a cluster, and RAY_ADDRESS names none",
                hint="set RAY_ADDRESS to the address that `ray start` printed",
            )
        import ray

        self._ray = ray
        try:
            ray.init(address=address, log_to_driver=False, ignore_reinit_error=True)
        except (ConnectionError, RuntimeError, ValueError) as error:
            reason = str(error).strip().partition("\n")[0]
            raise UsageError(f"the Ray cluster at {address} cannot be joined: {reason}") from None
        # SPREAD: by default Ray puts most tasks on one node, which took 1.4 times as long on two.
        self._run = ray.remote(num_cpus=1, max_retries=3, scheduling_strategy="SPREAD")(_run)

    @property
    def count(self) -> int:
        return max(1, int(self._ray.cluster_resources().get("CPU", 1)))

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


def _run(function: str, payload: bytes) -> bytes:
    return Task(function, payload).run()
