"""Session: answers requests on a package, running only what changed inputs make necessary."""

from __future__ import annotations

import importlib.util
import os
import sys
from collections.abc import Mapping, Sequence
from types import TracebackType
from typing import Any

from . import _core
from ._arguments import Arguments
from ._bytes import parse_bytes
from ._explain import explain_plan, explain_report
from ._outputs import Results, to_numpy, to_torch, wants_torch
from ._package import Package

_KEEP = object()
_DEFAULT_RETAINED = 1 << 30


def _torch_folder() -> str:
    """The PyTorch that this process imported or would import, if the exact engine is built for it;
    else empty: the library looks for itself. PyTorch is not imported."""
    from ._pytorch import usable_torch_folder
    if "torch" in sys.modules:
        return usable_torch_folder()
    spec = importlib.util.find_spec("torch")
    for folder in (spec.submodule_search_locations or []) if spec else []:
        if _core.find_exact_engine(torch_folder=folder)["plugin"]:
            return folder
    return ""


def _names(want: Sequence[str] | None) -> Sequence[str] | None:
    return [want] if isinstance(want, str) else want


def _tags(versions: Mapping[str, Any] | None) -> dict[str, str] | None:
    return None if versions is None else {name: str(tag) for name, tag in versions.items()}


class Response:
    """The answer to one request.

    `outputs`: the wanted outputs by name, in the program's order. `report`: what ran, what was
    reused, and how long it took (microseconds). `result`: all outputs, nested as the program nests
    them.
    """

    __slots__ = ("_results", "outputs", "report")

    def __init__(self, outputs: dict[str, Any], report: _core.Report, results: Results) -> None:
        self.outputs = outputs
        self.report = report
        self._results = results

    @property
    def result(self) -> Any:
        return self._results.nest(list(self.outputs.values()))

    def explain(self) -> str:
        """Text: for each callable whether it ran, was reused or was not needed, and why."""
        return explain_report(self.report)

    def __repr__(self) -> str:
        return (f"changeaware.Response({', '.join(self.outputs)}; "
                f"ran {', '.join(self.report.ran) or 'nothing'})")


