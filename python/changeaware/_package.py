"""Package: what `compile` wrote, opened."""

from __future__ import annotations

import os
from typing import Any

from . import _core


class Package:
    """A package file, mapped: what a Session runs. Immutable, and may be used by many sessions.

    `path`: of a package, text or path-like (also what `compile` returned). Replace the file by
    renaming another one over it, never by writing into it.

    Raises `changeaware.Error`: "Io" (it cannot be read), "Corrupt" (it is damaged: names the entry
    or field), "Unsupported" (a format of another version, or something that is no package: says
    what it is).

        package = changeaware.Package("model.ca.pt2")
        for entry in package.inputs:
            print(entry["name"], entry["dtype"], entry["shape"])
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self._source = path  # a package in a temporary folder lives as long as this
        self._core = _core.Package(os.fspath(path))

    @property
    def path(self) -> str:
        return self._core.path

    @property
    def manifest(self) -> dict[str, Any]:
        """All that is known of the package, as in docs/package_format.md; not to be changed."""
        return self._core.manifest

    @property
    def inputs(self) -> list[dict[str, Any]]:
        """The program's inputs in order: name, dtype ("float32"), shape (numbers, and text such as
        "s0" for sizes that may vary), fixed_value (text such as "None" or "3" of an input that was
        fixed at export and takes no value; else None)."""
        return self.manifest["inputs"]

    @property
    def outputs(self) -> list[dict[str, Any]]:
        """The program's outputs in order: name, dtype, shape, and kind: "tensor",
        "constant_tensor", or "none", "int", "float", "bool", "str" with their value."""
        return self.manifest["outputs"]

    @property
    def strategies(self) -> list[dict[str, Any]]:
        """Choices of what to retain: name, callables, retained (names), retained_bytes,
        resident_bytes, mask_costs (for sets of changed inputs what runs, microseconds)."""
        return self.manifest["strategies"]

    def __repr__(self) -> str:
        inputs = ", ".join(entry["name"] for entry in self.inputs if entry["fixed_value"] is None)
        outputs = ", ".join(entry["name"] for entry in self.outputs)
        return f"changeaware.Package({self.path!r}: {inputs} -> {outputs})"
