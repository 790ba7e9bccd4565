"""Programs of the tests that the other suites do not have."""

import torch
from programs.program import Function, Program, filled, seeded
from torch import nn


class Rows(nn.Module):
    def __init__(self):
        super().__init__()
        self.wide = nn.Linear(4, 300)
        self.narrow = nn.Linear(300, 3)
        self.scale = nn.Linear(5, 3)

    def forward(self, rows, scale):
        return (torch.relu(self.narrow(torch.tanh(self.wide(rows))))
                * torch.tanh(self.scale(scale)), rows.sum(1))


def rows():
    return Program(seeded(Rows), (filled(6, 4), filled(1, 5)),
                   dynamic_shapes=({0: torch.export.Dim("n", max=64)}, None))


def sorted_rows():
    """`aten.sort` is not in Core AI."""
    return Program(Function(lambda x, y: (torch.sort(x)[0], y * 2)), (filled(3, 4), filled(3)))


def far_constant():
    table = torch.tensor([1, 2**40, 3])
    return Program(Function(lambda x, y: (x + table, y * 2)),
                   (torch.tensor([1, 2, 3]), filled(3)))


def far_number():
    return Program(Function(lambda x, y: (x + 2**40, y * 2)),
                   (torch.tensor([1, 2, 3]), filled(3)))


def far_float():
    table = torch.tensor([1.0, 1e300], dtype=torch.float64)
    return Program(Function(lambda x, y: (x + table, y * 2)),
                   (filled(2).double(), filled(3)))


def bfloats():
    return Program(Function(lambda x, y: (x * 2, y * 2)), (filled(3).bfloat16(), filled(3)))


def doubles():
    """A float64 port, and an index that comes out as int64."""
    return Program(Function(lambda x, y: (torch.tanh(x) * 3, y.argmax(1))),
                   (filled(4).double(), filled(3, 5)))


def only_cats():
    """Two ports that are one value after decomposition, and an input that is passed through."""
    def run(x, y):
        z = torch.relu(x)
        return {"same": z.contiguous(), "again": z.clone(), "input": y, "both": z + y}

    return Program(Function(run), (filled(3, 4), filled(3, 4)))
