#!/usr/bin/env python3
"""Exports the samples of expected.txt only: export_subset.py FOLDER PART/PARTS."""

from __future__ import annotations

import collections
import logging
import pathlib
import sys
import warnings

import torch

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import export  # noqa: E402
import samples  # noqa: E402
import subset  # noqa: E402


def export_op(op, names: list[str], folder: pathlib.Path) -> None:
    for dtype in sorted({name.rsplit("/", 1)[1].split("-")[0] for name in names}):
        for sample in samples.samples(op, dtype):
            stem = folder / sample.name
            # The file that is written last tells that all are there.
            if sample.name in names and not stem.with_suffix(".done").exists():
                try:
                    export.export(sample, stem)
                except export.NotCounted as reason:
                    sys.exit(f"{sample.name} does not count any more: {reason}: {reason.detail}")
                stem.with_suffix(".done").touch()


def main() -> None:
    folder = pathlib.Path(sys.argv[1])
    part, parts = map(int, sys.argv[2].split("/"))
    warnings.simplefilter("ignore")
    logging.disable(logging.WARNING)
    torch.set_num_threads(1)
    by_op = collections.defaultdict(list)
    for name in subset.read():
        by_op[name.rsplit("/", 1)[0]].append(name)
    ops = samples.ops()
    for name in sorted(by_op)[part::parts]:
        (folder / name).mkdir(parents=True, exist_ok=True)
        export_op(ops[name], by_op[name], folder)


if __name__ == "__main__":
    main()
