"""Pickles and torch's `.pt` files, read without torch and without running anything that they name.

A pickle is a program. Before it is run here it is walked once: opcodes that no trainer's dump needs, lengths that go
past the end and memo places that would reserve gigabytes are refused. Then an unpickler runs it that knows a fixed list
of names, all of them functions of this module: numbers, texts, lists and dicts are what they are, tensors and arrays
become `Tensor`, whose numbers are read when they are asked for.
"""

from __future__ import annotations

import io
import pickle
import re
from collections import OrderedDict
from collections.abc import Callable
from math import prod
from typing import Any

import numpy as np

from rollscope.formats.containers.pickle.records import PickledRecord, inner_class, record_class
from rollscope.formats.containers.pickle.storage import stored_numbers
from rollscope.formats.containers.pickle.walk import check_opcodes
from rollscope.formats.containers.zip import Zip

#: Unpickled numbers take several times their bytes: a longer pickle is refused.
MAX_PICKLE_BYTES = 512 << 20
#: Numbers of one tensor: a stride of 0 can make any number of them out of one.
MAX_TENSOR_ITEMS = 1 << 26
#: Values of one record: a list that holds itself many times over is small in the file and endless to walk.
MAX_VALUES = 20_000_000
MAX_DEPTH = 100

#: torch's names of kinds of numbers, as numpy's.
_DTYPES = {
    "DoubleStorage": "f8",
    "FloatStorage": "f4",
    "HalfStorage": "f2",
    "BFloat16Storage": "bf16",
    "LongStorage": "i8",
    "IntStorage": "i4",
    "ShortStorage": "i2",
    "CharStorage": "i1",
    "ByteStorage": "u1",
    "BoolStorage": "?",
}
#: torch's names of its kinds of numbers, which a pickle may name by themselves.
_KINDS = frozenset(
    {*("float64", "float32", "float16", "bfloat16"), *("int64", "int32", "int16", "int8", "uint8", "bool")}
)
_NUMPY_DTYPE = re.compile(r"[<>|=]?(b1|[iu][1248]|f[248])")
_DATA = re.compile(r"(.*/)?data\.pkl")


class _Fixed:
    """A pickle may set attributes of what it has made; of these it may not."""

    __slots__ = ()

    def __setstate__(self, state: Any) -> None:
        raise ValueError("it is no plain data (it changes what it was given)")


class Tensor(_Fixed):
    """Numbers that lie in another member of the archive."""

    __slots__ = ("_dtype", "_offset", "_read", "_strides", "shape")

    def __init__(self, read: Callable[[int, int], bytes], dtype: str, offset: int, shape: tuple[int, ...],
                 strides: tuple[int, ...]) -> None:  # fmt: skip
        if (
            prod(shape) > MAX_TENSOR_ITEMS
            or len(shape) != len(strides)
            or min((*shape, *strides, offset), default=0) < 0
        ):
            raise ValueError(f"a tensor of shape {shape} is not read: at most {MAX_TENSOR_ITEMS:,} numbers are")
        self._read, self._dtype, self._offset = read, dtype, offset
        self.shape, self._strides = shape, strides

    def tolist(self) -> Any:
        return self.numpy().tolist()

    def numpy(self) -> np.ndarray[Any, Any]:
        if not prod(self.shape):
            return np.zeros(self.shape, dtype=np.float32)
        width = 2 if self._dtype == "bf16" else np.dtype(self._dtype).itemsize
        count = 1 + sum((size - 1) * stride for size, stride in zip(self.shape, self._strides))
        if count > MAX_TENSOR_ITEMS:
            raise ValueError(f"a tensor that spans {count:,} numbers is not read: at most {MAX_TENSOR_ITEMS:,} are")
        data = self._read(self._offset * width, count * width)
        if len(data) != count * width:
            raise ValueError("a tensor names more numbers than its storage has")
        if self._dtype == "bf16":
            flat = (np.frombuffer(data, "<u2").astype("<u4") << 16).view("<f4")
        else:
            flat = np.frombuffer(data, np.dtype(self._dtype).newbyteorder("<"))
        strides = tuple(stride * flat.itemsize for stride in self._strides)
        return np.lib.stride_tricks.as_strided(flat, self.shape, strides, writeable=False)


