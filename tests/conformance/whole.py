#!/usr/bin/env python3
"""The whole conformance run: with the exact engine, without it, and OpenVINO's own conversion.

    whole.py [--worker FILE] [--no-peer] [--update-docs] [--ops NAME…] [options of run.py]

Writes build/conformance/{exact,fast,peer}.json and prints the totals; the texts
beside them group the refusals by reason.
Ends with 1 if an answer is wrong or a process died (not the peer's).
"""

from __future__ import annotations

import argparse
import json
import os
import pathlib
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
sys.path[:0] = [str(HERE), str(ROOT / "scripts")]
import report  # noqa: E402
import run_tests  # noqa: E402
import subset  # noqa: E402
import table  # noqa: E402

OUTPUT = ROOT / "build/conformance"
LANES = {"exact": [], "fast": ["--without-exact"], "peer": ["--peer"]}


def run_lane(name: str, options: list[str], environment: dict) -> dict:
    """The results; they are also in OUTPUT."""
    result = OUTPUT / f"{name}.json"
    result.unlink(missing_ok=True)
    with (OUTPUT / f"{name}.txt").open("w") as text:
        subprocess.run([sys.executable, HERE / "run.py", *LANES[name], *options, "-o", result],
                       stdout=text, stderr=subprocess.STDOUT, env=environment)
    if not result.exists():
        sys.exit(f"conformance: the run '{name}' failed; see {OUTPUT / name}.txt")
    return json.loads(result.read_text())


def totals_table(documents: dict) -> list[str]:
    lines = [("run", *report.STATUSES, "all", "seconds")]
    for name, document in documents.items():
        counts = report.totals(document["results"])["all"]
        lines.append((name, *(counts[s] for s in report.STATUSES), sum(counts.values()),
                      round(document["seconds"])))
    return report.table(lines)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--no-peer", action="store_true")
    parser.add_argument("--update-docs", action="store_true")
    arguments, options = parser.parse_known_args()
    OUTPUT.mkdir(parents=True, exist_ok=True)
    environment = {**os.environ, **run_tests.exact_engine()}
    names = [name for name in LANES if not (name == "peer" and arguments.no_peer)]
    documents = {}
    for name in names:
        print(f"conformance: {name}", flush=True)
        documents[name] = run_lane(name, options, environment)
    print("\n".join(totals_table(documents)))
    bad = [f"{name}: {r['status']}: {sample}: {r['detail']}"
           for name, document in documents.items() if name != "peer"
           for sample, r in document["results"].items()
           if r["status"] in ("wrong", "crash", "timeout")]
    print("\n".join(bad))
    if "--ops" in options or "--only" in options:
        return 1 if bad else 0
    changed = table.check_or_update(documents["exact"], documents["fast"], arguments.update_docs)
    if arguments.update_docs:
        subset.update(documents["exact"], documents["fast"])
    elif changed:
        print(f"table.txt says otherwise of {len(changed)} ops; --update-docs writes it anew")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
