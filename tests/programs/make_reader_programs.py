"""Writes the small programs that the tests of src/pt2 read, as torch.export.save writes them.

    python tests/programs/make_reader_programs.py [FOLDER]     (default: tests/data/reader)

The files are committed; run this again when a program is added or the pinned PyTorch (2.13.0)
changes. Everything is seeded. Each class states what its program shows.
"""

import collections
import dataclasses
import pathlib
import sys
import warnings

import torch
from torch import nn

warnings.simplefilter("ignore")

TRACES = ("stack_trace", "nn_module_stack", "source_fn_stack", "torch_fn", "from_node")


@dataclasses.dataclass
class Pair:
    first: torch.Tensor
    second: torch.Tensor


torch.export.register_dataclass(Pair, serialized_type_name="reader_programs.Pair")
Scores = collections.namedtuple("Scores", ["best", "rest"])
torch.utils._pytree._register_namedtuple(Scores, serialized_type_name="reader_programs.Scores")


class KwargsOrder(nn.Module):
    """Keyword inputs given in another order than the signature; one is fixed at export."""

    def __init__(self):
        super().__init__()
        self.linear1, self.linear2 = nn.Linear(2, 3), nn.Linear(2, 3)

    def forward(self, x1, x2, flag=None):
        return torch.cat([self.linear1(x1), self.linear2(x2)], dim=-1)


class NestedDict(nn.Module):
    """A dictionary as input, nested outputs with names."""

    def forward(self, x, extra):
        pair = Pair(x + extra["b"], extra["a"] * 2)
        return {"logits": x - 1, "hidden": [x * 3, extra["a"] + 1], "pair": pair,
                "scores": Scores(x * 5, x * 7)}


class Duplicates(nn.Module):
    """One value returned twice, an input and a lifted constant returned."""

    def __init__(self):
        super().__init__()
        self.constant = torch.arange(3.0)

    def forward(self, image, text):
        a = torch.relu(image * 2)
        return a, a + text, a, image, self.constant


class FixedOutputs(nn.Module):
    """None and numbers among inputs and outputs."""

    def forward(self, x, scale=2.5, name="sum", mask=None):
        return x * scale, None, 3, True, x.shape[0], 0.5


class Views(nn.Module):
    """Weights that are views: offset, transposed, channels-last, expanded, shared, tied."""

    def __init__(self):
        super().__init__()
        big = torch.arange(24.0).reshape(4, 6)
        self.register_buffer("rows", big[1:3])
        self.register_buffer("tail", big[3:])
        self.register_buffer("transposed", torch.arange(6.0).reshape(2, 3).T)
        self.register_buffer("expanded", torch.ones(1, 1).expand(3, 4))
        self.register_buffer("empty", torch.zeros(0, 3))
        self.register_buffer("scratch", torch.full((4,), 4.0), persistent=False)
        self.conv = nn.Conv2d(3, 2, 2).to(memory_format=torch.channels_last)
        self.embedding = nn.Embedding(5, 4)
        self.head = nn.Linear(4, 5, bias=False)
        self.head.weight = self.embedding.weight

    def forward(self, x):
        a = x @ self.rows.T
        b = torch.ones(1, 3) @ self.transposed.T.contiguous().T
        c = self.conv(x.reshape(1, 1, 2, 3).expand(1, 3, 2, 3))
        d = self.head(self.embedding.weight + self.expanded.sum() + self.tail.sum())
        return a, b, c, d, self.empty, self.scratch + self.expanded