class _Storage(_Fixed):
    __slots__ = ("dtype", "read")

    def __init__(self, dtype: str) -> None:
        self.dtype = dtype
        self.read: Callable[[int, int], bytes] = lambda *_: b""


class _Dtype:
    """Stands for `numpy.dtype` while it is put together."""

    def __init__(self, name: Any = "", *_: Any) -> None:
        self.name = str(name)

    def __setstate__(self, state: Any) -> None:
        order = state[1] if isinstance(state, tuple) and len(state) > 1 else "<"
        self.name = ("" if order == "|" else str(order)) + self.name.lstrip("<>|=")

    def numpy(self) -> np.dtype[Any]:
        if not _NUMPY_DTYPE.fullmatch(self.name):
            raise ValueError(f"an array of {self.name!r} is not read: only plain numbers are")
        return np.dtype(self.name)


class _Array:
    """Stands for `numpy.ndarray` while it is put together."""

    def __init__(self) -> None:
        self.values: Any = []

    def __setstate__(self, state: Any) -> None:
        _, shape, dtype, fortran, data = state
        if not isinstance(dtype, _Dtype) or not isinstance(data, bytes):
            raise ValueError("an array of Python objects is not read")
        self.values = np.frombuffer(data, dtype.numpy()).reshape(shape, order="F" if fortran else "C").tolist()


def _rebuild_tensor(storage: Any, offset: Any, size: Any, stride: Any, *_: Any) -> Tensor:
    if not isinstance(storage, _Storage):
        raise ValueError("a tensor without storage")
    return Tensor(storage.read, storage.dtype, int(offset), tuple(map(int, size)), tuple(map(int, stride)))


def _storage(data: Any) -> _Storage:
    kind, numbers = stored_numbers(data)
    if kind not in _DTYPES:
        raise ValueError(f"a tensor of {kind} is not read")
    storage = _Storage(_DTYPES[kind])
    storage.read = lambda offset, length: numbers[offset : offset + length]
    return storage


def _scalar(dtype: Any, data: Any) -> Any:
    if not isinstance(dtype, _Dtype) or not isinstance(data, bytes):
        raise ValueError("a scalar of Python objects is not read")
    return np.frombuffer(data, dtype.numpy())[0].item()


class _Admitted(_Fixed):
    """A function of ours under the name of somebody else's."""

    __slots__ = ("_make",)

    def __init__(self, make: Callable[..., Any]) -> None:
        self._make = make

    def __call__(self, *arguments: Any) -> Any:
        return self._make(*arguments)


_ADMITTED: dict[tuple[str, str], Callable[..., Any]] = {
    ("collections", "OrderedDict"): OrderedDict,
    ("torch._utils", "_rebuild_tensor_v2"): _rebuild_tensor,
    ("torch._utils", "_rebuild_tensor"): _rebuild_tensor,
    ("torch._utils", "_rebuild_parameter"): lambda data, *_: data,
    ("torch.storage", "_load_from_bytes"): _storage,
    ("torch", "Size"): tuple,
    ("torch", "device"): lambda *names: str(names[0]) if names else "",
    ("numpy", "ndarray"): _Array,
    ("numpy", "dtype"): _Dtype,
    ("_codecs", "encode"): lambda text, encoding="latin1": text.encode("latin1") if encoding == "latin1" else b"",
    ("builtins", "set"): list,
    ("builtins", "frozenset"): list,
    ("__builtin__", "set"): list,
    ("datetime", "timedelta"): lambda *parts: list(parts),
    ("builtins", "getattr"): inner_class,
    ("__builtin__", "getattr"): inner_class,
}
_ADMITTED |= {(f"numpy.{core}.multiarray", "_reconstruct"): lambda *_: _Array() for core in ("core", "_core")}
_ADMITTED |= {(f"numpy.{core}.multiarray", "scalar"): _scalar for core in ("core", "_core")}


