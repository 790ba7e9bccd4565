"""Drives the command line tool and compares its answers with PyTorch.

The tool is used as anybody uses it: `compile`, `inspect`, `run` and `replay` with files. Every call
checks that the process was not killed by a signal.
"""

from __future__ import annotations

import dataclasses
import hashlib
import itertools
import json
import os
import pathlib
import subprocess

import numpy as np
import torch
from torch.utils import _pytree as pytree

TIMEOUT = 300
FULL_RETENTION = "full_retention"


class CliError(Exception):
    """The tool refused: exit code 1 and a message."""

    def __init__(self, message: str):
        super().__init__(message)
        self.message = message


@dataclasses.dataclass
class Cli:
    path: pathlib.Path

    def call(self, *arguments) -> subprocess.CompletedProcess:
        done = subprocess.run([str(self.path), *map(str, arguments)], capture_output=True,
                              text=True, timeout=TIMEOUT, check=False)
        assert done.returncode >= 0, f"{arguments}: killed by signal {-done.returncode}"
        return done

    def refusal(self, *arguments) -> str:
        """Standard error of a call that must be refused: exit code 1 and nothing else."""
        done = self.call(*arguments)
        assert done.returncode == 1, (
            f"{arguments}: exit code {done.returncode}, expected 1\n{done.stdout}{done.stderr}")
        assert done.stderr.strip(), f"{arguments}: refused without a message"
        return done.stderr

    def lines(self, *arguments) -> list:
        """The JSON documents that a call with --json prints, one a line.

        A replay in which an answer was not equal prints all of them and exits with 1.
        """
        done = self.call(*arguments, "--json")
        assert done.returncode in (0, 1), f"{arguments}: exit code {done.returncode}: {done.stderr}"
        if done.returncode == 1 and not done.stdout.strip():
            raise CliError(done.stderr.strip())
        return [json.loads(line) for line in done.stdout.splitlines() if line.strip()]

    def json(self, *arguments) -> dict:
        (document,) = self.lines(*arguments)
        return document


def input_names(exported: torch.export.ExportedProgram) -> list[str]:
    """Names of all inputs, those fixed at export too, in the order of the flattened arguments."""
    kind = torch.export.graph_signature.InputKind.USER_INPUT
    return [spec.arg.name for spec in exported.graph_signature.input_specs if spec.kind == kind]


def to_numpy(value) -> np.ndarray:
    return value.detach().cpu().numpy() if isinstance(value, torch.Tensor) else np.asarray(value)


def error_text(request: dict) -> str:
    """Why a replayed request failed; fails itself when it did not."""
    assert "error" in request, "the request was answered"
    return json.dumps(request["error"])


def digest(value: np.ndarray) -> str:
    """As `replay` reports an output: of the raw bytes, little-endian, in C order."""
    return hashlib.sha256(np.ascontiguousarray(value).tobytes()).hexdigest()


def masks(names: list[str]) -> list[tuple[str, ...]]:
    """Every change mask, from nothing to everything."""
    return [c for size in range(len(names) + 1) for c in itertools.combinations(names, size)]


@dataclasses.dataclass
class Replay:
    requests: list[dict]
    summary: dict


