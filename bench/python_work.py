#!/usr/bin/env python3
"""What the Python package adds to the C++ session, as JSON.

    python bench/python_work.py PROGRAM.pt2 [--requests N]

Runs in a Python that has the wheel and PyTorch. PROGRAM: examples/three_inputs.pt2.

    call_overhead_us     a call with 3 NumPy inputs that reuses everything, beyond what the C++
                         session took for the same request: median of pairs
    import_seconds       `import changeaware` in a fresh process: median of 9, less an empty process
    imports_torch        whether that imported PyTorch
    image_bytes, copied_input_bytes, copied_rss_bytes
                         a contiguous image of 12 MB with a new version tag, on its way to the
                         engine: bytes that were made dense, and growth of the process's peak of
                         resident memory during the call
"""

import argparse
import json
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

import numpy as np

import changeaware

IMAGE = (3, 1024, 1024)  # float32: 12 MB


def status(field: str) -> int:
    """A field of /proc/self/status in bytes."""
    for line in pathlib.Path("/proc/self/status").read_text().splitlines():
        if line.startswith(field + ":"):
            return int(line.split()[1]) * 1024
    raise KeyError(field)


def reset_peak() -> None:
    pathlib.Path("/proc/self/clear_refs").write_text("5")


def call_overhead_us(session: changeaware.Session, inputs: dict, requests: int) -> float:
    """Each pair: the call by the clock, and what the session says of the same request."""
    session(**inputs)
    pairs = []
    for _ in range(requests):
        begin = time.perf_counter_ns()
        session(**inputs)
        elapsed = (time.perf_counter_ns() - begin) / 1e3
        report = session.last
        assert not report.ran
        pairs.append(elapsed - report.total_us)
    return statistics.median(pairs)


def import_seconds() -> tuple[float, bool]:
    def seconds(code: str) -> tuple[float, str]:
        begin = time.perf_counter()
        done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True,
                              text=True)
        return time.perf_counter() - begin, done.stdout

    code = "import changeaware, sys; print('torch' in sys.modules)"
    pairs, torch = [], False
    for _ in range(9):
        empty = seconds("pass")[0]
        taken, out = seconds(code)
        pairs.append(taken - empty)
        torch = torch or out.strip() == "True"
    return statistics.median(pairs), torch


class Still:
    """An external engine that computes nothing: what is measured is the way of the inputs to it."""

    def __init__(self, package: changeaware.Package) -> None:
        self.outputs = {entry["name"]: entry["outputs"]
                        for entry in package.manifest["callables"]}
        self.largest = 0

    def load(self, name: str):
        ports = self.outputs[name]

        def run(arrays):
            self.largest = max([self.largest, *(array.nbytes for array in arrays)])
            return [np.zeros(port["shape"], port["dtype"]) for port in ports]

        return run


# In a process of its own: PyTorch is not to be in the one that is measured.
EXPORT = """
import sys, torch

class Brightness(torch.nn.Module):
    def forward(self, image, gain):
        return image.mean(dim=(2, 3)) * gain

image = torch.zeros(1, *map(int, sys.argv[2:]))
program = torch.export.export(Brightness(), (image, torch.ones(1)))
torch.export.save(program, sys.argv[1])
"""


def copies_of_the_image(folder: pathlib.Path) -> dict:
    """Requests with an image of a new version each, which a callable reads."""
    program = folder / "image.pt2"
    subprocess.run([sys.executable, "-c", EXPORT, program, *map(str, IMAGE)], check=True)
    changeaware.compile(program, folder / "image.ca.pt2", costs="nominal", progress=False)
    package = changeaware.Package(folder / "image.ca.pt2")
    engine = Still(package)
    image = np.random.default_rng(0).random((1, *IMAGE), dtype=np.float32)
    gain = np.ones(1, np.float32)
    growth = copied = 0
    with changeaware.Session(package, external_engine=engine) as session:
        session(image, gain)
        for turn in range(5):
            reset_peak()
            before = status("VmHWM")
            response = session.run(image, gain, versions={"image": str(turn)})
            growth = max(growth, status("VmHWM") - before)
            copied = max(copied, response.report.copied_input_bytes)
            assert response.report.ran and engine.largest == image.nbytes
    return {"image_bytes": image.nbytes, "copied_input_bytes": copied, "copied_rss_bytes": growth}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program", type=pathlib.Path)
    parser.add_argument("--requests", type=int, default=2000)
    options = parser.parse_args()
    random = np.random.default_rng(0)
    inputs = {
        "image": random.random((1, 3, 96, 96), dtype=np.float32),
        "text": random.integers(0, 256, (1, 256)),
        "control": random.random((1, 8), dtype=np.float32),
    }
    seconds, torch = import_seconds()
    out = {"import_seconds": seconds, "imports_torch": torch}
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        compiled = changeaware.compile(options.program, folder / "package.ca.pt2",
                                       costs="nominal", progress=False)
        with changeaware.Session(compiled, returns="numpy", blob_folder="off") as session:
            out["call_overhead_us"] = call_overhead_us(session, inputs, options.requests)
        out |= copies_of_the_image(folder)
    print(json.dumps(out))


if __name__ == "__main__":
    main()
