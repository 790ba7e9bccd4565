"""changeaware.compile of an ExportedProgram: compared with eager, reported, and refused by name."""

import gc
import os
import pathlib
import pty
import subprocess
import sys

import changeaware
import numpy as np
import pytest
import torch
from changeaware._eager import output_names
from torch_modules import Function, Prompt, TwoTowers, assert_close, seeded, user_and_items


@pytest.fixture(scope="module")
def program():
    return changeaware.export(seeded(TwoTowers), user_and_items())


@pytest.fixture(scope="module")
def compiled(program):
    return changeaware.compile(program)


def package_outputs(compiled) -> list[str]:
    return [output["name"] for output in changeaware.Package(compiled).outputs]


def run_python(script: str) -> str:
    """What it prints, in a process of its own."""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True,
                          check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def refusal(*args, **kwargs) -> changeaware.Error:
    with pytest.raises(changeaware.Error) as caught:
        changeaware.compile(*args, **kwargs)
    return caught.value


def test_a_program_is_compared_with_the_eager_module(compiled):
    assert compiled.compared_with_eager and compiled.verified
    assert compiled.callables[0] == "main"
    assert set(compiled.callables[1:]) == {"segment_user", "segment_items", "segment_user+items"}
    assert {"monolithic", "full_retention"} <= set(compiled.strategies)
    assert compiled.exact_nodes == []
    assert {"eager", "save", "read", "execute", "write"} <= set(compiled.seconds)
    assert all(what and why for what, why in compiled.rejections)


def test_the_report_can_be_read(compiled):
    text = repr(compiled)
    for part in (compiled.path, "segment_user", "full_retention", "compared with the eager module",
                 "seconds", "execute"):
        assert part in text


def test_a_report_stands_for_its_package_which_lives_as_long_as_its_session(program):
    user, items = user_and_items()
    compiled = changeaware.compile(program, costs="nominal")
    path = compiled.path
    session = changeaware.Session(compiled, blob_folder="off")
    del compiled
    gc.collect()
    assert os.path.exists(path)
    assert_close(session(user, items), program.module()(user, items))
    session.close()
    del session
    gc.collect()
    assert not os.path.exists(path)


def test_a_difference_from_a_reference_names_output_and_element(program, tmp_path):
    (name,) = package_outputs(changeaware.compile(program, costs="nominal"))
    wrong = program.module()(*user_and_items()).detach().clone()
    wrong[3, 5] = 123
    package = tmp_path / "wrong.ca.pt2"
    error = refusal(program, package, reference={name: wrong})
    assert error.code == "Unsupported"
    assert f"output '{name}' differs first at element {3 * 192 + 5}: 123 in the reference" in str(
        error)
    assert not package.exists()


def test_a_program_that_differs_from_eager_is_refused_if_checked(monkeypatch, program):
    from changeaware import _eager

    right = _eager.eager_outputs

    def wrong(*args):
        return {name: value + 1 for name, value in right(*args).items()}

    monkeypatch.setattr(_eager, "eager_outputs", wrong)
    error = refusal(program)
    assert error.code == "Unsupported"
    assert str(error).startswith("main does not give what the eager module gives: output 'mul'")
    assert "differs first at element 0" in str(error) and "check=False" in str(error)
    compiled = changeaware.compile(program, check=False, costs="nominal")
    assert compiled.verified and not compiled.compared_with_eager


def test_outputs_have_the_names_of_the_package_in_every_nesting():
    x = torch.ones(2, 3)
    results = {
        "tensor": lambda x: x + 1,
        "flat": lambda x: (x + 1, x * 2),
        "dictionary": lambda x: {"b": (x + 1, None, 3), "a": {"c": x * 2}},
        "pair": lambda x: (x + 1, (x * 2,)),
        "named_tuple": lambda x: Prompt(x + 1, x * 2),
        "repeated": lambda x: (lambda y: (y, y, x, torch.ones(3)))(x + 1),
        "numbers": lambda x: {1: x + 1, 2: x * 2},
    }
    for kind, function in results.items():
        program = changeaware.export(Function(function), (x,))
        compiled = changeaware.compile(program, costs="nominal")
        assert compiled.compared_with_eager, kind
        assert output_names(program) == package_outputs(compiled), kind


def test_examples_replace_those_of_the_program(program):
    user, items = user_and_items()
    compiled = changeaware.compile(program, examples={"user": (user * 3).numpy()}, costs="nominal")
    assert compiled.compared_with_eager
    error = refusal(program, examples={"user": user.double()})
    assert error.code == "InvalidArgument" and "'user'" in str(error)
    error = refusal(program, examples={"usr": user})
    assert error.code == "InvalidArgument" and "'usr'" in str(error)


