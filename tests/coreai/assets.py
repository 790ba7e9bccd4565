"""Helpers of the tests: packages of programs, assets of packages, processes of their own."""

import os
import pathlib
import shutil
import subprocess
import sys
from typing import NamedTuple

import changeaware


class Asset(NamedTuple):
    package: pathlib.Path
    path: pathlib.Path
    exported: object

    @property
    def manifest(self) -> dict:
        return changeaware.coreai.check(self.path)

    def copy_to(self, folder: pathlib.Path) -> pathlib.Path:
        """Asset and manifest in another folder, to be changed there."""
        target = folder / self.path.name
        shutil.copytree(self.path, target)
        shutil.copy(beside(self.path), beside(target))
        return target


def beside(asset: pathlib.Path) -> pathlib.Path:
    return asset.with_name(asset.name + ".json")


def compile_program(program, folder: pathlib.Path, **options) -> pathlib.Path:
    """A package of a `programs.program.Program`."""
    model, package = folder / "model.pt2", folder / "model.ca.pt2"
    program.save(model)
    changeaware.compile(model, package, costs="nominal", progress=False, **options)
    return package


def run_python(*arguments: str, **environment: str) -> subprocess.CompletedProcess:
    """A Python with the same modules in a process of its own."""
    paths = os.pathsep.join(path for path in sys.path if path)
    return subprocess.run([sys.executable, *arguments], capture_output=True, text=True, timeout=300,
                          env={**os.environ, "PYTHONPATH": paths, **environment})


def main_alone(package: pathlib.Path, asset: pathlib.Path, keep_marks: bool = False) -> int:
    """Bytes of an asset with nothing but `main`; `keep_marks`: as the converter writes it."""
    import coreai_torch
    from changeaware.coreai import _manifest, _programs

    callable_ = _manifest.read_package_manifest(package)["callables"][0]
    program = _programs.open_programs(str(package))["main"]
    prepared = _programs.Prepared(callable_, program, coreai_torch.get_decomp_table())
    if keep_marks:
        converter = coreai_torch.TorchConverter(mode=coreai_torch.TorchConverter.Mode.RELEASE)
        converter.add_exported_program(prepared.program)
        converted = converter.to_coreai()
    else:
        converted = _programs.convert([prepared], coreai_torch, lambda what, share: None)
    converted.save_asset(asset)
    return sum(file.stat().st_size for file in asset.iterdir())
