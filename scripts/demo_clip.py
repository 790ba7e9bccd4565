#!/usr/bin/env python3
"""The demo with CLIP ViT-B/32 at real size: one image and two texts, 605 MB of weights.

Needs PyTorch and transformers, to make the exported program; what runs afterwards is C++.
"""

import sys

from demo import ROOT, WORK, demo

sys.path.insert(0, str(ROOT / "tests" / "programs"))

import clip  # noqa: E402  (tests/programs/clip.py)


def main() -> int:
    WORK.mkdir(parents=True, exist_ok=True)
    model = WORK / "clip.pt2"
    program = clip.clip()
    if not model.exists():
        print("exporting CLIP ViT-B/32 with random weights ...", flush=True)
        program.save(model)
    samples = dict(zip(clip.INPUTS, (value.numpy() for value in program.args)))
    return demo(model, lambda name, step: program.vary(name, samples[name], step), rounds=5)


if __name__ == "__main__":
    sys.exit(main())
