"""Recurrent networks and attention as they are exported, and quantised networks."""

import torch
import torch.ao.quantization.fx._decomposed  # noqa: F401  registers quantized_decomposed
from torch import nn
from torch.nn import functional as F

from .program import Function, Program, filled, seeded, vary


class Recurrent(nn.Module):
    """Two layers, both directions, an initial state that is an input."""

    def __init__(self, kind, **options):
        super().__init__()
        self.network = kind(6, 5, num_layers=2, bidirectional=True, batch_first=True, **options)

    def forward(self, x, state, y):
        pair = (state, state * 0.5) if isinstance(self.network, nn.LSTM) else state
        out, last = self.network(x, pair)
        return out, last, y * 2


KINDS = {
    "lstm": lambda: Recurrent(nn.LSTM), "gru": lambda: Recurrent(nn.GRU),
    "tanh": lambda: Recurrent(nn.RNN), "relu": lambda: Recurrent(nn.RNN, nonlinearity="relu"),
}


def recurrent(kind):
    return Program(seeded(KINDS[kind]), (filled(2, 3, 6), filled(4, 2, 5, seed=2),
                                         filled(2, seed=3)))


class Cells(nn.Module):
    def __init__(self):
        super().__init__()
        self.lstm = nn.LSTMCell(4, 3)
        self.gru = nn.GRUCell(4, 3)
        self.rnn = nn.RNNCell(4, 3)

    def forward(self, x, h):
        return (*self.lstm(x, (h, h * 2)), self.gru(x, h), self.rnn(x, h))


def cells():
    return Program(seeded(Cells), (filled(2, 4), filled(2, 3, seed=2)))


def _masks():
    rows = torch.ones(1, 1, 5, 6, dtype=torch.bool).tril()
    rows[..., 2, :] = False  # attends to nothing
    return {
        "none": {}, "causal": {"is_causal": True}, "scale": {"scale": 0.25},
        "bool": {"attn_mask": rows}, "float": {"attn_mask": filled(2, 1, 5, 6, seed=4)},
        "infinite": {"attn_mask": torch.zeros(5, 6).masked_fill(torch.ones(5, 6).triu(1) > 0,
                                                                float("-inf"))},
        "per head": {"attn_mask": filled(2, 4, 5, 6, seed=4) > 0},
    }


MASKS = list(_masks())


def attention(mask):
    options = _masks()[mask]
    given = options.pop("attn_mask", None)

    def attend(query, key, value, *masks):
        return F.scaled_dot_product_attention(query, key, value, *masks, **options)

    inputs = (filled(2, 4, 5, 8), filled(2, 4, 6, 8, seed=2), filled(2, 4, 6, 8, seed=3))
    return Program(Function(attend), inputs if given is None else (*inputs, given),
                   vary=lambda name, value, step: value if name == "args_3" else
                   vary(name, value, step))


def grouped_attention():
    return Program(
        Function(lambda q, k, v: F.scaled_dot_product_attention(q, k, v, enable_gqa=True)),
        (filled(2, 4, 5, 8), filled(2, 2, 6, 8, seed=2), filled(2, 2, 6, 8, seed=3)))


Q = torch.ops.quantized_decomposed


class Quantised(nn.Module):
    """What a PT2E flow leaves: static per-tensor activations, per-channel weights."""

    def __init__(self):
        super().__init__()
        torch.manual_seed(0)
        self.register_buffer("weight", torch.randint(-127, 128, (8, 3, 3, 3), dtype=torch.int8))
        self.register_buffer("scales", torch.rand(8) * 0.01 + 0.001)
        self.register_buffer("zeros", torch.zeros(8, dtype=torch.int64))
        self.register_buffer("matrix", torch.randint(-127, 128, (5, 8), dtype=torch.int8))

    def forward(self, image, y):
        x = Q.quantize_per_tensor.default(image, 0.03, 7, -128, 127, torch.int8)
        x = Q.dequantize_per_tensor.default(x, 0.03, 7, -128, 127, torch.int8)
        weight = Q.dequantize_per_channel.default(self.weight, self.scales, self.zeros, 0, -127,
                                                  127, torch.int8)
        x = F.relu(F.conv2d(x, weight)).mean((2, 3))
        x = Q.quantize_per_tensor.default(x, 0.02, 128, 0, 255, torch.uint8)
        x = Q.dequantize_per_tensor.default(x, 0.02, 128, 0, 255, torch.uint8)
        matrix = Q.dequantize_per_tensor.default(self.matrix, 0.004, 0, -127, 127, torch.int8)
        return F.linear(x, matrix) + y


def quantised():
    return Program(Quantised(), (filled(2, 3, 8, 8), filled(5, seed=2)))


class DynamicallyQuantised(nn.Module):
    """Scale and zero point come from the values themselves, and per channel of an activation."""

    def forward(self, x, y):
        scale, zero = Q.choose_qparams.tensor(x, -128, 127, 1e-5, torch.int8)
        q = Q.quantize_per_tensor.tensor(x, scale, zero, -128, 127, torch.int8)
        a = Q.dequantize_per_tensor.tensor(q, scale, zero, -128, 127, torch.int8)
        scales = torch.tensor([0.1, 0.2, 0.05])
        zeros = torch.tensor([0, 3, -2])
        c = Q.quantize_per_channel.default(x, scales, zeros, 1, -128, 127, torch.int8)
        return a * y, Q.dequantize_per_channel.default(c, scales, zeros, 1, -128, 127, torch.int8)


def dynamically_quantised():
    return Program(DynamicallyQuantised(), (filled(4, 3), filled(3, seed=2)))
