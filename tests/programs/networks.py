"""Small networks of the kinds that people serve, with inputs that change at different times."""

import torch
import torch.nn.functional as F
from torch import nn

from .program import Program, filled, seeded


class Classifier(nn.Module):
    """A picture and a bag of words: convolutions, batch norm, pools, an embedding."""

    def __init__(self):
        super().__init__()
        self.first = nn.Conv2d(3, 16, 3, 2, 1)
        self.norm = nn.BatchNorm2d(16)
        self.second = nn.Conv2d(16, 16, 3, 1, 1, groups=4)
        self.head = nn.Linear(16, 10)
        self.words = nn.Embedding(20, 16)

    def forward(self, image, words):
        x = F.relu(self.norm(self.first(image)))
        x = F.max_pool2d(x, 2) + F.avg_pool2d(x, 2)
        x = F.adaptive_avg_pool2d(F.relu6(self.second(x)), 1).flatten(1)
        return self.head(x + self.words(words).mean(1))


class Encoder(nn.Module):
    """An encoder that many queries attend to."""

    def __init__(self):
        super().__init__()
        layer = nn.TransformerEncoderLayer(32, 4, 64, batch_first=True)
        self.encoder = nn.TransformerEncoder(layer, 2)
        self.query = nn.Linear(8, 32)
        self.attention = nn.MultiheadAttention(32, 4, batch_first=True)

    def forward(self, document, query):
        memory = self.encoder(document)
        return self.attention(self.query(query), memory, memory)


class Recurrent(nn.Module):
    def __init__(self):
        super().__init__()
        self.lstm = nn.LSTM(8, 16, 2, batch_first=True, bidirectional=True)
        self.gru = nn.GRU(8, 16, batch_first=True)

    def forward(self, x, y):
        return self.lstm(x)[0].sum(1) + torch.cat([self.gru(y)[0][:, -1]] * 2, -1)


class Denoiser(nn.Module):
    """One step: noise and time change in every request, the context never."""

    def __init__(self):
        super().__init__()
        self.down = nn.Conv2d(4, 16, 3, 1, 1)
        self.norm = nn.GroupNorm(4, 16)
        self.shrink = nn.Conv2d(16, 32, 3, 2, 1)
        self.time = nn.Linear(16, 32)
        self.up = nn.ConvTranspose2d(32, 16, 2, 2)
        self.out = nn.Conv2d(32, 4, 1)
        self.key = nn.Linear(256, 32)
        self.value = nn.Linear(256, 32)

    def forward(self, noise, time, context):
        frequencies = torch.exp(-torch.arange(8) / 8 * 9.2)
        angle = time[:, None] * frequencies
        emb = torch.cat([torch.sin(angle), torch.cos(angle)], -1)
        skip = F.silu(self.norm(self.down(noise)))
        x = self.shrink(skip) + self.time(emb)[:, :, None, None]
        b, c, h, w = x.shape
        query = x.flatten(2).transpose(1, 2)[:, None]
        key, value = self.key(context)[:, None], self.value(context)[:, None]
        read = F.scaled_dot_product_attention(query, key, value)[:, 0]
        x = x + read.transpose(1, 2).reshape(b, c, h, w)
        return self.out(torch.cat([self.up(x), skip], 1))


class Ranker(nn.Module):
    """One user, many items."""

    def __init__(self):
        super().__init__()
        self.user = nn.Sequential(nn.Linear(10, 64), nn.ReLU(), nn.Dropout(0.1), nn.Linear(64, 16))
        self.item = nn.Sequential(nn.Linear(12, 64), nn.GELU(), nn.LayerNorm(64), nn.Linear(64, 16))
        self.cross = nn.Parameter(torch.randn(16, 16))

    def forward(self, user, items):
        scores = torch.einsum("bd,de,ne->bn", self.user(user), self.cross, self.item(items))
        best, index = torch.topk(scores, 3)
        return {"scores": F.softmax(scores, -1), "best": best, "index": index}


class Rotary(nn.Module):
    """Attention with rotary positions and root mean square norm under a boolean mask."""

    def __init__(self):
        super().__init__()
        self.query, self.key, self.value = (nn.Linear(32, 32) for _ in range(3))
        self.scale = nn.Parameter(torch.ones(32))

    def forward(self, x, mask):
        b, t, _ = x.shape
        x = x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + 1e-6) * self.scale
        angle = torch.outer(torch.arange(t).float(), 1 / 10000 ** (torch.arange(0, 8, 2) / 8))

        def heads(layer):
            return layer(x).view(b, t, 4, 8).transpose(1, 2)

        def turned(z):
            even, odd = z[..., ::2], z[..., 1::2]
            cos, sin = angle.cos(), angle.sin()
            return torch.stack([even * cos - odd * sin, even * sin + odd * cos], -1).flatten(-2)

        out = F.scaled_dot_product_attention(
            turned(heads(self.query)), turned(heads(self.key)), heads(self.value),
            attn_mask=mask[:, None, None, :])
        return out.transpose(1, 2).reshape(b, t, 32)


class Rows(nn.Module):
    """Both inputs have a number of rows that changes; some results read only that number."""

    def __init__(self):
        super().__init__()
        self.left, self.right = nn.Linear(6, 8), nn.Linear(5, 8)

    def forward(self, x, y):
        left, right = self.left(x).relu(), self.right(y)
        n = x.shape[0]
        later = torch.arange(n)[:, None] >= torch.arange(y.shape[0])[None]
        table = (left @ right.T).masked_fill(later, 0.0)
        return table.reshape(-1), left.mean(0) + right.max(0).values, torch.zeros(n, 3) + y.sum()


def networks() -> dict:
    n, m = torch.export.Dim("n"), torch.export.Dim("m")
    words = torch.arange(5)[None] * 3
    mask = torch.ones(2, 6, dtype=torch.bool)
    return {
        "classifier": Program(seeded(Classifier), (filled(1, 3, 64, 64), words)),
        "encoder": Program(seeded(Encoder), (filled(2, 7, 32), filled(2, 3, 8, seed=2))),
        "recurrent": Program(seeded(Recurrent), (filled(2, 5, 8), filled(2, 5, 8, seed=2))),
        "denoiser": Program(
            seeded(Denoiser),
            (filled(1, 4, 16, 16), torch.tensor([3.0]), filled(1, 77, 256, seed=2))),
        "ranker": Program(seeded(Ranker), (filled(1, 10), filled(9, 12, seed=2))),
        "rotary": Program(seeded(Rotary), (filled(2, 6, 32), mask)),
        "rows": Program(seeded(Rows), (filled(4, 6), filled(3, 5, seed=2)),
                        dynamic_shapes=({0: n}, {0: m})),
    }
