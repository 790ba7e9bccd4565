"""What Core AI makes of dtypes: 64-bit numbers become 32-bit ones, declared and range-checked.

Integers keep their value or are refused. Floats are rounded to float32; finite ones that would
become infinite are refused.
"""

from __future__ import annotations

from typing import Any

import numpy as np

# dtype of a port -> dtype in the asset. What is not here cannot pass through a port.
ASSET_DTYPES = {
    "bool": "bool", "uint8": "uint8", "int8": "int8", "int16": "int16", "uint16": "uint16",
    "int32": "int32", "uint32": "uint32", "int64": "int32",
    "float16": "float16", "float32": "float32", "float64": "float32",
}
# What else the converter may choose for the narrowed dtype; values are the same.
ALSO = {"int64": ("uint32",)}

INT32 = (-(2**31), 2**31 - 1)
FLOAT32_MAX = float(np.finfo(np.float32).max)
RANGES: dict[str, tuple[float, float]] = {
    "int64": INT32, "float64": (-FLOAT32_MAX, FLOAT32_MAX),
}
NARROWED = {name: to for name, to in ASSET_DTYPES.items() if name != to}


def out_of_range(array: np.ndarray, limits: tuple[float, float]) -> Any:
    """The first value outside the limits, NaN and infinities apart; None: there is none."""
    if array.size == 0:
        return None
    low, high = array.min(), array.max()
    if limits[0] <= low and high <= limits[1]:
        return None
    bad = (array < limits[0]) | (array > limits[1])
    if array.dtype.kind == "f":
        bad &= np.isfinite(array)
    return array[bad].flat[0] if bad.any() else None


def limits_of(dtype: str) -> tuple[float, float]:
    """The finite values that a dtype of an asset can hold."""
    if dtype == "float32":
        return -FLOAT32_MAX, FLOAT32_MAX
    info = np.iinfo(dtype)
    return int(info.min), int(info.max)


def to_asset(array: np.ndarray, asset_dtype: str) -> np.ndarray | str:
    """The array as the asset takes it, dense; a text that says which value does not fit."""
    if array.dtype == asset_dtype:
        return np.ascontiguousarray(array).reshape(array.shape)
    bad = out_of_range(array, limits_of(asset_dtype))
    if bad is not None:
        return f"holds {bad}, which is beyond {asset_dtype}, what Core AI computes {array.dtype} in"
    with np.errstate(over="ignore"):
        return array.astype(asset_dtype, order="C")


def from_asset(array: np.ndarray, dtype: str) -> np.ndarray:
    """An output of the asset with the dtype of its port, in memory of its own."""
    return np.array(array, dtype=dtype, order="C", copy=True)
