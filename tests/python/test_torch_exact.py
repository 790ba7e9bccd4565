"""The exact engine in the process that imported PyTorch."""

import json
import os
import pathlib
import subprocess
import sys
import threading

import changeaware
import pytest
import torch
from torch_modules import TwoTowers, seeded, user_and_items

HERE = pathlib.Path(__file__).resolve().parent


@pytest.fixture(scope="module")
def towers():
    return seeded(TwoTowers)


@pytest.fixture(scope="module")
def exact(towers):
    """Wrapped with exact numerics, on as many threads as PyTorch has here."""
    with changeaware.wrap(towers, user_and_items(), numerics="exact",
                          threads=torch.get_num_threads()) as wrapped:
        yield wrapped


def eager(module, *args):
    with torch.no_grad():
        return module(*args)


def test_exact_numerics_give_the_bits_of_the_module_and_run_what_changed(exact, towers):
    user, items = user_and_items()
    exact.session.clear()
    assert torch.equal(exact(user, items), eager(towers, user, items))
    assert set(exact.session.last.ran) == {"segment_user", "segment_items", "segment_user+items"}
    assert torch.equal(exact(user * 3, items), eager(towers, user * 3, items))
    assert exact.session.last.ran == ["segment_user", "segment_user+items"]


def test_the_threads_of_pytorch_are_left_alone(towers):
    """By compiling and by running, on this thread and on others that begin meanwhile."""
    user, items = user_and_items(32, 32)
    before = torch.get_num_threads()
    seen = {}
    try:
        for own, mine in ((1, 2), (2, 1)):
            torch.set_num_threads(own)
            with changeaware.wrap(towers, (user, items), numerics="exact", threads=mine) as fast:
                fast(user, items)
                assert fast.session.last.ran
                other = []
                thread = threading.Thread(target=lambda: other.append(torch.get_num_threads()))
                thread.start()
                thread.join()
                seen[own] = [torch.get_num_threads(), *other]
    finally:
        torch.set_num_threads(before)
    assert seen == {1: [1, 1], 2: [2, 2]}


def test_the_grad_mode_of_pytorch_is_left_alone(exact):
    user, items = user_and_items()
    exact(user, items * 2)
    assert exact.session.last.ran
    assert torch.is_grad_enabled()
    leaf = torch.ones(2, requires_grad=True)
    (leaf * 3).sum().backward()
    assert torch.equal(leaf.grad, torch.full((2,), 3.0))


# In a process of its own, whose cache folder has no plug-in.
FIRST_USE = """
import json, sys
import torch, changeaware

class Spectrum(torch.nn.Module):
    def forward(self, x, gain):
        return torch.fft.irfft(torch.fft.rfft(x) * gain)

module, stages = Spectrum().eval(), []
x, gain = torch.randn(64, 256), torch.tensor(2.0)
found = changeaware._core.find_exact_engine(torch_folder=torch.__path__[0])
fast = changeaware.wrap(module, (x, gain), progress=lambda stage, _: stages.append(stage))
close = torch.allclose(fast(x, gain), module(x, gain), rtol=1e-5, atol=1e-6)
print(json.dumps({"before": found["plugin"], "stages": stages, "close": close,
                  "nodes": fast.report.exact_nodes, "ran": fast.session.last.ran,
                  "threads": torch.get_num_threads()}))
"""


def test_the_plug_in_is_built_when_a_node_needs_it_and_progress_tells(tmp_path):
    environment = {**os.environ, "XDG_CACHE_HOME": str(tmp_path), "OMP_NUM_THREADS": "1"}
    environment.pop("CHANGEAWARE_LIBTORCH", None)
    done = subprocess.run([sys.executable, "-W", "ignore", "-c", FIRST_USE], capture_output=True,
                          text=True, env=environment, cwd=HERE, check=False)
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert found["before"] == ""
    (told,) = {stage for stage in found["stages"] if "exact engine" in stage}
    assert torch.__version__.split("+")[0] in told
    assert any("fft" in node for node in found["nodes"])
    assert found["close"] and found["ran"] and found["threads"] == 1
    assert list((tmp_path / "changeaware" / "torch-engine").glob("*/libchangeaware_torch.so"))


def test_a_program_that_needs_no_exact_engine_builds_none(tmp_path):
    script = """
import torch, changeaware
stages = []
with changeaware.wrap(torch.nn.Linear(8, 8).eval(), torch.ones(2, 8),
                      progress=lambda stage, _: stages.append(stage)) as fast:
    fast(torch.zeros(2, 8))
    assert fast.session.last.ran
print([stage for stage in stages if "exact engine" in stage])
"""
    environment = {**os.environ, "XDG_CACHE_HOME": str(tmp_path)}
    environment.pop("CHANGEAWARE_LIBTORCH", None)
    done = subprocess.run([sys.executable, "-W", "ignore", "-c", script], capture_output=True,
                          text=True, env=environment, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() == "[]"
    assert not (tmp_path / "changeaware" / "torch-engine").exists()
