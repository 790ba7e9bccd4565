"""changeaware.export(): torch.export.export with reasons and advice."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ._core import Error
from ._error import refusal
from ._pytorch import require_torch

if TYPE_CHECKING:
    import torch

# What to do about an exception of torch.export: part of the name of its class or of its message,
# the code, and the advice. The first line that fits is taken.
_ADVICE = (
    ("dynamic-shapes-validation", "InvalidArgument",
     "dynamic_shapes must be nested like the inputs: a dictionary by argument name, or a tuple "
     "with one entry per argument"),
    ("Constraints violated", "InvalidArgument",
     "a size that dynamic_shapes declares as free is fixed by the module or tied to another one: "
     "follow the suggested fixes, or leave that size out of dynamic_shapes"),
    ("Unsupported input type", "InvalidArgument",
     "inputs are tensors, numbers, strings, None, and tuples, lists and dictionaries of them; "
     "register other classes with torch.export.register_dataclass"),
    ("GuardOnDataDependentSymNode", "Unsupported",
     "the module decides something by the contents of a tensor: use torch.where or torch.cond for "
     "branches, and torch._check for what is known about sizes"),
    ("Data-dependent branching", "Unsupported",
     "the module decides something by the contents of a tensor: use torch.where or torch.cond"),
    ("torch._dynamo", "Unsupported",
     "try strict=False, and keep what is not PyTorch out of forward()"),
    ("", "Unsupported",
     "forward() may use PyTorch's operators, but not NumPy, .data, or Python's own state"),
)


def export(
    module: torch.nn.Module,
    args: Sequence[Any] = (),
    kwargs: Mapping[str, Any] | None = None,
    *,
    dynamic_shapes: Any = None,
    strict: bool = False,
) -> torch.export.ExportedProgram:
    """Exports `module`, called as `module(*args, **kwargs)`, for `changeaware.compile`.

    `args` and `kwargs` are example inputs: tensors of any shape on the CPU, numbers and None, in
    any nesting of tuples, lists and dictionaries. Tensors become inputs of the program; numbers,
    strings and None are fixed at the values given here. They are kept as the program's examples.
    `dynamic_shapes` says which sizes may differ later, as for `torch.export.export`.

    Raises `changeaware.Error`: "InvalidArgument" (inputs that the module does not take, a module
    in training mode), "Unsupported" (a module on another device, one that writes to its buffers or
    inputs, one that torch.export cannot export; that exception is the `__cause__`). Without
    PyTorch: `changeaware.MissingPackage`, which is an ImportError too.

        program = changeaware.export(model.eval(), (image, points))
        changeaware.compile(program, "model.ca.pt2")
    """
    torch = require_torch("changeaware.export")
    _check_module(torch, module)
    arguments, keywords = _without_repetitions(torch, tuple(args), dict(kwargs or {}))
    _check_devices(torch, module, (arguments, keywords))
    try:
        program = torch.export.export(module, arguments, keywords or None,
                                      dynamic_shapes=dynamic_shapes, strict=strict)
    except Exception as error:
        raise _explained(torch, module, arguments, keywords, error) from error
    _check_writes(program)
    return program


def _check_module(torch: Any, module: Any) -> None:
    if not isinstance(module, torch.nn.Module):
        raise refusal("InvalidArgument",
                      f"a torch.nn.Module can be exported, not a {type(module).__name__}; put a "
                      "function into forward() of a module")
    training = [name for name, part in module.named_modules() if part.training]
    if training and not isinstance(module, torch.fx.GraphModule):  # those have no modes
        where = f"'{training[0]}' of " if training[0] else ""
        raise refusal("InvalidArgument",
                      f"{where}the module is in training mode, in which dropout draws random "
                      "numbers and normalisations update their buffers: call module.eval() first")


def _without_repetitions(torch: Any, args: tuple, kwargs: dict) -> tuple[tuple, dict]:
    """Tensors that occur more than once are copied: torch.export takes equal objects for one input
    and makes a program that reads only one of them."""
    seen: set[int] = set()

    def unique(tensor: Any) -> Any:
        if id(tensor) in seen:
            return tensor.clone()
        seen.add(id(tensor))
        return tensor

    return torch.utils._pytree.tree_map_only(torch.Tensor, unique, (args, kwargs))


def _check_devices(torch: Any, module: Any, inputs: Any) -> None:
    for name, tensor in [*module.named_parameters(), *module.named_buffers()]:
        if tensor.device.type != "cpu":
            raise refusal("Unsupported",
                          f"the module is on device '{tensor.device}' ({name}), and programs run "
                          "on the CPU: call module.to('cpu') first")
    for path, value in torch.utils._pytree.tree_flatten_with_path(inputs)[0]:
        if isinstance(value, torch.Tensor) and value.device.type != "cpu":
            where = torch.utils._pytree.keystr(path[1:])
            raise refusal("Unsupported",
                          f"the example input {where} is on device '{value.device}', and programs "
                          "run on the CPU: pass its .cpu()")


def _explained(torch: Any, module: Any, args: tuple, kwargs: dict, error: Exception) -> Error:
    """The refusal for what torch.export raised. Calls the module to see whether it works at all."""
    copies = torch.utils._pytree.tree_map_only(torch.Tensor, torch.clone, (args, kwargs))
    try:
        with torch.no_grad():
            module(*copies[0], **copies[1])
    except Exception as own:
        return refusal("InvalidArgument",
                       f"the module does not take the example inputs: {_first_line(own)}")
    text = f"{type(error).__module__}.{type(error).__name__}: {error}"
    code, advice = next((code, advice) for part, code, advice in _ADVICE if part in text)
    return refusal(code, f"torch.export cannot export the module: {_gist(error)}; {advice}")


def _first_line(error: Exception) -> str:
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    return f"{type(error).__name__}: {lines[0]}" if lines else type(error).__name__


def _gist(error: Exception) -> str:
    """The first line, and what torch.export suggests."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    fixes = ""
    if "Suggested fixes:" in lines:
        at = lines.index("Suggested fixes:") + 1
        while at < len(lines) and "=" in lines[at]:
            fixes += f" [suggested: {lines[at]}]"
            at += 1
    return _first_line(error).removesuffix('For more information, run with TORCH_LOGS="+dynamic".'
                                           ).strip() + fixes


