"""What is retained between requests, how many bytes it takes, and whose it is."""

import itertools

import numpy as np
import pytest
from programs import incremental, retention
from harness import digest

TOWERS = incremental.TwoTowers
BIG, SMALL = TOWERS.IMAGE_BYTES, TOWERS.TEXT_BYTES


def image_requests(package, steps) -> list[dict]:
    """The same text, one image after another."""
    sample = package.sample()
    requests = [{"inputs": {"image": package.vary("image", sample["image"], step)}}
                for step in steps]
    requests[0]["inputs"]["text"] = sample["text"]
    return requests


def runs(replay, name) -> int:
    return replay.summary["runs"].get(name, 0) + replay.summary["runs"].get("main", 0)


def tower(package, name) -> dict:
    """Of the segments that depend on `name` alone the one with the weights."""
    found = [c for c in package.segments if c["dependencies"] == [name]]
    return max(found, key=lambda c: c["weight_bytes"])


def size(port) -> int:
    return int(np.prod(port["shape"])) * np.dtype(port["dtype"]).itemsize


def boundary_bytes(package, name) -> int:
    """Of one version of what others read from the segments that depend on `name` alone."""
    read = {p["name"] for c in package.segments if c["dependencies"] != [name]
            for p in c["inputs"]}
    return sum(size(p) for c in package.segments if c["dependencies"] == [name]
               for p in c["outputs"] if p["name"] in read)


@pytest.mark.parametrize("budget", [0, SMALL, BIG - 1, BIG, BIG + SMALL, 2 * BIG + SMALL])
def test_c8_two_images_in_turn_under_any_budget(compiled, budget):
    package = compiled(incremental.two_towers())
    replay = package.replay(image_requests(package, [step % 2 for step in range(100)]),
                            "--retained-budget", budget)
    assert replay.summary["equal"] is True and replay.summary["failed"] == 0
    assert len({str(request["outputs"]) for request in replay.requests}) == 2
    assert replay.summary["retained_bytes_peak"] <= budget
    assert replay.summary["retained_bytes"] <= replay.summary["retained_bytes_peak"]
    if budget == 0:
        assert runs(replay, tower(package, "image")["name"]) == 100


def test_c8_ten_thousand_requests_in_turn(compiled):
    package = compiled(retention.pixels())
    sample = package.sample()
    images = [package.vary("image", sample["image"], step) for step in (0, 1)]
    requests = [{"inputs": {"image": images[step % 2]}} for step in range(10_000)]
    requests[0]["inputs"]["text"] = sample["text"]
    replay = package.replay(requests, "--retained-budget", 100, check=False)
    assert replay.summary["failed"] == 0
    assert 0 < replay.summary["retained_bytes_peak"] <= 100
    answers = [request["outputs"][package.outputs[0]] for request in replay.requests]
    right = [digest(package.check_run({**sample, "image": image})[package.outputs[0]])
             for image in images]
    assert right[0] != right[1]
    assert answers == right * 5_000


def test_c8_a_tensor_larger_than_the_budget_is_not_kept(compiled):
    package = compiled(incremental.two_towers())
    replay = package.replay(image_requests(package, [0, 1, 0, 1]),
                            "--retained-budget", BIG - 1)
    assert replay.summary["equal"] is True
    assert replay.summary["retained_bytes_peak"] < BIG
    assert runs(replay, tower(package, "text")["name"]) == 1


@pytest.mark.parametrize("kept", [0, 1, 2])
def test_c8_a_request_that_needs_two_kept_tensors_with_room_for_some(compiled, kept):
    package = compiled(retention.two_kept())
    sample = package.sample()
    requests = [{"inputs": {"prompt": package.vary("prompt", sample["prompt"], step)}}
                for step in range(20)]
    requests[0]["inputs"].update({"image": sample["image"], "depth": sample["depth"]})
    one = retention.TwoKept.KEPT_BYTES
    budget = kept * one + one // 2
    replay = package.replay(requests, "--retained-budget", budget)
    assert replay.summary["equal"] is True and replay.summary["failed"] == 0
    assert replay.summary["retained_bytes_peak"] <= budget
    if kept == 2:
        towers = [tower(package, name)["name"] for name in ("image", "depth")]
        assert [runs(replay, name) for name in towers] == [1, 1]


