"""Fixtures of the tests at full size: those of tests/coreai, and the large models."""

import os
import pathlib
import sys

import pytest

TESTS = pathlib.Path(__file__).resolve().parent.parent
for folder in (TESTS, TESTS / "coreai"):
    sys.path.insert(0, str(folder))

try:
    import changeaware
except ImportError:  # not installed: what the build has
    sys.path.insert(0, str(TESTS.parent / "build" / "python"))
    import changeaware


@pytest.fixture(scope="session")
def sam_package(tmp_path_factory) -> pathlib.Path:
    """EfficientSAM-Ti at 1024 by 1024, compiled."""
    from programs import efficientsam

    folder = os.environ.get("CHANGEAWARE_FIXTURES")
    if not folder:
        pytest.fail("CHANGEAWARE_FIXTURES is not set", pytrace=False)
    package = tmp_path_factory.mktemp("sam") / "sam.ca.pt2"
    changeaware.compile(pathlib.Path(folder) / efficientsam.FILE, package, costs="nominal",
                        progress=False)
    return package


@pytest.fixture(scope="session")
def clip_package(tmp_path_factory) -> pathlib.Path:
    """CLIP ViT-B/32 with its 605 MB of weights, compiled."""
    from assets import compile_program
    from programs import clip

    return compile_program(clip.clip(), tmp_path_factory.mktemp("clip"))
