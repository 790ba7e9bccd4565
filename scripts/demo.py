#!/usr/bin/env python3
"""Compiles a program, changes one input at a time and shows what had to run.

    scripts/demo.py          examples/three_inputs.pt2; needs no PyTorch

All numbers come from the command line program, `build/bin/changeaware`.
"""

import json
import os
import pathlib
import statistics
import subprocess
import sys
from typing import Callable

import numpy as np

ROOT = pathlib.Path(__file__).resolve().parent.parent
CHANGEAWARE = os.environ.get("CHANGEAWARE_BIN", str(ROOT / "build/bin/changeaware"))
WORK = pathlib.Path(os.environ.get("CHANGEAWARE_DEMO_DIR", ROOT / "build" / "demo"))

NOTHING = "nothing"
EVERYTHING = "everything"


def changeaware(*arguments) -> list:
    """Runs a command with --json; its output lines as objects."""
    command = [CHANGEAWARE, *map(str, arguments), "--json"]
    result = subprocess.run(command, stdout=subprocess.PIPE, text=True)
    if result.returncode != 0 and not result.stdout:  # a replay with differences prints them
        sys.exit(f"this command failed: {' '.join(command)}")
    return [json.loads(line) for line in result.stdout.splitlines()]


class Trace:
    """Requests in which everything, each input alone, or nothing changes, again and again."""

    def __init__(self, folder: pathlib.Path, inputs: list, value: Callable, rounds: int):
        self.changes = []  # what each request changes
        self.requests = []
        self.folder = folder
        self.value = value
        self.steps = {name: 0 for name in inputs}
        self.add(EVERYTHING, inputs)
        for _ in range(rounds):
            for name in inputs:
                self.add(name, [name])
            self.add(NOTHING, [])
            self.add(EVERYTHING, inputs)

    def add(self, change: str, names: list):
        files = {}
        for name in names:
            step = self.steps[name] = self.steps[name] + 1
            files[name] = f"{name}.{step}.npy"
            np.save(self.folder / files[name], self.value(name, step))
        self.changes.append(change)
        self.requests.append({"inputs": files})

    def write(self) -> pathlib.Path:
        path = self.folder / "trace.json"
        path.write_text(json.dumps({"requests": self.requests}, indent=1))
        return path


def short(names: list, pieces: int) -> str:
    """Callables without the word that all of them begin with."""
    if names and len(names) == pieces:
        return f"all {pieces}"
    return ", ".join(name.removeprefix("segment_") for name in names) or "-"


def rows(trace: Trace, incremental: list, full: list, checked: list, pieces: int) -> list:
    """A table row for each kind of change; the first request only warms up.

    The full run for comparison is a request in which everything changed, in the same process and
    among the others: a separate replay would find the processor in another state.
    """
    out = []

    def median_ms(change: str) -> float:
        return statistics.median(r["microseconds"] for i, r in enumerate(incremental)
                                 if i > 0 and trace.changes[i] == change) / 1000

    for change in dict.fromkeys(trace.changes):
        at = [i for i, c in enumerate(trace.changes) if c == change and i > 0]
        ms = median_ms(change)
        ratio = ms / median_ms(EVERYTHING)
        same = all(checked[i]["equal"] and incremental[i]["outputs"] == full[i]["outputs"]
                   for i in at)
        last = incremental[at[-1]]
        out.append([change, short(last["ran"], pieces), short(last["reused"], pieces),
                    f"{ms:.2f} ms", f"{100 * ratio:.1f} %", "equal" if same else "DIFFERENT"])
    return out


def print_table(table: list):
    widths = [max(len(row[i]) for row in table) for i in range(len(table[0]))]
    for number, row in enumerate(table):
        print("  " + "  ".join(cell.ljust(width) for cell, width in zip(row, widths)).rstrip())
        if number == 0:
            print("  " + "  ".join("-" * width for width in widths))


def explain(package: pathlib.Path, trace: Trace) -> pathlib.Path:
    """The page about the first requests."""
    first = trace.folder / "first_requests.json"
    first.write_text(json.dumps({"requests": trace.requests[:12]}))
    page = trace.folder / "explain.html"
    changeaware("explain", package, first, "--html", page)
    return page


def demo(model: pathlib.Path, value: Callable, rounds: int) -> int:
    """`value(name, step)` is an array for an input, another for each step. 0 when bits agree."""
    folder = WORK / model.stem
    folder.mkdir(parents=True, exist_ok=True)
    package = folder / f"{model.stem}.package.pt2"
    print(f"compiling {os.path.relpath(model)} ...", flush=True)
    compiled, = changeaware("compile", model, "-o", package)
    manifest, = changeaware("inspect", package)
    print(f"  {compiled['seconds']:.1f} s, {compiled['package_bytes'] / 1e6:.1f} MB; which parts "
          "depend on which inputs, as proved from the graph:\n")
    pieces = [c for c in manifest["callables"] if c["name"] != "main"]
    print_table([["piece", "depends on", "operators"]] + [
        [short([c["name"]], 0), ", ".join(c["dependencies"]) or "no input", str(c["node_count"])]
        for c in pieces])

    inputs = [i["name"] for i in manifest["inputs"] if "fixed_value" not in i]
    trace = Trace(folder, inputs, value, rounds)
    path = trace.write()
    print(f"\nanswering {len(trace.requests)} requests, three times: with reuse, in full, and "
          "compared ...\n", flush=True)
    *incremental, _ = changeaware("replay", package, path)
    *full, _ = changeaware("replay", package, path, "--full")
    *checked, summary = changeaware("replay", package, path, "--check")
    failed = [r["error"]["message"] for r in incremental + full + checked if "error" in r]
    if failed:
        sys.exit(f"a request failed: {failed[0]}")
    print_table([["what changed", "what ran", "what was reused", "time", "of a full run", "bits"]] +
                rows(trace, incremental, full, checked, len(pieces)))
    print("\nTimes are medians; a full run is a request in which everything changed. The bits of "
          "each answer\nwere compared with those of a run that reuses nothing.")
    print(f"Why each piece ran or did not: {os.path.relpath(explain(package, trace))}")
    return 0 if summary["equal"] else 1


def three_inputs(name: str, step: int) -> np.ndarray:
    random = np.random.default_rng([step, *name.encode()])
    if name == "text":
        return random.integers(0, 256, (1, 256))
    shape = {"image": (1, 3, 96, 96), "control": (1, 8)}[name]
    return random.standard_normal(shape, dtype=np.float32)


if __name__ == "__main__":
    sys.exit(demo(ROOT / "examples" / "three_inputs.pt2", three_inputs, rounds=15))
