"""Kernels of which people reported wrong answers: the short cases, with their right values."""

import torch
from torch.nn import functional as F

from .program import Function, Program, filled

NAN = float("nan")


def arg_extremes():
    """Case R8: NaN is the extreme wherever it is."""
    rows = torch.tensor([[2.0, NAN, 7.0, 4.0, 1.0], [3.0, 3.0, 3.0, 3.0, 3.0]])
    return Program(Function(lambda x, y: (x.argmax(1), x.argmin(1), y * 2)),
                   (rows, filled(2)), vary=lambda name, value, step: value)


ARG_EXTREMES = ([1, 0], [1, 0])


def lookup():
    """Case R6: an index outside the table is an error; advanced indexing counts from the end."""
    table = torch.arange(12.0).reshape(4, 3)
    return Program(Function(lambda row, other: (F.embedding(row, table), table[other])),
                   (torch.tensor([0, 3]), torch.tensor([-1, 0])))


def doubled_rows():
    """Case R10: `x[[0, 0]] += x[[0, 0]]` doubles once; accumulation adds twice."""
    def run(x, v):
        once = x.clone()
        index = torch.tensor([0, 0])
        once[index] += once[index]
        return once, x.index_put((index,), v, accumulate=True)

    return Program(Function(run), (torch.tensor([1.0, 5.0]), torch.tensor([2.0, 2.0])))


DOUBLED_ROWS = ([2, 5], [5, 5])


def one_pixel():
    """Case R9."""
    return Program(
        Function(lambda x, y: (F.conv_transpose2d(x, torch.ones(1, 1, 2, 2), dilation=2, padding=3,
                                                  output_padding=1), y * 2)),
        (torch.full((1, 1, 4, 4), 0.5), filled(2)))


def resized():
    """Case B6: antialiased bilinear, and bicubic with its coefficient."""
    def run(line, image):
        return (F.interpolate(line, size=(1, 2), mode="bilinear", antialias=True),
                F.interpolate(image, size=(1, 1), mode="bicubic"))

    image = F.one_hot(torch.tensor(5), 16).float().reshape(1, 1, 4, 4)
    return Program(Function(run), (torch.tensor([[[[0.0, 1.0, 2.0, 3.0]]]]), image))


RESIZED = ([0.714286, 2.285714], [0.352539])
