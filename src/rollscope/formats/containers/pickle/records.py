"""Objects of trainers' and imaging classes in a pickle, as the fields that they were saved with: none of their code runs.

Which classes there may be is a fixed list: those named below, and whatever the packages of the trainers call their own.
Everything else that a pickle names is refused (see `pickle`).
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any


class PickledRecord:
    """An object of one of these classes: its state, as it was saved."""

    __slots__ = ("arguments", "state")
    arguments: tuple[Any, ...]
    state: Any
    #: Its class, as the pickle names it.
    name = ""

    def __new__(cls, *arguments: Any) -> PickledRecord:
        made = super().__new__(cls)
        made.arguments, made.state = arguments, None
        return made

    def __init__(self, *arguments: Any) -> None:
        pass

    def __setstate__(self, state: Any) -> None:
        self.state = state

    def plain(self) -> Any:
        """Its fields; an image as a summary; a member of an enumeration as its value."""
        state = self.state[0] if isinstance(self.state, tuple) and len(self.state) == 2 else self.state
        if isinstance(state, dict):
            return state
        if self.name.startswith("PIL."):
            return f"({self.name}{_image(state)})"
        return self.arguments[0] if len(self.arguments) == 1 else f"({self.name})"


def _image(state: Any) -> str:
    """Pillow's state is [info, mode, size, palette, data]."""
    if isinstance(state, list) and len(state) >= 3 and isinstance(state[2], tuple):
        return f" {state[1]} {'x'.join(str(side) for side in state[2][:2])}"
    return ""


#: slime, and what was made of it. Their samples hold objects of ever more classes: references to tensors on disk, masks.
_TRAINERS = frozenset({"slime", "miles", "relax", "vime"})
_IMAGES = ("Png", "Jpeg", "WebP", "Bmp", "Gif", "Tiff")
_NAMES = {("trinity.common.experience", name) for name in ("Experience", "EID", "CustomField")}
_NAMES |= {("PIL.Image", "Image"), *((f"PIL.{kind}ImagePlugin", f"{kind}ImageFile") for kind in _IMAGES)}


@lru_cache(maxsize=256)
def record_class(module: str, name: str) -> type[PickledRecord] | None:
    """What stands for objects of that class; None where no record is read of it."""
    if (module, name) not in _NAMES and module.partition(".")[0] not in _TRAINERS:
        return None
    return type("Record", (PickledRecord,), {"__slots__": (), "name": f"{module}.{name}"})


def inner_class(owner: Any, name: Any) -> Any:
    """Older pickles name a class inside of a class by `getattr`, and so some do a member of an enumeration."""
    if isinstance(owner, type) and issubclass(owner, PickledRecord) and isinstance(name, str):
        if owner.name.endswith(".Status"):
            return name.lower()
        found = None if name.startswith("_") else record_class(owner.name, name)
        if found is not None:
            return found
    raise ValueError("it asks for a part of something, which is not in the list of what is read")
