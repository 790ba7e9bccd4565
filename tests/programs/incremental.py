"""Programs about reuse: what may be kept, and for how long."""

import torch
from torch import nn
from torch.nn import functional as F

from .program import Function, Program, filled, seeded


def column_sums():
    """Case C1: equal bytes, other shape."""
    return Program(
        Function(lambda x, bias: x.sum(0) + 0 * bias),
        (torch.arange(6.0).reshape(2, 3), torch.zeros(1)),
        dynamic_shapes=(({0: torch.export.Dim("m", min=1, max=8),
                          1: torch.export.Dim("n", min=1, max=8)}, None),))


class TwoTowers(nn.Module):
    """Case C3: an image tower that keeps 256 KiB, a text tower that keeps 4 KiB, a small head."""

    IMAGE_BYTES = 256 << 10
    TEXT_BYTES = 4 << 10

    def __init__(self):
        super().__init__()
        self.image = nn.Conv2d(3, 16, 3, padding=1)
        self.text = nn.Linear(1024, 1024)

    def forward(self, image, text):
        picture = torch.relu(self.image(image))
        words = torch.tanh(self.text(text))
        return (picture * words.reshape(1, 16, 1, 64)).mean((2, 3))


def two_towers():
    return Program(seeded(TwoTowers), (filled(1, 3, 64, 64), filled(1, 1024, seed=2)))


class Prompts(nn.Module):
    """Case C4: kept features, repeated for n prompts and written in place."""

    def __init__(self):
        super().__init__()
        self.encoder = nn.Sequential(nn.Linear(32, 64), nn.ReLU(), nn.Linear(64, 16))

    def forward(self, image, prompts):
        features = self.encoder(image)
        each = features.repeat(prompts.shape[0], 1)
        each.add_(prompts)
        return each.relu_(), features * 1


def prompts():
    count = torch.export.Dim("count", min=1, max=8)
    return Program(seeded(Prompts), (filled(1, 32), filled(2, 16, seed=2)),
                   dynamic_shapes=(None, {0: count}))


class WritesKept(nn.Module):
    """Case C4: the consumer writes into the very tensor that is kept."""

    def __init__(self):
        super().__init__()
        self.encoder = nn.Linear(32, 16)

    def forward(self, image, text):
        features = torch.relu(self.encoder(image))
        first = features.sum(-1)
        features += text
        features[:, 3] = 7
        return first, features.exp()


def writes_kept():
    return Program(seeded(WritesKept), (filled(4, 32), filled(4, 16, seed=2)))


class Asserted(nn.Module):
    """Case A8: an assertion that no output depends on."""

    MESSAGE = "b must be positive"

    def forward(self, a, b):
        torch._assert_async((b > 0).all(), self.MESSAGE)
        return a * 2


def asserted():
    return Program(Asserted(), (torch.ones(2), torch.ones(3)))


class TwoBranches(nn.Module):
    """Case E3: two outputs that share nothing."""

    def __init__(self):
        super().__init__()
        self.table = nn.Embedding(5, 3)

    def forward(self, a, b):
        return {"c": a + a, "d": self.table(b)}


def two_branches():
    return Program(seeded(TwoBranches), (filled(4), torch.tensor([0, 4, 2])))


class Doubled(nn.Module):
    """Cases C5 and R12."""

    def forward(self, x, y):
        return x * 2, x.sum(0) + y


def doubled():
    return Program(Doubled(), (filled(3, 4), filled(4, seed=2)))


class ShapeOnly(nn.Module):
    """A value that reads the shape of the image, not its contents."""

    def __init__(self):
        super().__init__()
        self.encoder = nn.Conv2d(3, 4, 3, padding=1)

    def forward(self, image, points):
        size = torch.tensor([float(image.shape[3]), float(image.shape[2])])
        scaled = torch.sin(points / size).cumsum(0).exp()
        return scaled, F.relu(self.encoder(image)).mean() + scaled.sum()


def shape_only():
    return Program(seeded(ShapeOnly), (filled(1, 3, 12, 8), filled(5, 2, seed=2)))
