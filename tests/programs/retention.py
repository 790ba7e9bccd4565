"""Programs about what is retained: budgets, early cutoff, weights, prompts."""

import numpy as np
import torch
from torch import nn

from .program import Program, filled, seeded


class TwoKept(nn.Module):
    """Case C8: two towers whose results are both needed by every prompt, 16 KiB each."""

    KEPT_BYTES = 16 << 10

    def __init__(self):
        super().__init__()
        self.image, self.depth = nn.Linear(64, 64), nn.Linear(64, 64)

    def forward(self, image, depth, prompt):
        near, far = torch.relu(self.image(image)), torch.tanh(self.depth(depth))
        return (near * prompt).sum(0) + (far @ prompt)


def two_kept():
    return Program(seeded(TwoKept), (filled(64, 64), filled(64, 64, seed=2), filled(64, seed=3)))


class KeptTwice(nn.Module):
    """Case C8: one kept tensor that two readers use in one request, and one of them twice."""

    def __init__(self):
        super().__init__()
        self.image = nn.Linear(64, 64)

    def forward(self, image, left, right):
        features = torch.relu(self.image(image))
        return features @ left, (features @ features.T) @ right


def kept_twice():
    return Program(seeded(KeptTwice), (filled(64, 64), filled(64, 8, seed=2),
                                       filled(64, 8, seed=3)))


class Scaled(nn.Module):
    """Case C9: y = w x + t, where w is the weight."""

    def __init__(self, weight: float):
        super().__init__()
        self.w = nn.Parameter(torch.eye(4) * weight)

    def forward(self, x, t):
        return x @ self.w + t


def scaled(weight: float):
    return Program(Scaled(weight), (torch.full((2, 4), 3.0), torch.zeros(4)))


class Pixels(nn.Module):
    """Case R1: an answer that tells every image from every other."""

    def __init__(self):
        super().__init__()
        self.mix = nn.Linear(48, 16, bias=False)

    def forward(self, image, text):
        return self.mix(image.reshape(1, -1)) * text


def pixels():
    return Program(seeded(Pixels), (filled(3, 4, 4), filled(16, seed=2)))


class Quantised(nn.Module):
    """A tower whose result stays the same, bit for bit, for many different inputs.

    Its weights are whole numbers, so its sums are exact. `boundary` is what a reader of both inputs
    sees of x. Everything that is kept is small: cutoff looks only where looking costs little.
    """

    def __init__(self, boundary):
        super().__init__()
        self.boundary = boundary
        weight = (torch.arange(64 * 64) * 7 % 5).reshape(64, 64).float() + 1
        self.x, self.y = nn.Parameter(weight), nn.Linear(64, 8)

    def forward(self, x, y):
        return (self.boundary(x @ self.x) / 64) @ torch.tanh(self.y(y))


BOUNDARIES = {
    "abs": torch.abs,
    "clamp": lambda v: torch.clamp(v, -1.0, 1.0),
    "round": torch.round,
    "sign": torch.sign,
    "compare": lambda v: torch.where(v > 0, 1.0, -1.0),
    "argmax": lambda v: torch.nn.functional.one_hot(v.argmax(-1), 64).float(),
}


def same_boundary(kind: str, x: np.ndarray) -> np.ndarray:
    """Another x with the same boundary: whole numbers stay whole, signs stay but for abs."""
    if kind == "abs":
        return -x
    if kind == "round":
        return x + np.float32(1 / 4096)
    return x * np.float32(2)


def quantised(kind: str):
    x = torch.randint(-4, 5, (4, 64), generator=torch.Generator().manual_seed(1)).float()
    x[:, 0] = 33  # no sum is zero
    return Program(seeded(lambda: Quantised(BOUNDARIES[kind])), (x, filled(64, 64, seed=2)))


class Reciprocals(nn.Module):
    """1 / boundary: the sign of a zero decides between the two infinities.

    Two readers, so that the boundary is kept on its own.
    """

    def __init__(self, boundary):
        super().__init__()
        self.boundary = boundary

    def forward(self, x, y, z):
        kept = self.boundary(x)
        return y / kept, z / kept


def reciprocals(kind: str):
    return Program(Reciprocals(BOUNDARIES[kind]),
                   (filled(8), torch.ones(8), torch.ones(8)))


class Chained(nn.Module):
    """Three towers in a row: what comes out of the first is the same, so nothing later runs."""

    def __init__(self):
        super().__init__()
        self.x, self.y, self.z = nn.Linear(32, 32), nn.Linear(32, 16), nn.Linear(16, 16)

    def forward(self, x, y, z):
        kept = torch.abs(x @ self.x.weight)
        both = torch.tanh(kept @ self.y(y))
        return both.sum(0), both @ self.z(z)


def chained():
    return Program(seeded(Chained),
                   (filled(8, 32), filled(32, 32, seed=2), filled(16, 16, seed=3)))


class Prompted(nn.Module):
    """Case E2: an image encoder and a decoder of points [1, Q, N, 2] and labels [1, Q, N]."""

    def __init__(self):
        super().__init__()
        self.encoder = nn.Sequential(nn.Conv2d(3, 16, 4, 4), nn.GELU(), nn.Conv2d(16, 32, 3, 1, 1))
        self.point, self.label = nn.Linear(2, 32), nn.Embedding(2, 32)
        self.attention = nn.MultiheadAttention(32, 4, batch_first=True)

    def forward(self, image, points, labels):
        scaled = torch.stack([points[..., 0] / image.shape[3], points[..., 1] / image.shape[2]], -1)
        features = self.encoder(image)
        memory = features.flatten(2).transpose(1, 2)
        q = points.shape[1]
        tokens = (self.point(scaled) + self.label(labels)).flatten(0, 1)
        read, _ = self.attention(tokens, memory.expand(q, -1, -1), memory.expand(q, -1, -1))
        return torch.einsum("qnc,chw->qnhw", read, features[0]), read.mean(1)


def prompted(prompts: int, points: int, dynamic: bool = False):
    """Of fixed sizes; or Q from 1 to 64, N from 1 to 6, images of 8 to 64."""
    q, n = torch.export.Dim("q", min=1, max=64), torch.export.Dim("n", min=1, max=6)
    h, w = (torch.export.Dim(name, min=8, max=64) for name in "hw")
    shapes = ({2: h, 3: w}, {1: q, 2: n}, {1: q, 2: n}) if dynamic else None
    return Program(
        seeded(Prompted),
        (filled(1, 3, 32, 24), *prompt(prompts, points, 0)), dynamic_shapes=shapes)


def prompt(prompts: int, points: int, seed: int) -> tuple[torch.Tensor, torch.Tensor]:
    generator = torch.Generator().manual_seed(seed)
    return (torch.rand(1, prompts, points, 2, generator=generator) * 32,
            torch.randint(0, 2, (1, prompts, points), generator=generator))
