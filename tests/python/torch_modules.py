"""Modules that the tests of the PyTorch layer wrap, big enough that pieces pay."""

import collections

import torch
from torch import nn

WIDTH = 256


def tower(layers: int = 4) -> nn.Sequential:
    return nn.Sequential(*(nn.Sequential(nn.Linear(WIDTH, WIDTH), nn.GELU())
                           for _ in range(layers)))


def seeded(build) -> nn.Module:
    torch.manual_seed(0)
    return build().eval()


class TwoTowers(nn.Module):
    """Scores of items for a user. `user` and `items` meet in one product at the end."""

    def __init__(self):
        super().__init__()
        self.user_tower = tower()
        self.item_tower = tower()

    def forward(self, user, items, scale: float = 1.0):
        """Scores [items, users]."""
        return self.item_tower(items) @ self.user_tower(user).transpose(0, 1) * scale


Prompt = collections.namedtuple("Prompt", "points labels")
torch.utils._pytree._register_namedtuple(Prompt, serialized_type_name="changeaware.tests.Prompt")


class Prompted(nn.Module):
    """As a segmenter is called: a list of dictionaries, a named tuple, an optional mask."""

    def __init__(self):
        super().__init__()
        self.encoder = tower(6)
        self.prompts = tower(2)

    def forward(self, batch, prompt, *, mask=None, multimask=True):
        features = self.encoder(batch[0]["image"]) + batch[1]["image"]
        point = self.prompts(prompt.points) * prompt.labels.unsqueeze(-1)
        masks = point @ features.transpose(-1, -2)
        if mask is not None:
            masks = masks + mask
        return {"masks": (masks, masks.amax(-1)), "labels": prompt.labels, "count": 3,
                "low": None if multimask else masks * 2}


class Counting(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("calls", torch.zeros(1))

    def forward(self, x):
        self.calls += 1
        return x + self.calls


class Function(nn.Module):
    def __init__(self, function):
        super().__init__()
        self.function = function
        self.eval()

    def forward(self, *args):
        return self.function(*args)


def user_and_items(users: int = 192, items: int = 256):
    generator = torch.Generator().manual_seed(1)
    return (torch.randn(users, WIDTH, generator=generator),
            torch.randn(items, WIDTH, generator=generator))


def assert_close(actual: torch.Tensor, expected: torch.Tensor) -> None:
    torch.testing.assert_close(actual, expected.detach(), rtol=1e-4,
                               atol=1e-4 * float(expected.detach().abs().max()))
