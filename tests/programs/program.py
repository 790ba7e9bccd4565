"""Program: a module, example inputs, and how to export and vary them."""

from __future__ import annotations

import dataclasses
import pathlib
from typing import Any, Callable

import numpy as np
import torch
from torch.utils import _pytree as pytree


def vary(name: str, value: np.ndarray, step: int) -> np.ndarray:
    """Another value of the same dtype, shape and range; different for every step > 0."""
    if step == 0 or value.size == 0:
        return value
    if value.dtype == np.bool_:
        flat = value.copy().reshape(-1)
        flat[step % flat.size] ^= True
        return flat.reshape(value.shape)
    if np.issubdtype(value.dtype, np.integer):
        # The whole set of values stays, so that indices stay in range.
        low, high = value.min(), value.max()
        return (low + (value - low + step) % (high - low + 1)).astype(value.dtype)
    return (np.roll(value.reshape(-1), step) * (1 + step / 32)).reshape(value.shape).astype(
        value.dtype)


@dataclasses.dataclass
class Program:
    module: torch.nn.Module
    args: tuple
    kwargs: dict[str, Any] = dataclasses.field(default_factory=dict)
    dynamic_shapes: Any = None
    vary: Callable[[str, np.ndarray, int], np.ndarray] = vary

    def export(self, core: bool = False) -> torch.export.ExportedProgram:
        """Training IR, or core ATen when `core`."""
        exported = torch.export.export(
            self.module, self.args, self.kwargs or None, dynamic_shapes=self.dynamic_shapes)
        return exported.run_decompositions() if core else exported

    def save(self, path: pathlib.Path, core: bool = False) -> torch.export.ExportedProgram:
        exported = self.export(core)
        torch.export.save(exported, str(path))
        return exported

    def eager(self, leaves: list) -> list:
        """Flat outputs of the module for flat inputs in the order of the exported program."""
        _, spec = pytree.tree_flatten((self.args, self.kwargs))
        args, kwargs = pytree.tree_unflatten(leaves, spec)
        copies = pytree.tree_map_only(torch.Tensor, torch.clone, (args, kwargs))
        with torch.no_grad():
            return pytree.tree_flatten(self.module(*copies[0], **copies[1]))[0]


class Function(torch.nn.Module):
    """A function as a module."""

    def __init__(self, function):
        super().__init__()
        self.function = function

    def forward(self, *args):
        return self.function(*args)


def seeded(build: Callable[[], torch.nn.Module]) -> torch.nn.Module:
    """The module in eval mode, with the same weights on every call."""
    torch.manual_seed(0)
    return build().eval()


def filled(*shape: int, seed: int = 1) -> torch.Tensor:
    """Normal values, the same on every call."""
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed))
