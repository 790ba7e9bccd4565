#!/usr/bin/env python3
"""Runs test suites and counts them: the last line is "N passed, N failed".

    scripts/run_tests.py SUITE…

    style    scripts/check_style.py; one test
    unit     the C++ unit tests of build/
    asan     the same built with AddressSanitizer and UndefinedBehaviorSanitizer (build-asan/)
    tsan     the same built with ThreadSanitizer (build-tsan/)
    oracle   tests/oracle: the program against PyTorch, with pytest
    zoo      tests/zoo: small configurations of real models, likewise
    c_api    tests/c_api: what is installed, used from C and C++
    coreai   tests/coreai: the Core AI packager
    coreai_full  tests/coreai_full: the same with real models at full size, some minutes
    wheel    tests/python in a clean virtual environment of the wheel, without PyTorch
    python   tests/python, those that need PyTorch, with the wheel
    docs     tests/docs: every code block of the user's pages, executed
    conformance  tests/conformance: some of PyTorch's op samples, with and without PyTorch there

A suite that ran nothing counts as one failure. So does a skipped test where CI is set.
"""

import functools
import glob
import importlib.util
import os
import pathlib
import subprocess
import sys
import time
import xml.etree.ElementTree as xml
from typing import NamedTuple

ROOT = pathlib.Path(__file__).resolve().parent.parent
REPORTS = ROOT / "build" / "reports"


class Count(NamedTuple):
    passed: int = 0
    failed: int = 0
    skipped: int = 0


def count_junit(report: pathlib.Path) -> Count:
    """Counts the test cases of a JUnit file, as ctest and pytest write it."""
    passed = failed = skipped = 0
    try:
        cases = list(xml.parse(report).getroot().iter("testcase"))
    except (OSError, xml.ParseError):
        cases = []
    for case in cases:
        if case.find("failure") is not None or case.find("error") is not None:
            failed += 1
        elif case.find("skipped") is not None or case.get("status") in ("notrun", "disabled"):
            skipped += 1
        else:
            passed += 1
    return Count(passed, failed, skipped)


def run_reporting(name: str, command: list, environment: dict | None = None) -> Count:
    """Runs a command that writes REPORTS/name.xml."""
    report = REPORTS / f"{name}.xml"
    report.unlink(missing_ok=True)
    code = subprocess.run(command, cwd=ROOT, env={**os.environ, **(environment or {})}).returncode
    count = count_junit(report)
    if code != 0 and count.failed == 0:
        print(f"{name}: ended with code {code}", file=sys.stderr)
        count = count._replace(failed=1)
    return count


def style() -> Count:
    code = subprocess.run([sys.executable, ROOT / "scripts" / "check_style.py"]).returncode
    return Count(passed=1) if code == 0 else Count(failed=1)


def binary() -> str:
    return os.environ.get("CHANGEAWARE_BIN", str(ROOT / "build/bin/changeaware"))


@functools.cache
def exact_engine() -> dict:
    """Environment of tests that need PyTorch: the one of this Python, with its plug-in built."""
    spec = importlib.util.find_spec("torch")
    if spec is None or not spec.submodule_search_locations:
        print("this Python has no PyTorch: tests of the exact engine are skipped", file=sys.stderr)
        return {}
    folder = spec.submodule_search_locations[0]
    doctor = subprocess.run(
        [binary(), "doctor", "--build-torch-engine", "--torch", folder],
        stdout=subprocess.DEVNULL)
    if doctor.returncode != 0:
        print("the exact engine cannot be built: its tests will fail", file=sys.stderr)
    return {"CHANGEAWARE_LIBTORCH": folder}


def ctest(name: str, preset: str, folder: str) -> Count:
    build = subprocess.run([ROOT / "scripts" / "build.sh", preset])
    if build.returncode != 0:
        return Count(failed=1)
    # A sanitizer cannot see into PyTorch: those builds leave its tests out.
    environment = exact_engine() if preset == "release" else {}
    return run_reporting(name, [
        "ctest", "--test-dir", folder, "--parallel", str(os.cpu_count()), "--output-on-failure",
        "--timeout", "600", "--progress", "--output-junit", REPORTS / f"{name}.xml"], environment)