class _Unpickler(pickle.Unpickler):
    def __init__(self, data: bytes, archive: Zip | None, prefix: str) -> None:
        super().__init__(io.BytesIO(data))
        self._archive, self._prefix = archive, prefix

    def find_class(self, module: str, name: str) -> Any:
        found = _ADMITTED.get((module, name))
        if found is not None:
            return _Admitted(found)
        if (record := record_class(module, name)) is not None:
            return record
        if module in ("torch", "torch.storage") and name in _DTYPES:
            return _Admitted(lambda *_: _Storage(_DTYPES[name]))
        if module == "torch" and name in _KINDS:
            return f"torch.{name}"
        raise ValueError(f"it names {module}.{name}, which is not in the list of what is read")

    def persistent_load(self, pid: Any) -> Any:
        archive = self._archive
        if (
            archive is None
            or not isinstance(pid, tuple)
            or len(pid) < 3
            or pid[0] != "storage"
            or not isinstance(pid[1], _Admitted)
        ):
            raise ValueError("it refers to something outside of it")
        member = f"{self._prefix}data/{pid[2]}"
        if member not in archive:
            raise ValueError(f"it refers to {member}, which the archive has not")
        storage = pid[1]()
        if not isinstance(storage, _Storage):
            raise ValueError("it refers to something that is no storage")
        storage.read = lambda offset, length: archive.read_stored(member, offset, length)
        return storage


def loads(data: bytes, archive: Zip | None = None, prefix: str = "") -> Any:
    """What the pickle holds. Raises ValueError, in one line, for anything that is not plain data."""
    if len(data) > MAX_PICKLE_BYTES:
        raise ValueError(f"it is a pickle of {len(data):,} bytes; more than {MAX_PICKLE_BYTES:,} are not read")
    check_opcodes(data)
    try:
        return _Unpickler(data, archive, prefix).load()
    except ValueError:
        raise
    except Exception as error:
        # The unpickler raises whatever the bytes make it do.
        raise ValueError(f"it is a damaged pickle ({type(error).__name__}: {error})") from error


def load_torch(archive: Zip) -> Any:
    """What `torch.save` wrote into this zip."""
    names = [name for name in archive.names if _DATA.fullmatch(name)]
    if len(names) != 1:
        raise ValueError("it is a zip, but none that torch wrote: it has no data.pkl")
    prefix = names[0].removesuffix("data.pkl")
    order = f"{prefix}byteorder"
    if order in archive and archive.read(order, 16).strip() == b"big":
        raise ValueError("it was written on a big-endian machine, which is not read")
    return loads(archive.read(names[0], MAX_PICKLE_BYTES), archive, prefix)


def plain(value: Any) -> Any:
    """The value as JSON-like data: tuples and sets as lists, tensors and arrays as lists of numbers, bytes as a summary."""
    budget = [MAX_VALUES]
    return _plain(value, budget, 0)


def _plain(value: Any, budget: list[int], depth: int) -> Any:
    budget[0] -= 1
    if budget[0] < 0 or depth > MAX_DEPTH:
        raise ValueError(f"a record with more than {MAX_VALUES:,} values or {MAX_DEPTH} levels is not read")
    if value is None or isinstance(value, (str, bool, int, float)):
        return value
    if isinstance(value, (list, tuple)):
        return [_plain(item, budget, depth + 1) for item in value]
    if isinstance(value, dict):
        return {str(key): _plain(item, budget, depth + 1) for key, item in value.items()}
    if isinstance(value, PickledRecord):
        return _plain(value.plain(), budget, depth + 1)
    if isinstance(value, Tensor):
        budget[0] -= prod(value.shape)
        return value.tolist()
    if isinstance(value, _Array):
        return value.values
    if isinstance(value, (bytes, bytearray)):
        return f"({len(value):,} bytes)"
    return f"({type(value).__name__})"
