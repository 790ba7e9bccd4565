"""E2: the number of prompts Q and the number of points N are different axes."""

import numpy as np
import pytest
from programs import retention
from harness import error_text

SIZES = [(1, 1), (2, 1), (1, 6), (2, 2), (64, 1), (64, 6), (3, 2)]


def prompt(prompts, points, seed) -> dict:
    found = retention.prompt(prompts, points, seed)
    return {name: value.numpy() for name, value in zip(("points", "labels"), found, strict=True)}


def encoder(package) -> list[str]:
    """What reads the image, and of no other input so much as the size."""
    names = [c["name"] for c in package.segments
             if c["dependencies"] == ["image"] and c["weight_bytes"]
             and set(c["shape_dependencies"]) <= {"image"}]
    assert names
    return names


def encoder_runs(package, replay) -> set[int]:
    ran = [name for request in replay.requests for name in request["ran"]]
    return {ran.count(name) + ran.count("main") for name in encoder(package)}


@pytest.mark.parametrize("q,n", SIZES)
def test_e2_fixed_sizes_encode_once_over_all_prompts(compiled, core, q, n):
    package = compiled(retention.prompted(q, n), core)
    image = package.sample()["image"]
    requests = [{"inputs": prompt(q, n, seed)} for seed in range(8)]
    requests[0]["inputs"]["image"] = image
    replay = package.replay(requests)
    assert replay.summary["equal"] is True and replay.summary["failed"] == 0
    assert encoder_runs(package, replay) == {1}
    for seed in (0, 7):
        package.check_run({"image": image, **prompt(q, n, seed)}, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("q,n,axis", [(3, 2, "prompts"), (1, 2, "prompts"), (2, 3, "points"),
                                      (2, 1, "points"), (4, 1, "both")])
def test_e2_another_size_than_exported_is_refused_by_name(compiled, q, n, axis):
    package = compiled(retention.prompted(2, 2))
    sample = package.sample()
    wrong = prompt(q, n, 1)
    replay = package.replay([{"inputs": sample}, {"inputs": wrong},
                             {"inputs": {"points": wrong["points"]}}, {"inputs": sample}])
    first, both, points, last = replay.requests
    text = error_text(both)
    assert "'points'" in text or "'labels'" in text, axis
    for part in ("'points'", f"[1, {q}, {n}, 2]", "[1, 2, 2, 2]"):
        assert part in error_text(points), axis
    assert last["ran"] == [] and last["outputs"] == first["outputs"]


def test_e2_another_image_size_is_refused_by_name(compiled):
    package = compiled(retention.prompted(2, 2))
    sample = package.sample()
    wrong = np.zeros((1, 3, 64, 32), np.float32)
    replay = package.replay([{"inputs": sample}, {"inputs": {"image": wrong}}])
    for part in ("'image'", "[1, 3, 64, 32]", "[1, 3, 32, 24]"):
        assert part in error_text(replay.requests[1])


def test_e2_both_axes_may_change_from_request_to_request(compiled, core):
    package = compiled(retention.prompted(3, 2, dynamic=True), core)
    image = package.sample()["image"]
    requests = [{"inputs": prompt(q, n, q + n)} for q, n in SIZES]
    requests[0]["inputs"]["image"] = image
    replay = package.replay(requests)
    assert replay.summary["equal"] is True and replay.summary["failed"] == 0
    assert encoder_runs(package, replay) == {1}
    for q, n in SIZES:
        package.check_run({"image": image, **prompt(q, n, q + n)}, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("q,n", [(65, 1), (1, 7)])
def test_e2_a_size_outside_the_exported_range_is_refused_by_name(compiled, q, n):
    package = compiled(retention.prompted(3, 2, dynamic=True))
    sample = package.sample()
    replay = package.replay([{"inputs": sample}, {"inputs": prompt(q, n, 1)}, {"inputs": sample}])
    first, second, third = replay.requests
    text = error_text(second)
    assert "'points'" in text or "'labels'" in text
    assert str(max(q, n)) in text
    assert third["outputs"] == first["outputs"]


def test_e2_the_size_of_an_image_is_not_its_contents(compiled, core):
    """A new size of the image runs what scales points by it; new contents do not."""
    package = compiled(retention.prompted(3, 2, dynamic=True), core)
    sample = package.sample()
    points = [c["name"] for c in package.segments
              if "points" in c["dependencies"] and "image" in c["shape_dependencies"]
              and "image" not in c["dependencies"]]
    assert points
    small = {**sample, "image": sample["image"][:, :, :16, :20].copy()}
    replay = package.replay([{"inputs": sample}, {"inputs": {"image": sample["image"] + 1}},
                             {"inputs": {"image": small["image"]}}])
    assert replay.summary["equal"] is True and replay.summary["failed"] == 0
    _, contents, shape = replay.requests
    assert not set(points) & set(contents["ran"])
    assert set(points) <= set(shape["ran"]) or shape["ran"] == ["main"]
    package.check_run(small, rtol=1e-4, atol=1e-5)
