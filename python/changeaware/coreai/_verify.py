"""verify(): executes the strategies of an asset and compares them with its own `main`."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from .._error import refusal
from . import _asset, _extra
from ._programs import open_programs
from ._runner import Runner

# How far the asset's `main` may be from PyTorch: of the largest value of an output.
PYTORCH_OF_SCALE = 1e-3


@dataclass
class StrategyCheck:
    """One strategy against `main` of the same asset."""

    name: str
    callables: list[str]
    bits_of_main: bool
    difference_from_main: str = ""  # the first one; empty when there is none
    runs_as: str = ""  # the strategy with the same functions that was executed for it


@dataclass
class Verified:
    """What `verify` found. All strategies are within the package's tolerance of `main`."""

    strategies: list[StrategyCheck] = field(default_factory=list)
    largest_difference_from_pytorch: float = 0.0  # of `main`, relative to the scale of an output
    executed: list[str] = field(default_factory=list)  # functions, in the order they ran

    @property
    def all_bits_equal(self) -> bool:
        return all(strategy.bits_of_main for strategy in self.strategies)

    def as_json(self) -> dict[str, Any]:
        return asdict(self)


def verify(asset: str | os.PathLike[str], package: str | os.PathLike[str], *,
           inputs: Mapping[str, Any] | None = None,
           progress: Callable[[str, float], None] | None = None) -> Verified:
    """Executes every strategy of an asset and compares it with the asset's `main`, to the bit.

    `package`: the one that the asset was made from; its example inputs are used unless `inputs`
    gives an array per input name. `main` is also compared with PyTorch. A strategy whose bits
    differ but which is within the package's tolerance is reported, with the first difference;
    strategies that run the same functions are executed once.

    Raises `changeaware.Error`: those of `check`; "InvalidArgument" (no examples), "Internal" (a
    difference beyond the tolerance: names strategy, output and index).

        >>> changeaware.coreai.verify("model.aimodel", "model.ca.pt2").all_bits_equal
        True
    """
    _extra.require_authoring("changeaware.coreai.verify")
    manifest = _asset.check(asset, package)
    main = open_programs(os.fspath(package))["main"]
    return verify_programs(Path(asset), manifest, main, progress or (lambda what, share: None),
                           inputs)


def example_inputs(main: Any, ports: Sequence[Mapping[str, Any]]) -> dict[str, np.ndarray]:
    """The example inputs that a package was compiled with, by port."""
    from torch.export._tree_utils import reorder_kwargs
    from torch.export.graph_signature import InputKind
    from torch.utils import _pytree as pytree

    examples = main.example_inputs
    if not examples or len(examples) != 2 or not pytree.tree_leaves(examples):
        raise refusal("InvalidArgument", "the package has no example inputs to verify with")
    args, kwargs = examples
    spec = main.call_spec.in_spec
    leaves = pytree.tree_leaves((args, reorder_kwargs(kwargs, spec)))
    names = [s.arg.name for s in main.graph_signature.input_specs
             if s.kind == InputKind.USER_INPUT]
    by_name = dict(zip(names, leaves, strict=True))
    return {port["name"]: np.array(by_name[port["name"]].numpy(), order="C") for port in ports}


def _given(inputs: Mapping[str, Any], ports: Sequence[Mapping[str, Any]]) -> dict[str, np.ndarray]:
    names = [port["name"] for port in ports]
    if sorted(names) != sorted(inputs):
        raise refusal("InvalidArgument", f"inputs are {', '.join(inputs)}, the program takes "
                                         f"{', '.join(names)}")
    return {name: np.asarray(inputs[name]) for name in names}


def verify_programs(asset: Path, manifest: Mapping[str, Any], main: Any,
                    report: Callable[[str, float], None],
                    inputs: Mapping[str, Any] | None = None) -> Verified:
    """verify() once everything is open."""
    functions = {f["name"]: f for f in manifest["functions"]}
    ports = functions["main"]["inputs"]
    values = example_inputs(main, ports) if inputs is None else _given(inputs, ports)
    runner = Runner(asset, manifest)
    try:
        return _Verification(runner, functions, values, report).run(manifest, main)
    finally:
        runner.close()