class Dynamic(nn.Module):
    """Symbolic sizes, arithmetic on them, range constraints, an assertion."""

    def forward(self, x, n):
        size = x.shape[0]
        torch._assert_async((x > 0).all(), "x must be positive")
        return x.reshape(size // 2, 2).sum(0) * size + n.sum(), size * 2 + 1


class NoGrad(nn.Module):
    """Work inside a no-grad and an autocast sub-graph."""

    def forward(self, x, y):
        with torch.no_grad():
            a, b = x * 2, x + y
        with torch.autocast("cpu", dtype=torch.bfloat16):
            c = x @ y
        return a + b, c


class Operators(nn.Module):
    """Many kinds of arguments and results in one program."""

    def forward(self, x, index):
        best, where = x.max(dim=1)
        first, second = x.split(2, dim=0)
        picked = x[:, index]
        masked = x.masked_fill(x > 0, float("-inf"))
        pooled = nn.functional.max_pool2d(x.reshape(1, 1, 4, 4), 2)
        resized = nn.functional.interpolate(pooled, scale_factor=2.0, mode="bilinear")
        cast = x.to(torch.float64).sum(dim=[0], dtype=torch.float32)
        gelu = nn.functional.gelu(x, approximate="tanh")
        ones = torch.zeros_like(x, memory_format=torch.contiguous_format)
        return best, where, first + second, picked, masked, resized, cast, gelu, ones + 10


class WritesBuffer(nn.Module):
    """State written by the program."""

    def __init__(self):
        super().__init__()
        self.register_buffer("state", torch.ones(1))

    def forward(self, x, y):
        out = x + self.state
        self.state.copy_(y)
        return out


class WritesInput(nn.Module):
    def forward(self, x, y):
        x.add_(y)
        return x * 2


class Conditional(nn.Module):
    """A higher-order operator that is refused by name."""

    def forward(self, x):
        return torch.cond(x.sum() > 0, lambda v: v + 1, lambda v: v - 1, (x,))


class NoOperands(nn.Module):
    """Branches that read nothing: the exporter does not know what the list of operands is of."""

    def forward(self, x):
        return torch.cond(x.sum() > 0, lambda: torch.ones(2), lambda: torch.zeros(2), ()) + x


def programs():
    t = torch.ones
    half = torch.export.Dim("half", min=2, max=64)
    yield "kwargs_order", KwargsOrder(), (t(1, 2),), {"flag": True, "x2": t(1, 2) * 2}, {}
    yield "nested_dict", NestedDict(), (t(2),), {"extra": {"b": t(2) * 2, "a": t(2) * 3}}, {}
    yield "duplicates", Duplicates(), (t(3), t(3)), {}, {}
    yield "fixed_outputs", FixedOutputs(), (t(2), 2.5), {"name": "sum"}, {}
    yield "views", Views(), (torch.arange(6.0).reshape(1, 6),), {}, {}
    yield "dynamic", Dynamic(), (t(8), t(3)), {}, {"dynamic_shapes": ({0: 2 * half}, None)}
    yield "no_grad", NoGrad(), (t(2, 2), t(2, 2)), {}, {}
    operators = Operators(), (torch.arange(16.0).reshape(4, 4), torch.tensor([0, 2]))
    yield "operators", *operators, {}, {}
    yield "operators_core", *operators, {}, {"core": True}
    yield "views_core", Views(), (torch.arange(6.0).reshape(1, 6),), {}, {"core": True}
    yield "writes_buffer", WritesBuffer(), (t(1), t(1)), {}, {}
    yield "writes_buffer_core", WritesBuffer(), (t(1), t(1)), {}, {"core": True}
    yield "writes_input_core", WritesInput(), (t(1), t(1)), {}, {"core": True}
    yield "conditional", Conditional(), (t(2),), {}, {}
    yield "no_operands", NoOperands(), (t(2),), {}, {}


def drop_traces(program):
    """Stack traces name folders of the machine and would make every run differ."""
    for module in program.graph_module.modules():
        for node in module.graph.nodes if isinstance(module, torch.fx.GraphModule) else ():
            for key in TRACES:
                node.meta.pop(key, None)


def main():
    default = pathlib.Path(__file__).resolve().parent.parent / "data" / "reader"
    folder = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else default
    folder.mkdir(parents=True, exist_ok=True)
    for name, module, args, kwargs, options in programs():
        torch.manual_seed(0)
        core = options.pop("core", False)
        program = torch.export.export(module.eval(), args, kwargs, **options)
        if core:
            program = program.run_decompositions()
        drop_traces(program)
        torch.export.save(program, str(folder / f"{name}.pt2"))


if __name__ == "__main__":
    main()
