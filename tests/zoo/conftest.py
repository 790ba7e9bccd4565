"""The zoo's fixtures: each model exported and compiled once, and a page of figures a model."""

import json
import os
import pathlib
import sys
import warnings

import pytest
import torch

_HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(_HERE), str(_HERE.parent), str(_HERE.parent / "oracle")]
warnings.filterwarnings("ignore", category=FutureWarning)

from harness import Cli  # noqa: E402
from specimen import Specimen  # noqa: E402

RESULTS = pathlib.Path(os.environ.get(
    "CHANGEAWARE_ZOO_RESULTS", _HERE.parent.parent / "build" / "reports" / "zoo"))
THREADS = 2  # of PyTorch and of the engines: sums in another order have other bits


@pytest.fixture(scope="session", autouse=True)
def same_threads():
    torch.set_num_threads(THREADS)


@pytest.fixture(scope="session", autouse=True)
def cache_folder(tmp_path_factory):
    """Compiled blobs of the tests are not the user's; the exact engine's plug-in is."""
    users = pathlib.Path(os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache")
    fresh = tmp_path_factory.mktemp("cache")
    plugins = users / "changeaware" / "torch-engine"
    if plugins.is_dir():
        (fresh / "changeaware").mkdir()
        (fresh / "changeaware" / "torch-engine").symlink_to(plugins.resolve())
    os.environ["XDG_CACHE_HOME"] = str(fresh)


@pytest.fixture(scope="session")
def cli() -> Cli:
    path = os.environ.get("CHANGEAWARE_BIN")
    if not path:
        pytest.fail("CHANGEAWARE_BIN is not set", pytrace=False)
    return Cli(pathlib.Path(path).resolve())


@pytest.fixture(scope="module")
def specimen(request, cli, tmp_path_factory):
    """One model of the zoo; what was found out about it is written when its tests are over."""
    name = request.param
    made = Specimen(name, cli, tmp_path_factory.mktemp(name))
    yield made
    RESULTS.mkdir(parents=True, exist_ok=True)
    (RESULTS / f"{name}.json").write_text(json.dumps(made.findings, indent=1) + "\n")