def test_a_file_is_compiled_where_it_is_told(program, tmp_path):
    model, package = tmp_path / "model.pt2", tmp_path / "model.ca.pt2"
    torch.export.save(program, model)
    compiled = changeaware.compile(model, package, retained_budget="1KiB", costs="nominal")
    assert compiled.path == str(package) and package.exists()
    assert not compiled.compared_with_eager and compiled.verified
    assert "full_retention" not in compiled.strategies
    with changeaware.Session(compiled, blob_folder="off") as session:
        user, items = user_and_items()
        assert session(user.numpy(), items.numpy()).dtype == np.float32


def test_progress_names_the_stages(program, capsys):
    seen = []
    changeaware.compile(program, costs="nominal",
                        progress=lambda stage, fraction: seen.append((stage, fraction)))
    stages = [stage for stage, _ in seen]
    assert stages.index("eager") < stages.index("save") < stages.index("read") < stages.index(
        "write")
    assert all(0 <= fraction <= 1 for _, fraction in seen)
    changeaware.compile(program, costs="nominal")  # standard error is no terminal here
    assert capsys.readouterr().err == ""
    changeaware.compile(program, costs="nominal", progress=True)
    drawn = capsys.readouterr().err
    assert "[====" in drawn and "execute" in drawn and drawn.endswith("\r\x1b[K")
    with pytest.raises(TypeError, match="progress"):
        changeaware.compile(program, progress=3)


def test_a_bar_is_drawn_where_standard_error_is_a_terminal(tmp_path):
    program = pathlib.Path(__file__).resolve().parents[2] / "examples" / "three_inputs.pt2"
    script = (f"import changeaware; changeaware.compile({str(program)!r}, "
              f"{str(tmp_path / 'three.ca.pt2')!r}, costs='nominal')")
    ours, theirs = pty.openpty()
    done = subprocess.Popen([sys.executable, "-c", script], stderr=theirs)
    os.close(theirs)
    drawn = b""
    while True:
        try:
            part = os.read(ours, 4096)
        except OSError:  # how the end of a terminal is told
            break
        if not part:
            break
        drawn += part
    os.close(ours)
    assert done.wait() == 0
    assert b"[====" in drawn and b"execute" in drawn and drawn.endswith(b"\r\x1b[K")


def test_an_exception_of_progress_ends_the_work_and_comes_back(program, tmp_path):
    package = tmp_path / "model.ca.pt2"

    def stop(stage: str, fraction: float) -> None:
        if stage == "execute":
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        changeaware.compile(program, package, progress=stop)
    assert not package.exists()


def test_what_is_no_program_is_refused():
    error = refusal(torch.nn.ReLU())
    assert error.code == "InvalidArgument" and "changeaware.export makes one" in str(error)
    error = refusal("missing.pt2")
    assert error.code == "Io" and "missing.pt2" in str(error)


def test_options_that_do_not_fit_are_refused(program):
    for options, part in (({"numerics": "fuzzy"}, "fuzzy"), ({"costs": "guessed"}, "guessed"),
                          ({"retained_budget": "64 apples"}, "64 apples"),
                          ({"tolerance": {"rtoll": 1}}, "rtoll")):
        error = refusal(program, **options)
        assert error.code == "InvalidArgument" and part in str(error)


def test_a_program_that_was_exported_with_one_tensor_for_two_inputs_is_refused():
    x = torch.ones(3)
    program = torch.export.export(Function(lambda a, b: a * 10 + b), (x, x))
    error = refusal(program)
    assert error.code == "InvalidProgram"
    assert "'args_0' and 'args_1'" in str(error) and "clone()" in str(error)


def test_a_program_that_writes_its_buffers_is_refused_and_leaves_them_alone():
    class Counter(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.register_buffer("calls", torch.zeros(1))

        def forward(self, x):
            self.calls.add_(1)
            return x + self.calls

    module = Counter().eval()
    program = torch.export.export(module, (torch.ones(1),))
    error = refusal(program)
    assert error.code == "Unsupported" and "calls" in str(error)
    assert module.calls.item() == 0 and program.state_dict["calls"].item() == 0


def test_without_pytorch_the_message_names_the_extra():
    script = """
import sys
sys.modules["torch"] = None  # as if it were not installed
import changeaware
for use in (lambda: changeaware.export(None), lambda: changeaware.wrap(None, ())):
    try:
        use()
    except changeaware.Error as error:
        assert isinstance(error, changeaware.MissingPackage) and isinstance(error, ImportError)
        assert error.code == "Unsupported"
        print(error)
"""
    lines = run_python(script).splitlines()
    assert len(lines) == 2 and all("pip install changeaware[torch]" in line for line in lines)


def test_importing_changeaware_does_not_import_pytorch():
    script = "import sys, changeaware; changeaware.compile; print('torch' in sys.modules)"
    assert run_python(script) == "False\n"
