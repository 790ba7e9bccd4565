"""compile() from files, verify() and what else needs no PyTorch."""

import signal
import threading

import numpy as np
import pytest
from conftest import PROGRAM

import changeaware
from changeaware import _core


def test_compile_tells_what_it_found(tmp_path):
    path = tmp_path / "out.ca.pt2"
    compiled = changeaware.compile(PROGRAM, path, costs="nominal", progress=False)
    assert path.exists() and compiled.path == str(path)
    assert compiled.callables[0] == "main" and "segment_image" in compiled.callables
    assert "monolithic" in compiled.strategies and compiled.verified


def test_progress_is_told_by_stage(tmp_path):
    told = []
    _core.compile(str(PROGRAM), str(tmp_path / "out.ca.pt2"), costs="nominal",
                  progress=lambda stage, fraction: told.append((stage, fraction)))
    stages = list(dict.fromkeys(stage for stage, _ in told))
    assert len(stages) > 3 and all(0 <= fraction <= 1 for _, fraction in told)
    assert (stages[-1], 1.0) in told


@pytest.mark.parametrize("at", [0, 3])
def test_what_a_progress_callback_raises_ends_the_compilation(tmp_path, at):
    calls = []

    def progress(stage, fraction):
        calls.append(stage)
        if len(calls) > at:
            raise ZeroDivisionError("enough")

    with pytest.raises(ZeroDivisionError, match="enough"):
        _core.compile(str(PROGRAM), str(tmp_path / "out.ca.pt2"), progress=progress)
    assert len(calls) == at + 1  # not called again
    assert list(tmp_path.iterdir()) == []


def test_an_interrupt_ends_the_compilation(tmp_path):
    def progress(stage, fraction):
        if fraction == 0:
            signal.raise_signal(signal.SIGINT)

    # Processes in the background are started with interrupts ignored.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        with pytest.raises(KeyboardInterrupt):
            _core.compile(str(PROGRAM), str(tmp_path / "out.ca.pt2"), progress=progress)
    finally:
        signal.signal(signal.SIGINT, before)
    assert list(tmp_path.iterdir()) == []


def test_other_threads_run_while_the_library_works(tmp_path):
    counted = 0
    done = threading.Event()

    def count():
        nonlocal counted
        while not done.wait(0.001):
            counted += 1

    thread = threading.Thread(target=count)
    thread.start()
    _core.compile(str(PROGRAM), str(tmp_path / "out.ca.pt2"), costs="nominal")
    done.set()
    thread.join()
    assert counted > 5


def test_a_retained_budget_leaves_strategies_out(tmp_path):
    compiled = changeaware.compile(PROGRAM, tmp_path / "a.ca.pt2", retained_budget="1KiB",
                                   costs="nominal", progress=False)
    strategies = changeaware.Package(compiled).strategies
    assert all(strategy["retained_bytes"] <= 1024 for strategy in strategies)
    assert "monolithic" in compiled.strategies


def test_a_reference_is_compared_with_main(tmp_path, session, inputs):
    outputs = session.run(**inputs, strategy="monolithic").outputs
    compiled = changeaware.compile(PROGRAM, tmp_path / "a.ca.pt2", examples=inputs,
                                   reference=outputs, costs="nominal", progress=False)
    assert compiled.verified
    outputs["action"] = outputs["action"] + 1
    with pytest.raises(changeaware.Error, match="action"):
        changeaware.compile(PROGRAM, tmp_path / "b.ca.pt2", examples=inputs, reference=outputs,
                            costs="nominal", progress=False)
    assert not (tmp_path / "b.ca.pt2").exists()


def test_verify_executes_every_strategy(package):
    verdict = changeaware.verify(package, progress=False)
    assert verdict["equal"] is True
    assert [entry["strategy"] for entry in verdict["strategies"]][0] == "monolithic"
    assert all(entry["masks"] == 7 for entry in verdict["strategies"][1:])


def test_doctor_knows_the_engine():
    report = changeaware.doctor()
    assert report["version"] == changeaware.__version__
    engine = next(part for part in report["engines"] if part["name"].lower() == "openvino")
    assert engine["present"] and engine["version"].startswith("2026.4.1")
    assert report["memory_bytes"] > 0 and report["threads"] >= 1


