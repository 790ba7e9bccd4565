"""A part of the conformance run that every change must pass; see subset.py for what is in it."""

import os
import pathlib
import subprocess
import sys

import pytest
import torch

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
sys.path.insert(0, str(HERE))
import lanes  # noqa: E402
import run  # noqa: E402
import subset  # noqa: E402

EXPECTED = subset.read()
LANES = os.cpu_count() or 1


@pytest.fixture(scope="session")
def folder():
    """The exported samples, kept for the next run."""
    path = run.cache_folder(ROOT / "build/conformance/subset")
    parts = [subprocess.Popen([sys.executable, HERE / "export_subset.py", path, f"{n}/{LANES}"],
                              stdout=subprocess.DEVNULL)
             for n in range(LANES)]
    assert not any([part.wait() for part in parts]), "exporting the samples failed"
    return path


def run_lane(folder, environment):
    binary = os.environ.get("CHANGEAWARE_BIN", str(ROOT / "build/bin/changeaware"))
    worker = pathlib.Path(binary).parent / "conformance_worker"
    tasks = [lanes.Task(s, folder / f"{s}.pt2", folder / f"{s}.in") for s in EXPECTED]
    torch.set_num_threads(1)
    return lanes.run_all(tasks, [worker, "--nominal-costs"], environment, LANES, run.judge)


@pytest.fixture(scope="session")
def with_exact(folder):
    return run_lane(folder, {})


@pytest.fixture(scope="session")
def without_exact(folder):
    return run_lane(folder, {"CHANGEAWARE_LIBTORCH": str(folder / "no PyTorch here")})


def check(result, expected):
    acceptable = ("passed",) if expected == "passed" else ("passed", "refused")
    assert result["status"] in acceptable, f"{result['status']}: {result.get('detail', '')}"


@pytest.mark.parametrize("sample", EXPECTED)
def test_with_the_exact_engine(sample, with_exact):
    if not os.environ.get("CHANGEAWARE_LIBTORCH"):
        pytest.skip("no PyTorch for the exact engine")
    check(with_exact[sample], EXPECTED[sample].with_exact)


@pytest.mark.parametrize("sample", EXPECTED)
def test_without_the_exact_engine(sample, without_exact):
    check(without_exact[sample], EXPECTED[sample].without_exact)
