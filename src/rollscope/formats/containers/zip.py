"""A zip whose members are read one at a time, by range: stored, deflated, or compressed with zstd (method 93).

The standard library reads the list of members; method 93 it learns only in Python 3.14. A member that unpacks to more
than the announced limit is refused before and while it is unpacked, whatever its header claims. The list is written last:
of an archive whose writer was stopped, or is still at it, the members up to there are found by their own headers.
"""

from __future__ import annotations

import io
import struct
import zipfile
import zlib
from typing import BinaryIO

import zstandard

from rollscope.storage.open_files import DAMAGED, KeptOpen
from rollscope.storage.store import Store

#: A member is held in memory whole: one that unpacks to more is refused.
MAX_MEMBER_BYTES = 512 << 20
#: The list of members is held in memory: an archive with more is refused.
MAX_MEMBERS = 1_000_000
ZSTD = 93
_PIECE = 1 << 20
_LOCAL_HEADER = struct.Struct("<4s22xHH")
_WHOLE_HEADER = struct.Struct("<4sHHHIIIIHH")
_NAMED_LATER, _UTF8, _LARGE, _ZIP64 = 0x08, 0x800, 0xFFFFFFFF, 1


class Zip:
    """An open archive. One thread at a time: members share one file position."""

    def __init__(self, file: BinaryIO, *, unfinished: bool = False) -> None:
        """``unfinished``: an archive without its list is read as far as it goes."""
        self._file = file
        self.size = file.seek(0, io.SEEK_END)
        #: The list of members is missing, and whatever else was to come.
        self.is_cut = False
        try:
            with zipfile.ZipFile(file) as listing:
                infos = listing.infolist()
        except zipfile.BadZipFile:
            infos = _members_by_headers(file, self.size) if unfinished else []
            if not infos:
                raise
            self.is_cut = True
        if len(infos) > MAX_MEMBERS:
            raise ValueError(f"it lists {len(infos):,} members; more than {MAX_MEMBERS:,} are not read")
        # Of two members with one name the last counts: an archive that is appended to replaces them so.
        self._infos = {info.filename: info for info in infos}

    def __del__(self) -> None:
        if file := getattr(self, "_file", None):
            file.close()

    @property
    def names(self) -> list[str]:
        return list(self._infos)

    def __contains__(self, name: object) -> bool:
        return name in self._infos

    def length(self, name: str) -> int:
        """Bytes of the member when unpacked, as the archive says."""
        return self._infos[name].file_size

    def read(self, name: str, limit: int = MAX_MEMBER_BYTES) -> bytes:
        """The whole member. Raises one of `DAMAGED` where it is damaged or larger than `limit`."""
        info = self._infos[name]
        if info.flag_bits & 1:
            raise ValueError(f"{name} is encrypted")
        if info.file_size > limit:
            raise ValueError(f"{name} unpacks to {info.file_size:,} bytes; more than {limit:,} are not read")
        self._file.seek(self._data_start(info))
        packed = self._file.read(info.compress_size)
        if len(packed) != info.compress_size:
            raise zipfile.BadZipFile(f"{name} is cut: the archive is being written or damaged")
        text = _unpack(packed, info, limit)
        if len(text) != info.file_size:
            raise zipfile.BadZipFile(f"{name} unpacks to other bytes than the archive says")
        return text

    def read_stored(self, name: str, offset: int, length: int) -> bytes:
        """A stretch of a member that is not compressed; of one that is, the whole is unpacked first."""
        info = self._infos[name]
        if info.compress_type != zipfile.ZIP_STORED:
            return self.read(name)[offset : offset + length]
        self._file.seek(self._data_start(info) + offset)
        return self._file.read(max(0, min(length, info.file_size - offset)))

    def _data_start(self, info: zipfile.ZipInfo) -> int:
        self._file.seek(info.header_offset)
        header = self._file.read(_LOCAL_HEADER.size)
        if len(header) < _LOCAL_HEADER.size or header[:4] != b"PK\x03\x04":
            raise zipfile.BadZipFile(f"the header of {info.filename} is damaged")
        _, name_length, extra_length = _LOCAL_HEADER.unpack(header)
        return info.header_offset + _LOCAL_HEADER.size + int(name_length) + int(extra_length)


