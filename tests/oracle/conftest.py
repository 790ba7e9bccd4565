"""Fixtures shared by the tests that compare the command line tool with PyTorch."""

import os
import pathlib
import sys
import warnings

import numpy as np
import pytest
import torch

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))  # for `programs`
warnings.filterwarnings("ignore", category=FutureWarning)

from harness import Cli, Compiled  # noqa: E402
from own_cache import use_own_cache  # noqa: E402
from programs import efficientsam  # noqa: E402
from programs.program import vary  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent


def _existing(variable: str) -> pathlib.Path:
    value = os.environ.get(variable)
    if not value:
        pytest.fail(f"{variable} is not set", pytrace=False)
    path = pathlib.Path(value).resolve()
    if not path.exists():
        pytest.fail(f"{variable} names {path}, which does not exist", pytrace=False)
    return path


# PyTorch for the exact engine, which only tests with the fixture `exact_engine` have.
LIBTORCH = os.environ.get("CHANGEAWARE_LIBTORCH", "")


@pytest.fixture(scope="session", autouse=True)
def cache_folder(tmp_path_factory):
    use_own_cache(tmp_path_factory.mktemp("cache"))
    os.environ["CHANGEAWARE_LIBTORCH"] = str(tmp_path_factory.mktemp("no_pytorch"))


@pytest.fixture
def exact_engine(monkeypatch, cli):
    """The test's calls find PyTorch. A missing plug-in is a failure."""
    monkeypatch.setenv("CHANGEAWARE_LIBTORCH", LIBTORCH)
    (part,) = [p for p in cli.json("doctor")["optional_parts"] if p["name"] == "torch"]
    assert part["present"], part["note"]


@pytest.fixture(scope="session")
def cli() -> Cli:
    """The command line tool, whose path CHANGEAWARE_BIN gives."""
    return Cli(_existing("CHANGEAWARE_BIN"))


@pytest.fixture(scope="session")
def fixtures() -> pathlib.Path:
    """The folder of large fixtures, which CHANGEAWARE_FIXTURES gives. Missing is a failure."""
    return _existing("CHANGEAWARE_FIXTURES")


@pytest.fixture(scope="session")
def root() -> pathlib.Path:
    return ROOT


@pytest.fixture(scope="session")
def three_inputs(cli, root, tmp_path_factory) -> Compiled:
    """The committed example."""
    model = root / "examples" / "three_inputs.pt2"
    assert model.stat().st_size < 1_000_000
    exported = torch.export.load(str(model))
    module = exported.module()

    def eager(leaves):
        with torch.no_grad():
            return list(module(*leaves).values())

    return Compiled.from_file(cli, model, tmp_path_factory.mktemp("three"), exported, eager, vary)


@pytest.fixture(scope="session")
def sam(cli, fixtures, tmp_path_factory) -> Compiled:
    """EfficientSAM-Ti, without PyTorch's answers: `sam_expected` has some."""
    model = fixtures / efficientsam.FILE
    exported = torch.export.load(str(model))
    return Compiled.from_file(cli, model, tmp_path_factory.mktemp("sam"), exported, None,
                              efficientsam.vary)


@pytest.fixture(scope="session")
def sam_expected(fixtures):
    return np.load(fixtures / efficientsam.EXPECTED)


@pytest.fixture
def compiled(cli, tmp_path):
    """compiled(program, core=False, options=()) -> Compiled, in a folder of its own."""
    count = 0

    def make(program, core=False, options=()):
        nonlocal count
        count += 1
        folder = tmp_path / f"program_{count}"
        folder.mkdir()
        return Compiled.from_program(cli, program, folder, core, options)

    return make


@pytest.fixture(params=["training", "core"])
def core(request) -> bool:
    """Both kinds of exported graph: training IR and core ATen."""
    return request.param == "core"
