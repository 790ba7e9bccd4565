#!/usr/bin/env python3
"""PyTorch's op samples, compiled and run by this library, against eager.

    run.py [--worker FILE] [--cache FOLDER] [--without-exact | --peer] [--ops NAME…] [-o FILE]

Exports the samples first where the cache lacks them. Every sample runs in a process that may die.
Prints totals, what is wrong and why samples are refused; -o writes all results as JSON.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import pathlib
import subprocess
import sys
import time

import torch

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
sys.path.insert(0, str(HERE))
import compare  # noqa: E402
import lanes  # noqa: E402
import raw_tensors  # noqa: E402
import report  # noqa: E402


def cache_folder(base: pathlib.Path) -> pathlib.Path:
    """One folder per PyTorch and version of what exports."""
    digest = hashlib.sha256()
    for name in ("samples.py", "export.py", "raw_tensors.py"):
        digest.update((HERE / name).read_bytes())
    return base / f"{torch.__version__}-{digest.hexdigest()[:12]}"


def export(folder: pathlib.Path, parts: int, only: list[str]) -> None:
    command = [sys.executable, HERE / "export.py", folder]
    options = ["--ops", *only] if only else []
    running = [subprocess.Popen([*command, "--part", f"{part}/{parts}", *options],
                                stdout=subprocess.DEVNULL) for part in range(parts)]
    if any([process.wait() for process in running]):
        sys.exit("conformance: exporting failed")


def read_index(folder: pathlib.Path, only: list[str]) -> list[dict]:
    """Every sample of the cache, in a fixed order."""
    entries = []
    for index in sorted(folder.glob("*/index.json")):
        if not only or index.parent.name in only:
            entries += json.loads(index.read_text())
    return entries


def judge(task: lanes.Task, answer: dict, outputs: pathlib.Path) -> dict:
    if "died" in answer:
        return {"status": "crash", "detail": answer["died"]}
    if "timeout" in answer:
        return {"status": "timeout", "detail": f"more than {answer['timeout']} s"}
    kept = {"exact": bool(answer.get("exact_nodes")), "callables": answer.get("callables", 0)}
    if answer["code"] != "OK":
        return {"status": "refused", "code": answer["code"], "stage": answer["stage"],
                "detail": answer["message"], **kept}
    data = torch.load(task.inputs.with_suffix(".pt"), weights_only=True)
    op = task.id.split("/")[0]
    text = compare.difference(op, task.model, data["inputs"], data["outputs"],
                              raw_tensors.read(outputs))
    return {"status": "wrong", "detail": text, **kept} if text else {"status": "passed", **kept}


def run(folder: pathlib.Path, entries: list[dict], arguments) -> dict:
    tasks = [lanes.Task(e["sample"], folder / f"{e['sample']}.pt2", folder / f"{e['sample']}.in")
             for e in entries if "skipped" not in e]
    environment = {}
    if arguments.peer:
        command = [sys.executable, HERE / "peer_worker.py"]
    else:
        command = [arguments.worker, *arguments.worker_option]
        if arguments.without_exact:
            environment["CHANGEAWARE_LIBTORCH"] = str(folder / "no PyTorch here")
    # First samples first, so that what a run that was cut short has seen is of every op.
    tasks.sort(key=lambda task: (task.id.rsplit("-", 1)[1], task.id))
    if arguments.log is None:
        return lanes.run_all(tasks, command, environment, arguments.lanes, judge)
    with arguments.log.open("w") as log:
        def judge_and_log(task, answer, outputs):
            result = judge(task, answer, outputs)
            log.write(json.dumps({task.id: result}) + "\n")
            log.flush()
            return result

        return lanes.run_all(tasks, command, environment, arguments.lanes, judge_and_log)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--worker", default=ROOT / "build/bin/conformance_worker")
    parser.add_argument("--worker-option", action="append", default=[])
    parser.add_argument("--cache", type=pathlib.Path, default=ROOT / "build/conformance")
    parser.add_argument("--samples", type=pathlib.Path, help="a folder of exported samples")
    parser.add_argument("--without-exact", action="store_true")
    parser.add_argument("--peer", action="store_true", help="OpenVINO's own conversion instead")
    parser.add_argument("--ops", nargs="*", default=[])
    parser.add_argument("--only", type=pathlib.Path, help="a file that names samples, one a line")
    parser.add_argument("--lanes", type=int, default=os.cpu_count())
    parser.add_argument("--log", type=pathlib.Path, help="gets a line for each sample at once")
    parser.add_argument("-o", "--output", type=pathlib.Path)
    arguments = parser.parse_args()
    torch.set_num_threads(1)
    folder = arguments.samples or cache_folder(arguments.cache)
    if arguments.samples is None:
        export(folder, arguments.lanes, arguments.ops)
    entries = read_index(folder, arguments.ops)
    if arguments.only:
        wanted = set(arguments.only.read_text().split())
        entries = [entry for entry in entries if entry["sample"] in wanted]
    begin = time.monotonic()
    results = run(folder, entries, arguments)
    document = {"seconds": round(time.monotonic() - begin, 1),
                "skipped": {e["sample"]: [e["skipped"], e["detail"]] for e in entries
                            if "skipped" in e},
                "results": dict(sorted(results.items()))}
    if arguments.output:
        arguments.output.write_text(json.dumps(document, indent=0))
    print(report.text(document))
    bad = [r for r in results.values() if r["status"] in ("wrong", "crash", "timeout")]
    return 1 if bad and not arguments.peer else 0


if __name__ == "__main__":
    sys.exit(main())
