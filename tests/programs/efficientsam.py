"""EfficientSAM-Ti at 1024 by 1024 from a fixture file: names of its inputs, and other values."""

import numpy as np

from .program import vary as vary_any

IMAGE = "batched_images"
POINTS = "batched_points"
LABELS = "batched_point_labels"
FILE = "efficientsam_ti.pt2"
EXPECTED = "efficientsam_ti_expected.npz"


def vary(name: str, value: np.ndarray, step: int) -> np.ndarray:
    if name == LABELS:  # 1 is a point inside, 0 a point outside, -1 no point
        choices = ([1, 1], [1, 0], [0, 1], [1, -1], [0, 0], [-1, 1], [0, -1], [-1, -1], [-1, 0])
        return np.array(choices[step % len(choices)], np.float32).reshape(value.shape)
    if name == POINTS:
        return value + np.float32(7 * step)
    return vary_any(name, value, step)
