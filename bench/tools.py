"""Runs the programs that take part in a measurement."""

from __future__ import annotations

import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time

# Settings of other thread pools would change what is measured.
THREAD_VARIABLES = ("OPENBLAS_", "OMP_", "MKL_", "KMP_")


def clean_environment() -> dict:
    return {k: v for k, v in os.environ.items() if not k.startswith(THREAD_VARIABLES)}


class Tools:
    def __init__(self, root: pathlib.Path, build: pathlib.Path):
        self.root = root
        self.changeaware = build / "bin" / "changeaware"
        self.bench = build / "bin" / "model_bench"
        self.memory = build / "bin" / "memory_bench"
        self.micro = build / "bin" / "micro_bench"
        self.analysis_scaling = build / "bin" / "analysis_scaling"
        self.planner_scaling = build / "bin" / "planner_scaling"
        for program in (self.changeaware, self.bench, self.memory, self.micro,
                        self.analysis_scaling, self.planner_scaling):
            if not program.exists():
                raise FileNotFoundError(f"{program} is not built; run `make build`")

    def python(self, script: str, *arguments, capture=False) -> str:
        done = subprocess.run(
            [sys.executable, "-W", "ignore", str(self.root / script), *map(str, arguments)],
            check=True, text=True, env=clean_environment(),
            stdout=subprocess.PIPE if capture else None)
        return done.stdout or ""

    def compile(self, program: pathlib.Path, package: pathlib.Path, *options) -> dict:
        """What compiling took, in a process of its own, and what came out."""
        package.unlink(missing_ok=True)
        command = [str(self.changeaware), "compile", str(program), "-o", str(package), "--json",
                   *map(str, options)]
        with tempfile.TemporaryFile() as output:
            start = time.monotonic()
            child = subprocess.Popen(command, stdout=output, env=clean_environment())
            _, status, usage = os.wait4(child.pid, 0)
            seconds = time.monotonic() - start
            child.returncode = os.waitstatus_to_exitcode(status)
            output.seek(0)
            printed = output.read()
        if child.returncode != 0:
            raise subprocess.CalledProcessError(child.returncode, command)
        report = json.loads(printed)
        return {"seconds": seconds, "peak_rss_bytes": usage.ru_maxrss * 1024,
                "package_bytes": package.stat().st_size,
                "stage_seconds": report["stage_seconds"], "nodes_kept": report["nodes_kept"],
                "strategies": report["strategies"],
                "strategy_candidates": report["strategy_candidates"]}

    def inspect(self, package: pathlib.Path) -> dict:
        return self._json(self.changeaware, "inspect", package, "--json")

    def _json(self, *command) -> dict:
        done = subprocess.run([str(part) for part in command], check=True, stdout=subprocess.PIPE,
                              env=clean_environment())
        return json.loads(done.stdout)

    def model_bench(self, plan: pathlib.Path) -> dict:
        return self._json(self.bench, plan)

    def memory_bench(self, scenario: str, plan: pathlib.Path, cache: pathlib.Path, number: int = 0,
                     *want: str) -> dict:
        return self._json(self.memory, scenario, plan, cache, number, *want)

    def python_package(self, program: pathlib.Path, quick: bool) -> dict:
        """What the Python package adds; its wheel is built for this Python."""
        site = self.root / "build" / "wheel" / "site"
        subprocess.run([str(self.root / "scripts" / "python_package.sh"), "target", str(site)],
                       check=True, stdout=subprocess.DEVNULL)
        done = subprocess.run(
            [sys.executable, str(self.root / "bench" / "python_work.py"), str(program),
             "--requests", "200" if quick else "2000"],
            check=True, stdout=subprocess.PIPE, text=True,
            env={**clean_environment(), "PYTHONPATH": str(site)})
        return json.loads(done.stdout)

    def scaling(self) -> dict:
        """How analysis and planning grow with the size of the program."""
        analysis = self._json(self.analysis_scaling)["analysis_scaling"]
        return {"analysis": analysis, "planner": self._json(self.planner_scaling)}

    def micro_bench(self, package: pathlib.Path) -> list[dict]:
        done = subprocess.run([str(self.micro), str(package), "--benchmark_format=json"],
                              check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                              env=clean_environment())
        return json.loads(done.stdout)["benchmarks"]
