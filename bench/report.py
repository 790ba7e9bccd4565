"""The table: on the terminal and in README.md."""

from __future__ import annotations

import dataclasses
import os
import pathlib

BEGIN, END = "<!-- bench table -->", "<!-- /bench table -->"


@dataclasses.dataclass
class Row:
    what: str
    measured: float
    unit: str
    limit: float
    problem: str = ""  # why the number does not count
    is_floor: bool = False  # the number must not be below the limit

    @classmethod
    def from_json(cls, row: dict) -> Row:
        is_floor = "must_be_at_least" in row
        limit = row["must_be_at_least" if is_floor else "must_be_at_most"]
        return cls(row["what"], row["measured"], row["unit"], limit, row["problem"], is_floor)

    @property
    def is_ok(self) -> bool:
        keeps = self.measured >= self.limit if self.is_floor else self.measured <= self.limit
        return keeps and not self.problem

    def number(self, value: float) -> str:
        if self.unit == "B":
            return f"{value:,.0f} B"
        digits = {"": 2, "s": 1 if self.limit >= 1 else 2, "ms": 2, "µs": 0}[self.unit]
        # One more where two digits would hide which side of the limit it is on.
        is_close = round(self.measured, digits) == round(self.limit, digits)
        if self.unit == "" and (value < 0.1 or is_close):
            digits = 3
        return f"{value:.{digits}f} {self.unit}".strip()

    def cells(self) -> list[str]:
        sign = "≥" if self.is_floor else "≤"
        return [self.what, self.number(self.measured), f"{sign} {self.number(self.limit)}"]

    def verdict(self) -> str:
        return "ok" if self.is_ok else "MISSED" + (f": {self.problem}" if self.problem else "")

    def as_json(self) -> dict:
        return {"what": self.what, "measured": self.measured, "unit": self.unit,
                "must_be_at_least" if self.is_floor else "must_be_at_most": self.limit,
                "ok": self.is_ok, "problem": self.problem}


def machine() -> dict:
    info = {}
    for line in pathlib.Path("/proc/cpuinfo").read_text().splitlines():
        key, _, value = line.partition(":")
        info.setdefault(key.strip(), value.strip())
    return {"cpu": info.get("model name", "unknown processor"),
            "cores": len(os.sched_getaffinity(0)),
            "flags": sorted({"avx2", "avx512f", "avx512_bf16", "amx_tile"} &
                            set(info.get("flags", "").split()))}


def print_table(rows: list[Row]) -> None:
    table = [["what", "measured", "must be", ""]] + [[*row.cells(), row.verdict()] for row in rows]
    widths = [max(map(len, column)) for column in zip(*table)]
    for number, cells in enumerate(table):
        print("  ".join(cell.ljust(width) for cell, width in zip(cells, widths)).rstrip())
        if number == 0:
            print("  ".join("-" * width for width in widths[:3]))


def markdown_table(head: list[str], rows: list[list[str]]) -> list[str]:
    return ["| " + " | ".join(cells) + " |" for cells in
            [head, ["---"] * len(head), *rows]]


def target_table(rows: list[Row]) -> list[str]:
    """The rows that have a limit."""
    cells = [row.cells() for row in rows]
    for row, texts in zip(rows, cells, strict=True):
        if not row.is_ok:
            texts[1] += " (missed)"
    return markdown_table(["what", "measured", "must be"], cells)


def where_it_ran(everything: dict) -> str:
    where = everything["machine"]
    flags = f" ({', '.join(where['flags'])})" if where["flags"] else ""
    return (f"{where['cpu']}{flags}, {everything['threads']} threads of {where['cores']} cores, "
            f"{everything['date'][:10]}")


def readme_table(rows: list[Row], everything: dict) -> str:
    eager = ", ".join(f"{name} {result['p50_us'] / 1e3:,.0f} ms"
                      for name, result in everything["eager"].items())
    return "\n".join([*target_table(rows), "", f"{where_it_ran(everything)}." +
                      (f" A full run in eager PyTorch: {eager}." if eager else "")])


def update_readme(path: pathlib.Path, rows: list[Row], everything: dict) -> None:
    """Replaces what is between the two markers; adds the second one where it is missing."""
    text = path.read_text(encoding="utf-8")
    if BEGIN not in text:
        raise FileNotFoundError(f"{path} has no line {BEGIN}")
    if END not in text:
        text = text.replace(BEGIN, f"{BEGIN}\n{END}", 1)
    before, rest = text.split(BEGIN, 1)
    after = rest.split(END, 1)[1]
    path.write_text(f"{before}{BEGIN}\n{readme_table(rows, everything)}\n{END}{after}",
                    encoding="utf-8")