def test_c8_one_kept_tensor_used_twice_by_one_request(compiled, core):
    package = compiled(retention.kept_twice(), core)
    sample = package.sample()
    prompts = [{name: package.vary(name, sample[name], step) for name in ("left", "right")}
               for step in range(12)]
    requests = [{"inputs": {**prompt, "image": package.vary("image", sample["image"], step // 4)}}
                for step, prompt in enumerate(prompts)]
    for budget in (0, 16 << 10, (16 << 10) + 2048, 1 << 30):
        replay = package.replay(requests, "--retained-budget", budget)
        assert replay.summary["equal"] is True and replay.summary["failed"] == 0
        assert replay.summary["retained_bytes_peak"] <= budget
    image = [c["name"] for c in package.segments if c["dependencies"] == ["image"]]
    assert image
    for name in image:
        assert runs(replay, name) == 3, "once for each of three images"


@pytest.mark.parametrize("images", [1, 3, 6])
def test_c8_the_retained_bytes_are_those_of_what_is_there(compiled, images):
    package = compiled(incremental.two_towers())
    # Each image twice: what is there already is not counted again.
    order = [step for _ in range(2) for step in range(images)]
    replay = package.replay(image_requests(package, order))
    assert boundary_bytes(package, "image") == BIG
    assert boundary_bytes(package, "text") == SMALL
    answer = size(next(o for o in package.manifest["outputs"]))
    there = images * (BIG + answer) + SMALL
    assert replay.summary["retained_bytes"] == there
    assert replay.summary["retained_bytes_peak"] == there
    assert replay.summary["evictions"] == 0


def test_c8_evicted_bytes_are_given_back_once(compiled):
    package = compiled(incremental.two_towers())
    room = 2 * BIG + 2 * SMALL
    order = list(itertools.islice(itertools.cycle(range(5)), 60))
    replay = package.replay(image_requests(package, order), "--retained-budget", room)
    assert replay.summary["equal"] is True
    assert replay.summary["retained_bytes_peak"] <= room
    assert replay.summary["evictions"] > 0
    # Full again at the end: an account that drifts leaves less room, or more, than there is.
    assert 2 * BIG + SMALL <= replay.summary["retained_bytes"] <= room
    assert runs(replay, tower(package, "text")["name"]) == 1


def test_c9_other_weights_at_the_same_path_are_another_program(compiled):
    package = compiled(retention.scaled(1.0))
    x = np.full((2, 4), 3, np.float32)
    for weight, name in ((1.0, "first"), (2.0, "second"), (1.0, "third")):
        model = package.folder / f"{name}.pt2"
        retention.scaled(weight).save(model)
        package.cli.json("compile", model, "-o", package.package, "--nominal-costs")
        for t in (1, 2):
            shift = np.full(4, t, np.float32)
            (answer,) = package.run({"x": x, "t": shift}).values()
            np.testing.assert_array_equal(answer, np.full((2, 4), weight * 3 + t, np.float32))


def test_c9_one_weight_makes_another_identity(compiled):
    one, two = (compiled(retention.scaled(weight)).manifest for weight in (1.0, 2.0))
    same = compiled(retention.scaled(1.0)).manifest
    names = [c["name"] for c in one["callables"]]
    assert names == [c["name"] for c in two["callables"]]
    reads_weight = [c["name"] for c in one["callables"] if c["weight_bytes"]]
    assert "main" in reads_weight and len(reads_weight) > 1
    for a, b, c in zip(one["callables"], two["callables"], same["callables"], strict=True):
        assert a["identity"] == c["identity"]
        assert (a["identity"] == b["identity"]) == (a["name"] not in reads_weight)


def test_r1_a_thousand_images_are_a_thousand_answers(compiled):
    package = compiled(retention.pixels())
    sample = package.sample()
    rng = np.random.default_rng(3)
    base = sample["image"].copy()
    images = []
    for step in range(1_000):  # neighbours differ in one value of one pixel
        base = base.copy()
        base.flat[step % base.size] = rng.standard_normal(dtype=np.float32)
        images.append(base)
    requests = [{"inputs": {"image": image}} for image in images + images[::-1]]
    requests[0]["inputs"]["text"] = sample["text"]
    replay = package.replay(requests, check=False)
    assert replay.summary["failed"] == 0
    answers = [request["outputs"][package.outputs[0]] for request in replay.requests]
    full = package.replay(requests[:1_000], "--full", check=False)
    right = [request["outputs"][package.outputs[0]] for request in full.requests]
    assert len(set(right)) == 1_000
    assert answers == right + right[::-1]
    image = tower(package, "image")["name"]
    first, again = replay.requests[:1_000], replay.requests[1_000:]
    assert all(image in r["ran"] or "main" in r["ran"] for r in first)
    assert not any(image in r["ran"] or "main" in r["ran"] for r in again)
