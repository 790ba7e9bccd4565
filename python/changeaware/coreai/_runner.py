"""Executes the functions of an asset: one event loop in a thread of its own, functions on demand.

Core AI's runtime is asynchronous, and a wrong size ends the process inside it. So everything goes
through here, where inputs are held against the manifest first.
"""

from __future__ import annotations

import asyncio
import atexit
import functools
import threading
import time
import weakref
from collections.abc import Coroutine, Mapping, Sequence
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

import numpy as np

from .._error import refusal
from . import _extra
from ._dims import Sizes
from ._narrowing import from_asset, to_asset


@functools.cache
def _let_threads_end() -> None:
    """From the first call on, the end of the process waits a moment.

    The runtime's threads let go of Python's objects a little after a call has returned. One that
    does so while the interpreter is torn down aborts the process.
    """
    atexit.register(time.sleep, 0.1)


class _Loop:
    """An event loop that runs in a thread until it is stopped."""

    def __init__(self) -> None:
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(
            target=self._loop.run_forever, name="changeaware-coreai", daemon=True)
        self._thread.start()

    def run(self, work: Coroutine[Any, Any, Any]) -> Any:
        return asyncio.run_coroutine_threadsafe(work, self._loop).result()

    def stop(self) -> None:
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()


class _Opened:
    """The asset made executable. Opening lowers the whole program; functions load one by one."""

    def __init__(self, asset: Path) -> None:
        opened = _extra.require_assets("an asset").AIModelAsset.load(asset)
        _let_threads_end()
        self._stack = AsyncExitStack()
        self._loop = _Loop()
        try:
            self.model = self._loop.run(self._stack.enter_async_context(opened.executable()))
        except BaseException:
            self._loop.stop()
            raise

    def call(self, function: Any, inputs: dict[str, Any]) -> dict[str, Any] | str:
        """The results by name; a text where Core AI reports an error."""

        async def call() -> dict[str, Any] | str:
            try:
                return await function(inputs)
            except Exception as error:
                # The runtime keeps its errors for good; not the frames that they came through.
                error.__traceback__ = None
                return str(error) or type(error).__name__

        return self._loop.run(call())

    def close(self) -> None:
        self.model = None
        try:
            self._loop.run(self._stack.aclose())
        finally:
            self._loop.stop()


class Function:
    """One function of an asset, loaded. Takes and gives the ports of its callable, in order."""

    def __init__(self, runner: Runner, function: Mapping[str, Any], loaded: Any) -> None:
        self._runner = runner
        self._function = function
        self._loaded = loaded
        self._bounds = {s["symbol"]: (s["min"], s["max"]) for s in runner.manifest["symbols"]}

    def __call__(self, inputs: Sequence[np.ndarray]) -> list[np.ndarray]:
        """Runs. Outputs are in memory of their own.

        Raises `changeaware.Error`: "InvalidArgument" (another number, dtype or shape of inputs:
        nothing runs), "Unsupported" (a value beyond what the asset computes in), "Internal".
        """
        name = self._function["name"]
        sizes = Sizes(self._bounds)
        arguments = self._arguments(inputs, sizes)
        results = self._runner._call(self._loaded, arguments, name)
        outputs = []
        for port in self._function["outputs"]:
            value = results[port["name"]].numpy()
            if not sizes.fits(port["shape"], value.shape) or value.dtype != port["asset_dtype"]:
                raise refusal("Internal",
                              f"function '{name}': Core AI gave {value.dtype} {list(value.shape)} "
                              f"as '{port['name']}', which is {port['asset_dtype']} "
                              f"[{', '.join(port['shape'])}]")
            outputs.append(from_asset(value, port["dtype"]))
        return outputs

    def _arguments(self, inputs: Sequence[np.ndarray], sizes: Sizes) -> dict[str, np.ndarray]:
        name, ports = self._function["name"], self._function["inputs"]
        if len(inputs) != len(ports):
            raise refusal("InvalidArgument", f"function '{name}' takes {len(ports)} inputs, not "
                                             f"{len(inputs)}")
        for port, array in zip(ports, inputs, strict=True):
            if array.dtype != port["dtype"]:
                raise refusal("InvalidArgument", f"function '{name}': input '{port['name']}' is "
                                                 f"{array.dtype}, must be {port['dtype']}")
        wrong = sizes.bind([(port["name"], port["shape"], array.shape)
                            for port, array in zip(ports, inputs, strict=True)])
        if wrong:
            raise refusal("InvalidArgument", f"function '{name}': {wrong}")
        arguments = {}
        for port, array in zip(ports, inputs, strict=True):
            narrow = to_asset(array, port["asset_dtype"])
            if isinstance(narrow, str):
                raise refusal("Unsupported", f"function '{name}': input '{port['name']}' {narrow}")
            arguments[port["name"]] = narrow
        return arguments


class Runner:
    """The functions of an asset that was checked. Thread-safe; one function runs at a time.

    It is what a session takes as its external engine.
    """

    def __init__(self, asset: Path, manifest: Mapping[str, Any]) -> None:
        """`manifest`: what `check(asset)` returned. Opens nothing yet."""
        _extra.require_runtime("executing an asset")
        self.asset = asset
        self.manifest = manifest
        self.loaded: list[str] = []  # names, in the order in which they were loaded
        self._functions = {f["name"]: f for f in manifest["functions"]}
        self._opened: _Opened | None = None
        self._finalizer: Any = None
        self._is_closed = False
        self._lock = threading.Lock()

    def load(self, name: str) -> Function:
        """A function made ready. Raises `changeaware.Error`: "InvalidArgument" (no such function,
        or the runner is closed), "Internal" (what Core AI says)."""
        if name not in self._functions:
            raise refusal("InvalidArgument", f"{self.asset}: no function '{name}'; it has "
                                             f"{', '.join(self._functions)}")
        with self._lock:
            self._check_open()
            try:
                if self._opened is None:
                    self._opened = _Opened(self.asset)
                    self._finalizer = weakref.finalize(self, self._opened.close)
                loaded = self._opened.model.load_function(name)
            except Exception as error:
                raise refusal("Internal", f"{self.asset}: function '{name}' cannot be loaded: "
                                          f"{error}") from error
            self.loaded.append(name)
        return Function(self, self._functions[name], loaded)

    def close(self) -> None:
        """Waits for what runs and lets go of everything. May be called again."""
        with self._lock:
            self._is_closed = True
            self._opened = None
            if self._finalizer is not None:
                self._finalizer()

    def _check_open(self) -> None:
        if self._is_closed:
            raise refusal("InvalidArgument", f"{self.asset}: the session is closed")

    def _call(self, loaded: Any, arguments: Mapping[str, np.ndarray], name: str) -> dict[str, Any]:
        array = _extra.require_runtime("executing an asset").NDArray
        with self._lock:
            self._check_open()
            assert self._opened is not None
            results = self._opened.call(
                loaded, {key: array(value) for key, value in arguments.items()})
        if isinstance(results, str):
            raise refusal("Internal", f"{self.asset}: function '{name}': {results}")
        return results
