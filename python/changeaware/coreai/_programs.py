"""From a callable of a package to what the converter takes: its ports, and no more."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from .._error import refusal
from ._dims import undefined_symbols
from ._extra import silence
from ._narrowing import ASSET_DTYPES, FLOAT32_MAX, INT32, NARROWED, RANGES

_ASSERTIONS = ("aten._assert_async.msg", "aten._assert_async.default",
               "aten._assert_scalar.default")
# Arguments of these may be 2^63 - 1, which stands for "to the end".
_OPEN_ENDED = "slice"


def open_programs(package: str) -> dict[str, Any]:
    """The exported programs of a package by callable, as PyTorch opens them."""
    from torch.export.pt2_archive._package import load_pt2

    try:
        return dict(load_pt2(package).exported_programs)
    except Exception as error:  # whatever PyTorch says of a damaged archive
        raise refusal("Corrupt", f"{package}: PyTorch cannot open it: {error}") from error


def check_contract(callable_: Mapping[str, Any]) -> None:
    """What the manifest says of a callable can be said to Core AI.

    Raises `changeaware.Error` with "Unsupported", naming the callable and the port, symbol or
    assertion.
    """
    name = callable_["name"]
    if callable_["assertions"]:
        raise refusal("Unsupported",
                      f"callable '{name}': it decides the assertion "
                      f"\"{callable_['assertions'][0]}\" (aten._assert_async), and Core AI drops "
                      "assertions")
    if not callable_["outputs"]:
        raise refusal("Unsupported", f"callable '{name}': has no output")
    for kind in ("inputs", "outputs"):
        for port in callable_[kind]:
            if port["dtype"] not in ASSET_DTYPES:
                raise refusal("Unsupported",
                              f"callable '{name}': port '{port['name']}' is {port['dtype']}, "
                              "which cannot be passed to Core AI")
            if "0" in port["shape"]:
                raise refusal("Unsupported",
                              f"callable '{name}': port '{port['name']}' is empty")
    missing = undefined_symbols(port["shape"] for port in callable_["inputs"])
    if missing:
        raise refusal("Unsupported",
                      f"callable '{name}': the sizes of its inputs do not define "
                      f"{', '.join(sorted(missing))}, so that they cannot be checked")


def _all_nodes(module: Any) -> Iterator[Any]:
    """Nodes of a graph and of the graphs that it calls."""
    for node in module.graph.nodes:
        yield node
        if node.op == "get_attr":
            inner = getattr(module, str(node.target), None)
            if hasattr(inner, "graph"):
                yield from _all_nodes(inner)


def _numbers(argument: Any) -> Iterator[int | float]:
    if isinstance(argument, bool):
        return
    if isinstance(argument, (int, float)):
        yield argument
    elif isinstance(argument, (list, tuple)):
        for item in argument:
            yield from _numbers(item)


def _check_numbers(name: str, node: Any) -> None:
    """Numbers written into the program fit into 32 bits."""
    for number in _numbers([*node.args, *node.kwargs.values()]):
        if isinstance(number, int):
            is_open = abs(number) >= 2**63 - 1 and _OPEN_ENDED in str(node.target)
            if not INT32[0] <= number <= INT32[1] and not is_open:
                raise refusal("Unsupported",
                              f"callable '{name}': {node.target} ({node.name}) has the number "
                              f"{number}, which is beyond int32, what Core AI computes in")
        elif abs(number) != float("inf") and abs(number) > FLOAT32_MAX:
            raise refusal("Unsupported",
                          f"callable '{name}': {node.target} ({node.name}) has the number "
                          f"{number}, which is beyond float32, what Core AI computes in")


def _check_constants(name: str, program: Any) -> None:
    """Constants that are narrowed stay what they are, or within float32."""
    import torch

    for key, tensor in {**program.state_dict, **program.constants}.items():
        dtype = str(getattr(tensor, "dtype", "")).removeprefix("torch.")
        if dtype not in RANGES or tensor.numel() == 0:
            continue
        finite = tensor[torch.isfinite(tensor)] if tensor.is_floating_point() else tensor
        if finite.numel() == 0:
            continue
        low, high = RANGES[dtype]
        least, most = finite.min().item(), finite.max().item()
        if least < low or most > high:
            raise refusal("Unsupported",
                          f"callable '{name}': constant '{key}' is {dtype} and holds "
                          f"{least if least < low else most}, which is beyond "
                          f"{NARROWED[dtype]}, what Core AI computes in")


def _check_nodes(name: str, program: Any) -> None:
    for node in _all_nodes(program.graph_module):
        if node.op != "call_function":
            continue
        if str(node.target) in _ASSERTIONS:
            raise refusal("Unsupported", f"callable '{name}': {node.target} ({node.name}) is an "
                                         "assertion, and Core AI drops assertions")
        _check_numbers(name, node)


def _count_narrowed(program: Any) -> dict[str, int]:
    """How many values inside are computed in fewer bits than PyTorch's, by dtype."""
    counts = dict.fromkeys(NARROWED, 0)
    for node in _all_nodes(program.graph_module):
        values = node.meta.get("val")
        for value in values if isinstance(values, (list, tuple)) else [values]:
            dtype = str(getattr(value, "dtype", "")).removeprefix("torch.")
            if node.op == "call_function" and dtype in counts:
                counts[dtype] += 1
    return {dtype: count for dtype, count in counts.items() if count}


def _positions(callable_: Mapping[str, Any], program: Any) -> list[int]:
    """Where each output port is among the program's outputs, which `main` may repeat or fix."""
    names = [getattr(spec.arg, "name", None) for spec in program.graph_signature.output_specs]
    try:
        return [names.index(port["name"]) for port in callable_["outputs"]]
    except ValueError as error:
        raise refusal("Corrupt", f"callable '{callable_['name']}': {error} of the outputs in the "
                                 "package's program") from error


