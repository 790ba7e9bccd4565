"""Programs with branches and loops: torch.cond, while_loop, scan, map."""

import torch
from torch import nn
from torch._higher_order_ops.map import map as torch_map
from torch._higher_order_ops.scan import scan
from torch._higher_order_ops.while_loop import while_loop

from .program import Program, filled, seeded, vary


class Branch(nn.Module):
    """The predicate is an input; one branch has weights and a write of its own."""

    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(4, 4)

    def forward(self, which, x, y):
        def first(x):
            return self.linear(x), x + 1

        def second(x):
            return x * 2, x - 1

        a, b = torch.cond(which, first, second, (x,))
        return a + y, b, torch.tanh(y)


def branch():
    return Program(seeded(Branch), (torch.tensor(True), filled(3, 4), filled(3, 4, seed=2)))


class BranchOnData(nn.Module):
    """The predicate is computed, and one branch is inside another."""

    def forward(self, x, y):
        def outer(x, y):
            return torch.cond(y.mean() > 0, lambda a: a.exp(), lambda a: a.cos(), (x,))

        return torch.cond(x.sum() > 0, outer, lambda a, b: a * b, (x, y)), y.relu()


def branch_on_data():
    return Program(BranchOnData(), (filled(3, 4), filled(3, 4, seed=2)),
                   vary=lambda name, value, step: -vary(name, value, step) if step % 2 else
                   vary(name, value, step))


class BranchWithoutOperands(nn.Module):
    """The branches read nothing, so the exporter cannot tell what its list of operands is of."""

    def forward(self, which, x):
        return torch.cond(which, lambda: torch.ones(3), lambda: torch.zeros(3), ()) + x, x * 2


def branch_without_operands():
    return Program(BranchWithoutOperands(), (torch.tensor(True), filled(3)))


class BranchOnSize(nn.Module):
    """The predicate is about a symbolic size."""

    def forward(self, x, y):
        picked = torch.cond(x.shape[0] > 3, lambda a: a.sin() * a.shape[0], lambda a: a.cos() * 2,
                            (x,))
        return picked, y + 1


def branch_on_size():
    return Program(BranchOnSize(), (filled(5, 4), filled(2, seed=2)),
                   dynamic_shapes={"x": {0: torch.export.Dim("rows", min=1, max=8)}, "y": None})


class BranchThatAsserts(nn.Module):
    """Case A8 inside a branch: the assertion holds for that branch alone."""

    def forward(self, which, x):
        def checked(x):
            torch._assert_async((x > 0).all(), "positive")
            return x * 2

        return torch.cond(which, checked, lambda x: x - 1, (x,))


def branch_that_asserts():
    return Program(BranchThatAsserts(), (torch.tensor(True), filled(4).abs() + 1))


class Repeat(nn.Module):
    """As many rounds as an input says."""

    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(4, 4)

    def forward(self, x, rounds, y):
        _, out = while_loop(lambda i, x: i < rounds, lambda i, x: (i + 1, self.linear(x).tanh()),
                            (torch.zeros((), dtype=torch.int64), x))
        return out, y * 2


def repeat():
    return Program(seeded(Repeat), (filled(3, 4), torch.tensor(3), filled(2, seed=2)),
                   vary=lambda name, value, step: (value + step) % 5 if name == "rounds" else
                   vary(name, value, step))


class Recurrence(nn.Module):
    """scan with weights: a recurrent network by hand."""

    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(4, 4)

    def forward(self, x, h):
        def step(h, x):
            h = torch.tanh(self.linear(h) + x)
            return h.clone(), h * 2

        return scan(step, h, x, dim=0)


def recurrence():
    return Program(seeded(Recurrence), (filled(5, 4), filled(4, seed=2)))


class EachRow(nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(4, 4)

    def forward(self, x, y):
        return torch_map(lambda row, y: self.linear(row) + y, x, y), y + 1


def each_row():
    return Program(seeded(EachRow), (filled(3, 4), filled(4, seed=2)))
