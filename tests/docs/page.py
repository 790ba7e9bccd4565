"""Runs the blocks of one page, in order, in one folder."""

from __future__ import annotations

import dataclasses
import json
import os
import pathlib
import subprocess
import sys
import tempfile

from blocks import Block, matches

TIMEOUT = 600
PROGRAMS = {"c": ("c", ["cc", "-std=c11"]), "cpp": ("cc", ["c++", "-std=c++20"])}


@dataclasses.dataclass
class Result:
    output: str = ""
    error: str = ""  # empty = the block did what it says


@dataclasses.dataclass
class Tools:
    """What blocks are run with. `prefix` and `package` are made when the first block needs them."""

    binary: pathlib.Path
    prefix: object  # () -> Path of an installed library
    package: object  # () -> Path of a compiled examples/three_inputs.pt2

    def environment(self) -> dict[str, str]:
        folders = [str(self.binary.parent), str(pathlib.Path(sys.executable).parent)]
        return {**os.environ, "PATH": os.pathsep.join([*folders, os.environ["PATH"]])}

    def library_environment(self) -> dict[str, str]:
        prefix = self.prefix()
        folders = [str(path) for path in sorted(prefix.glob("lib*/pkgconfig"))]
        return {**self.environment(), "PREFIX": str(prefix),
                "PKG_CONFIG_PATH": os.pathsep.join(folders)}


class PythonProcess:
    """One interpreter that keeps its names from block to block."""

    def __init__(self, folder: pathlib.Path, environment: dict[str, str]):
        request_out, request_in = os.pipe()
        answer_out, answer_in = os.pipe()
        self._stderr = tempfile.TemporaryFile("w+")
        script = pathlib.Path(__file__).with_name("python_blocks.py")
        self._process = subprocess.Popen(
            [sys.executable, str(script), str(request_out), str(answer_in)], cwd=folder,
            env=environment, pass_fds=(request_out, answer_in), stderr=self._stderr)
        os.close(request_out)
        os.close(answer_in)
        self._requests = os.fdopen(request_in, "w")
        self._answers = os.fdopen(answer_out)

    def run(self, block: Block) -> Result:
        self._requests.write(json.dumps({"name": block.name, "text": block.text}) + "\n")
        self._requests.flush()
        answer = self._answers.readline()
        if answer:
            return Result(**json.loads(answer))
        code = self._process.wait()
        self._stderr.seek(0)
        return Result(error=f"Python ended with code {code}: {self._stderr.read()}")

    def close(self) -> None:
        self._requests.close()
        self._answers.close()
        self._process.kill()
        self._process.wait()
        self._stderr.close()


class Page:
    def __init__(self, blocks: list[Block], folder: pathlib.Path, tools: Tools):
        self._blocks = blocks
        self._folder = folder
        self._tools = tools
        self._python: PythonProcess | None = None
        self._results: dict[Block, Result] = {}

    def result(self, wanted: Block) -> Result:
        """Runs all blocks up to this one that were not run yet."""
        for block in self._blocks:
            if block not in self._results:
                self._results[block] = self._run(block)
            if block is wanted:
                break
        return self._results[wanted]

    def close(self) -> None:
        if self._python is not None:
            self._python.close()

    def _run(self, block: Block) -> Result:
        if block.file:
            return self._write(block)
        runners = {"python": self._run_python, "sh": self._run_shell, "text": self._compare,
                   "c": self._run_program, "cpp": self._run_program}
        if block.language not in runners:
            return Result(error=f"nobody knows how to run a block of '{block.language}'")
        if block.words and not block.is_output:
            return Result(error=f"nobody knows what {block.words} asks for")
        return runners[block.language](block)

    def _write(self, block: Block) -> Result:
        if len(block.words) != 1 or pathlib.PurePath(block.file).name != block.file:
            return Result(error=f"{block.words} is not the name of one file")
        (self._folder / block.file).write_text(block.text, encoding="utf-8")
        return Result()

    def _run_python(self, block: Block) -> Result:
        if self._python is None:
            self._python = PythonProcess(self._folder, self._tools.environment())
        return self._python.run(block)

    def _run_shell(self, block: Block) -> Result:
        needs_library = "PREFIX" in block.text or "pkg-config" in block.text
        environment = (self._tools.library_environment() if needs_library
                       else self._tools.environment())
        return self._call(["bash", "-euo", "pipefail", "-c", block.text], environment)

    def _run_program(self, block: Block) -> Result:
        suffix, compiler = PROGRAMS[block.language]
        source = self._folder / f"block_{block.line}.{suffix}"
        program = source.with_suffix("")
        source.write_text(block.text, encoding="utf-8")
        environment = self._tools.library_environment()
        flags = self._call(["pkg-config", "--cflags", "--libs", "changeaware"], environment)
        if flags.error:
            return flags
        library = str(pathlib.Path(environment["PKG_CONFIG_PATH"].split(os.pathsep)[0]).parent)
        built = self._call(
            [*compiler, "-Wall", "-Wextra", "-Werror", str(source), "-o", str(program),
             *flags.output.split(), f"-Wl,-rpath,{library}"], environment)
        if built.error:
            return built
        return self._call([str(program), str(self._tools.package())], environment)

    def _compare(self, block: Block) -> Result:
        if not block.is_output:
            return Result()  # text, for people
        before = [b for b in self._blocks[:self._blocks.index(block)] if b.language != "text"]
        if not before:
            return Result(error="there is no block before this output")
        ran = self._results[before[-1]]
        if ran.error or matches(block.text, ran.output):
            return Result(error=f"{before[-1].name} failed" if ran.error else "")
        return Result(error=f"{before[-1].name} printed something else:\n{ran.output}")

    def _call(self, command: list[str], environment: dict[str, str]) -> Result:
        done = subprocess.run(command, cwd=self._folder, env=environment, capture_output=True,
                              text=True, timeout=TIMEOUT, check=False)
        if done.returncode == 0:
            return Result(output=done.stdout)
        return Result(done.stdout, f"{command[0]} ended with code {done.returncode}:\n"
                      f"{done.stdout}{done.stderr}")
