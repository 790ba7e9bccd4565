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
        self.micro = build / "bin" / "micro_bench"
        for program in (self.changeaware, self.bench, self.micro):
            if not program.exists():
                raise FileNotFoundError(f"{program} is not built; run `make build`")

    def python(self, script: str, *arguments, capture=False) -> str:
        done = subprocess.run(
            [sys.executable, "-W", "ignore", str(self.root / script), *map(str, arguments)],
            check=True, text=True, env=clean_environment(),
            stdout=subprocess.PIPE if capture else None)
        return done.stdout or ""

    def compile(self, program: pathlib.Path, package: pathlib.Path) -> dict:
        """Seconds, peak resident memory and weight bytes of compiling, in a process of its own."""
        package.unlink(missing_ok=True)
        command = [str(self.changeaware), "compile", str(program), "-o", str(package), "--json"]
        with tempfile.TemporaryFile() as output:
            start = time.monotonic()
            child = subprocess.Popen(command, stdout=output, env=clean_environment())
            _, status, usage = os.wait4(child.pid, 0)
            seconds = time.monotonic() - start
            child.returncode = os.waitstatus_to_exitcode(status)
        if child.returncode != 0:
            raise subprocess.CalledProcessError(child.returncode, command)
        return {"seconds": seconds, "peak_rss_bytes": usage.ru_maxrss * 1024,
                "weight_bytes": self.weight_bytes(package),
                "package_bytes": package.stat().st_size}

    def weight_bytes(self, package: pathlib.Path) -> int:
        manifest = json.loads(subprocess.run(
            [str(self.changeaware), "inspect", str(package), "--json"], check=True,
            stdout=subprocess.PIPE).stdout)
        return next(c["weight_bytes"] for c in manifest["callables"] if c["name"] == "main")

    def model_bench(self, plan: pathlib.Path) -> dict:
        done = subprocess.run([str(self.bench), str(plan)], check=True, stdout=subprocess.PIPE,
                              env=clean_environment())
        return json.loads(done.stdout)

    def micro_bench(self, package: pathlib.Path) -> list[dict]:
        done = subprocess.run([str(self.micro), str(package), "--benchmark_format=json"],
                              check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                              env=clean_environment())
        return json.loads(done.stdout)["benchmarks"]
