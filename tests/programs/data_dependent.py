"""Programs of which the contents of an input decide sizes."""

import torch
from torch import nn

from .program import Function, Program, filled, seeded, vary


def positions():
    return Program(Function(lambda x, y: ((x > 0).nonzero(), y * 2)),
                   (filled(3, 4), filled(4, seed=2)))


def selection():
    return Program(Function(lambda x, y: (x[x > 0] * 2, torch.masked_select(y, y > 0), y + 1)),
                   (filled(3, 4), filled(4, seed=2)))


def distinct():
    return Program(Function(lambda x, y: (*torch.unique(x, return_inverse=True), y + 1)),
                   (torch.tensor([3, 1, 3, 2]), filled(2)))


def repetition():
    return Program(Function(lambda x, times, y: (torch.repeat_interleave(x, times, 0), y + 1)),
                   (filled(3, 4), torch.tensor([1, 0, 2]), filled(2, seed=2)))


class FirstRows(nn.Module):
    """A number read from a tensor, with the bounds that the program asserts."""

    def forward(self, x, count, y):
        n = count.item()
        torch._check(n >= 1)
        torch._check(n <= x.shape[0])
        return x[:n].sum(0), torch.ones(n) * y.sum(), y + 1


def first_rows():
    return Program(FirstRows(), (filled(3, 4), torch.tensor(2), filled(2, seed=2)),
                   vary=lambda name, value, step: value % 3 + 1 if name == "count" and step else
                   value if name == "count" else
                   vary(name, value, step))


class AsManyAsRows(nn.Module):
    """A number that the program asserts to be a size of another input."""

    def forward(self, x, count):
        n = count.item()
        torch._check(n == x.shape[0])
        return torch.zeros(n, 4) + x


def as_many_as_rows():
    return Program(AsManyAsRows(), (filled(3, 4), torch.tensor(3)),
                   dynamic_shapes={"x": {0: torch.export.Dim.DYNAMIC}, "count": None},
                   vary=lambda name, value, step: value if name == "count" else
                   vary(name, value, step))


class Quarters(nn.Module):
    """Case: a size given only through an expression."""

    def forward(self, x, y):
        return x.reshape(-1, 4, 3).sum(1), y * 2


def quarters():
    return Program(Quarters(), (filled(8, 3), filled(2, seed=2)),
                   dynamic_shapes={"x": {0: 4 * torch.export.Dim("h", min=1, max=8)}, "y": None})


class Pairs(nn.Module):
    """Case: sizes of one at run time; both inputs must have as many rows, or not."""

    def __init__(self, same):
        super().__init__()
        self.same = same

    def forward(self, x, y):
        mixed = x + y if self.same else x @ y.T
        return mixed, x.mean(0), y * 2


def pairs(same, low):
    """Rows from `low` to 8, which both have (`same`) or each; of any number when it is None."""
    x, y = (torch.export.Dim.DYNAMIC if low is None else torch.export.Dim(name, min=low, max=8)
            for name in ("rows", "rows" if same else "others"))
    return Program(Pairs(same), (filled(3, 4), filled(3 if same else 5, 4, seed=2)),
                   dynamic_shapes={"x": {0: x}, "y": {0: y}})


class Products(nn.Module):
    """Case: matrix products over a batch, whose last bits follow batch size and thread count."""

    def __init__(self):
        super().__init__()
        self.left = nn.Linear(96, 64)
        self.right = nn.Linear(96, 64)

    def forward(self, x, y):
        a, b = torch.tanh(self.left(x)), torch.tanh(self.right(y))
        return a @ b.T, a, b


def products():
    any_size = {0: torch.export.Dim.DYNAMIC}
    return Program(seeded(Products), (filled(6, 96), filled(5, 96, seed=2)),
                   dynamic_shapes={"x": any_size, "y": any_size})
