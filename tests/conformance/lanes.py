"""Workers in lanes: processes that answer one sample after another and may die on any."""

from __future__ import annotations

import dataclasses
import json
import os
import pathlib
import queue
import select
import signal
import subprocess
import tempfile
import threading

TIMEOUT = 30


@dataclasses.dataclass
class Task:
    id: str
    model: pathlib.Path
    inputs: pathlib.Path


class Lane:
    """One worker at a time; `command` is started with a scratch folder as its last argument."""

    def __init__(self, command: list, environment: dict, scratch: pathlib.Path):
        self._command, self._environment, self._scratch = command, environment, scratch
        self._worker = None
        self.outputs = scratch / "outputs"

    def run(self, task: Task, timeout: float = TIMEOUT) -> dict:
        """The worker's answer, or {"died": signal or exit code}, or {"timeout": seconds}."""
        self.outputs.unlink(missing_ok=True)
        if self._worker is None:
            self._start()
        fields = (task.id, task.model, task.inputs, self.outputs)
        try:
            self._worker.stdin.write("\t".join(map(str, fields)) + "\n")
            self._worker.stdin.flush()
        except BrokenPipeError:
            return self._end()
        ready, _, _ = select.select([self._worker.stdout], [], [], timeout)
        if not ready:
            self.close()
            return {"timeout": timeout}
        line = self._worker.stdout.readline()
        return json.loads(line) if line.endswith("\n") else self._end()

    def close(self) -> None:
        if self._worker is not None:
            self._worker.kill()
            self._worker.wait()
            self._worker.stdin.close()
            self._worker.stdout.close()
            self._worker = None

    def _start(self) -> None:
        # A worker that is killed leaves nothing behind: its folder is the lane's.
        self._worker = subprocess.Popen(
            [*map(str, self._command), str(self._scratch)], stdin=subprocess.PIPE,
            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, encoding="utf-8",
            errors="replace", env={**os.environ, **self._environment})

    def _end(self) -> dict:
        code = self._worker.wait()
        self.close()
        return {"died": signal.Signals(-code).name if code < 0 else f"exit code {code}"}


def run_all(tasks: list[Task], command: list, environment: dict, lanes: int, judge) -> dict:
    """Results of `judge(task, answer, outputs file)` by task id; `judge` runs in the lanes."""
    waiting: queue.SimpleQueue = queue.SimpleQueue()
    for task in tasks:
        waiting.put(task)
    results, failures = {}, []

    def work() -> None:
        with tempfile.TemporaryDirectory(prefix="conformance-") as folder:
            lane = Lane(command, environment, pathlib.Path(folder))
            try:
                while not failures:
                    task = waiting.get_nowait()
                    results[task.id] = judge(task, lane.run(task), lane.outputs)
            except queue.Empty:
                pass
            except BaseException as error:  # raised again by the caller's thread
                failures.append(error)
            finally:
                lane.close()

    threads = [threading.Thread(target=work) for _ in range(lanes)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if failures:
        raise failures[0]
    return results
