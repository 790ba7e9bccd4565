"""Operators of a user's own library, run by the exact engine."""

import os
import pathlib
import subprocess

import numpy as np
import pytest
import torch
from programs.program import Function, Program
from harness import CliError, Compiled

SOURCE = pathlib.Path(__file__).resolve().parent.parent / "programs" / "custom_operators.cc"


@pytest.fixture(scope="module")
def library(tmp_path_factory) -> pathlib.Path:
    """Built, loaded into this process, and with kernels that only tell shapes."""
    torch_folder = pathlib.Path(torch.__file__).parent
    include = torch_folder / "include"
    path = tmp_path_factory.mktemp("library") / "libtrial.so"
    subprocess.run(
        [os.environ.get("CXX", "c++"), "-std=c++20", "-O1", "-shared", "-fPIC", "-w", SOURCE, "-o",
         path, f"-I{include}", f"-I{include / 'torch/csrc/api/include'}",
         f"-L{torch_folder / 'lib'}", "-ltorch", "-ltorch_cpu", "-lc10"], check=True)
    torch.ops.load_library(str(path))
    torch.library.register_fake("changeaware_trial::twice", torch.empty_like)
    torch.library.register_fake("changeaware_trial::counted",
                                lambda x, *lists: torch.empty_like(x))
    torch.library.register_fake("changeaware_trial::clear", lambda x: None)
    return path


def twice():
    return Program(Function(lambda x, y: (torch.ops.changeaware_trial.twice(x.sin()) + 1, y * 3)),
                   (torch.linspace(-1, 1, 6), torch.ones(2)))


def test_a_custom_operator_runs_when_its_library_is_named(cli, exact_engine, library, tmp_path):
    program = twice()
    exported = program.save(tmp_path / "model.pt2")
    package = Compiled.from_file(cli, tmp_path / "model.pt2", tmp_path, exported, program.eager,
                                 program.vary, "--nominal-costs", "--op-library", library)
    assert package.manifest["exact_engine"]["op_libraries"] == [library.name]
    values = package.sample()
    answer = package.run(values, options=("--op-library", library))
    package.assert_close(answer, package.expected(values), 1e-6, 1e-6)
    changed = {"inputs": {"y": np.full(2, 5, np.float32)}}
    replay = package.replay([{"inputs": values}, changed], "--op-library", library)
    assert all(r.get("equal") is True for r in replay.requests), replay.requests
    verified = cli.json("verify", package.package, "--op-library", library)
    assert verified["equal"] is True


def test_empty_lists_of_every_kind_are_read_inside_a_branch(compiled, exact_engine, library):
    def counts(x):
        return torch.ops.changeaware_trial.counted(x, [], [], [], [], [], [])

    def chooses(which, x, y):
        return torch.cond(which, counts, lambda x: x * 3, (x,)), y + 1

    package = compiled(
        Program(Function(chooses), (torch.tensor(True), torch.ones(3), torch.ones(2))),
        options=("--op-library", library))
    which = package.inputs[0]
    for value in (True, False):
        values = {**package.sample(), which: np.array(value)}
        answer = package.run(values, options=("--op-library", library))
        package.assert_close(answer, package.expected(values), 0, 0)


def test_without_its_library_a_custom_operator_is_refused_by_name(compiled, exact_engine, library):
    with pytest.raises(CliError) as refused:
        compiled(twice())
    assert "changeaware_trial.twice" in refused.value.message
    assert "--op-library" in refused.value.message


def test_a_custom_operator_that_writes_is_refused(compiled, exact_engine, library):
    def clears(x, y):
        z = x + 1
        torch.ops.changeaware_trial.clear(z)
        return z, y * 3

    with pytest.raises(CliError) as refused:
        compiled(Program(Function(clears), (torch.ones(3), torch.ones(2))),
                 options=("--op-library", library))
    assert "changeaware_trial.clear" in refused.value.message


def test_a_library_that_is_none_is_named(cli, exact_engine, library, tmp_path):
    twice().save(tmp_path / "model.pt2")
    broken = tmp_path / "broken.so"
    broken.write_bytes(b"no library")
    message = cli.refusal("compile", tmp_path / "model.pt2", "-o", tmp_path / "p.pt2",
                          "--op-library", broken)
    assert "broken.so" in message
