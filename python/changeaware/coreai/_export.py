"""export(): from a package to a Core AI asset with a manifest beside it."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from .._error import refusal
from . import _asset, _extra, _manifest
from ._narrowing import NARROWED, limits_of
from ._programs import Prepared, convert, open_programs
from ._verify import Verified, verify_programs


@dataclass
class Exported:
    """What `export` wrote. Sizes in bytes."""

    asset: Path
    manifest_path: Path
    functions: list[str]
    asset_bytes: int
    weight_bytes: int  # distinct constant bytes that `main` reads
    narrowings: list[dict[str, Any]] = field(default_factory=list)
    verified: Verified | None = None  # None: was not asked for


def export(package: str | os.PathLike[str], asset: str | os.PathLike[str], *,
           verify: bool = False,
           progress: Callable[[str, float], None] | None = None) -> Exported:
    """Writes a package as one Core AI asset: `main` and every segment as functions, weights once.

    `package`: a file that `changeaware.compile` wrote. `asset`: a path that ends with `.aimodel`;
    an asset that is there is replaced once the new one is complete. The manifest is written beside
    it (`model.aimodel.json`). The asset is re-opened and compared with it before either appears.
    `verify`: also executes every strategy from the asset on the package's example inputs and
    compares it with the asset's `main` to the bit, and `main` with PyTorch; slow where Core AI runs
    on its portable runtime. `progress`: called with what is done and the share of it, 0 to 1.

    int64 becomes int32 and float64 float32 in the asset: `Exported.narrowings` lists the ports.

    Raises `changeaware.Error`: "Unsupported" (an operator, assertion, dtype, number or size that
    Core AI cannot take: names callable and operator), "InvalidArgument" (a path that is no asset's,
    no examples to verify with), "Io", "Corrupt" (a damaged package), "Internal" (strategies that
    differ from `main` by more than the package's tolerance). Then nothing is written.
    MissingPackage without `changeaware[coreai]`.

        >>> exported = changeaware.coreai.export("model.ca.pt2", "model.aimodel")
        >>> exported.functions[0]
        'main'
    """
    authoring = _extra.require_authoring("changeaware.coreai.export")
    report = progress or (lambda what, share: None)
    path = _asset.checked_path(asset)
    package_manifest = _manifest.read_package_manifest(package)
    if package_manifest["op_libraries"]:
        raise refusal("Unsupported", f"{os.fspath(package)}: Core AI has none of the operators of "
                                     f"{', '.join(package_manifest['op_libraries'])}")
    programs = open_programs(os.fspath(package))
    prepared = _prepare(package_manifest, programs, authoring.coreai_torch, report)
    program = convert(prepared, authoring.coreai_torch, report)
    with _asset.in_place_of(path) as fresh:
        report("write", 0)
        manifest = _describe(package_manifest, prepared, path.name)
        manifest["asset"]["sha256"] = _asset.save(
            program, fresh, manifest["package"]["manifest_sha256"])
        del program
        manifest["asset"]["bytes"] = _size(fresh)
        _finish_ports(manifest["functions"], _asset.signatures(fresh))
        manifest["narrowings"] = _narrowings(manifest["functions"])
        _manifest.write(manifest, _manifest.path_beside(fresh))
        report("check", 0)
        manifest = _asset.check(fresh, package)
        verified = None
        if verify:
            verified = verify_programs(fresh, manifest, programs["main"], report)
            manifest["verified"] = verified.as_json()
            _manifest.write(manifest, _manifest.path_beside(fresh))
    return Exported(path, _manifest.path_beside(path), [f["name"] for f in manifest["functions"]],
                    manifest["asset"]["bytes"], package_manifest["callables"][0]["weight_bytes"],
                    manifest["narrowings"], verified)


def _prepare(manifest: Mapping[str, Any], programs: Mapping[str, Any], coreai_torch: Any,
             report: Callable[[str, float], None]) -> list[Prepared]:
    callables = manifest["callables"]
    table = coreai_torch.get_decomp_table()
    prepared = []
    for step, callable_ in enumerate(callables):
        report(f"decompose {callable_['name']}", step / len(callables))
        with _extra.silence():
            prepared.append(Prepared(callable_, programs[callable_["name"]], table))
    return prepared


def _size(folder: Path) -> int:
    return sum(file.stat().st_size for file in folder.rglob("*") if file.is_file())


def _describe(package: Mapping[str, Any], prepared: Sequence[Prepared],
              asset_name: str) -> dict[str, Any]:
    """The manifest, but for what only the written asset tells."""
    functions = [
        {key: callable_[key] for key in ("name", "identity", "dependencies", "shape_dependencies",
                                         "inputs", "outputs", "weight_bytes")}
        | {"narrowed_values": one.narrowed}
        for callable_, one in zip(package["callables"], prepared, strict=True)]
    strategies = [{key: strategy[key] for key in ("name", "callables", "retained",
                                                  "retained_bytes")}
                  for strategy in package["strategies"]]
    from .._core import __version__

    return {
        "format": _manifest.FORMAT,
        "format_major": _manifest.FORMAT_MAJOR, "format_minor": _manifest.FORMAT_MINOR,
        "versions": {"changeaware": __version__, **_extra.versions()},
        "asset": {"name": asset_name},
        "symbols": package["symbols"],
        "functions": [dict(f, inputs=[dict(p) for p in f["inputs"]],
                           outputs=[dict(p) for p in f["outputs"]]) for f in functions],
        "narrowings": [],
        "strategies": strategies,
        "verified": None,
        "package": {"manifest_sha256": _manifest.digest(package), "manifest": dict(package)},
    }


def _narrowings(functions: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """One per port that is narrower in the asset, with the values that it can hold."""
    return [{"function": function["name"], "port": port["name"], "direction": kind[:-1],
             "from": port["dtype"], "to": port["asset_dtype"],
             "range": list(limits_of(port["asset_dtype"]))}
            for function in functions for kind in ("inputs", "outputs")
            for port in function[kind] if port["dtype"] in NARROWED]


def _finish_ports(functions: Sequence[dict[str, Any]],
                  found: Mapping[str, Mapping[str, Sequence[tuple[str, str]]]]) -> None:
    """Notes which dtype each port has in the asset; what fits is checked afterwards."""
    for function in functions:
        for kind in ("inputs", "outputs"):
            types = dict(found.get(function["name"], {}).get(kind, ()))
            for port in function[kind]:
                descriptor = _asset.read_descriptor(types.get(port["name"], ""))
                port["asset_dtype"] = _asset.asset_dtype(port["dtype"], descriptor)
