"""Makes damaged and foreign archives from good ones."""

from __future__ import annotations

import io
import json
import pathlib
import struct
import zipfile
import zlib


def entries(path: pathlib.Path) -> dict[str, bytes]:
    with zipfile.ZipFile(path) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def write(path: pathlib.Path, contents: dict[str, bytes]) -> pathlib.Path:
    """Entries are stored and their data is aligned, as PyTorch writes them."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_STORED) as archive:
        for name, data in contents.items():
            archive.writestr(_aligned(archive, name), data)
    return path


def _aligned(archive: zipfile.ZipFile, name: str, zip64_bytes: int = 0) -> zipfile.ZipInfo:
    """The next entry, so padded that its data begins at a multiple of 64."""
    info = zipfile.ZipInfo(name)
    start = archive.fp.tell() + 30 + len(name.encode()) + zip64_bytes
    padding = -(start + 4) % 64
    info.extra = struct.pack("<HH", 0x4246, padding) + b"Z" * padding
    return info


def find(contents: dict[str, bytes], ending: str) -> str:
    """The name of the only entry that ends so."""
    (name,) = [name for name in contents if name.endswith(ending)]
    return name


def edited(source: pathlib.Path, target: pathlib.Path, ending: str, edit) -> str:
    """A copy in which `edit` changed the JSON of one entry; returns that entry's name.

    `edit` changes the document in place or returns another one.
    """
    contents = entries(source)
    name = find(contents, ending)
    document = json.loads(contents[name])
    replaced = edit(document)
    contents[name] = json.dumps(document if replaced is None else replaced).encode()
    write(target, contents)
    return name.split("/", 1)[1]


def flipped(source: pathlib.Path, target: pathlib.Path, position: int, bit: int = 0) -> None:
    data = bytearray(source.read_bytes())
    data[position] ^= 1 << bit
    target.write_bytes(data)


def data_offset(path: pathlib.Path, ending: str) -> tuple[int, int]:
    """Where the data of an entry begins, and its size."""
    with zipfile.ZipFile(path) as archive:
        (info,) = [i for i in archive.infolist() if i.filename.endswith(ending)]
    header = path.read_bytes()[info.header_offset:info.header_offset + 30]
    name, extra = struct.unpack("<HH", header[26:30])
    return info.header_offset + 30 + name + extra, info.file_size


def moved_outside(source: pathlib.Path, target: pathlib.Path, ending: str) -> str:
    """A copy whose directory says that an entry lies beyond the end of the file."""
    with zipfile.ZipFile(source) as archive:
        (info,) = [i for i in archive.infolist() if i.filename.endswith(ending)]
    data = bytearray(source.read_bytes())
    at = data.find(b"PK\x01\x02")
    while at >= 0:
        name_length, = struct.unpack_from("<H", data, at + 28)
        if bytes(data[at + 46:at + 46 + name_length]).decode() == info.filename:
            struct.pack_into("<I", data, at + 42, len(data) + 4096)
            target.write_bytes(data)
            return info.filename.split("/", 1)[1]
        at = data.find(b"PK\x01\x02", at + 4)
    raise AssertionError(f"no directory entry for {info.filename}")


ZEROS = bytes(64 << 20)


class SparseFile(io.FileIO):
    """Leaves holes where ZEROS are written."""

    def write(self, data):
        if data is not ZEROS:
            return super().write(data)
        self.seek(len(data), io.SEEK_CUR)
        return len(data)


class RepeatedDeflate:
    """Compresses ZEROS once, however often they come."""

    def __init__(self):
        self.stream = zlib.compressobj(1, zlib.DEFLATED, -15)
        self.once = None

    def compress(self, data):
        if data is not ZEROS:
            return self.stream.compress(data)
        if self.once is None:
            # A full flush ends at a byte and forgets what came before.
            self.once = self.stream.compress(data) + self.stream.flush(zlib.Z_FULL_FLUSH)
        return self.once

    def flush(self):
        return self.stream.flush()


def with_zeros(source: pathlib.Path, target: pathlib.Path, ending: str, count: int,
               compression: int = zipfile.ZIP_STORED) -> str:
    """A copy in which `count` times ZEROS follow the data of one entry, or make up an entry of that
    name. It is the first of the archive. Returns its name."""
    contents = entries(source)
    top = next(iter(contents)).split("/")[0]
    name = next((name for name in contents if name.endswith(ending)), f"{top}/{ending}")
    with SparseFile(target, "w+") as file, zipfile.ZipFile(file, "w", zipfile.ZIP_STORED) as out:
        info = _aligned(out, name, zip64_bytes=20)
        info.compress_type = compression
        with out.open(info, "w", force_zip64=True) as entry:
            if compression == zipfile.ZIP_DEFLATED:
                entry._compressor = RepeatedDeflate()
            entry.write(contents.pop(name, b""))
            for _ in range(count):
                entry.write(ZEROS)
        for other, data in contents.items():
            out.writestr(_aligned(out, other), data)
    return name.split("/", 1)[1]
