"""What the tests of the Python package share: a small program with three inputs, compiled once."""

import pathlib

import numpy as np
import pytest

import changeaware

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROGRAM = ROOT / "examples" / "three_inputs.pt2"

# What runs when an input changes.
OF_IMAGE = ["segment_image", "segment_image+text+control"]
OF_CONTROL = ["segment_control", "segment_text+control", "segment_image+text+control"]


@pytest.fixture(scope="session")
def package(tmp_path_factory):
    path = tmp_path_factory.mktemp("package") / "three_inputs.ca.pt2"
    changeaware.compile(PROGRAM, path, costs="nominal", progress=False)
    return str(path)


@pytest.fixture
def session(package):
    with changeaware.Session(package, blob_folder="off", threads=1) as opened:
        yield opened


@pytest.fixture
def inputs():
    random = np.random.default_rng(7)
    return {
        "image": random.random((1, 3, 96, 96), dtype=np.float32),
        "text": random.integers(0, 256, (1, 256)),
        "control": random.standard_normal((1, 8), dtype=np.float32),
    }


def refused(error, code, *words):
    """The code, and that the message names what is at fault."""
    assert error.value.code == code
    missing = [word for word in words if word not in str(error.value)]
    assert not missing, f"{missing} not in: {error.value}"