@dataclasses.dataclass
class Compiled:
    """A compiled package beside the program it was made from."""

    cli: Cli
    folder: pathlib.Path
    package: pathlib.Path
    manifest: dict
    leaves: list                      # flat sample inputs; those fixed at export too
    names: list[str]                  # of `leaves`
    eager: object                     # flat inputs -> flat outputs
    vary: object
    exported: torch.export.ExportedProgram | None = None
    strategy_options: tuple = ()      # of `run` and `replay`, where a test gives none

    @classmethod
    def from_program(cls, cli, program, folder, core=False, options=()) -> Compiled:
        """A program so small that calls cost more than what they compute.

        By measured times it would be cut, and its pieces used, now so and now so; so estimates from
        shapes decide, and every answer is made of pieces where there are any.
        """
        model = folder / "model.pt2"
        exported = program.save(model, core)
        made = cls.from_file(cli, model, folder, exported, program.eager, program.vary,
                             "--nominal-costs", *options)
        if any(s["name"] == FULL_RETENTION for s in made.manifest["strategies"]):
            made.strategy_options = ("--strategy", FULL_RETENTION)
        return made

    @classmethod
    def from_file(cls, cli, model, folder, exported, eager, vary, *options) -> Compiled:
        package = folder / "package.pt2"
        cli.json("compile", model, "-o", package, *options)
        manifest = cli.json("inspect", package)
        leaves = pytree.tree_flatten(exported.example_inputs)[0]
        return cls(cli, folder, package, manifest, leaves, input_names(exported), eager, vary,
                   exported)

    def _with_strategy(self, options) -> list:
        return [*options, *(() if "--strategy" in options else self.strategy_options)]

    # What the package says about itself.

    @property
    def inputs(self) -> list[str]:
        """Inputs that a caller gives."""
        return [i["name"] for i in self.manifest["inputs"] if "fixed_value" not in i]

    @property
    def outputs(self) -> list[str]:
        return [o["name"] for o in self.manifest["outputs"]]

    @property
    def segments(self) -> list[dict]:
        return [c for c in self.manifest["callables"] if c["name"] != "main"]

    def segment(self, name: str) -> dict:
        return next(c for c in self.segments if c["name"] == name)

    def producing(self, output: str) -> dict:
        """The segment that computes a program output."""
        value = next(o for o in self.manifest["outputs"] if o["name"] == output)["value"]
        return next(c for c in self.segments if value in [p["name"] for p in c["outputs"]])

    def depending_on(self, changed) -> list[str]:
        """Segments that must run when the values of these inputs changed."""
        return [c["name"] for c in self.segments if set(c["dependencies"]) & set(changed)]

    def suppliers(self, names) -> set[str]:
        """Segments outside `names` whose outputs the segments in `names` read."""
        wanted = {p["name"] for n in names for p in self.segment(n)["inputs"]}
        return {c["name"] for c in self.segments
                if c["name"] not in names and wanted & {p["name"] for p in c["outputs"]}}

    # Values.

    def sample(self) -> dict[str, np.ndarray]:
        return {name: to_numpy(leaf) for name, leaf in zip(self.names, self.leaves, strict=True)
                if isinstance(leaf, torch.Tensor)}

    def expected(self, values: dict[str, np.ndarray]) -> list:
        """Flat outputs of PyTorch for these inputs, None among them."""
        leaves = [torch.from_numpy(np.array(values[name], order="C")) if name in values else leaf
                  for name, leaf in zip(self.names, self.leaves, strict=True)]
        return self.eager(leaves)

    def write(self, value: np.ndarray) -> str:
        """The name of a .npy file in the folder of this package that holds the value."""
        order = "F" if value.flags.f_contiguous and not value.flags.c_contiguous else "C"
        key = hashlib.sha256(
            f"{value.dtype}{value.shape}{order}".encode() + value.tobytes()).hexdigest()[:24]
        path = self.folder / f"{key}.npy"
        if not path.exists():
            np.save(path, value)
        return path.name

    # Calls.

    def run(self, values: dict[str, np.ndarray], want=(), options=()) -> dict[str, np.ndarray]:
        """`run`: outputs by name; a None output has no file."""
        out = self.folder / f"out_{len(os.listdir(self.folder))}"
        arguments = ["run", self.package, "--output-dir", out]
        for name, value in values.items():
            arguments += ["--input", f"{name}={self.folder / self.write(value)}"]
        for name in want:
            arguments += ["--want", name]
        self.cli.json(*arguments, *self._with_strategy(options))
        return {path.stem: np.load(path) for path in sorted(out.glob("*.npy"))}

    def replay(self, requests: list[dict], *options, check=True) -> Replay:
        """`replay` of {"inputs": {name: array}, "want": [...]}; with --check by default."""
        written = [{**request, "inputs": {name: self.write(value) for name, value
                                          in request.get("inputs", {}).items()}}
                   for request in requests]
        trace = self.folder / f"trace_{len(os.listdir(self.folder))}.json"
        trace.write_text(json.dumps({"requests": written}))
        lines = self.cli.lines("replay", self.package, trace, *self._with_strategy(options),
                               *(["--check"] if check else []))
        assert len(lines) == len(requests) + 1, "one line per request and a summary"
        return Replay(lines[:-1], lines[-1])

    # Checks.

    def assert_close(self, actual: dict[str, np.ndarray], expected: list, rtol, atol) -> None:
        assert len(self.outputs) == len(expected)
        for name, right in zip(self.outputs, expected, strict=True):
            if right is None or isinstance(right, str):
                assert name not in actual, f"{name} is {right!r} but has a file"
                continue
            right = to_numpy(right)
            assert name in actual, f"no file for output {name}"
            got = actual[name]
            assert got.shape == right.shape, name
            assert got.dtype == right.dtype, name
            if np.issubdtype(right.dtype, np.floating):
                np.testing.assert_allclose(got, right, rtol=rtol, atol=atol, err_msg=name)
            else:
                np.testing.assert_array_equal(got, right, err_msg=name)

    def check_run(self, values=None, rtol=1e-5, atol=1e-5) -> dict[str, np.ndarray]:
        """`run` agrees with PyTorch; returns the outputs."""
        values = self.sample() if values is None else values
        actual = self.run(values)
        self.assert_close(actual, self.expected(values), rtol, atol)
        return actual

    def _seen(self, segment: str, before: list[dict], now: dict) -> bool:
        """Whether the segment ran earlier on the same values of all its dependencies."""
        names = self.segment(segment)["dependencies"]
        return any(all(step[n].tobytes() == now[n].tobytes() for n in names) for step in before)

    def check_request(self, request: dict, changed, before, now) -> None:
        """One replayed request ran what `changed` makes necessary, no more, bit-identically."""
        assert "error" not in request, request["error"]
        assert request["equal"] is True
        assert sorted(request["changed"]) == sorted(changed)
        if not self.segments:  # so little to do that pieces would not pay
            assert request["ran"] == (["main"] if changed else [])
            return
        needed = [n for n in self.depending_on(changed) if not self._seen(n, before, now)]
        if set(changed) == set(self.inputs):
            assert request["ran"] in (["main"], needed) or set(needed) <= set(request["ran"])
            return
        ran, reused = set(request["ran"]), set(request["reused"])
        assert [n for n in needed if n in ran] == request["ran"], "nothing else, and in order"
        assert not ran & reused
        # What is not run although its input changed has read the same bits as before.
        assert self._reading(changed, needed) <= ran
        assert set(needed) - ran <= reused
        assert self.suppliers(request["ran"]) <= reused

    def _reading(self, inputs, segments) -> set[str]:
        """Those of the segments that read one of these program inputs directly."""
        return {n for n in segments
                if set(inputs) & {p["name"] for p in self.segment(n)["inputs"]}}

    def strategy(self, name: str) -> dict:
        return next(s for s in self.manifest["strategies"] if s["name"] == name)

    def check_masks(self, rtol=1e-5, atol=1e-5, verify_values=True) -> Replay:
        """Every change mask, each with other values than before: right, minimal, bit-identical.

        The first and the last answer are compared with PyTorch by value.
        """
        sample = self.sample()
        steps = [sample]
        requests = [{"inputs": sample}]
        wanted = []
        for step, mask in enumerate(masks(self.inputs), start=1):
            fresh = {name: self.vary(name, sample[name], step) for name in mask}
            # A program may leave an input as it is, or go back to a value that was kept.
            wanted.append([n for n in mask if fresh[n].tobytes() != steps[-1][n].tobytes()])
            steps.append({**steps[-1], **fresh})
            requests.append({"inputs": fresh})
        replay = self.replay(requests)
        assert "error" not in replay.requests[0], replay.requests[0]
        assert replay.requests[0]["equal"] is True
        for index, (mask, request) in enumerate(zip(wanted, replay.requests[1:], strict=True), 1):
            self.check_request(request, mask, steps[:index], steps[index])
        if verify_values:
            for index in (0, len(steps) - 1):
                self._check_answer(steps[index], replay.requests[index], rtol, atol)
        return replay

    def _check_answer(self, values, request, rtol, atol) -> None:
        """The replayed answer has the bytes that `run` writes, and those are PyTorch's."""
        for name, value in self.check_run(values, rtol, atol).items():
            assert request["outputs"][name] == digest(value), name
