"""What `cmake --install` installs, used as a stranger would: from C and C++, with find_package and
pkg-config, before and after the prefix moved. CHANGEAWARE_BIN names the program in the build folder
that is installed."""

from __future__ import annotations

import dataclasses
import os
import pathlib
import re
import shutil
import subprocess

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
MODEL = ROOT / "examples" / "three_inputs.pt2"
TIMEOUT = 120

BOTH = "segment_text+control"
ALL = "segment_image+text+control"
SEGMENTS = ["segment_image", "segment_text", "segment_control", BOTH, ALL]
# What runs in each request of the examples, and what is reused.
EXPECTED = {
    "first run": (SEGMENTS, []),
    "image changed": (["segment_image", ALL], [BOTH]),
    "text changed": (["segment_text", BOTH, ALL], ["segment_image", "segment_control"]),
    "control changed": (["segment_control", BOTH, ALL], ["segment_image", "segment_text"]),
    "nothing changed": ([], [BOTH, ALL]),
}


def call(*command, check: bool = True, **environment) -> subprocess.CompletedProcess:
    """Runs a command without help from LD_LIBRARY_PATH; its output as text."""
    inherited = {k: v for k, v in os.environ.items() if k != "LD_LIBRARY_PATH"}
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True, timeout=TIMEOUT,
                          check=False, env={**inherited, **environment})
    if check:
        assert done.returncode == 0, f"{command}:\n{done.stdout}{done.stderr}"
    return done


def build_folder() -> pathlib.Path:
    binary = os.environ.get("CHANGEAWARE_BIN")
    if not binary:
        pytest.fail("CHANGEAWARE_BIN is not set", pytrace=False)
    return pathlib.Path(binary).resolve().parent.parent


@dataclasses.dataclass
class Prefix:
    """An installation."""

    path: pathlib.Path

    @property
    def library(self) -> pathlib.Path:
        (found,) = self.path.glob("lib*/**/libchangeaware.so")
        return found

    def text_files(self) -> list[pathlib.Path]:
        return [f for f in self.path.rglob("*") if f.is_file() and not f.is_symlink()
                and f.suffix in (".cmake", ".pc", ".h")]

    def pkg_config(self, *options) -> list[str]:
        folder = self.library.parent / "pkgconfig"
        return call("pkg-config", *options, "changeaware",
                    PKG_CONFIG_PATH=str(folder)).stdout.split()


@pytest.fixture(scope="session", autouse=True)
def cache_folder(tmp_path_factory):
    """Compiled callables of the tests are not the user's."""
    os.environ["XDG_CACHE_HOME"] = str(tmp_path_factory.mktemp("cache"))


@pytest.fixture(scope="session")
def prefix(tmp_path_factory) -> Prefix:
    path = tmp_path_factory.mktemp("install") / "prefix"
    call("cmake", "--install", build_folder(), "--prefix", path)
    return Prefix(path)


@pytest.fixture(scope="session")
def moved_prefix(prefix, tmp_path_factory) -> Prefix:
    """The same at another place. The first place stays, but is not what is used."""
    path = tmp_path_factory.mktemp("moved") / "some where"
    shutil.copytree(prefix.path, path, symlinks=True)
    return Prefix(path)


@pytest.fixture(scope="session")
def package(prefix, tmp_path_factory) -> pathlib.Path:
    """Made by the installed program."""
    path = tmp_path_factory.mktemp("package") / "three_inputs.ca.pt2"
    call(prefix.path / "bin" / "changeaware", "compile", MODEL, "-o", path, "--nominal-costs")
    return path


def build_with_cmake(example: str, prefix: Prefix, folder: pathlib.Path) -> pathlib.Path:
    call("cmake", "-S", ROOT / "examples" / example, "-B", folder,
         f"-DCMAKE_PREFIX_PATH={prefix.path}", "-DCMAKE_BUILD_TYPE=Release")
    call("cmake", "--build", folder)
    return folder / "incremental"


def build_with_pkg_config(prefix: Prefix, folder: pathlib.Path) -> pathlib.Path:
    program = folder / "incremental"
    (libdir,) = prefix.pkg_config("--variable=libdir")
    call("cc", "-std=c11", ROOT / "examples" / "c" / "incremental.c",
         *prefix.pkg_config("--cflags", "--libs"), f"-Wl,-rpath,{libdir}", "-o", program)
    return program


def loaded_library(program: pathlib.Path) -> pathlib.Path:
    """The libchangeaware that the program runs with."""
    return pathlib.Path(re.search(r"libchangeaware\S* => (.+) \(", call("ldd", program).stdout)[1])


def what_c_ran(program: pathlib.Path, package: pathlib.Path) -> dict:
    lines = re.findall(r"^(.+): ran (.+); reused (.+); [\d.]+ ms$",
                       call(program, package).stdout, re.MULTILINE)
    names = {"nothing": []}
    return {what: tuple(names.get(text, text.split()) for text in lists)
            for what, *lists in lines}


def what_cpp_ran(program: pathlib.Path, package: pathlib.Path) -> dict:
    ran = {}
    for line in call(program, package).stdout.splitlines():
        if not line.startswith(" "):
            current = ran[line.split(":")[0]] = ([], [])
            continue
        name, outcome = re.match(r"  (\S+) (ran|reused|not needed): .+", line).groups()
        if outcome != "not needed":
            current[outcome == "reused"].append(name)
    return ran


