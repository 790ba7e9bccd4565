#!/usr/bin/env python3
"""Exports every sample once and keeps it.

    export.py FOLDER [--part N/M] [--ops NAME…]

Writes for each sample OP/DTYPE-N.pt2, .in (its inputs, for the worker) and .pt (inputs and eager
outputs, for the comparison), and for each op OP/index.json when all of it is done: what is there is
not made again. `index.json` says of samples that are not counted why not.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import logging
import os
import pathlib
import signal
import sys
import warnings

import torch

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import raw_tensors  # noqa: E402
import samples  # noqa: E402

EXPORT_SECONDS = 60


class NotCounted(Exception):
    def __init__(self, kind: str, detail: str = ""):
        super().__init__(kind)
        self.kind, self.detail = kind, detail


@contextlib.contextmanager
def alarm(seconds: int):
    def raise_timeout(*_):
        raise TimeoutError(f"took more than {seconds} s")

    before = signal.signal(signal.SIGALRM, raise_timeout)
    signal.alarm(seconds)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


def same(a, b) -> bool:
    return len(a) == len(b) and all(
        x.dtype == y.dtype and x.shape == y.shape and torch.equal(bits(x), bits(y))
        for x, y in zip(a, b))


def bits(tensor: torch.Tensor) -> torch.Tensor:
    dense = tensor.detach().resolve_conj().resolve_neg().clone(
        memory_format=torch.contiguous_format)
    return dense.reshape(-1).view(torch.uint8)


def first_line(error: BaseException) -> str:
    text = str(error).strip().splitlines()
    return f"{type(error).__name__}: {text[0] if text else ''}"[:300]


def eager(sample: samples.Sample) -> tuple:
    """Eager's outputs, twice the same and without a change of the inputs; NotCounted otherwise."""
    before = [t.clone() for t in sample.inputs]
    try:
        samples.seed(1)
        first = sample.module(*[t.clone() for t in sample.inputs])
        samples.seed(2)
        second = sample.module(*sample.inputs)
        is_strided = all(t.layout == torch.strided for t in (*second, *sample.inputs))
        is_random = is_strided and not same(first, second)
        is_changed = is_strided and not same(before, sample.inputs)
    except Exception as error:
        raise NotCounted("eager error", first_line(error)) from error
    if not is_strided:
        raise NotCounted("eager error", "not strided")
    if not second:
        raise NotCounted("no tensor output")
    if sample.op.split(".")[0] in samples.UNINITIALISED:
        raise NotCounted("uninitialised")
    if is_random:
        raise NotCounted("random")
    if is_changed:
        raise NotCounted("in place")
    return second


def export(sample: samples.Sample, stem: pathlib.Path) -> dict:
    outputs = eager(sample)
    try:
        with alarm(EXPORT_SECONDS):
            program = torch.export.export(sample.module, sample.inputs)
            torch.export.save(program, stem.with_suffix(".pt2"))
    except Exception as error:
        raise NotCounted("export failed", first_line(error)) from error
    raw_tensors.write(stem.with_suffix(".in"), sample.inputs)
    torch.save({"inputs": [t.detach().clone() for t in sample.inputs],
                "outputs": [t.detach().clone() for t in outputs]}, stem.with_suffix(".pt"))
    targets = sorted({str(n.target) for n in program.graph.nodes if n.op == "call_function"})
    return {"targets": targets}


def export_op(op, folder: pathlib.Path) -> list[dict]:
    entries = []
    for dtype, torch_dtype in samples.DTYPES.items():
        if torch_dtype not in op.supported_dtypes("cpu"):
            continue
        try:
            found = samples.samples(op, dtype)
        except Exception as error:
            entries.append({"sample": f"{samples.full_name(op)}/{dtype}",
                            "skipped": "eager error", "detail": first_line(error)})
            continue
        for sample in found:
            entry = {"sample": sample.name}
            stem = folder / f"{sample.dtype}-{sample.number}"
            try:
                entry |= export(sample, stem)
            except NotCounted as reason:
                entry |= {"skipped": reason.kind, "detail": reason.detail}
            entries.append(entry)
    return entries


def export_all(folder: pathlib.Path, part: int, parts: int, only: list[str]) -> None:
    for number, (name, op) in enumerate(samples.ops().items()):
        index = folder / name / "index.json"
        if number % parts != part or index.exists() or (only and name not in only):
            continue
        index.parent.mkdir(parents=True, exist_ok=True)
        entries = export_op(op, index.parent)
        torch._dynamo.reset()
        temporary = index.with_suffix(f".{os.getpid()}")
        temporary.write_text(json.dumps(entries, indent=1))
        temporary.replace(index)
        print(name, len(entries), flush=True)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--part", default="0/1")
    parser.add_argument("--ops", nargs="*", default=[])
    arguments = parser.parse_args()
    part, parts = map(int, arguments.part.split("/"))
    warnings.simplefilter("ignore")
    logging.disable(logging.WARNING)
    torch.set_num_threads(1)
    export_all(arguments.folder, part, parts, arguments.ops)


if __name__ == "__main__":
    main()
