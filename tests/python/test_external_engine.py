"""Callables that run in a Python object, under the session's own planner and cache."""

import gc
import weakref

import numpy as np
import pytest
from conftest import OF_CONTROL, refused

import changeaware


class Engine:
    """Gives, for each callable, arrays filled with how often it ran."""

    def __init__(self, package):
        manifest = changeaware.Package(package).manifest
        self.callables = {entry["name"]: entry for entry in manifest["callables"]}
        self.loaded = []
        self.seen = {}
        self.result = lambda name, arrays: [
            np.full(port["shape"], len(self.seen[name]), port["dtype"])
            for port in self.callables[name]["outputs"]]

    def load(self, name):
        self.loaded.append(name)

        def run(arrays):
            self.seen.setdefault(name, []).append(
                [(a.dtype.name, a.shape, a.flags.writeable, a.flags.c_contiguous) for a in arrays])
            return self.result(name, arrays)

        return run


@pytest.fixture
def engine(package):
    return Engine(package)


def test_what_changed_runs_in_the_engine(package, inputs, engine):
    with changeaware.Session(package, external_engine=engine) as session:
        first = session.run(**inputs)
        second = session.run(**{**inputs, "control": inputs["control"] + 1})
    assert len(first.report.ran) == 5 and second.report.ran == OF_CONTROL
    assert {name: len(calls) for name, calls in engine.seen.items()} == {
        name: 2 if name in OF_CONTROL else 1 for name in first.report.ran}
    assert sorted(engine.loaded) == sorted(first.report.ran)  # lazily, once
    assert np.all(second.outputs["action"] == 2) and np.all(first.outputs["action"] == 1)


def test_inputs_are_the_ports_in_order_dense_and_read_only(package, inputs, engine):
    inputs["image"] = np.asfortranarray(inputs["image"])
    with changeaware.Session(package, external_engine=engine) as session:
        assert session.run(**inputs).report.ran
    for name, calls in engine.seen.items():
        ports = engine.callables[name]["inputs"]
        assert calls == [[(p["dtype"], tuple(p["shape"]), False, True) for p in ports]]


@pytest.mark.parametrize("result, code, words", [
    (lambda name, arrays: [][0], "Internal", ["IndexError", "list index"]),
    (lambda name, arrays: [], "Internal", ["0 arrays"]),
    (lambda name, arrays: None, "Internal", ["NoneType"]),
    (lambda name, arrays: [[1.0]] * 9, "Internal", ["9 arrays"]),
], ids=["raises", "too few", "none", "too many"])
def test_what_goes_wrong_in_it_fails_the_request_with_its_text(package, inputs, engine, result,
                                                               code, words):
    good = engine.result
    engine.result = result
    with changeaware.Session(package, external_engine=engine) as session:
        with pytest.raises(changeaware.Error) as error:
            session(**inputs)
        refused(error, code, *words)
        engine.result = good
        assert len(session.run(**inputs).report.ran) == 5  # nothing of the failed one is retained


def test_an_output_that_is_no_such_array_is_named(package, inputs, engine):
    engine.result = lambda name, arrays: [
        np.zeros(port["shape"], "float64") for port in engine.callables[name]["outputs"]]
    with changeaware.Session(package, external_engine=engine) as session:
        with pytest.raises(changeaware.Error) as error:
            session(**inputs)
    refused(error, "Internal", "float64", "float32")


def test_its_own_errors_keep_their_code(package, inputs, engine):
    def load(name):
        error = changeaware.Error("no asset")
        error.code = "Io"
        raise error

    engine.load = load
    with changeaware.Session(package, external_engine=engine) as session:
        with pytest.raises(changeaware.Error) as error:
            session(**inputs)
    refused(error, "Io", "no asset", "segment")


def test_it_is_let_go_of_with_the_session(package, inputs, engine):
    session = changeaware.Session(package, external_engine=engine)
    session(**inputs)
    gone = weakref.ref(engine)
    del engine
    session.close()
    del session
    gc.collect()
    assert gone() is None or gone().seen  # the fixture may hold it
