#!/usr/bin/env python3
"""Measures what README.md and docs/experiments.md say, and prints a table.

    bench/run.py [--quick] [--only NAME]… [--update-docs] [--report]

Models, packages and peers (see bench/peers) are made in build/bench on first use; all numbers go to
build/bench/results.json. A missed target is printed as MISSED and is no error: this is a
measurement. Run it on a machine that does nothing else.

CHANGEAWARE_FIXTURES names the folder of efficientsam_ti.pt2 (../shared/fixtures).
"""

from __future__ import annotations

import argparse
import datetime
import json
import os
import pathlib
import subprocess
import sys
import tempfile

from experiments import update_experiments
from memory_work import MEMORY_WORK
from report import Row, machine, print_table, update_readme
from rows import MEMORY_ROWS, model_rows, python_rows, scaling_rows
from tools import Tools
from workloads import MODELS, THREE_INPUTS, Model, workload

ROOT = pathlib.Path(__file__).resolve().parent.parent
WORK = ROOT / "build" / "bench"
RESULTS = WORK / "results.json"
THREADS = 2
EAGER_RUNS = {"full": 5, "quick": 1}


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="few repetitions: shows that it works")
    parser.add_argument("--only", action="append", choices=[m.name for m in MODELS], default=[],
                        help="this model alone; may be repeated")
    parser.add_argument("--update-docs", action="store_true",
                        help="write README.md's table and docs/experiments.md")
    parser.add_argument("--report", action="store_true",
                        help="measure nothing: print, and write, what the last run measured")
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build",
                        help="folder of the build, with bin/")
    return parser.parse_args()


def prepare(tools: Tools, model: Model) -> pathlib.Path:
    """The folder with the program, its package, and what it is compared with."""
    folder = WORK / model.name
    folder.mkdir(parents=True, exist_ok=True)
    program = model.program(tools, folder)
    samples = folder / "samples.json"
    if not samples.exists() or samples.stat().st_mtime < program.stat().st_mtime:
        tools.python("bench/peers/whole.py", program, folder)
    if model.is_split_by_hand and not (folder / "decoder.xml").exists():
        tools.python("bench/peers/split.py", program, folder)
    return folder


def measure_model(tools: Tools, model: Model, quick: bool, everything: dict) -> list[Row]:
    folder = prepare(tools, model)
    program = model.program(tools, folder)
    package = folder / "package.pt2"
    compiled = tools.compile(program, package)
    manifest = tools.inspect(package)
    main_of = next(c for c in manifest["callables"] if c["name"] == "main")
    compiled["weight_bytes"] = main_of["weight_bytes"]
    compiled["manifest"] = {key: manifest[key] for key in ("strategies", "callables",
                                                           "rejections")}
    everything["compile"][model.name] = compiled
    if model.is_timed_in_eager:
        runs = EAGER_RUNS["quick" if quick else "full"]
        everything["eager"][model.name] = json.loads(
            tools.python("bench/peers/eager.py", program, runs, THREADS, capture=True))
    plan = folder / "workload.json"
    plan.write_text(json.dumps(workload(model, folder, manifest, THREADS, quick), indent=1) + "\n")
    results = tools.model_bench(plan)
    for kind in ("scenarios", "traces", "budgets"):
        everything[kind] += results[kind]
    if model.is_in_micro_bench:
        everything["micro"] = tools.micro_bench(package)
    return model_rows(model, compiled, manifest, results)


def measure_memory(tools: Tools, model: Model, quick: bool) -> dict:
    """After `measure_model`, of whose package it is."""
    small = prepare(tools, THREE_INPUTS)
    tools.compile(THREE_INPUTS.program(tools, small), small / "package.pt2")
    with tempfile.TemporaryDirectory(dir=WORK) as scratch:
        return MEMORY_WORK[model.name](tools, model, WORK, pathlib.Path(scratch), THREADS, quick)


