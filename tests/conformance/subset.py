#!/usr/bin/env python3
"""The samples that `make test` runs, and what is expected of each (expected.txt).

    subset.py WITH_EXACT.json WITHOUT_EXACT.json     chooses them anew from two whole runs

expected.txt: "SAMPLE WITH_EXACT WITHOUT_EXACT [kept]" with passed or refused; "kept" stays for
ever, because the sample was wrong or crashed once.
"""

from __future__ import annotations

import collections
import json
import pathlib
import re
import sys
from typing import NamedTuple

HERE = pathlib.Path(__file__).resolve().parent
EXPECTED = HERE / "expected.txt"
NAMESPACES = ("nn.functional.", "linalg.", "special.", "fft.", "masked.", "signal.windows.")


class Expectation(NamedTuple):
    with_exact: str
    without_exact: str
    kept: bool


def read() -> dict[str, Expectation]:
    out = {}
    for line in EXPECTED.read_text().splitlines() if EXPECTED.exists() else []:
        sample, with_exact, without_exact, *kept = line.split()
        out[sample] = Expectation(with_exact, without_exact, bool(kept))
    return out


def family(op: str) -> str:
    """The namespace and the first word: nn.functional.conv2d → nn.functional.conv."""
    space = next((n for n in NAMESPACES if op.startswith(n)), "")
    return space + re.split(r"[._\d]", op.removeprefix(space).lstrip("_"))[0]


def bad(result: dict) -> bool:
    return result["status"] in ("wrong", "crash")


def choose(runs: list[dict], kept: set[str]) -> list[str]:
    """The kept, what is bad now, and one of each family: of floats, then of another dtype, …"""
    chosen = {sample for sample in kept if sample in runs[0]}
    by_family = collections.defaultdict(list)
    for sample in sorted(runs[0]):
        if any(bad(run[sample]) for run in runs):
            chosen.add(sample)
        by_family[family(sample.split("/")[0])].append(sample)
    for number, (_, samples) in enumerate(sorted(by_family.items())):
        floats = [s for s in samples if "/f32-" in s]
        others = [s for s in samples if "/f32-" not in s]
        either = (floats or others, others or floats)[number % 2]
        chosen.add(either[0] if number % 4 < 2 else either[-1])
    return sorted(chosen)


def expected_status(result: dict) -> str:
    return "passed" if result["status"] == "passed" else "refused"


def update(with_exact: dict, without_exact: dict) -> None:
    runs = [with_exact["results"], without_exact["results"]]
    kept = {sample for sample, e in read().items() if e.kept}
    lines = []
    for sample in choose(runs, kept):
        mark = sample in kept or any(bad(run[sample]) for run in runs)
        lines.append(" ".join([sample, *(expected_status(run[sample]) for run in runs),
                               *(["kept"] if mark else [])]))
    EXPECTED.write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    update(*(json.loads(pathlib.Path(path).read_text()) for path in sys.argv[1:3]))
