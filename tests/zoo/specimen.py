"""A model of the zoo: exported once, compiled once in each way, and what is known about it."""

import dataclasses
import functools
import os
import subprocess
import time

import numpy as np
import torch
from harness import FULL_RETENTION, Cli, CliError, Compiled, to_numpy
from models import MODELS, SIZES
from models.changes import resized

THREADS = ("--threads", 2)
EXACT = ("--numerics", "exact")


def exact_engine_is_there() -> bool:
    return bool(os.environ.get("CHANGEAWARE_LIBTORCH"))


class RecordingCli(Cli):
    """Keeps the last document, so that what `compile` said is known."""

    def json(self, *arguments) -> dict:
        document = super().json(*arguments)
        if arguments[0] == "compile":
            self.compile_report = document
        return document


class Specimen:
    def __init__(self, name, cli, folder):
        self.name = name
        self.cli = RecordingCli(cli.path)
        self.folder = folder
        self.findings = {"model": name}
        self._attempts = {}  # by kind of compilation: what was compiled, or the error

    @functools.cached_property
    def program(self):
        return MODELS[self.name]()

    @functools.cached_property
    def exported(self):
        return self.program.save(self.folder / "model.pt2")

    def _compiled(self, kind: str, *options) -> Compiled:
        if kind not in self._attempts:
            exported = self.exported
            begin = time.monotonic()
            try:
                self._attempts[kind] = self._compile(exported, kind, *options)
            except (AssertionError, CliError, subprocess.SubprocessError) as error:
                self._attempts[kind] = error
                self.findings.setdefault("refused", {})[kind] = str(error).strip()
            self.findings.setdefault("compile_seconds", {})[kind] = round(
                time.monotonic() - begin, 1)
        made = self._attempts[kind]
        if isinstance(made, Exception):
            raise made
        return made

    def _compile(self, exported, kind: str, *options) -> Compiled:
        folder = self.folder / kind
        folder.mkdir()
        made = Compiled.from_file(self.cli, self.folder / "model.pt2", folder, exported,
                                  self.program.eager, self.program.vary, *options)
        self.findings.setdefault("exact_nodes", {})[kind] = self.cli.compile_report.get(
            "exact_nodes", [])
        if any(s["name"] == FULL_RETENTION for s in made.manifest["strategies"]):
            made.strategy_options = ("--strategy", FULL_RETENTION)
        return made

    @property
    def compiled(self) -> Compiled:
        """With default options."""
        return self._compiled("default")

    @property
    def nominal(self) -> Compiled:
        """By estimates from shapes: the same on every machine."""
        return self._compiled("nominal", "--nominal-costs")

    @functools.cached_property
    def exact(self) -> Compiled:
        """All of it on the exact engine, whose answers have the bits of the exported program's."""
        made = self._compiled("exact", *EXACT, *THREADS)
        made.eager = self.run_exported
        made.strategy_options = (*made.strategy_options, *THREADS)
        return made

    def run_exported(self, leaves: list) -> list:
        module = self.exported.module()
        with torch.no_grad():
            out = module(**dict(zip(self.program.kwargs, leaves, strict=True)))
        return torch.utils._pytree.tree_flatten(out)[0]

    def resized_inputs(self) -> list[dict[str, np.ndarray]]:
        """Inputs of other sizes, one dictionary a request; what is not resized is left out."""
        return [{name: to_numpy(resized(self.program.kwargs[name], axes))
                 for name, axes in sizes.items()} for sizes in SIZES[self.name]]


def unforced(compiled: Compiled) -> Compiled:
    """The same package, whose planner decides."""
    return dataclasses.replace(compiled, strategy_options=())


def difference(actual: np.ndarray, expected: np.ndarray) -> float:
    """The largest difference by the scale of what is expected; 0 or infinite for numbers that are
    no floats, and where one is finite and the other is not the same."""
    if not np.issubdtype(expected.dtype, np.floating):
        return 0.0 if np.array_equal(actual, expected) else float("inf")
    finite = np.isfinite(expected)
    if not np.array_equal(actual[~finite], expected[~finite], equal_nan=True):
        return float("inf")
    if not finite.any():
        return 0.0
    scale = max(float(np.abs(expected[finite]).max()), 1e-30)
    apart = float(np.abs(actual[finite].astype(np.float64) - expected[finite]).max())
    return apart / scale if np.isfinite(apart) else float("inf")


def shares(compiled: Compiled) -> dict[str, float]:
    """What a change of one input alone costs, of what a change of all costs."""
    strategy = next((s for s in compiled.manifest["strategies"] if s["name"] == FULL_RETENTION),
                    None)
    if strategy is None:
        return dict.fromkeys(compiled.inputs, 1.0)
    costs = {frozenset(c["changed"]): c["steady_us"] for c in strategy["mask_costs"]}
    everything = costs[frozenset(compiled.inputs)]
    return {name: costs[frozenset([name])] / everything for name in compiled.inputs}
