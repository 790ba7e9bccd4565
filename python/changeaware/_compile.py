"""changeaware.compile(): from an exported program to a package."""

from __future__ import annotations

import contextlib
import dataclasses
import os
import shutil
import tempfile
import time
import weakref
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from . import _core
from ._bytes import parse_bytes
from ._error import refusal
from ._progress import Progress, Reporter
from ._pytorch import imported_torch_folder, usable_torch_folder

if TYPE_CHECKING:
    import torch

_MOST_LISTED = 5


@dataclasses.dataclass(repr=False)
class Compiled:
    """A package that `compile` wrote, and what it has to say about it.

    Stands for the package's path wherever a path is taken: `changeaware.Session(compiled)`. A
    package in a temporary folder is deleted with the last object that refers to this one.
    """

    path: str
    callables: list[str]
    """Pieces that can run by themselves; "main" is the whole program."""
    strategies: list[str]
    """Choices of what to retain that no other one beats; "monolithic" runs `main`."""
    strategy_candidates: int
    rejections: list[tuple[str, str]]
    """What was turned down, and why."""
    exact_nodes: list[str]
    """Nodes that run on PyTorch's own operators, and why; empty for a package that needs none."""
    nodes_read: int
    nodes_kept: int
    verified: bool
    """Whether `main` and every strategy were executed on the examples and compared."""
    compared_with_exact: bool
    """Whether `main` was compared with PyTorch's own operators."""
    compared_with_eager: bool
    """Whether `main` was compared with the exported module, run by PyTorch in this process."""
    seconds: dict[str, float]
    """By stage."""
    _folder: object = dataclasses.field(default=None, compare=False)

    def __fspath__(self) -> str:
        return self.path

    def __repr__(self) -> str:
        checks = [text for done, text in (
            (self.verified, "every strategy executed and compared with main"),
            (self.compared_with_exact, "main compared with PyTorch's operators"),
            (self.compared_with_eager, "main compared with the eager module")) if done]
        lines = [
            f"package      {self.path}",
            f"callables    {', '.join(self.callables)}",
            f"strategies   {_shortened(self.strategies)}",
            f"nodes        {self.nodes_read} read, {self.nodes_kept} after normalisation",
            f"checked      {'; '.join(checks) or 'nothing: there are no example inputs'}",
            *_listed("exact nodes", self.exact_nodes),
            *_listed("rejections", [f"{what}: {why}" for what, why in self.rejections]),
            "seconds      " + ", ".join(f"{stage} {s:.2f}" for stage, s in self.seconds.items()),
        ]
        return "\n".join(lines)


def _shortened(names: Sequence[str]) -> str:
    if len(names) <= _MOST_LISTED:
        return ", ".join(names)
    return f"{', '.join(names[:2])}, … {names[-1]} ({len(names)} in all)"


def _listed(title: str, entries: Sequence[str]) -> list[str]:
    if not entries:
        return []
    lines = [f"{title:<12} {len(entries)}", *(f"  {entry}" for entry in entries[:_MOST_LISTED])]
    if len(entries) > _MOST_LISTED:
        lines.append(f"  and {len(entries) - _MOST_LISTED} more")
    return lines


def compile(  # the word that users know from torch.compile
    model: str | os.PathLike[str] | torch.export.ExportedProgram,
    package: str | os.PathLike[str] | None = None,
    *,
    examples: Mapping[str, Any] | None = None,
    reference: Mapping[str, Any] | None = None,
    check: bool = True,
    retained_budget: int | str | None = None,
    threads: int = 0,
    numerics: str = "fast",
    costs: str = "measured",
    max_strategies: int = 16,
    tolerance: Mapping[str, float] | None = None,
    oracle_tolerance: Mapping[str, float] | None = None,
    torch_folder: str | os.PathLike[str] = "",
    op_libraries: Sequence[str | os.PathLike[str]] = (),
    progress: bool | Progress | None = None,
) -> Compiled:
    """Proves which parts of `model` depend on which inputs, and writes a package.

    `model`: the path of a file that `torch.export.save` wrote, or an ExportedProgram. `package`:
    where to write; without it the package is in a temporary folder that goes with the result.
    Writing is atomic: after an error a package that was there is as it was.

    `examples`: example inputs by name (arrays or tensors of the program's dtypes and shapes), in
    place of those that the program has. Without any, nothing is verified by execution.
    `reference`: outputs by name that were computed elsewhere from the example inputs; `main` must
    agree. `check`: whether an ExportedProgram is also run by PyTorch, eagerly, on the example
    inputs, and `main` must agree with that. `retained_budget`: bytes, or text such as "64MiB";
    strategies that retain more are left out; None = no limit. `threads`: of the engine; 0 = all
    cores. `numerics`: "fast" (within the tolerance of PyTorch) or "exact" (PyTorch's bits; needs
    PyTorch). `costs`: "measured", or "nominal" for estimates that make packages reproducible.
    `tolerance`, `oracle_tolerance`: {"rtol": …, "atol": …, "of_scale": …} of strategies and
    references, and of the comparison with PyTorch's operators; what is left out keeps its default.
    `op_libraries`: libraries of custom operators. `progress`: None = a bar on standard error if
    that is a terminal, True, False, or a callable that gets (stage, fraction done); what it raises
    ends the work and is raised here.

    Where a node needs the exact engine, or numerics="exact" asks for it, its plug-in is built for
    the PyTorch of this process (once per version, some 20 s).

    Raises `changeaware.Error`: "Unsupported" (a node or dtype that cannot run faithfully, named;
    `main` differs from a reference: output, element and both values), "InvalidProgram",
    "InvalidArgument" (an example or option), "Corrupt", "Io".

        report = changeaware.compile("model.pt2", "model.ca.pt2", retained_budget="64MiB")
        print(report)
    """
    path, folder = _destination(package)
    options = {
        "threads": threads, "numerics": numerics, "costs": costs,
        "retained_budget": parse_bytes(retained_budget, "retained_budget"),
        "max_strategies": max_strategies, "tolerance": tolerance,
        "oracle_tolerance": oracle_tolerance,
        "torch_folder": os.fspath(torch_folder),
        "op_libraries": [os.fspath(library) for library in op_libraries],
    }
    given = dict(examples or {})
    outside = dict(reference or {})
    seconds: dict[str, float] = {}
    with Reporter(progress) as report, tempfile.TemporaryDirectory(prefix="changeaware-") as work:
        saved = ""
        if not isinstance(model, str | os.PathLike):
            _check_program(model)
            if check:
                with _stage("eager", report, seconds):
                    outside = {**(_eager().eager_outputs(model, given) or {}), **outside}
            with _stage("save", report, seconds):
                model = saved = _save(model, work)
        try:
            found = _compile_with_engine(os.fspath(model), path, report,
                                         {**options, "examples": given, "reference": outside})
        except _core.Error as error:
            if not saved:
                raise
            raise _reworded(error, saved, not reference) from None
    return _compiled(found, path, folder, seconds)