class Session:
    """Answers requests on a package; keeps what later requests can use, within budgets.

    `package`: a path or a Package. `retained_budget`: hard limit in bytes for tensors kept between
    requests; `resident_budget`: for loaded callables, None = no limit; numbers, or text such as
    "64MiB". `threads`: of the engine; 0 = all cores. `returns`: what outputs are: "numpy" arrays,
    "torch" tensors, or the "same" kind as the inputs (tensors when any input is one).
    `check_versions`: read tagged inputs all the same, and fail when a tag was seen with other
    bytes. `blob_folder`: where compiled callables are kept between processes; "" = the user's cache
    folder, "off" = nowhere. `early_cutoff`: skip a callable whose inputs, computed again, have the
    bits that it ran on before. `torch_folder`, `op_libraries`: the exact engine's PyTorch, and
    libraries of custom operators. `external_engine`: runs the callables elsewhere (see
    `_core.pyi`).

    Inputs: NumPy arrays, PyTorch tensors on the CPU, anything with `__dlpack__` or the buffer
    protocol, and Python numbers for inputs of rank 0. dtypes and shapes are the program's: nothing
    is cast. Arrays are read during the call, not kept and not changed; what is contiguous and
    aligned is not copied. Outputs are the caller's own, never what the session keeps; bfloat16,
    which NumPy does not have, comes as an array of `ml_dtypes` where that is imported, else as an
    object with `__dlpack__`.

    May be used from many threads; the GIL is released while the library works. A context manager:
    leaving it closes the session.

    Raises `changeaware.Error` with a `code`: "InvalidArgument" (a wrong name, dtype, shape,
    nesting, device, a tensor that requires grad: names the input; a closed session),
    "FailedAssertion",
    "Unsupported" (values that the engine does not compute exactly), "OverBudget", "StalePlan",
    "Cancelled" (timeout, close), "Corrupt", "Io", "Internal".

        session = changeaware.Session("model.ca.pt2", retained_budget="64MiB")
        masks = session(image=image, points=points)["masks"]
        masks = session(image=image, points=other_points)["masks"]  # runs what depends on points
        print(session.explain())
    """

    def __init__(
        self,
        package: str | os.PathLike[str] | Package,
        *,
        retained_budget: int | str = _DEFAULT_RETAINED,
        resident_budget: int | str | None = None,
        threads: int = 0,
        returns: str = "same",
        check_versions: bool = False,
        early_cutoff: bool = True,
        blob_folder: str | os.PathLike[str] = "",
        torch_folder: str | os.PathLike[str] | None = None,
        op_libraries: Sequence[str | os.PathLike[str]] = (),
        external_engine: Any = None,
    ) -> None:
        self.package = package if isinstance(package, Package) else Package(package)
        wants_torch(returns, ())
        self.returns = returns
        self._arguments = Arguments(self.package.manifest)
        self._results = Results(self.package.manifest)
        self._retained = parse_bytes(retained_budget, "retained_budget")
        self._resident = parse_bytes(resident_budget, "resident_budget")
        self._last: _core.Report | None = None
        self._core = _core.Session(
            self.package._core,
            threads=threads,
            retained_budget=_DEFAULT_RETAINED if self._retained is None else self._retained,
            resident_budget=self._resident,
            blob_folder=os.fspath(blob_folder),
            early_cutoff=early_cutoff,
            check_versions=check_versions,
            torch_folder=_torch_folder() if torch_folder is None else os.fspath(torch_folder),
            op_libraries=[os.fspath(library) for library in op_libraries],
            external_engine=external_engine,
        )

    def __call__(self, *args: Any, want: Sequence[str] | None = None,
                 versions: Mapping[str, str] | None = None, timeout: float | None = None,
                 strategy: str | None = None, reuse: bool = True, plan: _core.Plan | None = None,
                 returns: str | None = None, **kwargs: Any) -> Any:
        """The program's result for these arguments, nested as the program nests it.

        Arguments as the exported module takes them, by position or name, nested the same way; or
        the program's inputs by name (`session.inputs`). Inputs that were fixed at export may be
        left out. An input that is named like one of the options is given by position.

        `want`: names of outputs; the result is then a dictionary of those, and only what they need
        is run and has to be given. `versions`: version tags by input name: equal tags of one input
        promise equal contents, and its bytes are not read to find out. `timeout`: seconds, after
        which the request ends as "Cancelled" before its next callable. `strategy`: force one by
        name; None = the session chooses. `reuse`: False = run everything. `plan`: from `plan()`
        with the same arguments; "StalePlan" when it does not hold any more. `returns`: as in
        `Session`, for this request.

            session(image, points)
            session(image=image, points=points, want=["masks"], versions={"image": "cat.jpg"})
        """
        inputs = self._arguments.bind(args, kwargs)
        values = self._run_flat(inputs, want=want, versions=versions, timeout=timeout,
                                strategy=strategy, reuse=reuse, plan=plan, returns=returns)
        if want is not None:
            return dict(values)
        return self._results.nest([value for _, value in values])

    def run(self, *args: Any, want: Sequence[str] | None = None,
            versions: Mapping[str, str] | None = None, timeout: float | None = None,
            strategy: str | None = None, reuse: bool = True, plan: _core.Plan | None = None,
            returns: str | None = None, **kwargs: Any) -> Response:
        """As calling the session, with the request's own report: for threads, and to look at what
        ran.

            response = session.run(image=image, points=points)
            response.report.ran         # ["segment_points", …]
            response.outputs["masks"]
        """
        inputs = self._arguments.bind(args, kwargs)
        values, report = self._request(inputs, want=want, versions=versions, timeout=timeout,
                                       strategy=strategy, reuse=reuse, plan=plan, returns=returns)
        return Response(dict(values), report, self._results)

    def _run_flat(self, inputs: Mapping[str, Any], **options: Any) -> list[tuple[str, Any]]:
        """Outputs as (name, value) for inputs by name."""
        return self._request(inputs, **options)[0]

    def _request(
        self, inputs: Mapping[str, Any], *, want: Sequence[str] | None = None,
        versions: Mapping[str, str] | None = None, returns: str | None = None, **options: Any,
    ) -> tuple[list[tuple[str, Any]], _core.Report]:
        torch = wants_torch(returns or self.returns, inputs.values())
        values, report = self._core.run(inputs, want=_names(want), versions=_tags(versions),
                                        **options)
        self._last = report
        if torch:
            return [(name, to_torch(value)) for name, value in values], report
        if "ml_dtypes" in sys.modules:
            return [(name, to_numpy(value)) for name, value in values], report
        return values, report

    def plan(self, *args: Any, want: Sequence[str] | None = None,
             versions: Mapping[str, str] | None = None, strategy: str | None = None,
             reuse: bool = True, **kwargs: Any) -> _core.Plan:
        """What the request would do now; runs and loads nothing. An input with a version tag needs
        no value, unless its sizes vary.

            plan = session.plan(image=image, points=points)
            print(session.explain(plan))
            session(image=image, points=points, plan=plan)
        """
        inputs = self._arguments.bind(args, kwargs)
        return self._core.plan(inputs, want=_names(want), versions=_tags(versions),
                               strategy=strategy, reuse=reuse)

    @property
    def last(self) -> _core.Report | None:
        """Report of the request that ended last, of any thread; None before the first."""
        return self._last

    def explain(self, what: _core.Report | _core.Plan | Response | None = None) -> str:
        """Text: for each callable whether it ran (or will), and why; of the last request, or of
        `what`."""
        if isinstance(what, Response):
            what = what.report
        if isinstance(what, _core.Plan):
            return explain_plan(what)
        report = what or self._last
        return "no request yet" if report is None else explain_report(report)

    def stats(self) -> dict[str, Any]:
        """Counts since the session began: requests, failed, hits, misses, evictions, loads,
        unloads, runs (by callable); bytes: retained_bytes, resident_bytes and their peaks, resident
        (by callable), process_anonymous_bytes, process_file_bytes; retained: the largest entries.
        """
        return self._core.stats()

    def load(self) -> None:
        """Loads callables now rather than on first use, as many as fit into the budget."""
        self._core.load()

    def clear(self) -> None:
        """Forgets everything retained."""
        self._core.clear()

    def set_budgets(self, retained_budget: Any = _KEEP, resident_budget: Any = _KEEP) -> None:
        """Changes budgets from now on, in bytes or text such as "64MiB"; resident_budget None = no
        limit. One that is left out stays."""
        if retained_budget is not _KEEP:
            retained = parse_bytes(retained_budget, "retained_budget")
            self._retained = _DEFAULT_RETAINED if retained is None else retained
        if resident_budget is not _KEEP:
            self._resident = parse_bytes(resident_budget, "resident_budget")
        self._core.set_budgets(self._retained, self._resident)

    def close(self) -> None:
        """Ends running requests as "Cancelled" before their next callable, waits for them and lets
        go of everything. Later calls raise InvalidArgument. May be called twice."""
        self._core.close()

    @property
    def closed(self) -> bool:
        return self._core.closed

    @property
    def manifest(self) -> dict[str, Any]:
        """That of the package."""
        return self.package.manifest

    @property
    def inputs(self) -> list[dict[str, Any]]:
        """Those of the package."""
        return self.package.inputs

    @property
    def outputs(self) -> list[dict[str, Any]]:
        """Those of the package."""
        return self.package.outputs

    def __enter__(self) -> Session:
        return self

    def __exit__(self, kind: type[BaseException] | None, value: BaseException | None,
                 trace: TracebackType | None) -> None:
        self.close()

    def __repr__(self) -> str:
        state = ", closed" if self.closed else ""
        return f"changeaware.Session({self.package.path!r}{state})"
