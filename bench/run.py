#!/usr/bin/env python3
"""Measures what README.md says about speed, and prints a table.

    bench/run.py [--quick] [--only NAME]… [--update-readme]

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

from report import Row, machine, print_table, update_readme
from tools import Tools
from workloads import MODELS, Model, workload

ROOT = pathlib.Path(__file__).resolve().parent.parent
WORK = ROOT / "build" / "bench"
THREADS = 2
EAGER_RUNS = {"full": 5, "quick": 1}


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="few repetitions: shows that it works")
    parser.add_argument("--only", action="append", choices=[m.name for m in MODELS], default=[],
                        help="this model alone; may be repeated")
    parser.add_argument("--update-readme", action="store_true",
                        help="write the table into README.md")
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build",
                        help="folder of the build, with bin/")
    return parser.parse_args()


def prepare(tools: Tools, model: Model) -> pathlib.Path:
    """The folder with the program, its package, and what it is compared with."""
    folder = WORK / model.name
    folder.mkdir(parents=True, exist_ok=True)
    program = model.program(tools, folder)
    if not (folder / "samples.json").exists():
        tools.python("bench/peers/whole.py", program, folder)
    if model.is_split_by_hand and not (folder / "decoder.xml").exists():
        tools.python("bench/peers/split.py", program, folder)
    return folder


def compile_rows(model: Model, compiled: dict) -> list[Row]:
    if not model.compile_is_measured:
        return []
    name = f"compile of {model.title}"
    return [
        Row(f"{name}, wall", compiled["seconds"], "s", 30.0),
        Row(f"{name}, peak RSS / weights", compiled["peak_rss_bytes"] / compiled["weight_bytes"],
            "", 2.0),
    ]


def scenario_rows(model: Model, results: dict) -> list[Row]:
    by_name = {s["name"]: s for s in results["scenarios"] if s["model"] == model.name}
    rows = []
    for target in model.targets:
        result = by_name[target.scenario]
        rows.append(Row(target.what, target.value(result), target.unit, target.limit,
                        problem="" if result["bits_equal"] else "other bits than a full run"))
    return rows


def measure(tools: Tools, models: list[Model], quick: bool) -> tuple[list[Row], dict]:
    everything = {"threads": THREADS, "quick": quick, "machine": machine(),
                  "date": datetime.datetime.now(datetime.timezone.utc).isoformat("T", "seconds"),
                  "compile": {}, "eager": {}, "scenarios": [], "micro": []}
    rows = []
    for model in models:
        folder = prepare(tools, model)
        program = model.program(tools, folder)
        compiled = tools.compile(program, folder / "package.pt2")
        everything["compile"][model.name] = compiled
        if model.is_timed_in_eager:
            runs = EAGER_RUNS["quick" if quick else "full"]
            everything["eager"][model.name] = json.loads(
                tools.python("bench/peers/eager.py", program, runs, THREADS, capture=True))
        plan = folder / "workload.json"
        plan.write_text(json.dumps(workload(model, folder, THREADS, quick), indent=1) + "\n")
        results = tools.model_bench(plan)
        everything["scenarios"] += results["scenarios"]
        if model.is_in_micro_bench:
            everything["micro"] = tools.micro_bench(folder / "package.pt2")
        rows += scenario_rows(model, results) + compile_rows(model, compiled)
    return rows, everything


def print_details(everything: dict) -> None:
    print("\nms, medians (p95); engine + fingerprints + session")
    for s in everything["scenarios"]:
        other = ""
        if "theirs" in s:
            other = (f"; {s['against']} {s['theirs']['p50_us'] / 1e3:.3f} "
                     f"({s['theirs']['p95_us'] / 1e3:.3f}), ratio {s['ratio']:.4f}")
        print(f"  {s['model']}, {s['name']}: {s['ours']['p50_us'] / 1e3:.3f} "
              f"({s['ours']['p95_us'] / 1e3:.3f}) = {s['engine_us'] / 1e3:.3f} + "
              f"{s['fingerprint_us'] / 1e3:.3f} + {s['session_us'] / 1e3:.3f}{other}; "
              f"{s['runs']:.0f} runs of {', '.join(s['ran']) or 'nothing'}")
    for name, eager in everything["eager"].items():
        print(f"  {name}, eager PyTorch: {eager['p50_us'] / 1e3:.1f}")
    for micro in everything["micro"]:
        speed = micro.get("bytes_per_second")
        print(f"  {micro['name'].partition('/')[0]}: {micro['real_time']:.1f} µs" +
              (f", {speed / 1e9:.1f} GB/s" if speed else ""))


def main() -> int:
    arguments = parse_arguments()
    models = [m for m in MODELS if not arguments.only or m.name in arguments.only]
    WORK.mkdir(parents=True, exist_ok=True)
    tools = Tools(ROOT, arguments.build.resolve())
    rows, everything = measure(tools, models, arguments.quick)
    everything["table"] = [row.as_json() for row in rows]
    (WORK / "results.json").write_text(json.dumps(everything, indent=1) + "\n")
    print_table(rows)
    print_details(everything)
    print(f"\nall numbers: {os.path.relpath(WORK / 'results.json')}")
    if arguments.update_readme:
        update_readme(ROOT / "README.md", rows, everything)
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except (subprocess.CalledProcessError, FileNotFoundError) as error:
        sys.exit(f"bench: {error}")
