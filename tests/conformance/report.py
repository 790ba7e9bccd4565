"""What a run came to, in words."""

from __future__ import annotations

import collections
import re

STATUSES = ("passed", "refused", "wrong", "crash", "timeout")


def totals(results: dict) -> dict:
    """Counts by status for "all" and each dtype."""
    out = collections.defaultdict(collections.Counter)
    for name, result in results.items():
        out["all"][result["status"]] += 1
        out[name.split("/")[1].split("-")[0]][result["status"]] += 1
    return out


def split_reason(message: str) -> tuple[str, str]:
    """(operator named in a refusal, the reason without names and numbers)."""
    operators = re.findall(r"\b(?:aten|prims|quantized_decomposed|higher_order)\.[\w.]+", message)
    reason = re.sub(r"'[^']*'|\"[^\"]*\"", "…", message)
    reason = re.sub(r"\b(?:aten|prims|higher_order)\.[\w.]+", "OP", reason)
    reason = re.sub(r"\S*/\S+\.pt2: ", "", reason)
    reason = re.sub(r"\[[^\]]*\]", "[…]", reason)
    reason = re.sub(r"\b[A-Za-z_]\w*_\d+\b", "…", reason)
    reason = re.sub(r"-?\b\d+(?:\.\d+)?(?:e[+-]?\d+)?\b", "N", reason)
    return operators[0] if operators else "", reason.strip()


def refusals(results: dict) -> list[tuple[str, list]]:
    """(reason, [(operator, samples)]) by descending number of samples."""
    groups = collections.defaultdict(collections.Counter)
    for result in results.values():
        if result["status"] == "refused":
            operator, reason = split_reason(result["detail"])
            groups[f"{result['code']}: {reason}"][operator or "(none named)"] += 1
    return sorted(((reason, ops.most_common()) for reason, ops in groups.items()),
                  key=lambda group: -sum(count for _, count in group[1]))


def table(rows: list) -> list[str]:
    widths = [max(len(str(cell)) for cell in column) for column in zip(*rows)]
    return ["  ".join(str(cell).ljust(width) for cell, width in zip(row, widths)).rstrip()
            for row in rows]


def text(document: dict) -> str:
    results = document["results"]
    counts = totals(results)
    lines = table([("samples", *STATUSES, "all")] + [
        (kind, *(counts[kind][s] for s in STATUSES), sum(counts[kind].values()))
        for kind in ("all", "f32", "i64", "bool")])
    exact = sum(r.get("exact", False) for r in results.values() if r["status"] == "passed")
    lines += [f"{exact} of the passed use the exact engine; {document['seconds']} s"]
    skipped = collections.Counter(kind for kind, _ in document["skipped"].values())
    lines += ["not counted: " + ", ".join(f"{n} {kind}" for kind, n in skipped.most_common())]
    for status in ("wrong", "crash", "timeout"):
        lines += [f"{status}: {name}: {r['detail']}" for name, r in results.items()
                  if r["status"] == status]
    lines += ["refused:"]
    for reason, ops in refusals(results):
        lines += [f"{sum(n for _, n in ops):5}  {reason[:400]}",
                  "         " + ", ".join(f"{op} {n}" for op, n in ops)]
    return "\n".join(lines)
