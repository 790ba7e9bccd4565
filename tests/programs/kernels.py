"""Programs about single operators whose answer engines are known to get wrong."""

import torch
from torch.nn import functional as F

from .program import Function, Program, filled


def gelu():
    """Case B4: the variant is a keyword."""
    return Program(
        Function(lambda x: (F.gelu(x, approximate="tanh"), F.gelu(x))),
        (torch.tensor([-1.0, 1.0, 2.0]),))


GELU = ([-0.158808, 0.841192, 1.954598], [-0.158655, 0.841345, 1.954500])


def _divisions(a, b):
    return (
        torch.floor_divide(a, b),
        torch.div(a, b, rounding_mode="floor"),
        torch.div(a, b, rounding_mode="trunc"),
        torch.remainder(a, b),
        torch.fmod(a, b),
        a / b,
    )


def division(dtype):
    """Case B5: run-time operands."""
    a = torch.tensor([-5, -5, 5, -5, 5, 7, -7, 0], dtype=dtype)
    b = torch.tensor([2, 3, -3, -3, 2, -2, 2, 5], dtype=dtype)
    return Program(Function(_divisions), (a, b), vary=_vary_divisor)


def _vary_divisor(name, value, step):
    if name == "args_1":  # zero is not a divisor
        return value if step == 0 else (value + value // abs(value) * step).astype(value.dtype)
    return (value + step).astype(value.dtype)


class DivisionByConstants(torch.nn.Module):
    """Case B5: the divisor, or everything, is a constant."""

    def __init__(self, dtype):
        super().__init__()
        self.register_buffer("a", torch.tensor([-5, -5, 5, -5], dtype=dtype))
        self.register_buffer("b", torch.tensor([2, 3, -3, -3], dtype=dtype))

    def forward(self, x):
        folded = _divisions(self.a, self.b)
        mixed = (x // self.b, x % self.b, x // 2, x % 3, torch.fmod(x, -3), x / 2,
                 torch.div(x, 2, rounding_mode="trunc"), self.a // x)
        return *folded, *mixed


def division_by_constants(dtype):
    return Program(DivisionByConstants(dtype), (torch.tensor([-5, 5, -7, 3], dtype=dtype),),
                   vary=lambda name, value, step: value + value // abs(value) * step)


def alpha():
    """Case R11."""
    return Program(
        Function(lambda x, y: (torch.add(x, y, alpha=10), torch.sub(x, y, alpha=2),
                               torch.addmm(x, x, y, beta=3, alpha=0.5))),
        (torch.ones(2, 2), torch.full((2, 2), 2.0)))


def norms():
    """Case R3: large values close together."""
    return Program(
        Function(lambda x, scale: (F.layer_norm(x, (4,)) * scale,
                                   F.group_norm(x.reshape(1, 1, 4), 1) * scale)),
        (torch.tensor([[40000.0, 40001.0, 40002.0, 40003.0]]), torch.ones(1)))


NORMS = [-1.341635, -0.447212, 0.447212, 1.341635]


def masked_attention():
    """Case B1: a row with nothing to attend to."""
    def attend(query, mask):
        value = torch.tensor([[[1.0, 2.0], [3.0, 4.0]]])
        return F.scaled_dot_product_attention(query, value, value, attn_mask=mask)

    return Program(Function(attend),
                   (torch.ones(1, 2, 2), torch.tensor([[[False, False], [True, False]]])),
                   vary=lambda name, value, step: value + step if name == "args_0" else value)


def softmax_of_infinities():
    """Case B1, the contrast: plain softmax stays NaN."""
    inf = float("inf")
    return Program(Function(lambda x: torch.softmax(x, -1)),
                   (torch.tensor([[-inf, -inf, -inf], [inf, 1.0, 2.0], [-inf, 0.0, 0.0]]),))


# Of deviations(): what needs the exact engine. The others must be right.
MAY_BE_REFUSED = {
    "int64 beyond int32", "int64 constant beyond int32", "float64", "atan2 of integers",
    "average of integers", "logaddexp of infinities", "bicubic", "antialias", "cdist p=0",
    "embedding_bag with padding", "any and all",
}


def deviations():
    """Operators that the fast engine computes differently from PyTorch, by name."""
    floats = filled(2, 5)
    return {
        "std": Program(Function(lambda x: (x.std(), x.std(1, correction=0), x.var(0),
                                           torch.std(x, 1, correction=2))), (floats,)),
        "diagonal": Program(Function(lambda x: torch.diagonal(x, 1) + 1), (filled(4, 5),)),
        "cumsum of uint8": Program(
            Function(lambda x: torch.cumsum(x, 0)),
            (torch.tensor([200, 100, 50], dtype=torch.uint8),)),
        "int64 beyond int32": Program(
            Function(lambda x: x * 2 + 1), (torch.tensor([2 ** 40, -(2 ** 33)]),)),
        "int64 constant beyond int32": Program(
            Function(lambda x: x + 2 ** 40), (torch.tensor([1, 2]),)),
        "float64": Program(
            Function(lambda x: x / 3), (torch.tensor([1.0, 2.0], dtype=torch.float64),)),
        "integer power": Program(
            Function(lambda x: x ** 9), (torch.tensor([9, 3]),)),
        "trunc": Program(Function(lambda x: torch.trunc(x * 3)), (floats,)),
        "atan2 of integers": Program(
            Function(torch.atan2), (torch.tensor([1, -2]), torch.tensor([3, 1]))),
        "average of integers": Program(
            Function(lambda x: F.avg_pool1d(x, 2)), (torch.tensor([[1, 2, 4, 5]]),)),
        "logaddexp of infinities": Program(
            Function(torch.logaddexp),
            (torch.tensor([float("-inf"), 1.0]), torch.tensor([float("-inf"), 2.0]))),
        "squeeze of no dimensions": Program(
            Function(lambda x: torch.squeeze(x, ()) * 1), (filled(1, 2, 1),)),
        "argmax with ties": Program(
            Function(lambda x: (x.argmax(), x.argmin(-1))),
            (torch.tensor([[2.0, 7.0, 7.0], [1.0, 1.0, 1.0]]),)),
        "bicubic": Program(
            Function(lambda x: F.interpolate(x, size=(1, 1), mode="bicubic")),
            (F.one_hot(torch.tensor(5), 16).float().reshape(1, 1, 4, 4),)),
        "antialias": Program(
            Function(lambda x: F.interpolate(x, size=(1, 2), mode="bilinear", antialias=True)),
            (torch.tensor([[[[0.0, 1.0, 2.0, 3.0]]]]),)),
        "sum of no elements": Program(
            Function(lambda x: x[:, :0].sum(1)), (floats,)),
        "reduction of a scalar": Program(
            Function(lambda x: (x.sum() * 2).amax(0)), (floats,)),
        "broadcast of a scalar": Program(
            Function(lambda x: x.sum().broadcast_to(()) + 1), (floats,)),
        "cdist p=0": Program(Function(lambda x, y: torch.cdist(x, y, p=0.0)),
                             (torch.tensor([[1.0, 2.0]]), torch.tensor([[1.0, 3.0], [1.0, 2.0]]))),
        "embedding_bag with padding": Program(
            Function(lambda w, i: F.embedding_bag(i, w, padding_idx=1, mode="sum")),
            (filled(4, 3), torch.tensor([[0, 1, 2], [1, 1, 3]]))),
        "negative indices": Program(
            Function(lambda x, i: x[i]), (floats, torch.tensor([-1, 0, -2])),
            vary=lambda name, value, step: value),
        "repeated index": Program(
            Function(lambda x, v: x.index_put((torch.tensor([0, 0, 1]),), v, accumulate=True)),
            (torch.zeros(2), torch.tensor([1.0, 2.0, 4.0]))),
        "transposed convolution": Program(
            Function(lambda x: F.conv_transpose2d(x, torch.ones(1, 1, 2, 2), dilation=2, padding=3,
                                                  output_padding=1)),
            (torch.full((1, 1, 4, 4), 0.5),)),
        "any and all": Program(
            Function(lambda x: (x.bool().any(), x.bool().all(1), x.any(1))),
            (torch.tensor([[0, 3], [1, 1]], dtype=torch.uint8),),
            vary=lambda name, value, step: value),
        "rounding": Program(
            Function(lambda x: (torch.round(x), x.to(torch.int64), x.to(torch.uint8))),
            (torch.tensor([0.5, 1.5, 2.5, 250.7]),), vary=lambda name, value, step: value),
        "bool minimum": Program(
            Function(torch.minimum), (torch.tensor([True, False]), torch.tensor([True, True]))),
        "sign and clamp": Program(Function(lambda x: x.clamp(min=0).sign() * 2), (floats,)),
    }
