"""What PyTorch itself makes of an exported program's example inputs."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from ._error import refusal
from ._pytorch import require_torch


def input_names(program: Any) -> list[str]:
    """Names of the program's inputs, those fixed at export too, in the order of the flat inputs."""
    kind = require_torch("changeaware.compile").export.graph_signature.InputKind.USER_INPUT
    return [spec.arg.name for spec in program.graph_signature.input_specs if spec.kind == kind]


def check_distinct_inputs(program: Any) -> None:
    """Refuses a program that was exported with one tensor for two inputs: torch.export makes a
    program of it that reads only one of them."""
    torch = require_torch("changeaware.compile")
    seen: dict[int, str] = {}
    leaves = torch.utils._pytree.tree_flatten(program.example_inputs or ())[0]
    for name, leaf in zip(input_names(program), leaves, strict=False):
        first = seen.setdefault(id(leaf), name) if isinstance(leaf, torch.Tensor) else name
        if first != name:
            raise refusal("InvalidProgram",
                          f"the program was exported with one and the same tensor for the inputs "
                          f"'{first}' and '{name}', and reads only one of them: export it with a "
                          "clone(), or with changeaware.export")


def eager_outputs(program: Any, examples: Mapping[str, Any]) -> dict[str, Any] | None:
    """Tensors that `program.module()` gives on its example inputs, by output name.

    `examples` replace the program's own, by input name. None when there are no example inputs.
    Buffers that the program writes get their values back.
    """
    torch = require_torch("changeaware.compile")
    leaves = _example_leaves(torch, program, examples)
    if leaves is None:
        return None
    args, kwargs = torch.utils._pytree.tree_unflatten(leaves, program.call_spec.in_spec)
    module = program.module()
    buffers = {name: (buffer, buffer._version, buffer.clone())
               for name, buffer in module.named_buffers()}
    try:
        with torch.no_grad():
            result = module(*args, **kwargs)
            for buffer, version, value in buffers.values():
                if buffer._version != version:
                    buffer.copy_(value)
    except Exception as error:
        raise refusal("InvalidArgument", "the exported program does not run on the example inputs: "
                      f"{type(error).__name__}: {error}") from error
    flat = torch.utils._pytree.tree_flatten(result)[0]
    names = output_names(program)
    return {name: value.detach().contiguous() for name, value in zip(names, flat, strict=True)
            if isinstance(value, torch.Tensor)}


def _example_leaves(torch: Any, program: Any, examples: Mapping[str, Any]) -> list | None:
    """Flat example inputs. The program may write to them, so tensors are copies."""
    names = input_names(program)
    leaves: list = [None] * len(names)
    if program.example_inputs is not None:
        leaves = torch.utils._pytree.tree_flatten(program.example_inputs)[0]
    elif not set(names) <= set(examples):
        return None
    expected = {node.name: node.meta.get("val") for node in program.graph.nodes
                if node.op == "placeholder"}
    for name, value in examples.items():
        if name not in names:
            raise refusal("InvalidArgument", f"example for unknown input '{name}'; the inputs are: "
                          f"{', '.join(names)}")
        leaves[names.index(name)] = _checked(torch, name, value, expected.get(name))
    return [leaf.detach().clone() if isinstance(leaf, torch.Tensor) else leaf for leaf in leaves]


def _checked(torch: Any, name: str, value: Any, expected: Any) -> Any:
    """An example as a tensor. Raises InvalidArgument unless dtype and rank are the program's."""
    tensor = torch.as_tensor(value)
    if isinstance(expected, torch.Tensor) and (
            tensor.dtype != expected.dtype or tensor.dim() != expected.dim()):
        raise refusal("InvalidArgument",
                      f"example for '{name}' is {tensor.dtype} {list(tensor.shape)}, the program "
                      f"takes {expected.dtype} {list(expected.shape)}")
    return tensor


def output_names(program: Any) -> list[str]:
    """Names of the outputs as the package will have them, in the order of the flat outputs.

    A nested result names its leaves by their paths ("boxes.0"); of a tensor, or a flat tuple or
    list, they have the names of the nodes. Names that occur twice get a number.
    """
    torch = require_torch("changeaware.compile")
    spec = program.call_spec.out_spec
    tree = json.loads(torch.utils._pytree.treespec_dumps(spec))[1]
    paths = [] if _is_flat(tree) else _paths(spec, tree, "")
    names = []
    for place, output in enumerate(program.graph_signature.output_specs):
        name = getattr(output.arg, "name", "") or f"output_{place}"
        if type(output.arg).__name__ == "ConstantArgument":
            name = f"output_{place}"
        names.append(paths[place] if paths and paths[place] else name)
    return _unique(names)


def _is_flat(tree: Mapping[str, Any]) -> bool:
    if tree["type"] is None:
        return True
    return (tree["type"] in ("builtins.tuple", "builtins.list")
            and all(child["type"] is None for child in tree["children_spec"]))


def _paths(spec: Any, tree: Mapping[str, Any], path: str) -> list[str]:
    if tree["type"] is None:
        return [path]
    children = tree["children_spec"]
    keys = _keys(spec, tree, len(children)) or [str(place) for place in range(len(children))]
    out = []
    for key, child, child_spec in zip(keys, children, spec.children(), strict=True):
        out += _paths(child_spec, child, f"{path}.{key}" if path else key)
    return out


def _keys(spec: Any, tree: Mapping[str, Any], count: int) -> list[str]:
    """Keys of a dictionary or a data class, fields of a named tuple; empty for sequences."""
    fields = getattr(spec.context, "_fields", None)
    if fields:
        return list(fields)
    try:
        context = json.loads(tree["context"])
    except (TypeError, ValueError):
        return []
    for keys in (context, context[0] if isinstance(context, list) and context else None):
        if (isinstance(keys, list) and len(keys) == count
                and all(isinstance(key, str | int) for key in keys)):
            return [str(key) for key in keys]
    return []


def _unique(names: list[str]) -> list[str]:
    used: set[str] = set()
    out = []
    for name in names:
        unique, number = name, 0
        while unique in used or (unique != name and unique in names):
            number += 1
            unique = f"{name}_{number}"
        used.add(unique)
        out.append(unique)
    return out
