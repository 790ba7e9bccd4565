"""The manifest beside an asset, `MODEL.aimodel.json`, and what ties the two together.

The manifest holds the SHA-256 of the asset's program, the whole manifest of the package, and a
SHA-256 over itself; the asset's own metadata holds the digest of the package's manifest. So an
asset and a manifest of different exports, or one that was edited, are refused. The digests find
mistakes and damage; they are no signature.
"""

from __future__ import annotations

import hashlib
import json
import os
import zipfile
from pathlib import Path
from typing import Any

from .._error import refusal

FORMAT = "changeaware-coreai"
FORMAT_MAJOR, FORMAT_MINOR = 1, 0
METADATA_KEY = "changeaware.package"
PROGRAM, HASH = "main.mlirb", "main.hash"
_MANIFEST_ENTRY = "extra/manifest.json"


def path_beside(asset: Path) -> Path:
    """Where the manifest of an asset is."""
    return asset.with_name(asset.name + ".json")


def digest(value: Any) -> str:
    """SHA-256 of a JSON value, in hexadecimal; order of keys and spaces do not matter."""
    text = json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=True)
    return hashlib.sha256(text.encode()).hexdigest()


def file_digest(path: Path) -> str:
    """SHA-256 of a file, in hexadecimal."""
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def read_package_manifest(package: str | os.PathLike[str]) -> dict[str, Any]:
    """The manifest of a package file.

    Raises `changeaware.Error`: "Io" (no such file), "Unsupported" (an exported program that was not
    compiled), "Corrupt".
    """
    path = Path(package)
    if not path.is_file():
        raise refusal("Io", f"{path}: no such file")
    try:
        with zipfile.ZipFile(path) as archive:
            names = [n for n in archive.namelist() if n.partition("/")[2] == _MANIFEST_ENTRY]
            if not names:
                raise refusal("Unsupported",
                              f"{path}: an exported program, not a package: compile it first")
            return json.loads(archive.read(names[0]))
    except (zipfile.BadZipFile, ValueError, KeyError) as error:
        raise refusal("Corrupt", f"{path}: {error}") from error


def without_weights(manifest: dict[str, Any], path: Path) -> None:
    """Writes a package that a session can plan with and nothing can run from: the manifest alone.

    Some ten kilobytes: what runs is in the asset, so the payloads are not needed a second time.
    """
    with zipfile.ZipFile(path, "w", zipfile.ZIP_STORED) as archive:
        for name, text in (("archive_format", "pt2"), ("archive_version", "0"),
                           ("byteorder", "little"), (".data/version", "0"),
                           *((f"models/{c['name']}.json", "{}") for c in manifest["callables"]),
                           (_MANIFEST_ENTRY, json.dumps(manifest))):
            archive.writestr(f"package/{name}", text)


def seal(manifest: dict[str, Any]) -> dict[str, Any]:
    """The manifest with the digest of the rest of it."""
    rest = {key: value for key, value in manifest.items() if key != "sha256"}
    return {**rest, "sha256": digest(rest)}


def write(manifest: dict[str, Any], path: Path) -> None:
    """Writes a sealed manifest."""
    path.write_text(json.dumps(seal(manifest), indent=1) + "\n", encoding="utf-8")


def read(asset: Path) -> dict[str, Any]:
    """The manifest beside an asset, checked by itself.

    Raises `changeaware.Error`: "Io" (the asset or its manifest is not there), "Unsupported"
    (another major format), "Corrupt" (not a manifest, or changed since it was written).
    """
    if not asset.is_dir():
        raise refusal("Io", f"{asset}: no such asset (a folder)")
    path = path_beside(asset)
    if not path.is_file():
        raise refusal("Io", f"{path}: no such file; it belongs beside {asset.name}")
    try:
        manifest = json.loads(path.read_text(encoding="utf-8"))
        is_ours = manifest.get("format") == FORMAT
    except (ValueError, AttributeError, UnicodeDecodeError) as error:
        raise refusal("Corrupt", f"{path}: {error}") from error
    if not is_ours:
        raise refusal("Corrupt", f"{path}: not the manifest of an asset")
    if manifest.get("format_major") != FORMAT_MAJOR:
        raise refusal("Unsupported",
                      f"{path}: format {manifest.get('format_major')}, this version reads "
                      f"{FORMAT_MAJOR}: export the package again")
    if seal(manifest)["sha256"] != manifest.get("sha256"):
        raise refusal("Corrupt", f"{path}: was changed after it was written (field sha256)")
    return manifest


def check_bytes(asset: Path, manifest: dict[str, Any]) -> None:
    """The asset's program is the one that the manifest is about.

    Raises `changeaware.Error` with "Corrupt", naming the file that differs.
    """
    program, stored = asset / PROGRAM, asset / HASH
    for path in (program, stored, asset / "metadata.json"):
        if not path.is_file():
            raise refusal("Corrupt", f"{path}: missing")
    expected = manifest["asset"]["sha256"]
    if stored.read_bytes().hex() != expected:
        raise refusal("Corrupt", f"{stored}: the asset is not the one that "
                                 f"{path_beside(asset).name} was written for")
    if file_digest(program) != expected:
        raise refusal("Corrupt", f"{program}: has not the SHA-256 that "
                                 f"{path_beside(asset).name} states")


def check_package(manifest: dict[str, Any], package: str | os.PathLike[str]) -> None:
    """The package is the one that the asset was made from: the same manifest, identities included.

    Raises `changeaware.Error`: "InvalidArgument" when it is another one, naming a callable.
    """
    theirs = read_package_manifest(package)
    if digest(theirs) == manifest["package"]["manifest_sha256"]:
        return
    ours = {c["name"]: c["identity"] for c in manifest["package"]["manifest"]["callables"]}
    found = {c["name"]: c["identity"] for c in theirs["callables"]}
    differing = [name for name in sorted({*ours, *found}) if ours.get(name) != found.get(name)]
    detail = (f"callable '{differing[0]}' has another identity" if differing
              else "the manifests differ")
    raise refusal("InvalidArgument",
                  f"{os.fspath(package)}: the asset was made from another package: {detail}")
