"""Any training config as JSON: dicts, dataclasses, attrs, pydantic, msgspec, chz, argparse, OmegaConf-like mappings.

Enums are written by value, paths as text, callables and classes by qualified name. Values under keys that name a secret
are masked unless the caller says otherwise.
"""

from __future__ import annotations

import datetime as dt
import enum
import math
import os
import re
from collections.abc import Iterator, Mapping, Set
from typing import Any

from rollscope.model import nonfinite_name
from rollscope.record.samples.values import ABSENT, Complain, as_scalar, object_text

MASK = "*** masked ***"
_SECRET = re.compile(r"secret|passw(?:or)?d|api[_-]?key|private[_-]?key|access[_-]?key|credential", re.IGNORECASE)
#: A token is a secret, the tokenizer's are not.
_TOKEN = re.compile(r"tokens?(?:$|[_\-./ ])", re.IGNORECASE)
_MODEL_TOKEN = re.compile(
    r"(?:max|min|num|per|total|pad|eos|bos|unk|stop|mask|sep|cls|image|special|added|prompt|response|completion|new|think)"
    r"[_-]?tokens?",
    re.IGNORECASE,
)
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
MAX_DEPTH = 64


def is_secret(key: str, value: Any) -> bool:
    """Whether the value under this key must not be written. Numbers never are secrets; of tokens only text is."""
    if value is None or isinstance(value, (bool, int, float)):
        return False
    text = isinstance(value, (str, bytes))
    if text and not value:
        return False
    spelled = _CAMEL.sub("_", key)
    return bool(_SECRET.search(key)) or (text and bool(_TOKEN.search(_MODEL_TOKEN.sub("", spelled))))


def config_dict(config: Any, *, mask_secrets: bool, complain: Complain) -> dict[str, Any]:
    """The config's JSON form; ``{}`` for None, ``{"config": …}`` for something that has no names."""
    if config is None:
        return {}
    converted = _Converter(mask_secrets, complain).convert(config, "", 0)
    return converted if isinstance(converted, dict) else {"config": converted}


class _Converter:
    def __init__(self, mask_secrets: bool, complain: Complain) -> None:
        self._mask = mask_secrets
        self._complain = complain
        self._open: set[int] = set()

    def convert(self, value: Any, path: str, depth: int) -> Any:
        if isinstance(value, enum.Enum):
            return self.convert(value.value, path, depth)
        if isinstance(value, int) and not isinstance(value, bool):
            return int(value)  # config.json is written by the standard library, which keeps integers of any size
        scalar = ABSENT if isinstance(value, type) else as_scalar(value)
        if scalar is not ABSENT:
            return nonfinite_name(scalar) if isinstance(scalar, float) and not math.isfinite(scalar) else scalar
        if id(value) in self._open or depth > MAX_DEPTH:
            self._complain(f"config {path or 'value'} contains itself or is over {MAX_DEPTH} deep; it is cut there")
            return f"<{type(value).__qualname__} …>"
        self._open.add(id(value))
        try:
            return self._compound(value, path, depth)
        finally:
            self._open.discard(id(value))

    def _compound(self, value: Any, path: str, depth: int) -> Any:
        if isinstance(value, os.PathLike):
            return os.fspath(value)
        if isinstance(value, (dt.date, dt.time)):
            return value.isoformat()
        if isinstance(value, bytes):
            return value.decode("utf-8", "backslashreplace")
        if isinstance(value, (list, tuple)):
            return [self.convert(item, f"{path}[{place}]", depth + 1) for place, item in enumerate(value)]
        if isinstance(value, Set):
            return [self.convert(item, path, depth + 1) for item in sorted(value, key=repr)]
        items = named_values(value)
        if items is not None:
            return {name: self._named(name, item, f"{path}.{name}" if path else name, depth) for name, item in items}
        if callable(value):
            return callable_name(value)
        if callable(tolist := getattr(value, "tolist", None)):
            return self.convert(tolist(), path, depth + 1)
        return object_text(value)

    def _named(self, name: str, item: Any, path: str, depth: int) -> Any:
        if self._mask and is_secret(name, item):
            return MASK
        try:
            return self.convert(item, path, depth + 1)
        except Exception as error:  # noqa: BLE001  # a property or lazy field may raise anything
            self._complain(f"config {path} could not be read ({type(error).__name__}: {error}); it is left out")
            return None


def named_values(value: Any) -> Iterator[tuple[str, Any]] | None:
    """The named parts of a mapping or of any of the usual kinds of config object, else None."""
    if isinstance(value, Mapping) or (hasattr(value, "keys") and hasattr(value, "__getitem__")):
        return ((str(key), value[key]) for key in list(value.keys()))
    if isinstance(value, type):
        return None
    for marker in ("__dataclass_fields__", "__struct_fields__", "__attrs_attrs__", "__chz_fields__"):
        fields = getattr(type(value), marker, None)
        if fields is not None:
            names = [field if isinstance(field, str) else field.name for field in fields]
            return ((name, getattr(value, name)) for name in names if hasattr(value, name))
    fields = getattr(type(value), "model_fields", None)  # pydantic 2
    if isinstance(fields, Mapping):
        return ((name, getattr(value, name)) for name in fields)
    for method in ("to_dict", "as_dict", "asdict"):
        if callable(convert := getattr(value, method, None)):
            converted = convert()
            if isinstance(converted, Mapping):
                return iter([(str(key), item) for key, item in converted.items()])
    if not callable(value) and type(value).__module__ != "builtins" and getattr(value, "__dict__", None):
        return ((name, item) for name, item in vars(value).items() if not name.startswith("_"))
    return None


def callable_name(value: Any) -> str:
    """``package.module.function``; a partial or a callable object by what it wraps."""
    wrapped = getattr(value, "func", None)
    if wrapped is not None and callable(wrapped):
        arguments = [object_text(item) for item in getattr(value, "args", ())]
        arguments += [f"{name}={object_text(item)}" for name, item in (getattr(value, "keywords", None) or {}).items()]
        return f"{callable_name(wrapped)}({', '.join(arguments)}, …)"
    name = getattr(value, "__qualname__", None)
    owner = value if name else type(value)
    return f"{getattr(owner, '__module__', '?')}.{name or owner.__qualname__}"
