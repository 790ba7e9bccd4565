"""What engines fuse: each operator followed by each element-wise one, alone in its branch.

The fast engine computes element-wise operations with constants inside the operator before them, and
does it wrongly for some shapes (a sum over a dimension of f32[10, 5, 5], divided by 5).
"""

import numpy as np
import pytest
import torch
import torch.nn.functional as F
from programs.program import Program

PRODUCERS = {
    "sum": lambda x: x.sum(-1), "sum_middle": lambda x: x.sum(1),
    "sum_kept": lambda x: x.sum(1, keepdim=True), "sum_two": lambda x: x.sum((1, 2)),
    "mean": lambda x: x.mean(-1), "mean_middle": lambda x: x.mean(1),
    "largest": lambda x: x.amax(-1), "product": lambda x: x.prod(-1), "var": lambda x: x.var(-1),
    "norm": lambda x: torch.linalg.vector_norm(x, dim=-1),
    "softmax": lambda x: x.softmax(-1), "layer_norm": lambda x: F.layer_norm(x, x.shape[-1:]),
    "matmul": lambda x: x @ x.transpose(-1, -2), "pool": lambda x: F.avg_pool1d(x, 2),
    "sums": lambda x: x.cumsum(1), "linear": lambda x: F.linear(x, torch.ones(7, x.shape[-1])),
}


def row(r):
    return torch.linspace(0.5, 2, r.shape[-1])


READERS = {
    "over": lambda r: r / 5, "over_row": lambda r: r / row(r), "under": lambda r: 2 / (r.abs() + 1),
    "times": lambda r: r * 0.3, "times_row": lambda r: r * row(r), "plus": lambda r: r + 3,
    "plus_row": lambda r: r + row(r), "minus_row": lambda r: r - row(r), "relu": torch.relu,
    "gelu": F.gelu, "sigmoid": torch.sigmoid, "square": lambda r: r ** 2,
    "clamp": lambda r: r.clamp(-0.4, 0.6), "affine": lambda r: (r * 2 + 1) / 3,
    "over_plus_row": lambda r: r / 3 + row(r), "root": lambda r: (r.abs() + 1).sqrt(),
}


class Branches(torch.nn.Module):
    def forward(self, x, scale):
        out = {}
        for produce_name, produce in PRODUCERS.items():
            for read_name, read in READERS.items():
                # Inputs of their own, so that no two branches are one.
                out[f"{produce_name}_{read_name}"] = read(produce(x + len(out) / 1024))
        return {**out, "scaled": x.sum() * scale}


@pytest.mark.parametrize("shape", [(10, 5, 5), (3, 17, 9)], ids=str)
def test_what_follows_an_operator_does_not_change_its_result(compiled, shape):
    x = torch.rand(*shape, generator=torch.Generator().manual_seed(0)) * 2 - 1
    package = compiled(Program(Branches(), (x, torch.ones(3))))
    answer = package.run(package.sample())
    expected = dict(zip(package.outputs, package.expected(package.sample()), strict=True))
    wrong = [name for name, right in expected.items()
             if not np.allclose(answer[name], right.numpy(), rtol=1e-4, atol=3e-5)]
    assert len(expected) == len(PRODUCERS) * len(READERS) + 1
    assert not wrong
