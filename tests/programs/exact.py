"""Programs that need PyTorch's own arithmetic, for some of it or all."""

import torch

from programs.program import Program


class WideNumbers(torch.nn.Module):
    """Numbers beyond 32 bits, NaN that decides, and a part that reads neither."""

    def forward(self, ids, image):
        return {"next": ids + 1, "largest": image.max(dim=1).values, "pooled": image.mean(dim=1)}


class DoublePositions(torch.nn.Module):
    """Rotary positions in float64 between layers in float32, as denoisers have them."""

    def __init__(self):
        super().__init__()
        self.q = torch.nn.Linear(16, 16)
        self.k = torch.nn.Linear(16, 16)

    def forward(self, x, positions):
        steps = 1.0 / 10000.0 ** (torch.arange(0, 8, dtype=torch.float64) / 8)
        angles = torch.outer(positions.to(torch.float64), steps)
        rotation = torch.cat([angles.cos(), angles.sin()], dim=-1).to(torch.float32)
        return torch.softmax(self.q(x * rotation) @ self.k(x).T, dim=-1)


class Tower(torch.nn.Module):
    def __init__(self, channels):
        super().__init__()
        self.convolve = torch.nn.Conv2d(3, channels, 3, stride=2)
        self.norm = torch.nn.GroupNorm(2, channels)
        self.head = torch.nn.Linear(channels, channels)

    def forward(self, x):
        x = torch.nn.functional.gelu(self.norm(self.convolve(x)))
        return self.head(x.flatten(2).transpose(1, 2))


class Attention(torch.nn.Module):
    """Towers whose frontier is a transposed view, and attention over both."""

    def __init__(self):
        super().__init__()
        self.left = Tower(16)
        self.right = Tower(16)

    def forward(self, left, right):
        a, b = self.left(left), self.right(right)
        mixed = torch.nn.functional.scaled_dot_product_attention(a[None], b[None], b[None])[0]
        return {"mixed": mixed, "left": a.mean(dim=1), "energy": torch.linalg.vector_norm(b, dim=2)}


def wide_numbers():
    return Program(WideNumbers(),
                   (torch.arange(4), torch.linspace(-1, 1, 12).reshape(3, 4)))


def double_positions():
    torch.manual_seed(0)
    return Program(DoublePositions().eval(),
                   (torch.randn(5, 16), torch.arange(5.0)))


def attention():
    torch.manual_seed(0)
    return Program(Attention().eval(),
                   (torch.randn(1, 3, 31, 31), torch.randn(1, 3, 27, 27)))
