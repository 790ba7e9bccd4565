"""What the zoo's models share: flat named inputs, named outputs, inputs made from seeds."""

from __future__ import annotations

import ast
import inspect
import textwrap

import torch
from torch import nn

from programs.program import Program, filled, seeded  # noqa: F401  (for the model files)

from .changes import changed


class Named(nn.Module):
    """A model of a library: inputs by keyword, some of its outputs by name."""

    def __init__(self, model: nn.Module, outputs: tuple[str, ...], **fixed):
        super().__init__()
        self.model = model
        self.outputs = outputs
        self.fixed = fixed

    def forward(self, **inputs):
        out = self.model(**inputs, **self.fixed)
        return {name: out[name] for name in self.outputs}


def for_export(model):
    """The model with the library's attention masks for export, which use no vmap."""
    from transformers.integrations.executorch import sdpa_mask_without_vmap
    from transformers.masking_utils import ALL_MASK_ATTENTION_FUNCTIONS
    from transformers.modeling_utils import ALL_ATTENTION_FUNCTIONS
    name = "sdpa_without_vmap"
    ALL_MASK_ATTENTION_FUNCTIONS.register(name, sdpa_mask_without_vmap)
    ALL_ATTENTION_FUNCTIONS.register(name, ALL_ATTENTION_FUNCTIONS["sdpa"])
    model.set_attn_implementation(name)
    return model


class _NoRaises(ast.NodeTransformer):
    def visit_If(self, node):
        self.generic_visit(node)
        only_raises = all(isinstance(statement, ast.Raise) for statement in node.body)
        return ast.Pass() if only_raises and not node.orelse else node


def without_checks(function):
    """The library's function without `if …: raise`, where the condition reads data.

    Export refuses to decide that; everything else stays as it is.
    """
    tree = ast.parse(textwrap.dedent(inspect.getsource(function)))
    tree = ast.fix_missing_locations(_NoRaises().visit(tree))
    tree.body[0].decorator_list = []
    names = {}
    exec(compile(tree, inspect.getfile(function), "exec"), function.__globals__, names)
    return names[function.__name__]


def program(build, inputs: dict[str, torch.Tensor], **options) -> Program:
    """A program of the module that `build` makes, with seeded weights, in eval mode."""
    module = spread(seeded(build))
    if isinstance(module, Named):
        module.forward = with_parameters(module.forward, list(inputs))
    return Program(module, (), inputs, vary=changed, **options)


def with_parameters(function, names: list[str]):
    """The function with these parameters by name in place of `**inputs`; export reads them."""
    kind = inspect.Parameter.POSITIONAL_OR_KEYWORD

    def forward(**inputs):
        return function(**inputs)
    forward.__signature__ = inspect.Signature([inspect.Parameter(n, kind) for n in names])
    return forward


def spread(module: nn.Module) -> nn.Module:
    """The module without the zeros that initialisation leaves.

    A bias, a scale or a table of zeros would hide what is computed with it.
    """
    generator = torch.Generator().manual_seed(7)
    with torch.no_grad():
        for parameter in module.parameters():
            if parameter.is_floating_point() and not parameter.any():
                parameter.copy_(torch.randn(parameter.shape, generator=generator) * 0.05)
    return module


def ids(*shape: int, high: int, low: int = 3, seed: int = 1) -> torch.Tensor:
    """Token ids, the same on every call."""
    return torch.randint(low, high, shape, generator=torch.Generator().manual_seed(seed))


def padded(rows: int, length: int, missing: int) -> torch.Tensor:
    """An attention mask: the last row has `missing` places of padding."""
    mask = torch.ones(rows, length, dtype=torch.int64)
    mask[-1, length - missing:] = 0
    return mask