def _check_writes(program: Any) -> None:
    """Refuses a program that writes to its inputs or to what belongs to the module."""
    signature = program.graph_signature
    owned = {**signature.inputs_to_buffers, **signature.inputs_to_parameters,
             **signature.inputs_to_lifted_tensor_constants}
    user = set(signature.user_inputs)
    for node in program.graph.nodes:
        for base in map(_base, _written(node)):
            if base.name in owned:
                raise refusal("Unsupported",
                              f"the module writes to '{owned[base.name]}' ({node.target}), so an "
                              "answer would depend on the calls before it: take that state as an "
                              "input and return what it becomes")
            if base.name in user:
                raise refusal("Unsupported",
                              f"the module writes to its input '{base.name}' ({node.target}): work "
                              "on a clone() of it")


def _schema_arguments(node: Any) -> list:
    schema = getattr(node.target, "_schema", None)
    return list(schema.arguments) if node.op == "call_function" and schema is not None else []


def _written(node: Any) -> list:
    """Operands that the node's operator writes to."""
    out = []
    for place, argument in enumerate(_schema_arguments(node)):
        if argument.alias_info is None or not argument.alias_info.is_write:
            continue
        operand = node.args[place] if place < len(node.args) else node.kwargs.get(argument.name)
        operands = operand if isinstance(operand, list | tuple) else [operand]
        out += [value for value in operands if hasattr(value, "op")]
    return out


# They give their operand or a copy of it. Which one, `compile` finds out.
_MAY_COPY = frozenset(("contiguous", "to", "reshape", "flatten", "type_as", "reshape_as"))


def _base(node: Any) -> Any:
    """The value whose memory a view is of."""
    while True:
        arguments = _schema_arguments(node)
        if not arguments or arguments[0].alias_info is None or not node.args:
            return node
        if str(node.target).split(".")[1] in _MAY_COPY or not hasattr(node.args[0], "op"):
            return node
        node = node.args[0]
