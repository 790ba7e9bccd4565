"""Programs of which a part runs under autocast on the CPU."""

import torch
from torch import nn

from .program import Program, filled, seeded


class Transformer(nn.Module):
    """Attention and a feed-forward part in half precision, with a float32 island; the text's part
    is outside, and one output mixes both."""

    def __init__(self, dtype):
        super().__init__()
        self.dtype = dtype
        self.embed = nn.Conv2d(3, 16, 4, stride=4)
        self.norm = nn.LayerNorm(16)
        self.attend = nn.MultiheadAttention(16, 2, batch_first=True)
        self.up = nn.Linear(16, 32)
        self.down = nn.Linear(32, 16)
        self.text = nn.Linear(8, 16)

    def forward(self, image, text):
        words = torch.tanh(self.text(text))
        with torch.autocast("cpu", dtype=self.dtype):
            x = self.embed(image).flatten(2).transpose(1, 2)
            y = self.norm(x)
            x = x + self.attend(y, y, y, need_weights=False)[0]
            with torch.autocast("cpu", enabled=False):
                y = self.norm(x.float())
            x = x + self.down(nn.functional.gelu(self.up(y)))
            heads = x.unflatten(-1, (2, 8)).transpose(1, 2)
            mixed = nn.functional.scaled_dot_product_attention(heads, heads, heads)
            scores = torch.softmax(x @ words.transpose(-1, -2), dim=-1)
        return {"scores": scores.float(), "mixed": mixed.float().mean(1), "words": words * 2}


def transformer(dtype=torch.bfloat16):
    return Program(seeded(lambda: Transformer(dtype)),
                   (filled(1, 3, 8, 8), filled(1, 5, 8, seed=2)))


class Convolutions(nn.Module):
    """Every policy: to half precision, to float32, to the widest, and as they are."""

    def __init__(self):
        super().__init__()
        self.first = nn.Conv2d(3, 8, 3, padding=1)
        self.norm = nn.BatchNorm2d(8)
        self.second = nn.Conv2d(8, 8, 3, padding=1, bias=False)
        self.slope = nn.PReLU(8)

    def forward(self, image, scale):
        with torch.autocast("cpu"):  # bfloat16 by default
            x = torch.relu(self.norm(self.first(image)))
            skip = nn.functional.pad(x, (1, 1, 1, 1), mode="reflect")[..., 1:-1, 1:-1]
            x = self.slope(self.second(x)) + skip
            both = torch.cat([x, image], dim=1)
            whole = torch.stack([x, x], dim=0) + nn.functional.pad(x, (1, 1))[..., 1:-1]
            product = torch.prod(x[:, 0, :2, 0] + 1, dim=1)
            wide = nn.functional.linear(image.flatten(1)[:, :4], image.flatten(1)[:3, 4:8])
            loss = nn.functional.mse_loss(x, x.roll(1), reduction="none")
            large = x * scale.double().to(torch.float32)
        results = both, whole, product, wide, loss.sum((2, 3)), large
        return tuple(result.float() for result in results)


def convolutions():
    return Program(seeded(Convolutions), (filled(2, 3, 6, 6), torch.tensor([0.5])))


class Modes(nn.Module):
    """Case: work hidden in a no-grad and in an autocast sub-graph, and one inside the other."""

    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(4, 4)

    def forward(self, x, y, z):
        with torch.no_grad():
            hidden = self.linear(x).sin()
        with torch.autocast("cpu", dtype=torch.bfloat16):
            half = self.linear(y)
            with torch.no_grad():
                nested = half @ self.linear.weight
        with torch.autocast("cuda", dtype=torch.float16), torch.enable_grad():
            other = self.linear(z)  # a region for another device changes nothing here
        return hidden, nested.float(), other


def modes():
    return Program(seeded(Modes), (filled(3, 4), filled(3, 4, seed=2), filled(3, 4, seed=3)))


class Einsum(nn.Module):
    def __init__(self, equation):
        super().__init__()
        self.equation = equation

    def forward(self, x, y):
        with torch.autocast("cpu", dtype=torch.bfloat16):
            products = torch.einsum(self.equation, x, y)
        return products.float(), x.sin()


def einsum(equation):
    """Of bhqd and bhkd."""
    return Program(Einsum(equation), (filled(2, 2, 3, 4), filled(2, 2, 5, 4, seed=2)))
