"""What importing does, and what it says when OpenVINO is not there."""

import os
import pathlib
import shutil
import subprocess
import sys

import changeaware

PACKAGE = pathlib.Path(changeaware.__file__).parent


def run(code, path=(), *options):
    """Standard output and error of a fresh Python with `path` before its own."""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(map(str, [*path, *sys.path]))}
    if "-I" in options:
        environment.pop("PYTHONPATH")
        code = f"import sys; sys.path[:0] = {list(map(str, path))!r}\n" + code
    done = subprocess.run([sys.executable, *options, "-c", code], env=environment,
                          capture_output=True, text=True, timeout=120)
    return done.returncode, done.stdout, done.stderr


def test_importing_imports_neither_pytorch_nor_the_python_of_openvino():
    code, out, err = run("import changeaware, sys; print([name for name in "
                         "('torch', 'openvino', 'numpy') if name in sys.modules])")
    assert (code, err) == (0, "") and out.strip() == "[]"


def test_a_request_imports_neither(package):
    code, out, err = run(f"""
import sys, numpy, changeaware
session = changeaware.Session({package!r}, blob_folder="off")
response = session.run(image=numpy.zeros((1, 3, 96, 96), "f4"), text=numpy.zeros((1, 256), "i8"),
                       control=numpy.zeros((1, 8), "f4"))
print(len(response.report.ran), "torch" in sys.modules, "openvino" in sys.modules)
""")
    assert (code, out.split()) == (0, ["5", "False", "False"]), err


def copy_of_the_package(tmp_path):
    """Where no `openvino` is beside it."""
    shutil.copytree(PACKAGE, tmp_path / "changeaware", symlinks=False)
    return tmp_path


def test_without_openvino_the_error_says_what_to_install(tmp_path):
    code, _, err = run("import changeaware", [copy_of_the_package(tmp_path)], "-S", "-I")
    assert code == 1
    assert "ImportError" in err and "pip install openvino==2026.4.1" in err


def test_with_another_openvino_the_error_names_it(tmp_path):
    other = tmp_path / "elsewhere" / "openvino"
    (other / "libs").mkdir(parents=True)
    (other / "__init__.py").touch()
    (other / "libs" / "libopenvino.so.2500").touch()
    code, _, err = run("import changeaware",
                       [copy_of_the_package(tmp_path), other.parent], "-S", "-I")
    assert code == 1
    assert str(other) in err and "another version" in err and "openvino==2026.4.1" in err


def test_openvino_elsewhere_on_the_path_is_found(tmp_path):
    code, out, err = run("import changeaware, sys; print(changeaware.__file__); "
                         "print(changeaware.doctor()['engines'][0]['present'])",
                         [copy_of_the_package(tmp_path)])
    assert code == 0, err
    assert out.split() == [str(tmp_path / "changeaware" / "__init__.py"), "True"]


def test_a_missing_optional_package_is_an_error_that_names_the_extra(tmp_path):
    (tmp_path / "torch.py").write_text("raise ImportError('not here')\n")
    code, out, err = run("""
import changeaware
try:
    changeaware.export(None, ())
except changeaware.MissingPackage as error:
    print(isinstance(error, ImportError), error.code, error)
""", [tmp_path])
    assert code == 0, err
    assert out.startswith("True Unsupported") and "pip install changeaware[torch]" in out


def test_every_public_name_is_there_and_has_a_docstring():
    for name in changeaware.__all__:
        if name in ("__version__",):
            continue
        value = getattr(changeaware, name)
        assert value.__doc__ and len(value.__doc__) > 40, name
    assert set(changeaware.__all__) <= set(dir(changeaware))
    assert (PACKAGE / "py.typed").exists() and (PACKAGE / "_core.pyi").exists()