class _Folder:
    """A temporary folder that is deleted with this object."""

    def __init__(self) -> None:
        self.path = tempfile.mkdtemp(prefix="changeaware-")
        weakref.finalize(self, shutil.rmtree, self.path, ignore_errors=True)


def _destination(package: Any) -> tuple[str, _Folder | None]:
    if package is not None:
        return os.fspath(package), None
    folder = _Folder()
    return os.path.join(folder.path, "package.ca.pt2"), folder


@contextlib.contextmanager
def _stage(name: str, report: Progress, seconds: dict[str, float]) -> Iterator[None]:
    report(name, 0.0)
    begin = time.monotonic()
    yield
    seconds[name] = time.monotonic() - begin


def _eager() -> Any:
    """The module that needs PyTorch: a file needs none."""
    from . import _eager as eager

    return eager


def _check_program(program: Any) -> None:
    if not hasattr(program, "graph_signature"):
        raise refusal("InvalidArgument",
                      "compile takes the path of a .pt2 file or a torch.export.ExportedProgram, "
                      f"not a {type(program).__name__}; changeaware.export makes one of a module")
    _eager().check_distinct_inputs(program)


def _save(program: Any, folder: str) -> str:
    import torch

    path = os.path.join(folder, "model.pt2")
    try:
        torch.export.save(program, path)
    except Exception as error:
        raise refusal("InvalidProgram",
                      f"PyTorch cannot save the program: {type(error).__name__}: {error}"
                      ) from error
    return path


def _reworded(error: _core.Error, saved: str, only_eager: bool) -> _core.Error:
    """The refusal without the name of a temporary file, and with that of the reference."""
    text = str(error).replace(f"{saved}: ", "")
    if only_eager and "what the reference says" in text:
        text = text.replace("what the reference says", "what the eager module gives").replace(
            "in the reference", "in the eager module")
        text += "; check=False leaves this comparison out"
    return refusal(error.code, text)


def _compile_with_engine(model: str, path: str, report: Progress,
                         options: Mapping[str, Any]) -> dict[str, Any]:
    """Compiles; builds the exact engine's plug-in if it is needed and not there."""
    named = options["torch_folder"]
    if named or options["numerics"] == "exact":
        _build_exact_engine(named or imported_torch_folder(), report)
    try:
        return _core.compile(model, path, progress=report, **_with_folder(options))
    except _core.Error as error:
        if error.code != "Unsupported" or "exact engine" not in str(error):
            raise
        if not _build_exact_engine(named or imported_torch_folder(), report):
            raise
    return _core.compile(model, path, progress=report, **_with_folder(options))


def _with_folder(options: Mapping[str, Any]) -> dict[str, Any]:
    """A process has one PyTorch: the one that is imported, where that can be used."""
    return {**options, "torch_folder": options["torch_folder"] or usable_torch_folder()}


def _build_exact_engine(torch_folder: str, report: Progress) -> bool:
    """Whether it was built. Not where it is there already, or there is no PyTorch."""
    found = _core.find_exact_engine(torch_folder=torch_folder)
    if found["plugin"] or not found["torch_folder"]:
        return False
    report("build the exact engine for PyTorch " + found["torch_version"], 0.0)
    _core.build_exact_engine(torch_folder=found["torch_folder"])
    return True


def _compiled(found: Mapping[str, Any], path: str, folder: _Folder | None,
              seconds: Mapping[str, float]) -> Compiled:
    return Compiled(
        path=path,
        callables=list(found["callables"]),
        strategies=list(found["strategies"]),
        strategy_candidates=found["strategy_candidates"],
        rejections=[(r["candidate"], r["reason"]) for r in found["rejections"]],
        exact_nodes=list(found["exact_nodes"]),
        nodes_read=found["nodes_read"],
        nodes_kept=found["nodes_kept"],
        verified=found["verified"],
        compared_with_exact=found["compared_with_exact"],
        compared_with_eager="eager" in seconds and found["verified"],
        seconds={**seconds, **dict(found["stage_seconds"])},
        _folder=folder,
    )
