"""From the session's arrays to what the caller wants: NumPy arrays or PyTorch tensors, nested."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from . import _core
from ._error import refusal
from ._tree import Node, parse

KINDS = ("same", "numpy", "torch")


def wants_torch(returns: str, inputs: Iterable[Any]) -> bool:
    """Whether outputs are to be PyTorch tensors. Raises InvalidArgument."""
    if returns == "same":
        torch = sys.modules.get("torch")
        tensor = getattr(torch, "Tensor", None)
        return tensor is not None and any(isinstance(value, tensor) for value in inputs)
    if returns not in KINDS:
        raise refusal("InvalidArgument", f'returns is "{returns}"; it can be '
                      + ", ".join(f'"{kind}"' for kind in KINDS))
    return returns == "torch"


def to_torch(value: Any) -> Any:
    """An array as a tensor over the same memory; anything else as it is."""
    from ._pytorch import require_torch
    torch = require_torch('returns="torch"')
    if isinstance(value, _core.Array):
        return torch.from_dlpack(value)
    return torch.from_numpy(value) if hasattr(value, "__array_interface__") else value


def to_numpy(value: Any) -> Any:
    """bfloat16 as an array of ml_dtypes, where that is imported; anything else as it is."""
    ml_dtypes = sys.modules.get("ml_dtypes")
    if isinstance(value, _core.Array) and value.dtype == "bfloat16" and ml_dtypes is not None:
        import numpy
        return numpy.ndarray(value.shape, ml_dtypes.bfloat16, value)
    return value


class Results:
    """Nests outputs as the program does; immutable."""

    def __init__(self, manifest: Mapping[str, Any]) -> None:
        self._tree: Node | None = None
        self._problem: Exception | None = None
        names = [entry["name"] for entry in manifest["outputs"]]
        try:
            if manifest["out_spec"]:
                self._tree = parse(manifest["out_spec"], names, "the program's result")
        except Exception as error:  # told when a call needs it: names do without
            self._problem = error

    def nest(self, values: Sequence[Any]) -> Any:
        """All outputs in the program's order as its result. Raises Unsupported, naming a container
        whose class is not known."""
        if self._problem is not None:
            raise self._problem
        if self._tree is None:
            return tuple(values)
        return self._tree.unflatten(iter(values))
