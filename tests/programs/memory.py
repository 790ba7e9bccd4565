"""Programs about memory: pieces, shared weights, archives that are larger than they look."""

import torch
from torch import nn

from .program import Program, filled, seeded


class Pieces(nn.Module):
    """Case D2: the same 105 MB of weights read by one input, or shared out among several."""

    BLOCKS, SIZE = 16, 1280
    BYTES = BLOCKS * SIZE * SIZE * 4

    def __init__(self):
        super().__init__()
        self.blocks = nn.ModuleList(
            nn.Linear(self.SIZE, self.SIZE, bias=False) for _ in range(self.BLOCKS))

    def forward(self, *inputs):
        each = [torch.tanh(block(inputs[i % len(inputs)])) for i, block in enumerate(self.blocks)]
        return torch.stack(each).sum(0)


def pieces(count: int):
    return Program(seeded(Pieces), tuple(filled(1, Pieces.SIZE, seed=i) for i in range(count)))


class TiedEmbedding(nn.Module):
    """Case D2: the embedding is the output's weight too, 20 MB; a third tensor equals both."""

    WORDS, SIZE = 20_000, 256
    BYTES = WORDS * SIZE * 4

    def __init__(self):
        super().__init__()
        self.embedding = nn.Embedding(self.WORDS, self.SIZE)
        self.output = nn.Linear(self.SIZE, self.WORDS, bias=False)
        self.output.weight = self.embedding.weight
        self.copy = nn.Parameter(self.embedding.weight.detach().clone())

    def forward(self, words, features):
        read = self.embedding(words).mean(0, keepdim=True)
        return self.output(torch.tanh(read + features)), nn.functional.linear(features, self.copy)


def tied_embedding():
    return Program(seeded(TiedEmbedding),
                   (torch.tensor([3, 19_999, 0, 77]), filled(1, TiedEmbedding.SIZE)))


class Heavy(nn.Module):
    """Case R17: 210 MB of weights and little work."""

    LAYERS, SIZE = 8, 2560
    BYTES = LAYERS * SIZE * SIZE * 4

    def __init__(self):
        super().__init__()
        self.layers = nn.ModuleList(
            nn.Linear(self.SIZE, self.SIZE, bias=False) for _ in range(self.LAYERS))
        self.shift = nn.Linear(self.SIZE, self.SIZE, bias=False)
        self.shift.weight = self.layers[0].weight

    def forward(self, x, y):
        for layer in self.layers:
            x = torch.tanh(layer(x))
        return x + self.shift(y)


def heavy():
    return Program(seeded(Heavy), (filled(1, Heavy.SIZE), filled(1, Heavy.SIZE, seed=2)))
