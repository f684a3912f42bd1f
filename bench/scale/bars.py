"""A line a quantity, a column a size, how the last two compare, and the bar that this has to stay under."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

Measured = dict[str, float]


class Bar(Struct):
    name: str
    #: Of the last size to the one before it.
    ratio: float | None = None
    #: Of the last size.
    most: float | None = None
    #: Of another quantity of the last size.
    of: str = ""
    share: float | None = None

    def holds(self, last: Measured, before: Measured | None) -> bool:
        value = last[self.name]
        if self.most is not None and value > self.most:
            return False
        if self.share is not None and value > self.share * last[self.of]:
            return False
        return self.ratio is None or before is None or value <= self.ratio * before[self.name]

    def __str__(self) -> str:
        words = [f"≤ {self.ratio:g} ×"] if self.ratio is not None else []
        words += [f"≤ {self.most:g}"] if self.most is not None else []
        words += [f"≤ {100 * self.share:g} % of {self.of}"] if self.share is not None else []
        return ", ".join(words)


def table(measured: Sequence[tuple[str, Measured]], bars: Sequence[Bar]) -> str:
    by_name = {bar.name: bar for bar in bars}
    lines = [("", *(name for name, _ in measured), "last : before", "bar", "")]
    before = measured[-2][1] if len(measured) > 1 else None
    last = measured[-1][1]
    for name in last:
        ratio = f"{last[name] / max(before[name], 1e-9):.2f} ×" if before is not None else ""
        bar = by_name.get(name)
        verdict = "" if bar is None else "ok" if bar.holds(last, before) else "OVER"
        if bar is not None and bar.ratio is not None and before is None:
            verdict = "one size: not compared"
        lines.append((name, *(f"{each[name]:.4g}" for _, each in measured), ratio, str(bar or ""), verdict))
    widths = [max(len(line[i]) for line in lines) for i in range(len(lines[0]))]
    return "\n".join("  ".join(cell.ljust(width) for cell, width in zip(line, widths)).rstrip() for line in lines)
