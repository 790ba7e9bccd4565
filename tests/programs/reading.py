"""Programs about how a file is read: inputs, outputs, weights, both kinds of graph."""

import torch
from torch import nn
from torch.nn import functional as F

from .program import Program, filled, seeded


class KeywordInputs(nn.Module):
    """Case A1: keyword arguments exported in another order than the signature."""

    WIDTH = 1024  # enough work that neither side is too small to stand alone

    def __init__(self):
        super().__init__()
        self.linear1 = nn.Linear(1024, self.WIDTH)
        self.linear2 = nn.Linear(768, self.WIDTH)

    def forward(self, x1, x2, flag):
        parts = [self.linear1(x1), self.linear2(x2)]
        return torch.cat(parts if flag else parts[::-1], dim=-1)


def keyword_inputs():
    return Program(seeded(KeywordInputs), (filled(2, 1024),),
                   {"flag": True, "x2": filled(2, 768, seed=2)})


class NestedInputs(nn.Module):
    """Case A1: a dictionary inside the arguments, its keys not in alphabetical order."""

    def __init__(self):
        super().__init__()
        self.linear1 = nn.Linear(3, 4)
        self.linear2 = nn.Linear(5, 4)

    def forward(self, x, pair):
        first, second = pair
        return torch.cat([self.linear1(x["a1"]), self.linear2(x["a2"])], -1) * first - second


def nested_inputs():
    return Program(
        seeded(NestedInputs),
        ({"a2": filled(2, 5), "a1": filled(2, 3, seed=2)}, (filled(1, seed=3), filled(1, seed=4))))


class NestedOutputs(nn.Module):
    """A dictionary, a tuple, None and numbers among the outputs; an input that is None."""

    def forward(self, x, nothing, y):
        return {"sum": x + y, "pair": (x * 2, None), "number": 3, "yes": True, "half": 0.5}


def nested_outputs():
    return Program(NestedOutputs(), (filled(3), None, filled(3, seed=2)))


class RepeatedOutput(nn.Module):
    """Case A3: one value returned twice."""

    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(6, 4))

    def forward(self, img, txt):
        a = torch.relu(img @ self.weight)
        b = a + txt
        return a, b, a


def repeated_output():
    return Program(seeded(RepeatedOutput), (filled(2, 6), filled(2, 4, seed=2)))


class PassedThrough(nn.Module):
    """Case A3: an input and a lifted constant returned as outputs."""

    def forward(self, img, txt):
        constant = torch.tensor([1.0, 2.0, 3.0, 4.0])
        return img, constant, img * constant + txt


def passed_through():
    return Program(PassedThrough(), (filled(2, 4), filled(2, 4, seed=2)))


class ViewWeights(nn.Module):
    """Case A6: weights with an offset, transposed, channels-last, expanded, and shared."""

    def __init__(self):
        super().__init__()
        big = torch.arange(24.0).reshape(4, 6)
        self.register_buffer("middle", big[1:3])
        self.register_buffer("first", big[0:1])
        self.register_buffer("turned", torch.arange(6.0).reshape(2, 3).T)
        self.register_buffer("spread", torch.tensor([[0.5]]).expand(2, 2))
        self.conv = nn.Conv2d(3, 5, 3).to(memory_format=torch.channels_last)

    def forward(self, x, y, image):
        return (x @ self.middle.T, x @ self.first.T, y @ self.turned,
                y @ self.turned + self.spread, self.conv(image))


def view_weights():
    return Program(seeded(ViewWeights), (torch.ones(1, 6), torch.ones(1, 3), filled(1, 3, 8, 8)))


class ManyViews(nn.Module):
    """Case R15: `count` views of one storage of 1 MiB."""

    COUNT = 16
    BYTES = 1 << 20

    def __init__(self):
        super().__init__()
        big = torch.randn(512, 512)
        for i in range(self.COUNT):
            self.register_buffer(f"view{i}", big[i:i + 256])

    def forward(self, x, y):
        total = x
        for i in range(self.COUNT):
            total = total + x @ getattr(self, f"view{i}").T @ getattr(self, f"view{i}")
        return total, y * 2


def many_views():
    return Program(seeded(ManyViews), (filled(1, 512) / 512, filled(2, seed=2)))


class TiedWeights(nn.Module):
    """Two names for one parameter, beside a parameter of equal contents."""

    def __init__(self):
        super().__init__()
        self.encode = nn.Linear(256, 256, bias=False)
        self.decode = nn.Linear(256, 256, bias=False)
        self.decode.weight = self.encode.weight
        self.copy = nn.Parameter(self.encode.weight.detach().clone())

    def forward(self, x, y):
        return self.decode(torch.tanh(self.encode(x))), y @ self.copy


def tied_weights():
    return Program(seeded(TiedWeights), (filled(1, 256), filled(1, 256, seed=2)))


class BothWays(nn.Module):
    """One square weight, multiplied with as it is and transposed."""

    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(64, 64) / 8)

    def forward(self, x, y):
        return x @ self.weight, F.linear(y, self.weight), (x + y) @ self.weight


def both_ways():
    return Program(seeded(BothWays), (filled(2, 64), filled(2, 64, seed=2)))


class Composite(nn.Module):
    """Training IR and core ATen differ much here: every operator decomposes."""

    def __init__(self):
        super().__init__()
        self.stem = nn.Conv2d(3, 8, 3, stride=2, padding=1)
        self.norm = nn.BatchNorm2d(8)
        self.embedding = nn.Embedding(16, 8)
        self.layer = nn.TransformerEncoderLayer(8, 2, 16, dropout=0.0, batch_first=True)
        self.head = nn.Linear(8, 3)
        self.register_buffer("counter", torch.tensor(2.0), persistent=False)

    def forward(self, image, text):
        picture = F.gelu(self.norm(self.stem(image))).flatten(2).mean(-1)
        with torch.no_grad():
            words = self.embedding(text) / self.counter
        mask = text == 0
        words = self.layer(words.masked_fill(mask.unsqueeze(-1), 0.0))
        return self.head(picture), F.log_softmax(self.head(words.amax(1) + picture), -1)


def composite():
    text = torch.tensor([[3, 1, 4, 1, 5, 0, 2, 6], [2, 7, 1, 0, 2, 8, 1, 0]])
    return Program(seeded(Composite), (filled(2, 3, 10, 10), text))


class WritesIntoViews(nn.Module):
    """In-place operators on fresh values and on views of them."""

    def forward(self, image, points):
        canvas = torch.zeros(2, 4, 6)
        canvas[:, 1:3] = image
        canvas[0, 0].copy_(points)
        canvas[..., 5].mul_(2)
        before = canvas.transpose(1, 2)  # a view that is read after its base was written
        canvas.masked_fill_(canvas > 1, -1)
        canvas[1].add_(points.unsqueeze(0), alpha=3)
        return before.contiguous(), canvas.sum(-1), points.clone().zero_() + image[0]


def writes_into_views():
    return Program(WritesIntoViews(), (filled(2, 2, 6), filled(6, seed=2)))


class DynamicRows(nn.Module):
    """A symbolic size in a shape and in arithmetic."""

    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(4, 3)

    def forward(self, rows, scale):
        count = rows.shape[0]
        total = rows.sum() * ((count - 7) // 2)
        return self.linear(rows) * scale, total, rows.reshape(count * 2, 2)


def dynamic_rows():
    rows = torch.export.Dim("rows", min=1, max=64)
    return Program(seeded(DynamicRows), (filled(3, 4), filled(1, seed=2)),
                   dynamic_shapes=({0: rows}, None))
