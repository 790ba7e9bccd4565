"""The compiled part: the C++ library as it is. What users call is in `changeaware`.

Arrays: anything with the buffer protocol or `__dlpack__` (NumPy arrays, PyTorch tensors on the CPU)
and Python numbers. They are borrowed for the duration of a call and never written to; a contiguous,
aligned array is not copied. A Python int must fit its input's dtype exactly; a float is rounded to
it. Arrays that come back are the caller's own.
Thread safety: every function and method may be called from any thread; the GIL is released while
the library works. An interrupt (Ctrl-C) during a call is raised when it ends; compile() and verify()
end at once.
Errors: every failure of the library raises `Error`.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

__version__: str

class Error(RuntimeError):
    """What the library refuses. `code` says what the caller can do: "InvalidArgument",
    "InvalidProgram", "Unsupported", "OverBudget", "StalePlan", "Cancelled", "Corrupt", "Io",
    "FailedAssertion", "Internal". The message names the entry, field, input or node at fault."""

    code: str

class Array:
    """An array of a dtype that NumPy does not have (bfloat16, complex32), and what NumPy arrays of
    this library hold on to."""

    @property
    def dtype(self) -> str: ...
    @property
    def shape(self) -> tuple[int, ...]: ...
    def __dlpack_device__(self) -> tuple[int, int]: ...
    def __dlpack__(
        self,
        *,
        stream: Any = None,
        max_version: tuple[int, int] | None = None,
        dl_device: tuple[int, int] | None = None,
        copy: bool | None = None,
    ) -> Any: ...

def compile(
    model: str,
    package: str,
    *,
    examples: Mapping[str, Any] | None = None,
    reference: Mapping[str, Any] | None = None,
    threads: int = 0,
    numerics: str = "fast",
    costs: str = "measured",
    retained_budget: int | None = None,
    max_strategies: int = 16,
    tolerance: Mapping[str, float] | None = None,
    oracle_tolerance: Mapping[str, float] | None = None,
    torch_folder: str = "",
    op_libraries: Sequence[str] = (),
    progress: Callable[[str, float], object] | None = None,
) -> dict[str, Any]:
    """changeaware::compile(); returns its CompileReport as a dict with the names of its fields.

    `progress(stage, fraction)` is called on this thread. What it raises ends the compilation, at the
    latest with the next stage; no package is left, and the exception is raised here."""

def verify(
    package: str,
    *,
    examples: Mapping[str, Any] | None = None,
    reference: Mapping[str, Any] | None = None,
    threads: int = 0,
    torch_folder: str = "",
    op_libraries: Sequence[str] = (),
    progress: Callable[[str, float], object] | None = None,
) -> dict[str, Any]:
    """changeaware::verify_package(); returns its VerifyReport as a dict."""

def doctor(*, torch_folder: str = "", op_libraries: Sequence[str] = ()) -> dict[str, Any]:
    """changeaware::inspect_system() as a dict."""

def find_exact_engine(*, torch_folder: str = "") -> dict[str, Any]:
    """changeaware::find_exact_engine() as a dict: torch_folder, torch_version, plugin, problem."""

def build_exact_engine(*, torch_folder: str = "") -> dict[str, Any]:
    """changeaware::build_exact_engine(), likewise."""

def main(arguments: Sequence[str]) -> int:
    """The command line, `arguments` without the program's name; returns its exit code."""

class Package:
    """A mapped package. Errors of opening: Io, Corrupt, Unsupported (another version)."""

    def __init__(self, path: str) -> None: ...
    @property
    def path(self) -> str: ...
    @property
    def manifest(self) -> dict[str, Any]:
        """The Manifest, fields by name; made once. Sizes are ints, or text where symbolic; an input
        that takes a value has fixed_value None; outputs have a kind and, if fixed, a value."""

class Decision:
    """What happens to one callable, and why."""

    @property
    def callable(self) -> str: ...
    @property
    def outcome(self) -> str:
        """ "ran", "reused" or "not needed"."""
    @property
    def cause(self) -> str:
        """ "input changed", "not retained", "evicted", "no reuse", "retained", "same contents",
        "shared" or "not demanded"."""
    @property
    def reason(self) -> str:
        """The cause in words: "image changed"."""
    @property
    def retained(self) -> bool:
        """Its outputs are retained after the request."""
    @property
    def not_retained_why(self) -> str: ...

class Report:
    """What a request did; converted when read. Times in microseconds."""

    @property
    def changed(self) -> list[str]:
        """Inputs whose version differs from the request before."""
    @property
    def strategy(self) -> str: ...
    @property
    def ran(self) -> list[str]:
        """Callables in execution order."""
    @property
    def reused(self) -> list[str]: ...
    @property
    def decisions(self) -> list[Decision]: ...
    @property
    def predicted_us(self) -> float: ...
    @property
    def fingerprint_us(self) -> float: ...
    @property
    def plan_us(self) -> float: ...
    @property
    def engine_us(self) -> float: ...
    @property
    def total_us(self) -> float: ...
    @property
    def copied_input_bytes(self) -> int:
        """Of inputs that had to be made dense or aligned."""

class Plan:
    """What a request will do; converted when read. Times in microseconds."""

    @property
    def strategy(self) -> str: ...
    @property
    def decisions(self) -> list[Decision]: ...
    @property
    def predicted_us(self) -> float: ...
    @property
    def predicted_load_us(self) -> float: ...
    @property
    def resident_bytes(self) -> int: ...

class Session:
    def __init__(
        self,
        package: Package,
        *,
        threads: int = 0,
        retained_budget: int = 1 << 30,
        resident_budget: int | None = None,
        blob_folder: str = "",
        early_cutoff: bool = True,
        check_versions: bool = False,
        torch_folder: str = "",
        op_libraries: Sequence[str] = (),
        external_engine: Any = None,
    ) -> None:
        """`external_engine`: an object with `load(name: str) -> executable`, where
        `executable(inputs: list[numpy.ndarray]) -> Sequence[array]` takes and gives the ports of
        that callable in the manifest's order (changeaware::ExternalEngine). Inputs are read-only,
        dense, and valid during the call; outputs must be in memory that nobody writes afterwards.
        An Error that either raises keeps its code; any other exception becomes Internal with its
        text. Both may be called from any thread, several at a time."""

    def run(
        self,
        inputs: Mapping[str, Any],
        *,
        versions: Mapping[str, str] | None = None,
        want: Sequence[str] | None = None,
        strategy: str | None = None,
        reuse: bool = True,
        timeout: float | None = None,
        plan: Plan | None = None,
    ) -> tuple[list[tuple[str, Any]], Report]:
        """Outputs as (name, NumPy array): the wanted ones in the program's order; None, numbers,
        booleans and strings that were fixed at export as Python values. dtypes that NumPy does not
        have come as Array. `timeout` in seconds."""

    def plan(
        self,
        inputs: Mapping[str, Any],
        *,
        versions: Mapping[str, str] | None = None,
        want: Sequence[str] | None = None,
        strategy: str | None = None,
        reuse: bool = True,
    ) -> Plan: ...
    def load(self) -> None: ...
    def stats(self) -> dict[str, Any]:
        """SessionStats, fields by name."""
    def clear(self) -> None: ...
    def set_budgets(self, retained_budget: int, resident_budget: int | None) -> None: ...
    def close(self) -> None:
        """Ends running requests as Cancelled, waits for them and lets go of everything; later calls
        raise InvalidArgument "the session is closed". Not from within a request of its own."""
    @property
    def closed(self) -> bool: ...