class _Verification:
    def __init__(self, runner: Runner, functions: Mapping[str, Mapping[str, Any]],
                 inputs: Mapping[str, np.ndarray], report: Callable[[str, float], None]) -> None:
        self._runner = runner
        self._functions = functions
        self._inputs = inputs
        self._report = report
        self._found = Verified()

    def run(self, manifest: Mapping[str, Any], main: Any) -> Verified:
        recipes: dict[tuple[str, ...], tuple[str, dict[str, np.ndarray]]] = {}
        strategies = manifest["strategies"]
        tolerance = manifest["package"]["manifest"]["tolerance"]
        expected = self._execute(["main"])
        recipes["main",] = ("monolithic", expected)
        self._compare_with_pytorch(main, expected)
        for step, strategy in enumerate(strategies):
            self._report(f"strategy {strategy['name']}", step / len(strategies))
            recipe = tuple(strategy["callables"])
            if recipe not in recipes:
                recipes[recipe] = (strategy["name"], self._execute(recipe))
            runs_as, values = recipes[recipe]
            difference = self._difference(strategy["name"], values, expected, tolerance)
            self._found.strategies.append(StrategyCheck(
                strategy["name"], list(recipe), not difference, difference,
                "" if runs_as == strategy["name"] else runs_as))
        return self._found

    def _execute(self, recipe: Sequence[str]) -> dict[str, np.ndarray]:
        """Every value by port name after these functions ran in order."""
        values = dict(self._inputs)
        for name in recipe:
            self._report(f"run {name}", 0)
            function = self._functions[name]
            outputs = self._runner.load(name)([values[p["name"]] for p in function["inputs"]])
            values.update(zip((p["name"] for p in function["outputs"]), outputs, strict=True))
            self._found.executed.append(name)
        return values

    def _difference(self, strategy: str, values: Mapping[str, np.ndarray],
                    expected: Mapping[str, np.ndarray], tolerance: Mapping[str, float]) -> str:
        """The first output whose bits differ from main's, in words."""
        for port in self._functions["main"]["outputs"]:
            name = port["name"]
            if name not in values:
                raise refusal("Internal", f"strategy '{strategy}' does not compute '{name}'")
            text = first_difference(values[name], expected[name])
            if not text:
                continue
            if not within(values[name], expected[name], tolerance):
                raise refusal("Internal", f"strategy '{strategy}', output '{name}': {text}, which "
                                          "is beyond the package's tolerance")
            return f"output '{name}': {text}"
        return ""

    def _compare_with_pytorch(self, main: Any, values: Mapping[str, np.ndarray]) -> None:
        for name, right in pytorch_outputs(main, self._inputs).items():
            if name not in values:
                continue
            left = values[name]
            scale = float(np.max(np.abs(right), initial=0, where=np.isfinite(right))) or 1.0
            tolerance = {"rtol": 0.0, "atol": 0.0, "of_scale": PYTORCH_OF_SCALE}
            if not within(left, right, tolerance):
                raise refusal("Internal", f"main in Core AI differs from PyTorch in output "
                                          f"'{name}': {first_difference(left, right)}")
            if right.dtype.kind == "f" and right.size:
                both = np.isfinite(left) & np.isfinite(right)
                worst = float(np.max(np.abs(left - right), initial=0, where=both)) / scale
                self._found.largest_difference_from_pytorch = max(
                    self._found.largest_difference_from_pytorch, worst)


def pytorch_outputs(main: Any, inputs: Mapping[str, np.ndarray]) -> dict[str, np.ndarray]:
    """What PyTorch computes, by name of the value. The program is called with flat inputs."""
    import torch

    copies = {name: torch.from_numpy(np.array(value)) for name, value in inputs.items()}
    specs = main.graph_signature.input_specs
    lifted = {**main.state_dict, **main.constants}
    arguments = [lifted[s.target] if s.target is not None else copies.get(
        s.arg.name, getattr(s.arg, "value", None)) for s in specs]
    with torch.no_grad():
        results = torch.fx.Interpreter(main.graph_module).run(
            *arguments, enable_io_processing=False)
    names = [getattr(s.arg, "name", None) for s in main.graph_signature.output_specs]
    return {name: value.detach().numpy() for name, value in zip(names, results, strict=True)
            if name and isinstance(value, torch.Tensor)}


def first_difference(left: np.ndarray, right: np.ndarray) -> str:
    """Where and how two arrays differ in bits; empty when they do not."""
    if left.dtype != right.dtype or left.shape != right.shape:
        return (f"{left.dtype} {list(left.shape)} instead of {right.dtype} {list(right.shape)}")
    bits = np.ascontiguousarray(left).reshape(-1).view(np.uint8).reshape(left.size, -1)
    same = np.ascontiguousarray(right).reshape(-1).view(np.uint8).reshape(right.size, -1)
    differing = np.flatnonzero((bits != same).any(axis=1)) if left.size else np.empty(0, int)
    if not differing.size:
        return ""
    index = np.unravel_index(differing[0], left.shape)
    return (f"{differing.size} of {left.size} elements differ, first at "
            f"{[int(i) for i in index]}: {left[index]!r} instead of {right[index]!r}")


def within(left: np.ndarray, right: np.ndarray, tolerance: Mapping[str, float]) -> bool:
    """Whether two arrays agree within a tolerance of a package; integers must be equal."""
    if left.dtype != right.dtype or left.shape != right.shape:
        return False
    if right.dtype.kind != "f":
        return bool(np.array_equal(left, right))
    finite = np.isfinite(right)
    if not np.array_equal(left[~finite], right[~finite], equal_nan=True):
        return False
    a, b = left[finite].astype(np.float64), right[finite].astype(np.float64)
    scale = np.max(np.abs(b), initial=0)
    allowed = (tolerance["atol"] + tolerance["rtol"] * np.abs(b)
               + tolerance["of_scale"] * scale)
    return bool(np.all(np.abs(a - b) <= allowed))
