#!/usr/bin/env python3
"""Converts a whole program with OpenVINO: FOLDER/whole.xml, and the sample inputs beside it.

    python bench/peers/whole.py MODEL.pt2 FOLDER
"""

import pathlib
import sys

import torch

import conversion

TOLERANCE = 1e-4


def main() -> int:
    source, folder = sys.argv[1], pathlib.Path(sys.argv[2])
    folder.mkdir(parents=True, exist_ok=True)
    exported = torch.export.load(source)
    expected = conversion.eager(exported)
    model = conversion.convert(exported)
    actual = conversion.run(model, conversion.sample_inputs(exported))
    worst = conversion.check("OpenVINO, whole", actual, expected, TOLERANCE)
    conversion.save_samples(exported, folder)
    conversion.save(model, folder / "whole.xml")
    print(f"{folder.name}: whole program in OpenVINO, {worst:.1e} from eager")
    return 0


if __name__ == "__main__":
    sys.exit(main())
