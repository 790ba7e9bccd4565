"""Programs that cannot be run incrementally and must be refused, with the names at fault."""

import torch
from torch import nn
from torch.nn import functional as F

from .program import Function, Program, filled


def dropout():
    """Case R2."""
    return Program(Function(lambda x, y: F.dropout(x, 0.5, training=True) + y),
                   (filled(4), filled(4, seed=2)))


def random():
    """Case R2."""
    return Program(Function(lambda x: x + torch.rand(4)), (filled(4),))


def random_in_place():
    """Case R2."""
    return Program(Function(lambda x: torch.empty(4).bernoulli_(0.5) + x), (filled(4),))


def quiet_dropout():
    """Dropout that does nothing: accepted."""
    return Program(
        Function(lambda x: F.dropout(x, 0.5, training=False) + F.dropout(x, 0.0, training=True)),
        (filled(4),))


class MutatedBuffer(nn.Module):
    """Case A5."""

    def __init__(self):
        super().__init__()
        self.register_buffer("state", torch.ones(2))

    def forward(self, x, y):
        out = x + self.state
        self.state.copy_(y)
        return out


def mutated_buffer():
    return Program(MutatedBuffer(), (filled(2), filled(2, seed=2)))


class MutatedInput(nn.Module):
    def forward(self, source, target):
        target.add_(source)
        return target * 2


def mutated_input():
    return Program(MutatedInput(), (filled(2), filled(2, seed=2)))


class MutatedInputView(nn.Module):
    def forward(self, source, target):
        target[0].copy_(source[1])
        return source * 2


def mutated_input_view():
    return Program(MutatedInputView(), (filled(2, 3), filled(2, 3, seed=2)))


@torch.library.custom_op("changeaware_test::frobnicate", mutates_args=())
def frobnicate(x: torch.Tensor) -> torch.Tensor:
    return x + 1


@frobnicate.register_fake
def _(x):
    return torch.empty_like(x)


def custom_operator():
    return Program(Function(lambda x: frobnicate(x) * 2), (filled(2),))
