"""How rewards and metrics range, per environment: declared once, written to ``config.json``, colours the viewer."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rollscope.model import Range

#: The environment name that stands for all.
ANY_ENV = "*"

#: ``(min, max)``, a :class:`Range`, or a mapping with ``min``, ``max``, ``higher_is_better``.
RangeLike = Range | tuple[float | None, float | None] | Mapping[str, Any]


def range_dict(value: RangeLike) -> dict[str, Any]:
    if isinstance(value, Mapping):
        value = Range(
            min=value.get("min"), max=value.get("max"), higher_is_better=bool(value.get("higher_is_better", True))
        )
    elif not isinstance(value, Range):
        low, high = value
        value = Range(min=low, max=high)
    out: dict[str, Any] = {}
    if value.min is not None:
        out["min"] = float(value.min)
    if value.max is not None:
        out["max"] = float(value.max)
    return {**out, "higher_is_better": value.higher_is_better}


class DeclaredRanges:
    """What was declared so far, in the shape of ``config.json``."""

    def __init__(self) -> None:
        self.declared: dict[str, dict[str, Any]] = {}

    def adopt(self, declared: Any) -> None:
        """Take over what an earlier attempt of the run declared."""
        if isinstance(declared, dict):
            self.declared |= {env: dict(entry) for env, entry in declared.items() if isinstance(entry, dict)}

    def declare(self, env: str, *, reward: RangeLike | None, metrics: Mapping[str, RangeLike] | None) -> None:
        entry = self.declared.setdefault(env, {})
        if reward is not None:
            entry["reward"] = range_dict(reward)
        if metrics:
            entry.setdefault("metrics", {}).update({name: range_dict(value) for name, value in metrics.items()})

    def reward_bounds(self, env: str | None) -> tuple[float, float] | None:
        """Both ends of the reward's range, when both are declared."""
        for name in (env, ANY_ENV):
            found = self.declared.get(name or "", {}).get("reward", {})
            if "min" in found and "max" in found and found["max"] > found["min"]:
                return found["min"], found["max"]
        return None
