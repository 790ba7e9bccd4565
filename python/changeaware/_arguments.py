"""From the arguments of a call to the program's inputs by name."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from ._error import refusal
from ._tree import Node, parse


class _Parameter:
    """An argument of the exported module: a tree over some of the program's inputs."""

    __slots__ = ("inputs", "name", "tree")

    def __init__(self, name: str | None, tree: Node, inputs: Sequence[str]) -> None:
        self.name = name
        self.tree = tree
        self.inputs = list(inputs)


def _parameter_name(tree: Node, inputs: Sequence[str]) -> str | None:
    """What the names of an argument's inputs have in common before their paths.

    An argument `pair` that is (a, {"k": b}) has the inputs pair_0 and pair_1_k.
    """
    found = set()
    for path, name in zip(tree.paths(), inputs, strict=True):
        tail = "".join("_" + re.sub(r"[^a-zA-Z0-9]+", "_", str(key)).lower() for key in path)
        found.add(name[:len(name) - len(tail)] if name.endswith(tail) else None)
    return found.pop() if len(found) == 1 else None


class Arguments:
    """Binds calls to a program with these inputs; immutable."""

    def __init__(self, manifest: Mapping[str, Any]) -> None:
        entries = manifest["inputs"]
        self._names = [entry["name"] for entry in entries]
        self._fixed = {e["name"]: e["fixed_value"] for e in entries if e["fixed_value"] is not None}
        # Inputs that may be given as they are called: what needs no look at the tree.
        self.plain = frozenset(self._names) - self._fixed.keys()
        self._positional: list[_Parameter] = []
        self._by_name: dict[str, _Parameter] = {}
        self._problem: Exception | None = None
        try:
            self._read_spec(manifest["in_spec"])
        except Exception as error:  # told when a call needs it: names do without
            self._problem = error
        nested = {name for name, p in self._by_name.items() if p.tree.kind is not None}
        self.plain -= nested

    def _read_spec(self, spec: str) -> None:
        if not spec:
            return
        root = parse(spec, self._names, "the program's inputs")
        args, kwargs = root.children
        place = 0

        def take(tree: Node) -> list[str]:
            nonlocal place
            place += tree.leaves
            return self._names[place - tree.leaves:place]

        for tree in args.children:
            inputs = take(tree)
            parameter = _Parameter(_parameter_name(tree, inputs), tree, inputs)
            self._positional.append(parameter)
            if parameter.name:
                self._by_name[parameter.name] = parameter
        for name, tree in zip(kwargs.keys, kwargs.children, strict=True):
            self._by_name[name] = _Parameter(name, tree, take(tree))

    def bind(self, args: Sequence[Any], kwargs: Mapping[str, Any]) -> dict[str, Any]:
        """Values by input name, without the fixed ones. Raises InvalidArgument, naming inputs."""
        if not args and kwargs.keys() <= self.plain:
            return dict(kwargs)
        out: dict[str, Any] = {}
        if args and self._problem is not None:
            raise self._problem
        if len(args) > len(self._positional):
            raise refusal("InvalidArgument", f"{len(args)} positional arguments; the program takes "
                          f"{len(self._positional)}; {self._listed()}")
        for place, (value, parameter) in enumerate(zip(args, self._positional, strict=False)):
            self._give(parameter, value, parameter.name or f"argument {place}", out)
        for name, value in kwargs.items():
            self._give_by_name(name, value, out)
        for name in self._fixed.keys() & out.keys():
            self._check_fixed(name, out.pop(name))
        return out

    def _give_by_name(self, name: str, value: Any, out: dict[str, Any]) -> None:
        parameter = self._by_name.get(name)
        if parameter is not None:
            self._give(parameter, value, name, out)
        elif name in out:
            raise refusal("InvalidArgument", f"input '{name}' is given twice")
        elif name in self.plain or name in self._fixed:
            out[name] = value
        else:
            raise refusal("InvalidArgument", f"no input '{name}'; {self._listed()}")

    def _give(self, parameter: _Parameter, value: Any, what: str, out: dict[str, Any]) -> None:
        leaves = parameter.tree.flatten(value, what)
        for name, leaf in zip(parameter.inputs, leaves, strict=True):
            if name in out:
                raise refusal("InvalidArgument", f"input '{name}' is given twice")
            out[name] = leaf

    def _listed(self) -> str:
        names = [name for name in self._names if name not in self._fixed]
        return f"the inputs are: {', '.join(names)}"

    def _check_fixed(self, name: str, value: Any) -> None:
        fixed = self._fixed[name]
        if _is_fixed_at(fixed, value):
            return
        shown = repr(value) if isinstance(value, int | float | str | None) else type(value).__name__
        raise refusal("InvalidArgument", f"input '{name}' was fixed to {fixed} at export and is "
                      f"{shown} here; leave it out, or export the program for this value")


def _is_fixed_at(fixed: str, value: Any) -> bool:
    if value is None or isinstance(value, bool):
        return fixed == str(value)
    if isinstance(value, str):
        return fixed == f'"{value}"'
    if isinstance(value, int | float):
        try:
            return float(fixed) == value
        except ValueError:
            return False
    return False
