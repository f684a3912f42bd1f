"""What the integrations share: one run per directory and process, and hooks that cannot hurt the trainer."""

from __future__ import annotations

import contextlib
import importlib.abc
import importlib.machinery
import logging
import math
import os
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from types import ModuleType
from typing import Any

from rollscope.record.iteration import Iteration
from rollscope.record.output.problems import RecordError
from rollscope.record.run import Run, start

#: Where to record, for hooks that are named in a trainer's settings and take no arguments.
RUN_VARIABLE = "ROLLSCOPE_RUN"
#: Set to 1 by who wants token ids, log-probabilities and masks in the record; they make it several times larger.
TOKENS_VARIABLE = "ROLLSCOPE_TOKENS"

#: What a hook may be given to record into: a folder or a run; nothing leaves it to the environment.
Target = str | os.PathLike[str] | Run | None

_runs: dict[str, Run] = {}


def shared_run(target: Target = None, *, default: str = "rollscope-run") -> Run:
    """The run to record into: the one given, that of ``ROLLSCOPE_RUN``, or ``default``. Started once per process."""
    if isinstance(target, Run):
        return target
    path = os.path.abspath(os.fspath(target) if target is not None else os.environ.get(RUN_VARIABLE) or default)
    run = _runs.get(path)
    if run is None or run.closed:
        run = _runs[path] = start(path)
    return run


def wants_tokens() -> bool:
    return os.environ.get(TOKENS_VARIABLE, "") not in ("", "0")


@contextlib.contextmanager
def harmless(run: Callable[[], Run], what: str) -> Iterator[None]:
    """Whatever goes wrong inside is counted and warned of; the trainer goes on. A strict run raises."""
    try:
        yield
    except RecordError:
        raise
    except Exception as error:  # noqa: BLE001  # a trainer's objects change between its versions
        message = f"{what} could not be recorded: {type(error).__name__}: {error}."
        try:
            run().report_problem(message)
        except OSError:
            logging.getLogger("rollscope.record").warning(message)


def numbers_of(values: Any) -> dict[str, float]:
    """The entries of a mapping that are numbers."""
    if not isinstance(values, Mapping):
        return {}
    return {
        str(name): float(value)
        for name, value in values.items()
        if isinstance(value, (bool, int, float)) or (hasattr(value, "dtype") and getattr(value, "size", 1) == 1)
    }


def constant(values: Sequence[float]) -> float | None:
    """The value that all of them have. None if they differ: a mean would be a number that is in no record."""
    if not values or any(not math.isclose(value, values[0], rel_tol=1e-5, abs_tol=1e-8) for value in values):
        return None
    return float(values[0])


def log_numbers(iteration: Iteration, values: Any) -> None:
    if found := numbers_of(values):
        iteration.log_metrics(found)


def turns_by_mask(ids: Sequence[int], mask: Sequence[int], decode: Callable[..., str]) -> list[dict[str, str]]:
    """A response as messages, by its loss mask: what the model wrote (1), and what its environment answered (0).
    Stretches without text of their own, such as the template's marks between turns, stay where they are."""
    messages: list[dict[str, str]] = []
    start = 0
    for end in range(1, len(ids) + 1):
        if end < len(ids) and bool(mask[end]) == bool(mask[start]):
            continue
        piece = list(ids[start:end])
        role = "assistant" if mask[start] else "user"
        text = decode(piece, skip_special_tokens=False)
        if messages and (messages[-1]["role"] == role or not decode(piece, skip_special_tokens=True).strip()):
            messages[-1]["content"] += text
        else:
            messages.append({"role": role, "content": text})
        start = end
    return messages


def when_imported(name: str, patch: Callable[[Any], None]) -> None:
    """Call ``patch`` with module ``name`` as soon as it is imported; at once where it already is. Importing a trainer
    only to patch it would take seconds in each of its worker processes."""
    if (module := sys.modules.get(name)) is not None:
        patch(module)
    else:
        sys.meta_path.insert(0, _Watcher(name, patch))


class _Watcher(importlib.abc.MetaPathFinder):
    def __init__(self, name: str, patch: Callable[[Any], None]) -> None:
        self._name = name
        self._patch = patch

    def find_spec(
        self, name: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        if name != self._name:
            return None
        sys.meta_path.remove(self)
        for finder in sys.meta_path:
            spec = finder.find_spec(name, path, target)
            if spec is not None:
                if spec.loader is not None:
                    spec.loader = _PatchingLoader(spec.loader, self._patch)
                return spec
        return None


class _PatchingLoader(importlib.abc.Loader):
    def __init__(self, loader: Any, patch: Callable[[Any], None]) -> None:
        self._loader = loader
        self._patch = patch

    def create_module(self, spec: importlib.machinery.ModuleSpec) -> ModuleType | None:
        module: ModuleType | None = self._loader.create_module(spec)
        return module

    def exec_module(self, module: ModuleType) -> None:
        self._loader.exec_module(module)
        with contextlib.suppress(AttributeError):  # another version of the trainer, without what is patched
            self._patch(module)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._loader, name)
