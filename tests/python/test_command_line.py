"""`python -m changeaware` and the installed program: the same command line."""

import json
import os
import pathlib
import subprocess
import sys

import pytest
from conftest import PROGRAM

import changeaware

COMMAND = [sys.executable, "-m", "changeaware"]
BINARY = os.environ.get("CHANGEAWARE_BIN", "")
SCRIPT = pathlib.Path(sys.executable).parent / "changeaware"


def run(command, *arguments):
    done = subprocess.run([*map(str, command), *map(str, arguments)], capture_output=True,
                          text=True, timeout=120)
    return done.returncode, done.stdout, done.stderr


@pytest.mark.parametrize("arguments", [
    ["--help"], ["--version"], [], ["fly"], ["compile", "--help"], ["run"],
    ["inspect", "nothing.pt2"]], ids=lambda a: " ".join(a) or "none")
def test_it_says_what_the_program_says(arguments):
    ours = run(COMMAND, *arguments)
    assert ours[0] == (0 if "--help" in arguments or "--version" in arguments else 1)
    assert ours[1] or ours[2]
    if BINARY:
        assert ours == run([BINARY], *arguments)
    if SCRIPT.exists():
        assert ours == run([SCRIPT], *arguments)


def test_help_lists_the_commands():
    _, out, _ = run(COMMAND, "--help")
    for command in ("compile", "inspect", "verify", "run", "replay", "explain", "doctor"):
        assert f"\n  {command} " in out


def test_a_package_can_be_compiled_and_inspected(tmp_path):
    package = tmp_path / "out.ca.pt2"
    code, _, err = run(COMMAND, "compile", PROGRAM, "-o", package, "--nominal-costs")
    assert code == 0, err
    code, out, _ = run(COMMAND, "inspect", package, "--json")
    names = [entry["name"] for entry in json.loads(out)["callables"]]
    manifest = changeaware.Package(package).manifest
    assert code == 0 and names == [entry["name"] for entry in manifest["callables"]]


def test_a_pipe_that_closes_ends_it_quietly(package):
    process = subprocess.Popen([*COMMAND, "inspect", package, "--json"], stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE)
    process.stdout.close()
    assert process.wait(60) != 0
    assert b"Traceback" not in process.stderr.read()
    process.stderr.close()