def _members_by_headers(file: BinaryIO, size: int) -> list[zipfile.ZipInfo]:
    """The whole members at the beginning of an archive, one behind the other. A member whose header does not say how long
    it is ends them."""
    found: list[zipfile.ZipInfo] = []
    place = 0
    while len(found) <= MAX_MEMBERS:
        file.seek(place)
        header = file.read(_WHOLE_HEADER.size)
        if len(header) < _WHOLE_HEADER.size or header[:4] != b"PK\x03\x04":
            break
        _, _, flags, method, _, crc, packed, plain, name_length, extra_length = _WHOLE_HEADER.unpack(header)
        name, extra = file.read(name_length), file.read(extra_length)
        packed, plain = _large_sizes(extra, packed, plain)
        end = place + _WHOLE_HEADER.size + name_length + extra_length + packed
        if flags & _NAMED_LATER or len(extra) != extra_length or end > size:
            break
        info = zipfile.ZipInfo(name.decode("utf-8" if flags & _UTF8 else "cp437", "replace"))
        info.flag_bits, info.compress_type, info.CRC, info.header_offset = flags, method, crc, place
        info.compress_size, info.file_size = packed, plain
        found.append(info)
        place = end
    return found


def _large_sizes(extra: bytes, packed: int, plain: int) -> tuple[int, int]:
    """Sizes of 4 GB and more stand in an extra field of eight bytes each, the unpacked one first."""
    while len(extra) >= 4:
        kind, length = struct.unpack_from("<HH", extra)
        if kind == _ZIP64:
            sizes = [
                int.from_bytes(extra[at : at + 8], "little") for at in range(4, min(4 + length, len(extra)) - 7, 8)
            ]
            if plain == _LARGE and sizes:
                plain = sizes.pop(0)
            if packed == _LARGE and sizes:
                packed = sizes.pop(0)
            break
        extra = extra[4 + length :]
    return packed, plain


def _unpack(packed: bytes, info: zipfile.ZipInfo, limit: int) -> bytes:
    most = min(limit, info.file_size)
    if info.compress_type == zipfile.ZIP_STORED:
        return packed
    if info.compress_type == zipfile.ZIP_DEFLATED:
        inflater = zlib.decompressobj(-zlib.MAX_WBITS)
        return inflater.decompress(packed, most + 1)
    if info.compress_type == ZSTD:
        try:
            # Entries of more than 200 MB are several frames.
            with zstandard.ZstdDecompressor().stream_reader(packed, read_across_frames=True) as reader:
                return _read_up_to(reader, most + 1)
        except zstandard.ZstdError as error:
            raise zipfile.BadZipFile(f"{info.filename} is damaged ({error})") from error
    raise NotImplementedError(f"{info.filename} is compressed by method {info.compress_type}, which is not known here")


def _read_up_to(reader: zstandard.ZstdDecompressionReader, count: int) -> bytes:
    """Piece by piece: a header that claims gigabytes must not make us reserve them."""
    pieces = []
    while count > 0 and (piece := reader.read(min(_PIECE, count))):
        pieces.append(piece)
        count -= len(piece)
    return b"".join(pieces)


def open_zip(store: Store, path: str, *, unfinished: bool = False) -> Zip:
    file = store.open(path)
    try:
        return Zip(file, unfinished=unfinished)
    except BaseException:
        file.close()
        raise


#: Lists of members, and open files.
ZIPS: KeptOpen[Zip] = KeptOpen(open_zip, limit=8, attempts=2)

__all__ = ["DAMAGED", "MAX_MEMBERS", "MAX_MEMBER_BYTES", "ZIPS", "Zip", "open_zip"]
