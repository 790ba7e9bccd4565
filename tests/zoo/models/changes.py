"""Other values for the inputs of the zoo: of the same kind, and right for what they mean."""

import numpy as np
import torch

from programs.program import vary

# Token ids in here are words; those outside have a meaning of their own and stay.
WORDS = range(3, 80)


def changed(name: str, value: np.ndarray, step: int) -> np.ndarray:
    """Another value for a step > 0; the same for 0."""
    if step == 0:
        return value
    if is_mask(name):
        return shortened(value, step)
    if name == "timestep":
        return (value * (1 + step / 128) + step).astype(value.dtype)
    if name.endswith("ids") and not value.any():
        return value + np.asarray(step, value.dtype)  # Flux's places of text
    if np.issubdtype(value.dtype, np.integer) and value.max() >= WORDS.start:
        words = (value >= WORDS.start) & (value < WORDS.stop)
        other = (value - WORDS.start + step) % len(WORDS) + WORDS.start
        return np.where(words, other, value).astype(value.dtype)
    return vary(name, value, step)


def is_mask(name: str) -> bool:
    return name.endswith("mask")


def shortened(mask: np.ndarray, step: int) -> np.ndarray:
    """The last row with more or less padding, on the side where it has it; never all of it."""
    fresh = mask.copy()
    length = mask.shape[-1]
    hidden = 1 + step % (length // 2)
    row = fresh[-1]
    padded_left = row.reshape(-1)[0] == 0
    row[...] = 1
    if padded_left:
        row[..., :hidden] = 0
    else:
        row[..., length - hidden:] = 0
    return fresh


def resized(value: torch.Tensor, axes: dict[int, int]) -> torch.Tensor:
    """The value with other sizes: its rows again from the start, or fewer of them."""
    for axis, size in axes.items():
        value = value.index_select(axis, torch.arange(size) % value.shape[axis])
    return value.contiguous()
