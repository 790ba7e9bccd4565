"""The samples: PyTorch's own op database, each call as a module that can be exported.

First 6 sample inputs per op and dtype (float32, int64, bool), made from a fixed seed. Tensors are
inputs of the module, those in lists too; everything else is part of the module.
"""

from __future__ import annotations

import itertools
import random
from typing import NamedTuple

import numpy as np
import torch
from torch.testing._internal import common_methods_invocations
from torch.utils import _pytree as pytree

SAMPLES = 6
SEED = 20240229
DTYPES = {"f32": torch.float32, "i64": torch.int64, "bool": torch.bool}

UNINITIALISED = {"empty", "empty_like", "empty_permuted", "empty_strided", "new_empty",
                 "new_empty_strided"}

op_db = common_methods_invocations.op_db


def _call(function, *args, **kwargs):
    return function(*args, **kwargs)


# The database's random ops set their own seed; without that, two seeds show what is random.
common_methods_invocations.wrapper_set_seed = _call


class Call(torch.nn.Module):
    """Calls `function` with tensors in the places where the sample has tensors."""

    def __init__(self, function, leaves: list, spec):
        super().__init__()
        self.function, self.leaves, self.spec = function, leaves, spec

    def forward(self, *tensors):
        rest = iter(tensors)
        leaves = [next(rest) if leaf is torch.Tensor else leaf for leaf in self.leaves]
        first, args, kwargs = pytree.tree_unflatten(leaves, self.spec)
        out = pytree.tree_leaves(self.function(first, *args, **kwargs))
        return tuple(leaf for leaf in out if isinstance(leaf, torch.Tensor))


class Sample(NamedTuple):
    op: str
    dtype: str
    number: int
    module: Call
    inputs: tuple

    @property
    def name(self) -> str:
        return f"{self.op}/{self.dtype}-{self.number}"


def full_name(op) -> str:
    return f"{op.name}.{op.variant_test_name}" if op.variant_test_name else op.name


def seed(value: int = SEED):
    random.seed(value)
    np.random.seed(value)
    torch.manual_seed(value)


def op_names() -> list[str]:
    return [full_name(op) for op in op_db]


def ops() -> dict:
    return {full_name(op): op for op in op_db}


def samples(op, dtype: str) -> list[Sample]:
    """Raises what the op database raises."""
    seed()
    inputs = op.sample_inputs("cpu", DTYPES[dtype], requires_grad=False)
    out = []
    for number, sample in enumerate(itertools.islice(inputs, SAMPLES)):
        leaves, spec = pytree.tree_flatten((sample.input, sample.args, sample.kwargs))
        tensors = tuple(leaf for leaf in leaves if isinstance(leaf, torch.Tensor))
        kept = [torch.Tensor if isinstance(leaf, torch.Tensor) else leaf for leaf in leaves]
        out.append(Sample(full_name(op), dtype, number, Call(op.op, kept, spec), tensors))
    return out
