"""Nested arguments and results: PyTorch's tree specs, read without PyTorch.

A spec is JSON, "[1, NODE]"; a NODE has the type of a container, what else there is to know of it
(keys, for dictionaries) and its children; the type of a leaf is null.
"""

from __future__ import annotations

import json
import sys
from collections import OrderedDict, defaultdict, deque, namedtuple
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from ._error import refusal

_PROTOCOL = 1


class Record(dict):
    """A container of a class that this process does not know: a dictionary whose keys are
    attributes, too. `type_name` is what the program calls the class."""

    type_name = ""

    def __getattr__(self, name: str) -> Any:
        try:
            return self[name]
        except KeyError:
            raise AttributeError(f"{self.type_name} has no {name!r}") from None


class Node:
    """A container, or a leaf.

    `take(value)`: the children's values, or None when `value` is something else. `make(values)`: a
    container of these children. `keys`: how children are called in paths. `first`: the name of the
    first leaf, in parts.
    """

    __slots__ = ("children", "first", "keys", "kind", "leaves", "make", "take")

    def __init__(self, kind: str | None, children: Sequence[Node] = (),
                 keys: Sequence[Any] | None = None,
                 take: Callable[[Any], Sequence[Any] | None] | None = None,
                 make: Callable[[list[Any]], Any] | None = None) -> None:
        self.kind = kind
        self.children = list(children)
        self.keys = list(range(len(self.children))) if keys is None else list(keys)
        self.take = take
        self.make = make
        self.leaves: int = sum(child.leaves for child in self.children) if kind else 1
        self.first: list[str] = next((c.first for c in self.children if c.first), [])

    def paths(self, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
        """For each leaf the keys that lead to it."""
        if self.kind is None:
            yield path
        for key, child in zip(self.keys, self.children, strict=True):
            yield from child.paths((*path, key))

    def flatten(self, value: Any, what: str) -> list[Any]:
        """The leaves of `value`. Raises InvalidArgument, saying where its nesting differs."""
        out: list[Any] = []
        self._flatten(value, what, out)
        return out

    def _flatten(self, value: Any, what: str, out: list[Any]) -> None:
        if self.kind is None:
            out.append(value)
            return
        values = self.take(value)
        if values is None:
            raise refusal("InvalidArgument", f"{what} is {_shown(value)}; it must be {self}")
        for key, child, inner in zip(self.keys, self.children, values, strict=True):
            child._flatten(inner, f"{what}[{key!r}]", out)

    def unflatten(self, leaves: Iterator[Any]) -> Any:
        """A container with the next leaves."""
        if self.kind is None:
            return next(leaves)
        return self.make([child.unflatten(leaves) for child in self.children])

    def __str__(self) -> str:
        if self.kind is None:
            return "an array"
        name = self.kind.rpartition(".")[2]
        if self.kind in _SEQUENCES or self.kind == "collections.deque":
            return f"a {name} of {len(self.children)}"
        return f"a {name} with {', '.join(map(repr, self.keys)) or 'nothing in it'}"


def _shown(value: Any) -> str:
    name = type(value).__name__
    if isinstance(value, Mapping):
        return f"a {name} with {', '.join(map(repr, value)) or 'nothing in it'}"
    if isinstance(value, list | tuple | deque):
        return f"a {name} of {len(value)}"
    return f"a {name}"


def parse(spec: str, names: Sequence[str], what: str) -> Node:
    """The tree of a spec whose leaves have these names. Raises Unsupported, naming `what`."""
    try:
        protocol, tree = json.loads(spec)
        if protocol != _PROTOCOL:
            raise refusal("Unsupported", f"{what}: tree spec protocol {protocol}; {_PROTOCOL} is "
                          "accepted")
        node = _parse(tree, iter([name.split(".") for name in names]), 0, what)
    except (ValueError, TypeError, KeyError, StopIteration) as error:
        raise refusal("Corrupt", f"{what}: not a tree spec: {error}") from error
    if node.leaves != len(names):
        raise refusal("Corrupt", f"{what}: {node.leaves} leaves for {len(names)} names")
    return node


def _parse(tree: Mapping[str, Any], names: Iterator[list[str]], depth: int, what: str) -> Node:
    kind = tree["type"]
    if kind is None:
        leaf = Node(None)
        leaf.first = next(names)
        return leaf
    children = [_parse(child, names, depth + 1, what) for child in tree["children_spec"]]
    context = tree["context"]
    context = _loads(context) if isinstance(context, str) else context
    maker = _MAKERS.get(kind, _make_other)
    node = maker(kind, children, context, depth)
    if node is None:
        raise refusal("Unsupported", f"{what} has a container of type '{kind}', which cannot be "
                      "made without the code that defines it: import it first, or use names")
    return node


def _loads(context: str) -> Any:
    try:
        return json.loads(context)
    except ValueError:
        return context  # the name of a named tuple


_SEQUENCES = {"builtins.tuple": tuple, "builtins.list": list}


def _make_sequence(kind: str, children: list[Node], context: Any, depth: int) -> Node:
    container = _SEQUENCES[kind]
    count = len(children)

    def take(value: Any) -> Sequence[Any] | None:
        return value if isinstance(value, list | tuple) and len(value) == count else None

    return Node(kind, children, take=take, make=container)


def _make_deque(kind: str, children: list[Node], context: Any, depth: int) -> Node:
    count = len(children)
    return Node(kind, children, None,
                lambda v: v if isinstance(v, list | tuple | deque) and len(v) == count else None,
                lambda values: deque(values, maxlen=context))


def _take_keys(keys: Sequence[Any]) -> Callable[[Any], Sequence[Any] | None]:
    wanted = set(keys)

    def take(value: Any) -> Sequence[Any] | None:
        if not isinstance(value, Mapping) or set(value) != wanted:
            return None
        return [value[key] for key in keys]

    return take


def _make_dict(kind: str, children: list[Node], context: Any, depth: int) -> Node:
    ordered = kind == "collections.OrderedDict"
    container = OrderedDict if ordered else dict
    return Node(kind, children, context, _take_keys(context),
                lambda values: container(zip(context, values, strict=True)))


def _make_defaultdict(kind: str, children: list[Node], context: Any, depth: int) -> Node:
    keys = context["dict_context"]
    module = sys.modules.get(context["default_factory_module"])
    factory = getattr(module, context["default_factory_name"], None)
    return Node(kind, children, keys, _take_keys(keys),
                lambda values: defaultdict(factory, zip(keys, values, strict=True)))


def _make_namedtuple(kind: str, children: list[Node], context: Any, depth: int) -> Node:
    """Of the class, if it is imported, else of one that has its fields."""
    count = len(children)
    known = _class(context)
    fields = getattr(known, "_fields", None)
    if fields is None or len(fields) != count:
        known = None
        fields = _fields(children, depth)
    if fields is None:
        return Node(kind, children,
                    take=lambda v: v if isinstance(v, tuple) and len(v) == count else None,
                    make=tuple)
    made = known or namedtuple(str(context).rpartition(".")[2], fields)
    return Node(kind, children, fields,
                lambda v: v if isinstance(v, tuple) and len(v) == count else None,
                lambda values: made(*values))


def _fields(children: list[Node], depth: int) -> list[str] | None:
    """The keys of these children, from the names of the leaves, which are paths."""
    fields = []
    for child in children:
        if len(child.first) <= depth or not child.first[depth].isidentifier():
            return None
        fields.append(child.first[depth])
    return fields if len(set(fields)) == len(fields) else None


def _class(name: Any) -> Any:
    """A class by the name that it is registered with, if it is imported."""
    module, _, name = str(name).rpartition(".")
    return getattr(sys.modules.get(module), name, None)


def _make_other(kind: str, children: list[Node], context: Any, depth: int) -> Node | None:
    """A data class or a class with keys (such as results of Transformers): those name their
    children. Made of the class, if it is imported, else a Record."""
    keys = context
    if isinstance(context, list) and context and isinstance(context[0], list):
        keys = context[0]
    if not isinstance(keys, list) or len(keys) != len(children) or not all(
            isinstance(key, str) for key in keys):
        return None
    known = _class(kind)

    def take(value: Any) -> Sequence[Any] | None:
        if isinstance(value, Mapping):
            return [value[key] for key in keys] if set(value) == set(keys) else None
        has = known is not None and isinstance(value, known)
        return [getattr(value, key) for key in keys] if has else None

    def make(values: list[Any]) -> Any:
        given = dict(zip(keys, values, strict=True))
        if known is not None:
            return known(**given)
        record = Record(given)
        record.type_name = kind
        return record

    return Node(kind, children, keys, take, make)


_MAKERS: dict[str, Callable[[str, list[Node], Any, int], Node | None]] = {
    "builtins.tuple": _make_sequence,
    "builtins.list": _make_sequence,
    "builtins.dict": _make_dict,
    "collections.OrderedDict": _make_dict,
    "collections.defaultdict": _make_defaultdict,
    "collections.deque": _make_deque,
    "collections.namedtuple": _make_namedtuple,
}
