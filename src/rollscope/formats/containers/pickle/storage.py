"""A tensor's numbers inside of a plain pickle: torch puts the bytes of a small file of its older kind there.

That file is five pickles (a magic number, a version, what machine it was, what is stored, its keys), then the count of the
numbers and the numbers themselves. Each of the five is walked before it is run, and may name nothing but a kind of storage.
"""

from __future__ import annotations

import io
import pickle
import pickletools
from typing import Any

from rollscope.formats.containers.pickle.walk import check_opcodes

_MAGIC = 0x1950A86A20F9469CFC6C
_PICKLES = 5
#: What goes before the numbers is some two hundred bytes.
_LONGEST_HEAD = 16 << 10


class _HeadUnpickler(pickle.Unpickler):
    def find_class(self, module: str, name: str) -> Any:
        if module in ("torch", "torch.storage") and name.endswith("Storage"):
            return name
        raise ValueError(f"it names {module}.{name} as a kind of storage")

    def persistent_load(self, pid: Any) -> Any:
        return pid


def stored_numbers(data: Any) -> tuple[str, bytes]:
    """(torch's name of their kind, their bytes). Raises ValueError for anything else than one storage of the machine's
    memory."""
    if not isinstance(data, bytes):
        raise ValueError("a storage that is no bytes")
    found: list[Any] = []
    place = 0
    try:
        for _ in range(_PICKLES):
            head = data[place : place + _LONGEST_HEAD]
            end = next(
                at for code, _, at in pickletools.genops(io.BytesIO(head)) if code.name == "STOP" and at is not None
            )
            check_opcodes(head[: end + 1])
            found.append(_HeadUnpickler(io.BytesIO(head[: end + 1])).load())
            place += end + 1
        magic, _, machine, (word, kind, *_), _ = found
    except Exception as error:
        # The unpickler raises whatever the bytes make it do.
        raise ValueError(f"a storage that cannot be read ({error})") from error
    if magic != _MAGIC or word != "storage" or not isinstance(kind, str):
        raise ValueError("a storage that torch did not write")
    if isinstance(machine, dict) and machine.get("little_endian") is False:
        raise ValueError("a storage of a big-endian machine, which is not read")
    return kind, data[place + 8 :]
