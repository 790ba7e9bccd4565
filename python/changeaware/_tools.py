"""Checks of packages and of the machine."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any

from . import _core
from ._progress import Progress, Reporter


def verify(
    package: str | os.PathLike[str],
    *,
    examples: Mapping[str, Any] | None = None,
    reference: Mapping[str, Any] | None = None,
    threads: int = 0,
    torch_folder: str | os.PathLike[str] = "",
    op_libraries: Sequence[str | os.PathLike[str]] = (),
    progress: bool | Progress | None = None,
) -> dict[str, Any]:
    """Executes every strategy of a package here, for every set of changed inputs, and compares.

    `examples`: inputs by name, in place of those in the package. `reference`: outputs by name that
    were computed elsewhere. Returns `equal` and `strategies`: for each its name, the number of sets
    executed (`masks`), whether all were `equal`, and the first `difference`. A difference is no
    error. Raises `changeaware.Error`: "Io", "Corrupt", "InvalidArgument" (no examples).

        assert changeaware.verify("model.ca.pt2")["equal"]
    """
    with Reporter(progress) as report:
        return _core.verify(
            os.fspath(package), examples=examples, reference=reference, threads=threads,
            torch_folder=os.fspath(torch_folder),
            op_libraries=[os.fspath(library) for library in op_libraries], progress=report)


def doctor(*, torch_folder: str | os.PathLike[str] = "") -> dict[str, Any]:
    """What this machine and this build offer: versions, processor, memory (bytes), engines,
    optional parts, and under "missing" one sentence for each thing that is not there.

        print(changeaware.doctor()["missing"])
    """
    return _core.doctor(torch_folder=os.fspath(torch_folder))


def build_exact_engine(*, torch_folder: str | os.PathLike[str] = "") -> dict[str, Any]:
    """Builds the exact engine's plug-in for the PyTorch found, with the C++ compiler; once per
    version. Returns where it is. Raises `changeaware.Error`: "Unsupported" (no PyTorch, or one of
    an unknown version), "Io", "Internal" with the compiler's output.

        changeaware.build_exact_engine()["plugin"]
    """
    return _core.build_exact_engine(torch_folder=os.fspath(torch_folder))
