"""Makes damaged and foreign archives from good ones."""

from __future__ import annotations

import json
import pathlib
import struct
import zipfile


def entries(path: pathlib.Path) -> dict[str, bytes]:
    with zipfile.ZipFile(path) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def write(path: pathlib.Path, contents: dict[str, bytes]) -> pathlib.Path:
    """Entries are stored and their data is aligned, as PyTorch writes them."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_STORED) as archive:
        for name, data in contents.items():
            info = zipfile.ZipInfo(name)
            start = archive.fp.tell() + 30 + len(name.encode())
            padding = -(start + 4) % 64
            info.extra = struct.pack("<HH", 0x4246, padding) + b"Z" * padding
            archive.writestr(info, data)
    return path


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
