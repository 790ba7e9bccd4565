#!/usr/bin/env python3
"""Writes examples/three_inputs.pt2: a small program with three inputs and three towers.

    python examples/make_three_inputs.py [--output FILE]

    image    f32[1, 3, 96, 96]   convolutions
    text     i64[1, 256]         embedding and attention
    control  f32[1, 8]           a field over a grid of points, steered by the control

The three towers meet in a head that reads all of them. `confidence` depends on the text and the
control only, so a changed image leaves it alone. Weights are random, from a fixed seed: the program
is there to show work being saved, not to be right about anything.
"""

import argparse
import pathlib

import torch
from torch import nn
from torch.nn import functional as F

WIDTH = 48
TEXT_LENGTH = 256
VOCABULARY = 256


class ImageTower(nn.Module):
    """One 3x3 convolution applied again and again: much work, few weights."""

    def __init__(self):
        super().__init__()
        self.stem = nn.Conv2d(3, 16, 3, padding=1)
        self.block = nn.Conv2d(16, 16, 3, padding=1)
        self.norm = nn.GroupNorm(4, 16)
        self.down = nn.Conv2d(16, WIDTH, 4, stride=4)

    def forward(self, image):
        x = F.relu(self.stem(image))
        for _ in range(4):
            x = x + F.relu(self.norm(self.block(x)))
        return self.down(F.avg_pool2d(x, 2)).flatten(2).transpose(1, 2)  # [1, 144, WIDTH]


class Attention(nn.Module):
    def __init__(self, heads=4):
        super().__init__()
        self.heads = heads
        self.query = nn.Linear(WIDTH, WIDTH)
        self.key_value = nn.Linear(WIDTH, 2 * WIDTH)
        self.out = nn.Linear(WIDTH, WIDTH)

    def split(self, x):
        return x.unflatten(-1, (self.heads, WIDTH // self.heads)).transpose(1, 2)

    def forward(self, x, memory):
        key, value = self.key_value(memory).chunk(2, dim=-1)
        mixed = F.scaled_dot_product_attention(
            self.split(self.query(x)), self.split(key), self.split(value))
        return self.out(mixed.transpose(1, 2).flatten(2))


class TextTower(nn.Module):
    def __init__(self, layers=12):
        super().__init__()
        self.layers = layers
        self.embedding = nn.Embedding(VOCABULARY, WIDTH)
        place = torch.arange(TEXT_LENGTH, dtype=torch.float32).unsqueeze(1)
        wave = torch.sin(place / 10 ** torch.linspace(0, 3, WIDTH))
        self.register_buffer("position", wave, persistent=False)
        self.attention = Attention()
        self.norm1 = nn.LayerNorm(WIDTH)
        self.norm2 = nn.LayerNorm(WIDTH)
        self.up = nn.Linear(WIDTH, 4 * WIDTH)
        self.down = nn.Linear(4 * WIDTH, WIDTH)

    def forward(self, text):
        x = self.embedding(text) + self.position
        for _ in range(self.layers):
            y = self.norm1(x)
            x = x + self.attention(y, y)
            x = x + self.down(F.gelu(self.up(self.norm2(x)), approximate="tanh"))
        return x  # [1, TEXT_LENGTH, WIDTH]


class ControlTower(nn.Module):
    """A small network evaluated at every point of a grid, modulated by the control."""

    def __init__(self, side=128, hidden=48):
        super().__init__()
        line = torch.linspace(-1, 1, side)
        grid = torch.stack(torch.meshgrid(line, line, indexing="ij"), dim=-1)
        self.register_buffer("grid", grid.reshape(1, side * side, 2))
        self.side = side
        self.scale = nn.Linear(8, hidden)
        self.enter = nn.Linear(2, hidden)
        self.middle = nn.Linear(hidden, hidden)
        self.leave = nn.Linear(hidden, WIDTH)

    def forward(self, control):
        x = torch.sin(self.enter(self.grid) * 3) * self.scale(control).unsqueeze(1)
        for _ in range(4):
            x = F.silu(self.middle(x)) + x
        field = self.leave(x).transpose(1, 2).unflatten(-1, (self.side, self.side))
        return F.avg_pool2d(field, 8).flatten(2).transpose(1, 2)  # [1, 256, WIDTH]


class ThreeInputs(nn.Module):
    def __init__(self):
        super().__init__()
        self.image_tower = ImageTower()
        self.text_tower = TextTower()
        self.control_tower = ControlTower()
        self.look = Attention()
        self.confidence = nn.Linear(WIDTH, 1)
        self.action = nn.Linear(WIDTH, 7)

    def forward(self, image, text, control):
        picture = self.image_tower(image)
        words = self.text_tower(text).mean(dim=1, keepdim=True)
        field = self.control_tower(control)
        intent = words + self.look(words, field)
        seen = self.look(intent, picture)
        return {
            "action": torch.tanh(self.action(seen + intent)).squeeze(1),
            "heatmap": (picture @ intent.transpose(1, 2)).reshape(1, 12, 12),
            "confidence": torch.sigmoid(self.confidence(intent)).flatten(),
        }


def make():
    """The module and its sample inputs, the same on every call."""
    torch.manual_seed(0)
    module = ThreeInputs().eval()
    inputs = (
        torch.rand(1, 3, 96, 96),
        torch.randint(0, VOCABULARY, (1, TEXT_LENGTH)),
        torch.randn(1, 8),
    )
    return module, inputs


def main():
    default = pathlib.Path(__file__).resolve().parent / "three_inputs.pt2"
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--output", type=pathlib.Path, default=default)
    output = parser.parse_args().output
    module, inputs = make()
    program = torch.export.export(module, inputs)
    for node in program.graph.nodes:
        node.meta.pop("stack_trace", None)  # names of files on the machine that ran this
    torch.export.save(program, output)
    size = output.stat().st_size
    weights = sum(p.numel() for p in module.parameters())
    print(f"{output}: {size} bytes, {weights} parameters")


if __name__ == "__main__":
    main()