def _select_outputs(program: Any, positions: Sequence[int]) -> None:
    """Makes exactly these outputs, each a node of its own, the outputs of the program.

    The converter tells outputs apart by their nodes, and two ports may have become one node.
    """
    import torch
    from torch.export.graph_signature import OutputKind, OutputSpec, TensorArgument

    graph = program.graph_module.graph
    output = graph.output_node()
    nodes: list[Any] = []
    with graph.inserting_before(output):
        for position in positions:
            node = output.args[0][position]
            if node in nodes or node.op == "placeholder":
                value = node.meta["val"]
                node = graph.call_function(torch.ops.aten.clone.default, (node,))
                node.meta["val"] = value
            nodes.append(node)
    output.args = (tuple(nodes),)
    program.graph_signature.output_specs[:] = [
        OutputSpec(OutputKind.USER_OUTPUT, TensorArgument(name=node.name), None) for node in nodes]


def _drop_fixed_inputs(program: Any) -> None:
    """Inputs that were fixed at export are no ports."""
    from torch.export.graph_signature import ConstantArgument

    signature, graph = program.graph_signature, program.graph_module.graph
    fixed = {spec.arg.name for spec in signature.input_specs
             if isinstance(spec.arg, ConstantArgument)}
    for node in list(graph.nodes):
        if node.op == "placeholder" and node.name in fixed and not node.users:
            graph.erase_node(node)
    signature.input_specs[:] = [s for s in signature.input_specs if s.arg.name not in fixed]


class Prepared:
    """A callable that the converter can take. `narrowed` counts values by dtype."""

    def __init__(self, callable_: Mapping[str, Any], program: Any, decompositions: Any) -> None:
        """Raises `changeaware.Error`, naming the callable and the operator, number or port."""
        name = callable_["name"]
        check_contract(callable_)
        positions = _positions(callable_, program)
        names = _input_names(callable_, program)
        _check_constants(name, program)
        try:
            program = program.run_decompositions(decompositions)
        except Exception as error:
            raise refusal("Unsupported", f"callable '{name}': {blame(error)}PyTorch cannot "
                                         f"decompose it: {_first_line(error)}") from error
        _check_nodes(name, program)
        _select_outputs(program, positions)
        _drop_fixed_inputs(program)
        self.name = name
        self.program = program
        self.input_names = names
        self.output_names = [port["name"] for port in callable_["outputs"]]
        self.narrowed = _count_narrowed(program)


def _input_names(callable_: Mapping[str, Any], program: Any) -> list[str]:
    from torch.export.graph_signature import ConstantArgument, InputKind

    names = [spec.arg.name for spec in program.graph_signature.input_specs
             if spec.kind == InputKind.USER_INPUT and not isinstance(spec.arg, ConstantArgument)]
    expected = [port["name"] for port in callable_["inputs"]]
    if sorted(names) != sorted(expected):
        raise refusal("Corrupt", f"callable '{callable_['name']}': the package's program has the "
                                 f"inputs {names}, the manifest {expected}")
    return names


def _first_line(error: Exception) -> str:
    return (str(error).strip().splitlines() or [type(error).__name__])[0]


def blame(error: BaseException) -> str:
    """The operator whose conversion failed, "aten.sort.default (sort_1): ", as the frames of the
    converter tell; empty when they do not."""
    found = ""
    trace = error.__traceback__
    while trace is not None:
        node = trace.tb_frame.f_locals.get("node")
        if getattr(node, "op", None) == "call_function":
            found = f"{node.target} ({node.name}): "
        trace = trace.tb_next
    return found


def convert(prepared: Sequence[Prepared], coreai_torch: Any,
            progress: Callable[[str, float], None]) -> Any:
    """One program of Core AI with a function per callable.

    Raises `changeaware.Error` with "Unsupported", naming callable and operator.
    """
    converter = coreai_torch.TorchConverter(mode=coreai_torch.TorchConverter.Mode.RELEASE)
    for step, one in enumerate(prepared):
        progress(f"check {one.name}", step / len(prepared))
        try:
            with silence():
                converter.add_exported_program(
                    one.program, input_names=one.input_names, output_names=one.output_names,
                    entrypoint_name=one.name)
        except Exception as error:
            raise refusal("Unsupported", f"callable '{one.name}': {_missing(error)}") from error
    progress("convert", 0)
    try:
        with silence():
            program = converter.to_coreai()
            strip_locations(program)
            return program
    except Exception as error:
        at_work = getattr(converter, "exported_program", None)
        name = next((one.name for one in prepared if one.program is at_work), "?")
        raise refusal("Unsupported",
                      f"callable '{name}': {blame(error)}Core AI cannot convert it: "
                      f"{_first_line(error)}") from error


def _missing(error: Exception) -> str:
    """What the converter says about operators before it converts, without its advice."""
    text = _first_line(error)
    for phrase in ("unsupported ATen ops: ", "non-decomposed ops: "):
        if phrase in text:
            return f"Core AI has no operator {text.partition(phrase)[2].partition('. ')[0]}"
    return text


def strip_locations(program: Any) -> None:
    """Drops the marks that the converter leaves on each operation, which only its debugger reads.

    They are a quarter of what an asset has besides its weights.
    """
    from coreai._compiler.passmanager import PassManager

    module = program._module._mlir_module
    with module.context:
        PassManager.parse("builtin.module(strip-debuginfo)").run(module.operation)