def test_the_c_example_builds_with_find_package(prefix, package, tmp_path):
    program = build_with_cmake("c", prefix, tmp_path)
    assert what_c_ran(program, package) == EXPECTED
    assert prefix.path in loaded_library(program).parents


def test_the_c_example_builds_with_pkg_config(prefix, package, tmp_path):
    program = build_with_pkg_config(prefix, tmp_path)
    assert what_c_ran(program, package) == EXPECTED


def test_the_cpp_example_builds_with_find_package(prefix, package, tmp_path):
    program = build_with_cmake("cpp", prefix, tmp_path)
    assert what_cpp_ran(program, package) == EXPECTED
    assert prefix.path in loaded_library(program).parents


def test_a_moved_prefix_works_alike(moved_prefix, package, tmp_path):
    program = build_with_cmake("c", moved_prefix, tmp_path)
    assert moved_prefix.path in loaded_library(program).parents
    assert what_c_ran(program, package) == EXPECTED
    inspected = call(moved_prefix.path / "bin" / "changeaware", "inspect", package).stdout
    assert "segment_image" in inspected


def test_a_moved_prefix_is_found_by_pkg_config(prefix, tmp_path):
    moved = Prefix(tmp_path / "moved")
    shutil.copytree(prefix.path, moved.path, symlinks=True)
    (include,) = moved.pkg_config("--cflags")
    assert pathlib.Path(include.removeprefix("-I")).resolve() == moved.path / "include"
    program = build_with_pkg_config(moved, tmp_path)
    assert moved.path in loaded_library(program).resolve().parents


def test_an_example_says_what_is_wrong(prefix, tmp_path):
    program = build_with_pkg_config(prefix, tmp_path)
    done = call(program, "nowhere.pt2", check=False)
    assert done.returncode == 1
    assert done.stderr.startswith("nowhere.pt2: Io: ")
    done = call(program, MODEL, check=False)
    assert done.returncode == 1
    assert "Unsupported" in done.stderr and "compile it first" in done.stderr


def test_nothing_installed_names_where_it_was_built(prefix):
    assert len(prefix.text_files()) > 10
    for file in prefix.text_files():
        text = file.read_text()
        assert str(ROOT) not in text, file
        assert str(build_folder()) not in text, file
        assert str(prefix.path) not in text, file
    dynamic = call("readelf", "-d", prefix.library).stdout
    assert str(build_folder()) not in dynamic
    assert "[libchangeaware.so.0.1]" in dynamic


def test_only_public_symbols_are_exported(prefix):
    lines = call("nm", "-DC", "--defined-only", prefix.library).stdout.splitlines()
    names = [re.sub(r"^\S+ \S ", "", line) for line in lines]
    ours = re.compile(
        r"ca_\w+$|(typeinfo (name )?for |vtable for )?changeaware::"
        r"(?!api::|\w+::\w+::)|changeaware::Tensor changeaware::Tensor::of<")
    assert [name for name in names if not ours.match(name)] == []
    header = (prefix.path / "include/changeaware/c_api.h").read_text()
    declared = set(re.findall(r"\b(ca_\w+)\(", header.split("typedef void (*ca_progress)")[0]
                              + header.split("void* user);", 1)[1]))
    assert len(declared) > 150
    assert {name for name in names if name.startswith("ca_")} == declared
    for function in ("Session::create(", "Package::open(", "compile(", "verify_package(",
                     "inspect_system(", "find_exact_engine(", "build_exact_engine(",
                     "Tensor::view(", "Manifest::validate("):
        assert any(name.startswith(f"changeaware::{function}") for name in names), function


@pytest.mark.parametrize("version, found", [("0.1", True), ("0.2", False), ("1.0", False)])
def test_find_package_knows_its_version(prefix, tmp_path, version, found):
    (tmp_path / "CMakeLists.txt").write_text(
        "cmake_minimum_required(VERSION 3.22)\nproject(asks LANGUAGES NONE)\n"
        f"find_package(changeaware {version} QUIET)\n"
        'message(STATUS "found: ${changeaware_FOUND}")\n')
    output = call("cmake", "-S", tmp_path, "-B", tmp_path / "build",
                  f"-DCMAKE_PREFIX_PATH={prefix.path}").stdout
    assert f"found: {int(found)}" in output


def test_every_header_stands_alone(prefix, tmp_path):
    headers = sorted(h.name for h in (prefix.path / "include/changeaware").iterdir())
    assert {"c_api.h", "compiler.h", "session.h", "external_engine.h"} <= set(headers)
    source = tmp_path / "includes"
    flags = ["-fsyntax-only", "-Wall", "-Wextra", "-Werror", "-pedantic",
             f"-I{prefix.path}/include"]
    for header in headers:
        source.write_text(f"#include <changeaware/{header}>\n")
        call("c++", "-std=c++20", "-x", "c++", source, *flags)
    source.write_text("#include <changeaware/c_api.h>\nint main(void) { return 0; }\n")
    call("cc", "-std=c11", "-x", "c", source, *flags, "-Wstrict-prototypes")
