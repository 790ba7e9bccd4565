#!/usr/bin/env python3
"""Writes the page of the zoo from what its tests found.

    tests/zoo/report.py RESULTS_FOLDER PAGE.md
"""

import json
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))  # for `programs`

from models import MODELS  # noqa: E402

INTRODUCTION = """# Models

`make test-zoo` exports small configurations of real models (transformers, diffusers, two of our
own) with seeded weights, compiles them with default options, and holds every answer against
PyTorch eager. This page is written by it (`tests/zoo/report.py`); the models are in
`tests/zoo/models`.

For each model, for every set of inputs that change: the callables that run are those whose
dependencies meet the set, and the answer has the bits of a full run. Where the exact engine is
there, `--numerics exact` has the bits of PyTorch, for every set too.

- **share**: work that a request does in which this input alone changed, of a request in which all
  did; by estimates from shapes, so that it is the same on every machine. These configurations have
  a few narrow layers: in models of full size what is shared by inputs weighs differently.
- **callables**: `main` and the segments.
- **exact**: nodes that the exact engine runs because the fast one cannot do so faithfully.
- **difference**: the largest, of any output, from eager, by the output's scale, with default
  options.
"""

HEAD = """| model | inputs and share | nodes | callables | exact | difference |
|---|---|---|---|---|---|"""


def percent(share: float) -> str:
    return "< 1 %" if 0 < share < 0.01 else f"{share * 100:.0f} %"


def row(found: dict) -> str:
    name = found["model"]
    refused = found.get("refused", {}).get("default")
    if refused:
        return f"| {name} | {first_line(refused)} | | | | |"
    shares = found.get("share", {}).get("estimated", {})
    inputs = ", ".join(f"`{i}` {percent(shares[i]) if i in shares else ''}".rstrip()
                       for i in found.get("inputs", []))
    exact = len(found.get("exact_nodes", {}).get("default", []))
    apart = max([v for k, v in found.get("difference", {}).items() if k != "exact"], default=None)
    return (f"| {name} | {inputs} | {found.get('nodes', '')} | {found.get('callables', '')} | "
            f"{exact} | {'' if apart is None else f'{apart:.0e}'} |")


def first_line(text: str) -> str:
    return text.splitlines()[0].replace("|", "\\|")


def page(results: list[dict]) -> str:
    rows = "\n".join(row(found) for found in results)
    return f"{INTRODUCTION}\n{HEAD}\n{rows}\n"


def main() -> int:
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    folder, target = map(pathlib.Path, sys.argv[1:])
    pages = [folder / f"{name}.json" for name in MODELS]
    results = [json.loads(path.read_text()) for path in pages if path.exists()]
    if not results:
        sys.exit(f"report.py: {folder} holds no results: run the zoo's tests first")
    target.write_text(page(results))
    print(f"{target}: {len(results)} models")
    return 0


if __name__ == "__main__":
    sys.exit(main())
