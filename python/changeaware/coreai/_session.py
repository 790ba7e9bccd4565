"""CoreAISession: a Session whose callables run as functions of a Core AI asset."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path
from typing import Any

from .. import Package, Session
from .._error import refusal
from . import _asset, _manifest
from ._runner import Runner


class CoreAISession(Session):
    """Answers requests on an asset that `export` wrote, running only what changed inputs need.

    Everything that a `changeaware.Session` does, it does: the same calls, versions, plans, retained
    tensors and budgets, by the same library. Only what runs is elsewhere: a callable of a plan is
    the function of that name in the asset, loaded when a plan needs it.

    `asset`: the folder `model.aimodel`, with its manifest beside it. `package`: not needed; when
    given, it must be the one that the asset was made from. A program that returns a tensor that was
    fixed at export needs it, because that tensor is in no function. `retained_budget`,
    `resident_budget`, `returns`, `check_versions`, `early_cutoff`: as in `Session`. Bytes of loaded
    functions are counted as the package states them.

    Inputs keep the package's dtypes: int64 values are checked to fit into what the asset computes
    in, float64 ones are rounded; outputs come back with the package's dtypes. No size of an input
    may be 0. A negative index counts from the end, where PyTorch may refuse it.

    Thread-safe; one function runs at a time. A context manager.

    Raises `changeaware.Error`: those of `check` and of `Session`; "Unsupported" for values that the
    asset cannot hold. MissingPackage without `changeaware[coreai]`.

        session = changeaware.coreai.CoreAISession("model.aimodel", retained_budget="64MiB")
        masks = session(image=image, points=points)["masks"]
        print(session.explain())
    """

    def __init__(
        self,
        asset: str | os.PathLike[str],
        package: str | os.PathLike[str] | None = None,
        *,
        retained_budget: int | str = 1 << 30,
        resident_budget: int | str | None = None,
        returns: str = "same",
        check_versions: bool = False,
        early_cutoff: bool = True,
    ) -> None:
        self._asset_manifest = _asset.check(asset, package)
        self._runner = Runner(Path(asset), self._asset_manifest)
        self._folder: tempfile.TemporaryDirectory[str] | None = None
        super().__init__(
            self._open(package), retained_budget=retained_budget, resident_budget=resident_budget,
            returns=returns, check_versions=check_versions, early_cutoff=early_cutoff,
            blob_folder="off", torch_folder="", external_engine=self._runner)

    def _open(self, package: str | os.PathLike[str] | None) -> Package:
        """The package, or one without weights, which is all that planning needs."""
        if package is not None:
            return Package(package)
        manifest = self._asset_manifest["package"]["manifest"]
        for output in manifest["outputs"]:
            if output["kind"] == "constant":
                raise refusal("InvalidArgument",
                              f"output '{output['name']}' was fixed at export and is in no "
                              "function of the asset: give the package, too")
        self._folder = tempfile.TemporaryDirectory(prefix="changeaware-coreai-")
        path = Path(self._folder.name) / "plan.pt2"
        _manifest.without_weights(manifest, path)
        return Package(path)

    @property
    def asset(self) -> Path:
        """The asset's folder."""
        return self._runner.asset

    @property
    def asset_manifest(self) -> dict[str, Any]:
        """The manifest beside the asset: functions, ports, narrowings, strategies, verification."""
        return self._asset_manifest

    @property
    def loaded(self) -> list[str]:
        """Functions in the order in which they were loaded; one that was released and loaded again
        appears twice."""
        return list(self._runner.loaded)

    def close(self) -> None:
        """Ends running requests, waits for them, and closes the asset. May be called twice."""
        super().close()
        self._runner.close()
        if self._folder is not None:
            self._folder.cleanup()
            self._folder = None

    def __repr__(self) -> str:
        state = ", closed" if self.closed else ""
        return f"changeaware.coreai.CoreAISession({str(self.asset)!r}{state})"
