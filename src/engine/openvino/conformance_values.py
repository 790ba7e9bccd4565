"""The tensors that conformance cases are made of."""

import torch

f32, f64, i64, i32, u8 = torch.float32, torch.float64, torch.int64, torch.int32, torch.uint8
inf, nan = float("inf"), float("nan")


def T(values, dtype=f32):
    return torch.tensor(values, dtype=dtype)


def ramp(*shape, dtype=f32, start=0, step=1):
    n = 1
    for s in shape:
        n *= s
    return (torch.arange(n, dtype=torch.float64) * step + start).to(dtype).reshape(shape)


I = T([-7, 7, -7, 7, 0, 6, -6, 2147483647, -2147483647, 16777217, 123456789, 5], i64)
J = T([2, 2, -2, -2, 3, 3, 3, 1, 1, 1, 7, -3], i64)
M = ramp(3, 4, start=-5, step=0.75)
MASK = torch.tensor([[[False, False], [True, False]]])
V = T([[[1, 2], [3, 4]]])
