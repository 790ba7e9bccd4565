"""`changeaware export-coreai`: the command line of this packager."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence

from .._core import Error


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="changeaware export-coreai",
        description="Writes a package as one Core AI asset, with main and every segment as "
                    "functions, and MODEL.aimodel.json beside it. Needs changeaware[coreai].")
    parser.add_argument("package", metavar="PACKAGE.pt2", help="what `changeaware compile` wrote")
    parser.add_argument("-o", "--output", metavar="MODEL.aimodel", required=True)
    parser.add_argument("--verify", action="store_true",
                        help="execute every strategy from the asset and compare it with main")
    parser.add_argument("--json", action="store_true", help="the result as JSON")
    return parser


def main(arguments: Sequence[str]) -> int:
    """Runs the sub-command, `arguments` without its name; returns the exit code.

    0: done. 1: refused; the reason is on the standard error. 2: wrong usage.
    """
    try:
        options = _parser().parse_args(list(arguments))
    except SystemExit as end:
        return int(end.code or 0)
    from . import export

    try:
        done = export(options.package, options.output, verify=options.verify)
    except Error as error:
        if options.json:
            print(json.dumps({"error": {"code": error.code, "message": str(error)}}))
        print(f"changeaware export-coreai: {error}", file=sys.stderr)
        return 1
    checked = done.verified
    if options.json:
        print(json.dumps({
            "asset": str(done.asset), "manifest": str(done.manifest_path),
            "functions": done.functions, "asset_bytes": done.asset_bytes,
            "weight_bytes": done.weight_bytes, "narrowings": done.narrowings,
            "verified": checked.as_json() if checked else None}))
        return 0
    print(f"{done.asset}: {done.asset_bytes:,} bytes, of which {done.weight_bytes:,} are weights")
    print(f"  functions   {', '.join(done.functions)}")
    for item in done.narrowings:
        print(f"  narrowed    {item['function']}.{item['port']}: {item['from']} to {item['to']}")
    for strategy in checked.strategies if checked else ():
        print(f"  {strategy.name}: "
              f"{strategy.difference_from_main or 'the bits of main'}")
    return 0
