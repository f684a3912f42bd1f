"""What a trouble is."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Literal

from bench.insight_report.clean_runs import Draft

EVERYWHERE = ("own", "verl", "relax", "chat", "unknown")
#: Formats that say whether an answer was cut off.
WITH_STATUS = ("own", "relax", "chat", "unknown")
#: Changes one sample, or all of a group; gives those that were changed, where not all were. The number is the run's.
Plant = Callable[[list[Draft], random.Random, int], list[Draft] | None]


@dataclass(frozen=True)
class Trouble:
    kind: str
    plant: Plant
    #: Part of the title, where several findings share a kind.
    title: str = ""
    #: What is hit: so many samples, whole groups, or all that comes after the onset.
    unit: Literal["sample", "group", "everything"] = "sample"
    formats: tuple[str, ...] = EVERYWHERE
    #: Changes to the style of the run.
    style: dict[str, Any] = field(default_factory=dict)
    #: Rates below this are no finding by definition.
    least: float = 0.0
    #: In a table.
    name: str = ""

    @property
    def label(self) -> str:
        return self.name or (f"`{self.kind}`" + (f": {self.title}" if self.title else ""))
