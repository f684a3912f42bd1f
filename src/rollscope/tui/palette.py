"""How things look: named looks, made of the terminal's own sixteen colours.

The terminal's own colours fit light and dark backgrounds alike, go through tmux and screen, and are what the person
chose. Whatever a colour says is also said by a sign or an attribute, so that nothing is lost under ``NO_COLOR``.
"""

from __future__ import annotations

import math
from collections.abc import Mapping

from rich.style import Style

from rollscope.model import MAX_INT, Range, as_text

_LOOKS: Mapping[str, str] = {
    "text": "",
    "title": "dim",
    "bar": "dim",
    "note": "dim",
    "error": "bold red",
    "warning": "bold",
    "role": "bold",
    "role.system": "bold magenta",
    "role.user": "bold blue",
    "role.assistant": "bold green",
    "role.tool": "bold cyan",
    "thinking": "dim",
    "tool_call": "cyan",
    "tool_result": "",
    "tools": "dim",
    "answer": "bold",
    "golden": "magenta",
    "media": "reverse",
    "pad": "reverse",
    "marker": "dim",
    "delimiter": "dim",
    "field.name": "cyan",
    "field.value": "",
    "heading": "bold",
    "key": "bold",
    "badge": "reverse",
    "cursor": "reverse",
    "label": "dim",
    "strong": "bold",
    # Tokens by how unusual they are; an outlier has a line below, which is there without colours too.
    "token.1": "blue",
    "token.2": "magenta",
    "token.3": "red",
    "token.4": "bold red underline",
    "token.-1": "dim",
    "token.masked": "strike",
    "diff.delete": "red strike",
    "diff.insert": "green underline",
}

_MATCH = {
    False: {"match": "black on yellow", "match.current": "bold reverse"},
    True: {"match": "underline", "match.current": "bold reverse underline"},
}

#: Red to green in five steps for terminals with many colours, in three for sixteen. Both parts of each pair are
#: given, so that they read on any background.
_SCALE_RICH = ("white on #b2182b", "black on #ef8a62", "black on #f7e08b", "black on #91cf60", "white on #1a7a37")
_SCALE_BASIC = ("white on red", "black on yellow", "black on green")
_HEIGHTS = "▁▂▃▄▅▆▇█"


class Palette:
    """Looks by name for one terminal."""

    def __init__(self, *, no_color: bool = False, many_colors: bool = False) -> None:
        looks = {**_LOOKS, **_MATCH[no_color]}
        self._styles = {name: Style.parse(look) if look else Style.null() for name, look in looks.items()}
        self._scale = [Style.parse(look) for look in (_SCALE_RICH if many_colors else _SCALE_BASIC)]

    def __getitem__(self, look: str) -> Style:
        """The look of this name; ``role.critic`` falls back to ``role``."""
        style = self._styles.get(look)
        if style is None:
            style = self._styles[look.partition(".")[0]] if "." in look else Style.parse(look)
        return style

    def on_scale(self, share: float | None) -> Style:
        """The colour of a value at this share (0 worst, 1 best) of its range."""
        if share is None:
            return self["strong"]
        return self._scale[min(int(share * len(self._scale)), len(self._scale) - 1)]


def share_of(
    value: float | None, low: float | None, high: float | None, *, higher_is_better: bool = True
) -> float | None:
    """Where a value lies in its range, 0 worst and 1 best; None where that means nothing."""
    if value is None or low is None or high is None or not math.isfinite(value) or not low < high:
        return None
    share = min(max((value - low) / (high - low), 0.0), 1.0)
    return share if higher_is_better else 1.0 - share


def share_in(value: float | None, found: Range | None) -> float | None:
    if found is None:
        return None
    return share_of(value, found.min, found.max, higher_is_better=found.higher_is_better)


def height(share: float | None) -> str:
    """The share as a bar of one character: the colour's meaning without the colour."""
    return "" if share is None else _HEIGHTS[min(int(share * len(_HEIGHTS)), len(_HEIGHTS) - 1)]


def number(value: float | None, *, signed: bool = False) -> str:
    """A number as people read it: an integer whole, else at most four significant digits, no trailing zeros, `–` where
    there is none."""
    if value is None:
        return "–"
    if isinstance(value, int):
        text = f"{value:,}" if abs(value) <= MAX_INT else as_text(value)
        return f"+{text}" if signed and value > 0 else text
    if not math.isfinite(value):
        return "NaN" if math.isnan(value) else ("∞" if value > 0 else "-∞")
    text = f"{int(value):,}" if value == int(value) and abs(value) < 1e15 else f"{value:.4g}"
    return f"+{text}" if signed and value > 0 else text
