"""What the pages are run with: the program, an installed library, a package."""

import functools
import os
import pathlib
import subprocess
import sys

import pytest
from page import Page, Tools

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "tests"))

from own_cache import use_own_cache  # noqa: E402


@pytest.fixture(scope="session", autouse=True)
def cache_folder(tmp_path_factory):
    use_own_cache(tmp_path_factory.mktemp("cache"))


@pytest.fixture(scope="session")
def tools(tmp_path_factory) -> Tools:
    """CHANGEAWARE_BIN is the program in a build folder, CHANGEAWARE_PREFIX an installed library;
    without the latter the build folder of the program is installed into a folder of the tests."""
    binary = pathlib.Path(os.environ.get("CHANGEAWARE_BIN", ROOT / "build/bin/changeaware"))
    if not binary.exists():
        pytest.fail(f"there is no {binary}: build it, or name it by CHANGEAWARE_BIN", pytrace=False)
    binary = binary.resolve()

    @functools.cache
    def prefix() -> pathlib.Path:
        if given := os.environ.get("CHANGEAWARE_PREFIX"):
            return pathlib.Path(given).resolve()
        folder = tmp_path_factory.mktemp("prefix")
        subprocess.run(["cmake", "--install", str(binary.parent.parent), "--prefix", str(folder)],
                       check=True, capture_output=True)
        return folder

    @functools.cache
    def package() -> pathlib.Path:
        path = tmp_path_factory.mktemp("package") / "three_inputs.ca.pt2"
        subprocess.run([str(binary), "compile", str(ROOT / "examples/three_inputs.pt2"),
                        "-o", str(path), "--nominal-costs"], check=True, capture_output=True)
        return path

    return Tools(binary, prefix, package)


@pytest.fixture(scope="session")
def page(tmp_path_factory, tools):
    """page(name, blocks) -> the running page, in a folder of its own that has `examples`."""
    pages = {}

    def get(name: str, blocks: list) -> Page:
        if name not in pages:
            folder = tmp_path_factory.mktemp(name.removesuffix(".md"))
            (folder / "examples").symlink_to(ROOT / "examples")
            pages[name] = Page(blocks, folder, tools)
        return pages[name]

    yield get
    for running in pages.values():
        running.close()
