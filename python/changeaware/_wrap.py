"""changeaware.wrap(): a module that runs only what changed, called as the module itself."""

from __future__ import annotations

import inspect
import os
from collections.abc import Mapping, Sequence
from types import TracebackType
from typing import TYPE_CHECKING, Any

from ._compile import Compiled, compile
from ._error import refusal
from ._export import export
from ._progress import Progress, Reporter
from ._pytorch import require_torch
from ._session import Session

if TYPE_CHECKING:
    import torch


class _Signature:
    """Brings calls of a module into the form of the example call, whose nesting the program has."""

    def __init__(self, forward: Any, args: Sequence[Any], kwargs: Mapping[str, Any],
                 spec: Any) -> None:
        self.signature = inspect.signature(forward)
        self._spec = spec
        self._count = len(args)
        self._keywords = list(kwargs)
        parameters = list(self.signature.parameters.values())
        by_place = [p.name for p in parameters
                    if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
        # None where *args takes positional arguments: those have no names to be given by.
        self._positional = by_place[:self._count] if self._count <= len(by_place) else None
        self._rest = {p.name for p in parameters if p.kind == p.VAR_KEYWORD}

    def flatten(self, args: tuple, kwargs: dict[str, Any]) -> list[Any]:
        """The leaves of (args, kwargs) in the program's order. Raises InvalidArgument."""
        if len(args) != self._count or list(kwargs) != self._keywords:
            args, kwargs = self._rearranged(args, kwargs)
        try:
            return self._spec.flatten_up_to((args, kwargs))
        except ValueError as error:
            raise refusal("InvalidArgument", "the arguments are nested in another way than the "
                          f"example inputs: {error}") from error

    def _rearranged(self, args: tuple, kwargs: dict[str, Any]) -> tuple[tuple, dict[str, Any]]:
        try:
            bound = self.signature.bind(*args, **kwargs)
        except TypeError as error:
            raise refusal("InvalidArgument", f"forward(): {error}; it takes {self.signature}"
                          ) from error
        given = dict(bound.arguments)
        for name in self._rest:
            given.update(given.pop(name, {}))
        if self._positional is None:
            raise refusal("InvalidArgument",
                          f"the example call had {self._count} positional arguments and "
                          f"{self._keywords} by name; calls must have the same")
        wanted_args = tuple(self._take(given, name) for name in self._positional)
        wanted_kwargs = {name: self._take(given, name) for name in self._keywords}
        for name, value in given.items():
            self._check_left_out(name, value)
        return wanted_args, wanted_kwargs

    def _take(self, given: dict[str, Any], name: str) -> Any:
        if name in given:
            return given.pop(name)
        parameter = self.signature.parameters.get(name)
        if parameter is None or parameter.default is inspect.Parameter.empty:
            raise refusal("InvalidArgument", f"argument '{name}' is missing")
        return parameter.default

    def _check_left_out(self, name: str, value: Any) -> None:
        parameter = self.signature.parameters.get(name)
        if parameter is not None and _is_same(value, parameter.default):
            return
        raise refusal("InvalidArgument",
                      f"argument '{name}' was not among the example inputs, so the program has no "
                      "such input: wrap the module with an example of it")


def _is_same(value: Any, wanted: Any) -> bool:
    """Whether two values that are no tensors are the same."""
    plain = bool | int | float | complex | str
    return value is wanted or (
        isinstance(wanted, plain) and type(value) is type(wanted) and value == wanted)


class Wrapped:
    """What `wrap` returns: called as the module, with tensors on the CPU, gives its result.

    `session`: the Session behind it (plans, version tags, statistics, budgets). `report`: what
    `compile` found. `package`: path of the package. For inference: results have no gradients. May
    be called from many threads.
    """

    def __init__(self, module: Any, program: Any, report: Compiled, session: Session) -> None:
        args, kwargs = program.example_inputs
        self.report = report
        self.session = session
        self._torch = require_torch("changeaware.wrap")
        self._name = type(module).__name__
        self._calls = _Signature(module.forward, args, kwargs, program.call_spec.in_spec)
        self._out_spec = program.call_spec.out_spec
        examples = self._torch.utils._pytree.tree_flatten(program.example_inputs)[0]
        self._inputs = []  # (place among the leaves, name)
        self._fixed = []  # (place among the leaves, name, value)
        for place, entry in enumerate(session.inputs):
            if entry["fixed_value"] is None:
                self._inputs.append((place, entry["name"]))
            else:
                self._fixed.append((place, entry["name"], examples[place]))
        self._numbers = [type(output.arg).__name__.startswith("Sym")
                         for output in program.graph_signature.output_specs]
        self.__doc__ = module.forward.__doc__ or type(self).__doc__

    @property
    def package(self) -> str:
        return self.report.path

    @property
    def __signature__(self) -> inspect.Signature:
        return self._calls.signature

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Runs what the changed arguments make necessary.

        Raises `changeaware.Error`: "InvalidArgument" for arguments that differ from the example
        inputs in nesting, dtype or fixed sizes, that ask for a gradient or lie on another device;
        the others are those of `Session`.
        """
        leaves = self._calls.flatten(args, kwargs)
        for place, name, value in self._fixed:
            self._check_fixed(name, leaves[place], value)
        inputs = {name: self._checked(name, leaves[place]) for place, name in self._inputs}
        outputs = self.session._run_flat(inputs)
        values = [value.item() if is_number and hasattr(value, "item") else value
                  for (_, value), is_number in zip(outputs, self._numbers, strict=True)]
        return self._torch.utils._pytree.tree_unflatten(values, self._out_spec)

    forward = __call__

    def _check_fixed(self, name: str, value: Any, wanted: Any) -> None:
        if _is_same(value, wanted):
            return
        shown = f"a {type(value).__name__}" if hasattr(value, "shape") else repr(value)
        raise refusal("InvalidArgument",
                      f"input '{name}' was {wanted!r} in the example inputs and is fixed at that; "
                      f"it is {shown} now: wrap the module again for other values")

    def _checked(self, name: str, value: Any) -> Any:
        torch = self._torch
        if not isinstance(value, torch.Tensor):
            return value
        if value.device.type != "cpu":
            raise refusal("InvalidArgument",
                          f"input '{name}' is on device '{value.device}', and programs run on the "
                          "CPU: pass its .cpu()")
        if not value.requires_grad:
            return value
        if torch.is_grad_enabled():
            raise refusal("InvalidArgument",
                          f"input '{name}' asks for a gradient, and this is for inference: pass "
                          "its .detach(), or call under torch.no_grad()")
        return value.detach()

    def explain(self) -> str:
        """Text: for each piece of the program whether the last call ran it, and why."""
        return self.session.explain()

    def eval(self) -> Wrapped:
        """Itself: there is no other mode."""
        return self

    def close(self) -> None:
        """Ends the session; later calls are refused."""
        self.session.close()

    def __enter__(self) -> Wrapped:
        return self

    def __exit__(self, kind: type[BaseException] | None, value: BaseException | None,
                 trace: TracebackType | None) -> None:
        self.close()

    def __repr__(self) -> str:
        inputs = ", ".join(name for _, name in self._inputs)
        count = len(self.report.callables)
        return f"changeaware.Wrapped({self._name}: {inputs}; {count} callables)"


def wrap(
    module: torch.nn.Module,
    example_inputs: Any = (),
    example_kwargs: Mapping[str, Any] | None = None,
    *,
    package: str | os.PathLike[str] | None = None,
    dynamic_shapes: Any = None,
    strict: bool = False,
    check: bool = True,
    numerics: str = "fast",
    costs: str = "measured",
    threads: int = 0,
    retained_budget: int | str = 1 << 30,
    resident_budget: int | str | None = None,
    check_versions: bool = False,
    op_libraries: Sequence[str | os.PathLike[str]] = (),
    progress: bool | Progress | None = None,
) -> Wrapped:
    """Exports and compiles `module`, and returns something to call in its place.

    `example_inputs`: a tuple of positional arguments, a dictionary of arguments by name, or one
    tensor; `example_kwargs`: arguments by name beside positional ones. Tensors on the CPU, numbers
    and None in any nesting of tuples, lists and dictionaries. Numbers, strings and None are fixed
    at their values; so are all sizes but those that `dynamic_shapes` names.

    `package`: where to keep the package, for `Session` in later processes, which then need no
    PyTorch; without it the package is a temporary file that goes with the result. Nothing else is
    kept, so a later `wrap` compiles again. `retained_budget`, `resident_budget`: bytes, or text
    such as "64MiB", for tensors kept between calls and for loaded pieces. `threads`: 0 = all cores;
    PyTorch's own number of threads is left alone. `numerics`, `costs`, `check`, `op_libraries`,
    `progress`: see `compile`. `strict`, `dynamic_shapes`: see `export`.

    The module is not changed, and not kept: drop it to have its weights in memory once.

    Raises `changeaware.Error`: those of `export` and of `compile`.

        fast = changeaware.wrap(model.eval(), (image, points))
        masks = fast(image, other_points)   # runs what depends on the points
        print(fast.explain())
    """
    torch = require_torch("changeaware.wrap")
    args, kwargs = _example_call(torch, example_inputs, example_kwargs)
    with Reporter(progress) as report:
        report("export", 0.0)
        program = export(module, args, kwargs, dynamic_shapes=dynamic_shapes, strict=strict)
        compiled = compile(program, package, check=check, threads=threads, numerics=numerics,
                           costs=costs, op_libraries=op_libraries, progress=report)
        session = Session(
            compiled, threads=threads, retained_budget=retained_budget,
            resident_budget=resident_budget, check_versions=check_versions,
            op_libraries=op_libraries, returns="torch",
            blob_folder="off" if package is None else "")
        return Wrapped(module, program, compiled, session)


def _example_call(torch: Any, inputs: Any, kwargs: Mapping[str, Any] | None
                  ) -> tuple[tuple, dict[str, Any]]:
    if isinstance(inputs, torch.Tensor):
        return (inputs,), dict(kwargs or {})
    if isinstance(inputs, Mapping):
        return (), {**inputs, **(kwargs or {})}
    if isinstance(inputs, tuple | list):
        return tuple(inputs), dict(kwargs or {})
    raise refusal("InvalidArgument",
                  "example_inputs is a tuple of arguments, a dictionary of arguments by name or a "
                  f"tensor, not a {type(inputs).__name__}")
