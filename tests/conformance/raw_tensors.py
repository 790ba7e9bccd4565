"""Tensors in files that the worker reads and writes without any library.

One line "COUNT", then for each tensor one line "DTYPE RANK SIZES… STRIDES… OFFSET ELEMENTS" and the
ELEMENTS of its storage, little-endian; "none" stands for an output that is no tensor.
"""

from __future__ import annotations

import pathlib

import torch

_DTYPES = {str(dtype).removeprefix("torch."): dtype for dtype in (
    torch.uint8, torch.int8, torch.int16, torch.int32, torch.int64, torch.float16, torch.float32,
    torch.float64, torch.complex32, torch.complex64, torch.complex128, torch.bool, torch.bfloat16,
    torch.uint16, torch.uint32, torch.uint64)}


def _encode(tensor: torch.Tensor) -> bytes:
    tensor = tensor.detach().resolve_conj().resolve_neg()
    elements = tensor.untyped_storage().nbytes() // tensor.element_size()
    numbers = [tensor.dim(), *tensor.size(), *tensor.stride(), tensor.storage_offset(), elements]
    header = f"{str(tensor.dtype).removeprefix('torch.')} {' '.join(map(str, numbers))}\n"
    storage = bytes(tensor.untyped_storage().tolist()) if elements < 64 else (
        torch.tensor([], dtype=torch.uint8).set_(tensor.untyped_storage()).numpy().tobytes())
    return header.encode() + storage[:elements * tensor.element_size()]


def write(path: pathlib.Path, tensors) -> None:
    tensors = list(tensors)
    path.write_bytes(f"{len(tensors)}\n".encode() + b"".join(map(_encode, tensors)))


def read(path: pathlib.Path) -> list[torch.Tensor | None]:
    data, out = path.read_bytes(), []

    def line():
        nonlocal data
        head, _, data = data.partition(b"\n")
        return head.decode().split()

    for _ in range(int(line()[0])):
        name, *numbers = line()
        if name == "none":
            out.append(None)
            continue
        rank, *numbers = map(int, numbers)
        size, stride = numbers[:rank], numbers[rank:2 * rank]
        offset, elements = numbers[2 * rank:]
        dtype = _DTYPES[name]
        count = elements * dtype.itemsize
        flat = (torch.frombuffer(bytearray(data[:count]), dtype=dtype) if count
                else torch.empty(0, dtype=dtype))
        out.append(flat.as_strided(size, stride, offset))
        data = data[count:]
    return out
