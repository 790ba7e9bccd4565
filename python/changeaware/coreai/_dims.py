"""Sizes: numbers and the expressions of symbols that PyTorch prints ("s0", "2*s0 + 1").

A wrong size ends the process inside Core AI's runtime, so sizes are settled here before it sees
them.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Mapping, Sequence

_FUNCTIONS: dict[str, Callable[..., int]] = {
    "Max": max, "Min": min, "Abs": abs, "abs": abs,
    "Mod": lambda a, b: a % b, "PythonMod": lambda a, b: a % b,
    "FloorDiv": lambda a, b: a // b, "CleanDiv": lambda a, b: a // b,
}
_OPERATORS: dict[type, Callable[[int, int], int]] = {
    ast.Add: lambda a, b: a + b, ast.Sub: lambda a, b: a - b, ast.Mult: lambda a, b: a * b,
    ast.FloorDiv: lambda a, b: a // b, ast.Mod: lambda a, b: a % b,
}


class CannotExpress(ValueError):
    """An expression that is none of sizes."""


def _parse(text: str) -> ast.expr:
    try:
        return ast.parse(text, mode="eval").body
    except SyntaxError as error:
        raise CannotExpress(f"'{text}' is no expression of sizes") from error


def symbols_of(text: str) -> set[str]:
    """The symbols in an expression, without names of functions."""
    return {node.id for node in ast.walk(_parse(text))
            if isinstance(node, ast.Name)} - set(_FUNCTIONS)


def evaluate(text: str, values: Mapping[str, int]) -> int:
    """The value of an expression. Raises CannotExpress for what is not one of integers."""

    def value(node: ast.expr) -> int:
        if isinstance(node, ast.Constant) and type(node.value) is int:
            return node.value
        if isinstance(node, ast.Name) and node.id in values:
            return values[node.id]
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
            return -value(node.operand)
        if isinstance(node, ast.BinOp) and type(node.op) in _OPERATORS:
            return _OPERATORS[type(node.op)](value(node.left), value(node.right))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) \
                and node.func.id in _FUNCTIONS and not node.keywords:
            return _FUNCTIONS[node.func.id](*map(value, node.args))
        raise CannotExpress(f"'{text}' cannot be computed")

    try:
        return value(_parse(text))
    except (ArithmeticError, TypeError) as error:
        raise CannotExpress(f"'{text}' cannot be computed: {error}") from error


def _solve(text: str, size: int, symbol: str, known: Mapping[str, int]) -> int | None:
    """The value of `symbol` that makes the expression, linear in it, `size`; None: there is none.

    Raises CannotExpress when the expression is not linear.
    """
    at = [evaluate(text, {**known, symbol: x}) for x in (2, 3, 5, 9)]
    slope = at[1] - at[0]
    if slope == 0 or at[2] - at[1] != 2 * slope or at[3] - at[2] != 4 * slope:
        raise CannotExpress(f"'{text}' does not define {symbol}")
    found, rest = divmod(size - at[0] + 2 * slope, slope)
    return None if rest else found


def undefined_symbols(shapes: Iterable[Sequence[str]]) -> set[str]:
    """Symbols that the sizes of tensors of these shapes would not define."""
    texts = [text for shape in shapes for text in shape if not text.isdigit()]
    known: dict[str, int] = {}
    missing = set().union(*map(symbols_of, texts)) if texts else set()
    progress = True
    while missing and progress:
        progress = False
        for text in texts:
            unknown = symbols_of(text) - set(known)
            if len(unknown) != 1:
                continue
            (symbol,) = unknown
            try:
                _solve(text, 1, symbol, known)
            except CannotExpress:
                continue
            known[symbol] = 7
            progress = True
        missing -= set(known)
    return missing


class Sizes:
    """What the symbols of one call are, as its inputs define them. Not for several threads."""

    def __init__(self, bounds: Mapping[str, tuple[int, int]]) -> None:
        """`bounds`: inclusive limits by symbol."""
        self._bounds = bounds
        self._values: dict[str, int] = {}

    def bind(self, ports: Sequence[tuple[str, Sequence[str], Sequence[int]]]) -> str:
        """Takes (name, expected shape, actual shape) of every input.

        Returns what is wrong with the first that does not fit; empty when all do.
        """
        waiting = list(ports)
        for name, expected, actual in ports:
            if len(expected) != len(actual):
                return (f"input '{name}' has {len(actual)} dimensions, must have "
                        f"{len(expected)}: [{', '.join(expected)}]")
        while waiting:
            before = (len(waiting), len(self._values))
            for port in list(waiting):
                wrong, is_settled = self._bind_port(*port)
                if wrong:
                    return wrong
                if is_settled:
                    waiting.remove(port)
            if (len(waiting), len(self._values)) == before:
                return f"input '{waiting[0][0]}': its sizes cannot be checked"
        return ""

    def _bind_port(self, name: str, expected: Sequence[str],
                   actual: Sequence[int]) -> tuple[str, bool]:
        is_settled = True
        for axis, (text, size) in enumerate(zip(expected, actual, strict=True)):
            unknown = symbols_of(text) - set(self._values)
            if len(unknown) > 1:
                is_settled = False
                continue
            try:
                must = self._must_be(text, size, unknown)
            except CannotExpress:
                is_settled = False
                continue
            if size != must or size < 1:
                right = text if must is None else must
                detail = "must not be empty" if size < 1 else f"must be {right}"
                return (f"input '{name}' has size {size} in dimension {axis}, {detail}: "
                        f"[{', '.join(expected)}]"), True
        return "", is_settled

    def _must_be(self, text: str, size: int, unknown: set[str]) -> int | None:
        """What the size has to be; None: the expression never has this value."""
        if not unknown:
            return evaluate(text, self._values)
        (symbol,) = unknown
        found = _solve(text, size, symbol, self._values)
        low, high = self._bounds.get(symbol, (0, 2**63 - 1))
        if found is None or not low <= found <= high:
            return None
        self._values[symbol] = found
        return size

    def fits(self, expected: Sequence[str], actual: Sequence[int]) -> bool:
        """Whether an output of this shape can have these sizes. Sizes that only the data define
        fit whatever they are."""
        if len(expected) != len(actual):
            return False
        return all(symbols_of(text) - set(self._values) or evaluate(text, self._values) == size
                   for text, size in zip(expected, actual, strict=True))