def measure(tools: Tools, models: list[Model], quick: bool) -> dict:
    everything = {"threads": THREADS, "quick": quick, "machine": machine(),
                  "date": datetime.datetime.now(datetime.timezone.utc).isoformat("T", "seconds"),
                  "titles": {model.name: model.title for model in models},
                  "compile": {}, "eager": {}, "scenarios": [], "traces": [], "budgets": [],
                  "micro": [], "memory": {}}
    rows = []
    for model in models:
        rows += measure_model(tools, model, quick, everything)
    for model in models:
        if model.name in MEMORY_WORK:
            everything["memory"][model.name] = measure_memory(tools, model, quick)
            rows += MEMORY_ROWS[model.name](model, everything["memory"][model.name])
    everything["scaling"] = tools.scaling()
    rows += scaling_rows(everything["scaling"])
    everything["python"] = tools.python_package(THREE_INPUTS.program(tools, WORK), quick)
    rows += python_rows(everything["python"])
    everything["table"] = [row.as_json() for row in rows]
    return everything


def times(measured: dict) -> str:
    return "/".join(f"{measured[key] / 1e3:.1f}" for key in ("p50_us", "p95_us", "mean_us"))


def print_details(everything: dict) -> None:
    print("\nms, medians (p95); engine + fingerprints + session; traces: p50/p95/mean")
    for s in everything["scenarios"]:
        other = ""
        if "theirs" in s:
            other = (f"; {s['against']} {s['theirs']['p50_us'] / 1e3:.3f} "
                     f"({s['theirs']['p95_us'] / 1e3:.3f}), ratio {s['ratio']:.4f}")
        print(f"  {s['model']}, {s['name']}: {s['ours']['p50_us'] / 1e3:.3f} "
              f"({s['ours']['p95_us'] / 1e3:.3f}) = {s['engine_us'] / 1e3:.3f} + "
              f"{s['fingerprint_us'] / 1e3:.3f} + {s['session_us'] / 1e3:.3f}{other}; "
              f"{s['runs']:.0f} runs of {', '.join(s['ran']) or 'nothing'}")
    for t in everything["traces"]:
        print(f"  {t['model']}, {t['name']}, {t['requests']} requests: adaptive "
              f"{times(t['adaptive'])}, always full {times(t['full'])}, paired {t['ratio']:.4f}")
    for b in everything["budgets"]:
        print(f"  {b['model']}, {b['name']}, {b['budget_bytes']:,} B: {times(b['tight'])}, no "
              f"limit {times(b['loose'])}, paired {b['ratio']:.4f}; peak "
              f"{b['retained_bytes_peak']:,} B; {b['strategy']} ran {', '.join(b['ran'])}")
    for name, eager in everything["eager"].items():
        print(f"  {name}, eager PyTorch: {eager['p50_us'] / 1e3:.1f}")
    for micro in everything["micro"]:
        speed = micro.get("bytes_per_second")
        print(f"  {micro['name'].partition('/')[0]}: {micro['real_time']:.1f} µs" +
              (f", {speed / 1e9:.1f} GB/s" if speed else ""))


def main() -> int:
    arguments = parse_arguments()
    if arguments.report:
        everything = json.loads(RESULTS.read_text())
    else:
        models = [m for m in MODELS if not arguments.only or m.name in arguments.only]
        WORK.mkdir(parents=True, exist_ok=True)
        everything = measure(Tools(ROOT, arguments.build.resolve()), models, arguments.quick)
        RESULTS.write_text(json.dumps(everything, indent=1) + "\n")
    rows = [Row.from_json(row) for row in everything["table"]]
    print_table(rows)
    print_details(everything)
    print(f"\nall numbers: {os.path.relpath(RESULTS)}")
    if arguments.update_docs:
        update_readme(ROOT / "README.md", rows, everything)
        update_experiments(ROOT / "docs" / "experiments.md", rows, everything)
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except (subprocess.CalledProcessError, FileNotFoundError) as error:
        sys.exit(f"bench: {error}")
