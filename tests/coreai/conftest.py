"""Fixtures of the tests of the Core AI packager."""

import pathlib
import sys
import warnings

import numpy as np
import pytest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
for folder in (ROOT / "tests", pathlib.Path(__file__).resolve().parent):
    sys.path.insert(0, str(folder))
warnings.filterwarnings("ignore", category=FutureWarning)

try:
    import changeaware
except ImportError:  # not installed: what the build has
    sys.path.insert(0, str(ROOT / "build" / "python"))
    import changeaware

from assets import Asset, compile_program  # noqa: E402
from own_cache import use_own_cache  # noqa: E402


@pytest.fixture(scope="session", autouse=True)
def cache_folder(tmp_path_factory):
    use_own_cache(tmp_path_factory.mktemp("cache"))


@pytest.fixture(scope="session")
def root() -> pathlib.Path:
    return ROOT


@pytest.fixture(scope="session")
def three_package(root, tmp_path_factory) -> pathlib.Path:
    """The committed example, compiled."""
    package = tmp_path_factory.mktemp("three") / "three.ca.pt2"
    changeaware.compile(root / "examples" / "three_inputs.pt2", package, costs="nominal",
                        progress=False)
    return package


@pytest.fixture(scope="session")
def three(three_package, tmp_path_factory) -> Asset:
    """Its asset, verified. Not to be changed."""
    path = tmp_path_factory.mktemp("three_asset") / "three.aimodel"
    exported = changeaware.coreai.export(three_package, path, verify=True)
    return Asset(three_package, path, exported)


@pytest.fixture(scope="session")
def rows_package(tmp_path_factory) -> pathlib.Path:
    """Any number of rows, and a scale."""
    import programs_of_coreai

    return compile_program(programs_of_coreai.rows(), tmp_path_factory.mktemp("rows"))


@pytest.fixture(scope="session")
def rows(rows_package, tmp_path_factory) -> Asset:
    path = tmp_path_factory.mktemp("rows_asset") / "rows.aimodel"
    return Asset(rows_package, path, changeaware.coreai.export(rows_package, path, verify=True))


@pytest.fixture
def three_values():
    """three_values(seed) -> inputs of the example by name."""

    def make(seed: int) -> dict[str, np.ndarray]:
        random = np.random.default_rng(seed)
        return {"image": random.standard_normal((1, 3, 96, 96)).astype(np.float32),
                "text": random.integers(0, 256, (1, 256)),
                "control": random.standard_normal((1, 8)).astype(np.float32)}

    return make
