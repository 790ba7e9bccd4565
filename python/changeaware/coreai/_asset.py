"""An asset on disk: written whole or not at all, re-opened and compared with its manifest."""

from __future__ import annotations

import os
import re
import shutil
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from .._error import refusal
from . import _extra, _manifest
from ._narrowing import ALSO, ASSET_DTYPES

SUFFIX = ".aimodel"
_DESCRIPTOR = re.compile(r"NDArray \((\w+)((?:, .*)?)\)")
_DTYPES = {"Bool": "bool", "UInt8": "uint8", "Int8": "int8", "UInt16": "uint16", "Int16": "int16",
           "UInt32": "uint32", "Int32": "int32", "Float16": "float16", "Float32": "float32",
           "Int64": "int64", "UInt64": "uint64", "Float64": "float64"}


def checked_path(asset: str | os.PathLike[str]) -> Path:
    """The path that an asset may be written to. Raises "InvalidArgument"."""
    path = Path(asset)
    if path.suffix != SUFFIX:
        raise refusal("InvalidArgument", f"{path}: the name of an asset ends with {SUFFIX}")
    if path.exists() and not (path.is_dir() and (path / "metadata.json").is_file()):
        raise refusal("InvalidArgument", f"{path}: exists and is not an asset; it stays as it is")
    if not path.parent.is_dir():
        raise refusal("Io", f"{path.parent}: no such folder")
    return path


@contextmanager
def in_place_of(asset: Path) -> Iterator[Path]:
    """A path to write an asset to, with its manifest beside it. Both are moved to where they belong
    when the block ends well; when it does not, nothing is left and what was there is as before."""
    folder = Path(tempfile.mkdtemp(prefix=f".{asset.name}.", dir=asset.parent))
    try:
        fresh = folder / asset.name
        yield fresh
        old = folder / "old"
        had_one = asset.exists()
        if had_one:
            asset.rename(old)
        try:
            fresh.rename(asset)
            os.replace(_manifest.path_beside(fresh), _manifest.path_beside(asset))
        except OSError:
            if had_one:
                shutil.rmtree(asset, ignore_errors=True)
                old.rename(asset)
            raise
    except OSError as error:
        raise refusal("Io", f"{asset}: cannot be written: {error}") from error
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def save(program: Any, asset: Path, package_digest: str) -> str:
    """Writes the asset; returns the SHA-256 of its program."""
    runtime = _extra.require_runtime("an asset")
    metadata = runtime.AIModelAssetMetadata()
    metadata.set_custom(_manifest.METADATA_KEY, package_digest)
    try:
        program.save_asset(asset, metadata)
    except RuntimeError as error:
        reason = error.__cause__ or error
        raise refusal("Io", f"{asset}: cannot be written: {reason}") from error
    return (asset / _manifest.HASH).read_bytes().hex()


def read_descriptor(text: str) -> tuple[str, list[str]] | None:
    """dtype and sizes of a port as an asset's summary has them; "?" is a size of any value."""
    match = _DESCRIPTOR.fullmatch(text)
    if match is None:
        return None
    sizes = match[2].removeprefix(", ")
    return _DTYPES.get(match[1], match[1]), sizes.split(" × ") if sizes else []


def asset_dtype(dtype: str, descriptor: tuple[str, list[str]] | None) -> str:
    """What a port of this dtype is in an asset that has this descriptor for it, if that may be;
    else what it should be."""
    allowed = (ASSET_DTYPES[dtype], *ALSO.get(dtype, ()))
    return descriptor[0] if descriptor is not None and descriptor[0] in allowed else allowed[0]


def _check_ports(function: str, kind: str, ports: Sequence[Mapping[str, Any]],
                 found: Sequence[tuple[str, str]]) -> Iterator[str]:
    """Yields what differs. Fills in nothing."""
    names = [port["name"] for port in ports]
    by_name = dict(found)
    if sorted(names) != sorted(by_name):
        yield f"function '{function}' has the {kind} {sorted(by_name)}, must have {sorted(names)}"
        return
    for port in ports:
        descriptor = read_descriptor(by_name[port["name"]])
        sizes = [size if size.isdigit() else "?" for size in port["shape"]]
        if descriptor is None or descriptor[0] != port["asset_dtype"] or not _may_be(
                descriptor[1], sizes):
            yield (f"function '{function}': {kind[:-1]} '{port['name']}' is "
                   f"{by_name[port['name']]}, must be {port['asset_dtype']} "
                   f"[{', '.join(port['shape'])}]")


def _may_be(found: Sequence[str], expected: Sequence[str]) -> bool:
    """The asset may leave a size open that the manifest knows, not the other way round."""
    return len(found) == len(expected) and all(
        a in (b, "?") for a, b in zip(found, expected, strict=True))


def signatures(asset: Path) -> dict[str, dict[str, list[tuple[str, str]]]]:
    """Names and descriptors of the ports of every function of an asset.

    The folder must be there and hold an asset: what opens it ends the process when it does not.
    """
    opened = _extra.require_assets("an asset").AIModelAsset.load(asset)
    summary = opened.summary(include_statistics=False)
    if summary is None:
        raise refusal("Corrupt", f"{asset}: holds no program")
    return {name: {"inputs": summary.function_inputs(name),
                   "outputs": summary.function_outputs(name)}
            for name in summary.function_names}


def compare(asset: Path, functions: Sequence[Mapping[str, Any]],
            found: Mapping[str, Mapping[str, Sequence[tuple[str, str]]]]) -> None:
    """Functions and their ports against the manifest. Raises "Corrupt", naming the first that
    differs."""
    names = [function["name"] for function in functions]
    if sorted(names) != sorted(found):
        raise refusal("Corrupt", f"{asset}: has the functions {sorted(found)}, must have "
                                 f"{sorted(names)}")
    for function in functions:
        for kind in ("inputs", "outputs"):
            for wrong in _check_ports(function["name"], kind, function[kind],
                                      found[function["name"]][kind]):
                raise refusal("Corrupt", f"{asset}: {wrong}")


def check(asset: str | os.PathLike[str],
          package: str | os.PathLike[str] | None = None) -> dict[str, Any]:
    """Opens an asset and compares it with the manifest beside it; returns that manifest.

    Compared are the SHA-256 of the program, the functions, and the name, dtype and shape of every
    port. With `package`, also that the asset was made from that package, identities included.
    Nothing is executed: `verify` does that.

    Raises `changeaware.Error`: "Io" (no asset or no manifest), "Corrupt" (they do not belong
    together, are damaged, or an asset of another export: names the file, function or port),
    "Unsupported" (a manifest of another major format), "InvalidArgument" (another package).
    MissingPackage without `changeaware[coreai]`.

        >>> changeaware.coreai.check("model.aimodel", "model.ca.pt2")["functions"][0]["name"]
        'main'
    """
    path = Path(asset)
    manifest = _manifest.read(path)
    _manifest.check_bytes(path, manifest)
    opened = _extra.require_assets("changeaware.coreai.check").AIModelAsset.load(path)
    stated = opened.metadata.creator_defined_metadata.get(_manifest.METADATA_KEY)
    if stated != manifest["package"]["manifest_sha256"]:
        raise refusal("Corrupt", f"{path / 'metadata.json'}: the asset was made from another "
                                 "package than its manifest")
    if _manifest.digest(manifest["package"]["manifest"]) != stated:
        raise refusal("Corrupt", f"{_manifest.path_beside(path)}: the package's manifest in it was "
                                 "changed")
    compare(path, manifest["functions"], signatures(path))
    if package is not None:
        _manifest.check_package(manifest, package)
    return manifest
