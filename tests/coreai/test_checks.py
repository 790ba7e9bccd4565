"""check(): an asset and its manifest belong together, or the file at fault is named."""

import json
import shutil

import changeaware
import pytest
from assets import beside
from changeaware.coreai import _manifest

coreai = changeaware.coreai


def refused(path, code: str, package=None) -> str:
    with pytest.raises(changeaware.Error) as caught:
        coreai.check(path, package)
    assert caught.value.code == code, caught.value
    with pytest.raises(changeaware.Error):
        coreai.CoreAISession(path, package)
    return str(caught.value)


def edit(path, change, reseal: bool) -> None:
    manifest = json.loads(beside(path).read_text())
    change(manifest)
    beside(path).write_text(json.dumps(_manifest.seal(manifest) if reseal else manifest))


@pytest.fixture
def path(rows, tmp_path):
    return rows.copy_to(tmp_path)


def test_what_belongs_together_is_accepted(rows, path):
    assert coreai.check(path)["format"] == "changeaware-coreai"
    assert coreai.check(path, rows.package)["functions"][0]["name"] == "main"


def test_what_is_missing_is_named(path, tmp_path):
    assert "none.aimodel" in refused(tmp_path / "none.aimodel", "Io")
    (path / "main.hash").rename(tmp_path / "hash")
    assert "main.hash" in refused(path, "Corrupt")
    beside(path).unlink()
    assert beside(path).name in refused(path, "Io")


def test_a_changed_program_is_found(path):
    program = path / "main.mlirb"
    data = bytearray(program.read_bytes())
    data[len(data) // 2] ^= 1
    program.write_bytes(data)
    assert "main.mlirb" in refused(path, "Corrupt")


def test_an_asset_of_another_export_is_stale(rows, three, path):
    for name in ("main.mlirb", "main.hash"):
        shutil.copy(three.path / name, path / name)
    assert "main.hash" in refused(path, "Corrupt")


def test_an_edited_manifest_is_found(path):
    edit(path, lambda m: m["strategies"].pop(), reseal=False)
    assert "sha256" in refused(path, "Corrupt")


@pytest.mark.parametrize("change, part", [
    (lambda m: m["functions"].pop(), "has the functions"),
    (lambda m: m["functions"][0]["inputs"][0].update(name="lines"), "lines"),
    (lambda m: m["functions"][0]["inputs"][1].update(shape=["2", "5"]), "must be float32 [2, 5]"),
    (lambda m: m["functions"][0]["outputs"][0].update(asset_dtype="float16"), "must be float16"),
    (lambda m: m["package"]["manifest"]["callables"][0].update(identity="0" * 64),
     "the package's manifest in it"),
    (lambda m: m["package"].update(manifest_sha256="0" * 64), "metadata.json"),
], ids=["function", "name", "shape", "dtype", "identity", "package"])
def test_a_forged_manifest_is_held_against_the_asset(path, change, part):
    edit(path, change, reseal=True)
    assert part in refused(path, "Corrupt")


def test_another_version_is_refused_by_number(path):
    edit(path, lambda m: m.update(format_major=9), reseal=True)
    assert "format 9" in refused(path, "Unsupported")


def test_another_package_is_refused_by_callable(path, three_package):
    assert "callable" in refused(path, "InvalidArgument", three_package)
