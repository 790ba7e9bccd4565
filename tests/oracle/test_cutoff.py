"""Early cutoff: what reads a boundary that was computed again to the same bits is not run."""

import numpy as np
import pytest
from programs import retention
from harness import digest


def depending(package, *names) -> set[str]:
    """The segments that depend on exactly these inputs."""
    found = {c["name"] for c in package.segments if set(c["dependencies"]) == set(names)}
    assert found, names
    return found


@pytest.mark.parametrize("kind", retention.BOUNDARIES)
def test_a_boundary_with_the_same_bits_ends_the_change(compiled, core, kind):
    package = compiled(retention.quantised(kind), core)
    sample = package.sample()
    other = retention.same_boundary(kind, sample["x"])
    assert not np.array_equal(other, sample["x"])
    replay = package.replay([{"inputs": sample}, {"inputs": {"x": other}}])
    first, second = replay.requests
    assert replay.summary["equal"] is True
    assert second["changed"] == ["x"]
    assert second["outputs"] == first["outputs"]
    assert set(second["ran"]) == depending(package, "x"), "its bits are known after it ran"
    assert depending(package, "x", "y") & set(second["reused"])
    package.check_run({**sample, "x": other})


@pytest.mark.parametrize("kind", ["abs", "clamp", "round"])
def test_a_boundary_with_other_bits_runs_its_readers(compiled, kind):
    package = compiled(retention.quantised(kind))
    sample = package.sample()
    other = sample["x"].copy()
    other[0] = 0
    replay = package.replay([{"inputs": sample}, {"inputs": {"x": other}}])
    first, second = replay.requests
    assert second["equal"] is True
    assert depending(package, "x", "y") <= set(second["ran"]) or second["ran"] == ["main"]
    assert second["outputs"] != first["outputs"]


def test_the_other_input_of_a_reader_still_counts(compiled):
    """x changed without effect on the boundary, and y changed."""
    package = compiled(retention.quantised("abs"))
    sample = package.sample()
    y = package.vary("y", sample["y"], 1)
    replay = package.replay([
        {"inputs": sample}, {"inputs": {"x": -sample["x"], "y": y}},
        {"inputs": {"x": sample["x"]}}, {"inputs": {"y": sample["y"]}},
        {"inputs": {"x": -sample["x"]}}])
    assert replay.summary["equal"] is True
    first, second, third, fourth, fifth = replay.requests
    assert second["outputs"] != first["outputs"]
    assert third["outputs"] == second["outputs"]
    assert fourth["outputs"] == fifth["outputs"] == first["outputs"]
    package.check_run({"x": -sample["x"], "y": y})


def test_after_a_cutoff_another_boundary_is_seen(compiled):
    """A, -A, B, -B, A: with a boundary of |x| only B is another one, and A comes back."""
    package = compiled(retention.quantised("abs"))
    sample = package.sample()
    a, b = sample["x"], sample["x"] * np.float32(3)
    replay = package.replay([{"inputs": {"x": x, "y": sample["y"]}} for x in (a, -a, b, -b, a)])
    assert replay.summary["equal"] is True
    outputs = [str(request["outputs"]) for request in replay.requests]
    assert outputs[0] == outputs[1] == outputs[4] != outputs[2] == outputs[3]
    for reader in depending(package, "x", "y"):
        runs = replay.summary["runs"]
        assert runs.get(reader, 0) + runs.get("main", 0) == 2


def test_a_cutoff_reaches_everything_behind_the_boundary(compiled, core):
    package = compiled(retention.chained(), core)
    sample = package.sample()
    replay = package.replay([{"inputs": sample}, {"inputs": {"x": -sample["x"]}}])
    assert replay.summary["equal"] is True
    first, second = replay.requests
    assert set(second["ran"]) == depending(package, "x")
    assert second["outputs"] == first["outputs"]
    assert depending(package, "x", "y") & set(second["reused"])
    assert depending(package, "x", "y", "z") & set(second["reused"])


@pytest.mark.parametrize("budget", [0, 3 << 9, 20 << 10])
def test_a_cutoff_is_right_under_any_budget(compiled, budget):
    package = compiled(retention.chained())
    sample = package.sample()
    steps = [sample["x"] * np.float32(s) for s in (1, -1, 2, -2, 1, -1, 2)]
    requests = [{"inputs": {"x": x}} for x in steps]
    requests[0]["inputs"].update({"y": sample["y"], "z": sample["z"]})
    replay = package.replay(requests, "--retained-budget", budget)
    assert replay.summary["equal"] is True and replay.summary["failed"] == 0
    assert replay.summary["retained_bytes_peak"] <= budget


ZEROS = [np.zeros(8, np.float32), -np.zeros(8, np.float32)]


def test_a_boundary_that_keeps_the_sign_of_zero_is_another_one(compiled, core):
    package = compiled(retention.reciprocals("clamp"), core)
    ones = np.ones(8, np.float32)
    replay = package.replay([{"inputs": {"x": ZEROS[0], "y": ones, "z": ones}},
                             {"inputs": {"x": ZEROS[1]}}, {"inputs": {"x": ZEROS[0]}}])
    assert replay.summary["equal"] is True
    right = [np.full(8, value, np.float32) for value in (np.inf, -np.inf, np.inf)]
    for request, value in zip(replay.requests, right, strict=True):
        assert set(request["outputs"].values()) == {digest(value)}
    assert replay.requests[1]["changed"] == ["x"]
    assert set(replay.requests[1]["ran"]) & {
        "main", *(c["name"] for c in package.segments if "y" in c["dependencies"])}


def test_a_boundary_that_drops_the_sign_of_zero_is_the_same(compiled, core):
    package = compiled(retention.reciprocals("abs"), core)
    ones = np.ones(8, np.float32)
    replay = package.replay([{"inputs": {"x": ZEROS[0], "y": ones, "z": ones}},
                             {"inputs": {"x": ZEROS[1]}}])
    assert replay.summary["equal"] is True
    first, second = replay.requests
    assert second["changed"] == ["x"]
    assert second["outputs"] == first["outputs"]
    assert set(first["outputs"].values()) == {digest(np.full(8, np.inf, np.float32))}
    assert set(second["ran"]) == depending(package, "x")
    for name in ("y", "z"):
        assert depending(package, "x", name) & set(second["reused"])
