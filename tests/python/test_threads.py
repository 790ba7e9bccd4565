"""Sessions used, and closed, from many threads."""

import threading
import time

import numpy as np
from conftest import OF_CONTROL

import changeaware
from changeaware import _core

THREADS = 8


def in_threads(work, count=THREADS):
    """What `work(i)` gives in `count` threads that start together; raises what one raises."""
    results, errors = [None] * count, []
    together = threading.Barrier(count)

    def run(i):
        together.wait()
        try:
            results[i] = work(i)
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=run, args=(i,)) for i in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if errors:
        raise errors[0]
    return results


def test_threads_get_their_own_answers_and_reports(session, inputs):
    controls = [inputs["control"] + i for i in range(THREADS)]
    expected = [session(**{**inputs, "control": control}, reuse=False) for control in controls]
    session(**inputs)

    def work(i):
        out = []
        for turn in range(4):
            at = (i + turn) % THREADS
            out.append((at, session.run(**{**inputs, "control": controls[at]})))
        return out

    for answers in in_threads(work):
        for at, response in answers:
            assert response.outputs["action"].tobytes() == expected[at]["action"].tobytes()
            assert set(response.report.ran) <= set(OF_CONTROL)
            assert "segment_image" in response.report.reused or not response.report.ran
    stats = session.stats()
    assert stats["requests"] == THREADS + 1 + 4 * THREADS and stats["failed"] == 0
    # Each control once for `reuse=False`, and once more for all threads together.
    assert stats["runs"]["segment_image"] == THREADS + 1
    assert stats["runs"]["segment_control"] == 2 * THREADS


class Gate:
    """An external engine whose callables wait until they are let through."""

    def __init__(self, package):
        self.callables = {c["name"]: c for c in changeaware.Package(package).manifest["callables"]}
        self.entered = threading.Event()
        self.open = threading.Event()
        self.ran, self.left = [], []

    def load(self, name):
        outputs = self.callables[name]["outputs"]

        def run(arrays):
            self.ran.append(name)
            self.entered.set()
            assert self.open.wait(60)
            self.left.append(name)
            return [np.zeros(port["shape"], port["dtype"]) for port in outputs]

        return run


def test_closing_ends_running_requests_as_cancelled_and_waits_for_them(package, inputs):
    gate = Gate(package)
    session = changeaware.Session(package, external_engine=gate)
    errors = []

    def request():
        try:
            session(**inputs)
        except changeaware.Error as error:
            errors.append(error)

    def close():
        session.close()
        closed.append(len(gate.left))

    closed = []
    running = threading.Thread(target=request)
    running.start()
    assert gate.entered.wait(60)
    closing = threading.Thread(target=close)
    closing.start()
    while not session.closed:
        time.sleep(0.001)
    try:
        session.stats()
        raise AssertionError("a closed session answered")
    except changeaware.Error as error:
        assert error.code == "InvalidArgument" and "closed" in str(error)
    time.sleep(0.05)
    assert closed == []  # a callable that runs is not interrupted
    gate.open.set()
    running.join(60)
    closing.join(60)
    assert [error.code for error in errors] == ["Cancelled"]
    assert closed == [1]  # the request had ended
    assert len(gate.ran) == 1  # nothing began after it


def test_closing_from_many_threads_is_closing(package, inputs):
    session = changeaware.Session(package, blob_folder="off")
    session(**inputs)
    in_threads(lambda i: session.close())
    assert session.closed


def test_close_races_with_requests(package, inputs):
    for turn in range(5):
        session = changeaware.Session(package, blob_folder="off", threads=1)
        session(**inputs)

        def work(i, session=session, turn=turn):
            if i == 0:
                time.sleep(0.002 * turn)
                session.close()
                return "closed"
            try:
                while True:
                    session(**{**inputs, "control": inputs["control"] + i})
            except changeaware.Error as error:
                return error.code

        codes = in_threads(work)
        assert codes[0] == "closed" and set(codes[1:]) <= {"Cancelled", "InvalidArgument"}


def test_errors_of_threads_are_their_own(session, inputs):
    def work(i):
        try:
            session(**{**inputs, f"no_{i}": 1})
        except _core.Error as error:
            return str(error)

    assert all(f"no_{i}" in text for i, text in enumerate(in_threads(work)))