def pytest(name: str, paths=(), python=sys.executable, **environment: str) -> Count:
    """The tests in `paths`, or tests/name, with this Python or another."""
    environment = {
        "CHANGEAWARE_BIN": binary(),
        "CHANGEAWARE_FIXTURES": os.environ.get(
            "CHANGEAWARE_FIXTURES", str(ROOT.parent / "shared" / "fixtures")),
        **environment,
    }
    return run_reporting(name, [
        python, "-m", "pytest", *(paths or [f"tests/{name}"]), "-q", "--durations=10",
        "-p", "no:cacheprovider", f"--junitxml={REPORTS / f'{name}.xml'}"], environment)


def with_pytorch(name: str) -> Count:
    return pytest(name, **exact_engine())


@functools.cache
def python_package(mode: str, folder: pathlib.Path) -> bool:
    """Builds the wheel and installs it into `folder`; scripts/python_package.sh."""
    done = subprocess.run([ROOT / "scripts" / "python_package.sh", mode, folder],
                          stdout=subprocess.DEVNULL)
    return done.returncode == 0


def in_clean_environment(name: str, *paths: str) -> Count:
    """In a virtual environment of the wheel and what it needs."""
    venv = ROOT / "build" / "wheel" / "venv"
    if not python_package("clean", venv):
        return Count(failed=1)
    return pytest(name, paths, venv / "bin" / "python")


def with_package(name: str, *paths: str) -> Count:
    """In this Python, which has PyTorch, with the package from the wheel."""
    site = ROOT / "build" / "wheel" / "site"
    if not python_package("target", site):
        return Count(failed=1)
    return pytest(name, paths, **exact_engine(), PYTHONPATH=str(site))


SUITES = {
    "style": style,
    "unit": lambda: ctest("unit", "release", "build"),
    "asan": lambda: ctest("asan", "asan", "build-asan"),
    "tsan": lambda: ctest("tsan", "tsan", "build-tsan"),
    "oracle": lambda: with_pytorch("oracle"),
    "zoo": lambda: with_pytorch("zoo"),
    "c_api": lambda: with_pytorch("c_api"),
    "wheel": lambda: in_clean_environment("wheel", "tests/python", "--ignore-glob=*torch*"),
    "python": lambda: with_package("python", *sorted(glob.glob("tests/python/test_*torch*.py",
                                                               root_dir=ROOT))),
    "docs": lambda: with_package("docs"),
    "coreai": lambda: with_package("coreai"),
    "coreai_full": lambda: with_package("coreai_full"),
    "conformance": lambda: with_pytorch("conformance"),
}


def run(name: str) -> Count:
    print(f"== {name}", flush=True)
    begin = time.monotonic()
    count = SUITES[name]()
    if sum(count) == 0:
        print(f"{name}: ran no tests", file=sys.stderr)
        count = Count(failed=1)
    if count.skipped and os.environ.get("CI"):
        print(f"{name}: {count.skipped} skipped, which fails in CI", file=sys.stderr)
        count = Count(count.passed, count.failed + count.skipped)
    print(f"== {name}: {count.passed} passed, {count.failed} failed, {count.skipped} skipped "
          f"in {time.monotonic() - begin:.0f} s", flush=True)
    return count


def main() -> int:
    names = sys.argv[1:]
    if not names or any(name not in SUITES for name in names):
        sys.exit(f"usage: run_tests.py {'|'.join(SUITES)} …")
    REPORTS.mkdir(parents=True, exist_ok=True)
    counts = [run(name) for name in names]
    passed, failed = sum(c.passed for c in counts), sum(c.failed for c in counts)
    sys.stderr.flush()
    print(f"{passed} passed, {failed} failed", flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
