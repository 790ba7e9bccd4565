"""Strategies: which boundaries are kept. All give the same bits; each keeps its promise."""

import itertools
import json

import numpy as np
import pytest
from programs import incremental, retention
from programs.efficientsam import IMAGE, LABELS, POINTS
from harness import error_text, masks


def names(package) -> list[str]:
    return [s["name"] for s in package.manifest["strategies"]]


def by_mask(strategy) -> dict:
    return {frozenset(cost["changed"]): cost for cost in strategy["mask_costs"]}


def port_sizes(package) -> dict[str, int]:
    """Bytes of every output of a segment, at the sizes of the examples."""
    return {p["name"]: int(np.prod(p["shape"])) * np.dtype(p["dtype"]).itemsize
            for c in package.segments for p in c["outputs"]}


def check_manifest(package) -> None:
    """The contract that every manifest keeps."""
    manifest = package.manifest
    strategies = manifest["strategies"]
    sizes = port_sizes(package)
    assert names(package)[0] == "monolithic" and len(set(names(package))) == len(strategies)
    assert strategies[0]["callables"] == ["main"] and strategies[0]["retained"] == []
    assert manifest["strategy_candidates"] >= len(strategies)
    every_mask = {frozenset(mask) for mask in masks(package.inputs) if mask}
    steady = {c["name"]: c["costs"]["steady_us"] for c in manifest["callables"]}
    for strategy in strategies:
        assert strategy["retained_bytes"] == sum(sizes[port] for port in strategy["retained"])
        assert set(by_mask(strategy)) == every_mask
        for mask, cost in by_mask(strategy).items():
            assert [n for n in strategy["callables"] if n in cost["runs"]] == cost["runs"]
            assert cost["steady_us"] == pytest.approx(sum(steady[n] for n in cost["runs"]))
            if strategy["name"] != "monolithic":
                assert set(package.depending_on(mask)) <= set(cost["runs"])
            if mask == frozenset(package.inputs):
                with_inputs = [c for c in strategy["callables"] if c == "main"
                               or package.segment(c)["dependencies"]]
                assert set(with_inputs) <= set(cost["runs"])
    for a, b in itertools.permutations(strategies[1:], 2):
        # Less to run whatever changed, and not more to keep: b should have been pruned.
        no_more_runs = all(set(cost["runs"]) <= set(by_mask(b)[mask]["runs"])
                           for mask, cost in by_mask(a).items())
        assert not (no_more_runs and a["retained_bytes"] <= b["retained_bytes"]), (
            f"{a['name']} is no worse than {b['name']} in anything")


@pytest.mark.parametrize("make", [incremental.two_towers, retention.two_kept,
                                  retention.kept_twice, retention.chained],
                         ids=lambda make: make.__name__)
def test_a_manifest_says_what_each_strategy_keeps_and_runs(compiled, core, make):
    package = compiled(make(), core)
    check_manifest(package)
    best = max(package.manifest["strategies"], key=lambda s: s["retained_bytes"])
    assert best["name"] == "full_retention"
    for mask, cost in by_mask(best).items():
        assert cost["runs"] == package.depending_on(mask)


def test_three_inputs_manifest(three_inputs):
    check_manifest(three_inputs)
    assert "full_retention" in names(three_inputs)
    assert three_inputs.manifest["costs_are_measured"] is True
    for callable_ in three_inputs.manifest["callables"]:
        costs = callable_["costs"]
        assert 0 < costs["steady_us"] <= costs["p95_us"], callable_["name"]
        assert costs["load_us"] > 0 and costs["cold_us"] > 0, callable_["name"]


@pytest.mark.parametrize("round_", range(3))
def test_what_an_output_needs_does_not_depend_on_measured_times(compiled, cli, round_):
    """However little there is to gain: the first output needs no z, so none has to be given."""
    package = compiled(retention.chained())
    path = package.folder / "measured.pt2"
    cli.json("compile", package.folder / "model.pt2", "-o", path)
    sample = package.sample()
    given = [f"--input={name}={package.folder / package.write(sample[name])}" for name in "xy"]
    answer = cli.json("run", path, *given, "--want", package.outputs[0])
    assert set(answer["outputs"]) == {package.outputs[0]}
    assert not [name for name in answer["ran"] if "z" in name or name == "main"]


def check_strategy(package, strategy) -> None:
    """Under a forced strategy every change mask runs what the manifest says, to the same bits.

    Every request gives values that none had before, so that nothing but what the strategy keeps of
    the request before can be used.
    """
    sample = package.sample()
    every_mask = [m for m in masks(package.inputs) if m]
    requests = [{"inputs": sample}] + [
        {"inputs": {name: package.vary(name, sample[name], step) for name in mask}}
        for step, mask in enumerate(every_mask, start=1)]
    replay = package.replay(requests, "--strategy", strategy["name"])
    assert replay.summary["equal"] is True and replay.summary["failed"] == 0
    assert {request["strategy"] for request in replay.requests} == {strategy["name"]}
    assert replay.requests[0]["ran"] == strategy["callables"]
    for mask, request in zip(every_mask, replay.requests[1:], strict=True):
        runs = by_mask(strategy)[frozenset(mask)]["runs"]
        assert sorted(request["changed"]) == sorted(mask)
        assert [n for n in runs if n in request["ran"]] == request["ran"] != []
        # Early cutoff may spare what reads the same bits again.
        assert set(runs) - set(request["ran"]) <= set(request["reused"])


@pytest.mark.parametrize("make", [retention.two_kept, retention.chained],
                         ids=lambda make: make.__name__)
def test_every_strategy_under_every_mask(compiled, make):
    package = compiled(make())
    for strategy in package.manifest["strategies"]:
        check_strategy(package, strategy)


def test_three_inputs_every_strategy_under_every_mask(three_inputs):
    for strategy in three_inputs.manifest["strategies"]:
        check_strategy(three_inputs, strategy)


def test_an_unknown_strategy_is_refused_with_those_there_are(three_inputs):
    replay = three_inputs.replay([{"inputs": three_inputs.sample()}], "--strategy", "none_such",
                                 check=False)
    text = error_text(replay.requests[0])
    for name in ("none_such", *names(three_inputs)):
        assert name in text


def compiled_with(package, cli, *options):
    """The manifest and the report of the same program compiled with other options.

    By nominal costs, so that every compilation considers the same candidates.
    """
    path = package.folder / "other_options.pt2"
    report = cli.json("compile", package.folder / "model.pt2", "-o", path, "--nominal-costs",
                      *options)
    return cli.json("inspect", path), report


def test_max_strategies_bounds_their_number(compiled, cli):
    package = compiled(retention.chained())
    manifest, report = compiled_with(package, cli)
    everything = [s["name"] for s in manifest["strategies"]]
    assert everything == report["strategies"]
    assert 3 <= len(everything) <= min(16, report["strategy_candidates"])
    for bound in (1, 2):
        manifest, report = compiled_with(package, cli, "--max-strategies", bound)
        found = report["strategies"]
        assert [s["name"] for s in manifest["strategies"]] == found
        assert found[0] == "monolithic" and len(found) == bound
        rejected = {r["candidate"] for r in manifest["rejections"]}
        assert set(everything) - set(found) <= rejected


def test_a_retained_budget_at_compile_time_leaves_out_what_is_larger(compiled, cli):
    package = compiled(retention.two_kept())
    manifest, _ = compiled_with(package, cli)
    full = max(s["retained_bytes"] for s in manifest["strategies"])
    assert full >= 2 * retention.TwoKept.KEPT_BYTES
    for budget in (0, full - 1, full):
        manifest, _ = compiled_with(package, cli, "--retained-budget", budget)
        found = manifest["strategies"]
        assert found[0]["name"] == "monolithic"
        assert all(s["retained_bytes"] <= budget for s in found)
        if budget < full:
            assert any(r["candidate"] == "full_retention" and "budget" in r["reason"]
                       for r in manifest["rejections"])


def test_with_no_tolerance_only_what_has_the_bits_of_main_remains(three_inputs, root, cli):
    path = three_inputs.folder / "exact.pt2"
    cli.json("compile", root / "examples" / "three_inputs.pt2", "-o", path,
             "--rtol", 0, "--atol", 0)
    exact = cli.json("inspect", path)
    tolerance = exact["tolerance"]
    assert tolerance["rtol"] == tolerance["atol"] == tolerance["of_scale"] == 0
    assert exact["verified"] is True
    assert exact["strategies"][0]["name"] == "monolithic"
    for strategy in exact["strategies"]:
        assert strategy["bits_of_main"] is True and strategy["difference_from_main"] == ""
    left_out = {s["name"] for s in three_inputs.manifest["strategies"]
                if not s["bits_of_main"]} - {"monolithic"}
    # By other measured times others may be chosen; what was executed and differs names the output.
    executed = [r["reason"] for r in exact["rejections"]
                if r["reason"].startswith("not equal when executed")]
    for reason in executed:
        assert any(output in reason for output in three_inputs.outputs), reason
    if left_out == set(names(three_inputs)) - {"monolithic"} != set():
        assert [s["name"] for s in exact["strategies"]] == ["monolithic"]
    if not left_out:
        assert len(exact["strategies"]) > 1


def verdicts(cli, package, *options) -> dict:
    report = cli.json("verify", package, *options)
    return {v["strategy"]: v for v in report["strategies"]} | {"": report}


def test_verify_passes_on_what_was_compiled(three_inputs, cli):
    found = verdicts(cli, three_inputs.package)
    assert found.pop("")["equal"] is True
    assert list(found) == names(three_inputs)
    for name, verdict in found.items():
        assert verdict["equal"] is True, verdict
        assert verdict["difference"] == "" or not verdict["bits_of_main"]
        if name != "monolithic":
            assert verdict["masks"] == 7, "of three inputs"
    assert cli.call("verify", three_inputs.package).returncode == 0


def test_verify_takes_other_examples(three_inputs, cli):
    values = three_inputs.sample()
    other = three_inputs.vary("image", values["image"], 3)
    found = verdicts(cli, three_inputs.package, "--example",
                     f"image={three_inputs.folder / three_inputs.write(other)}")
    assert found[""]["equal"] is True


# Answers computed elsewhere.


def write_reference(package, outputs: dict[str, np.ndarray], name: str):
    path = package.folder / f"{name}.npz"
    np.savez(path, **outputs)
    return path


@pytest.fixture
def small_reference(compiled):
    package = compiled(retention.chained())
    expected = package.expected(package.sample())
    return package, {name: value.numpy()
                     for name, value in zip(package.outputs, expected, strict=True)}


def test_a_reference_from_pytorch_passes(small_reference, cli):
    package, outputs = small_reference
    path = write_reference(package, outputs, "right")
    compiled_with(package, cli, "--reference", path)
    found = verdicts(cli, package.package, "--reference", path)
    assert found[""]["equal"] is True


def test_a_tampered_reference_is_refused_with_output_element_and_values(small_reference, cli):
    package, outputs = small_reference
    name = package.outputs[-1]
    wrong = outputs[name].copy()
    wrong[5, 7] = 1234.5
    path = write_reference(package, {**outputs, name: wrong}, "wrong")
    target = package.folder / "refused.pt2"
    text = cli.refusal("compile", package.folder / "model.pt2", "-o", target,
                       "--reference", path)
    element = np.ravel_multi_index((5, 7), wrong.shape)
    for part in (name, f"element {element}", "1234.5"):
        assert part in text, text
    assert not target.exists()
    done = cli.call("verify", package.package, "--reference", path)
    assert done.returncode == 1
    assert name in done.stdout + done.stderr and "1234.5" in done.stdout + done.stderr


@pytest.mark.parametrize("kind", ["unknown output", "other shape", "other dtype", "no archive"])
def test_a_reference_that_does_not_fit_is_refused_by_name(small_reference, cli, kind):
    package, outputs = small_reference
    name = package.outputs[0]
    path = package.folder / "unfit.npz"
    if kind == "unknown output":
        write_reference(package, {"no_such_output": outputs[name]}, "unfit")
        culprit = "no_such_output"
    elif kind == "other shape":
        write_reference(package, {**outputs, name: outputs[name][:3]}, "unfit")
        culprit = name
    elif kind == "other dtype":
        write_reference(package, {**outputs, name: outputs[name].astype(np.int64)}, "unfit")
        culprit = name
    else:
        path.write_bytes(b"PK\x03\x04 and no more")
        culprit = "unfit.npz"
    assert culprit in cli.refusal("compile", package.folder / "model.pt2", "-o",
                                  package.folder / "refused.pt2", "--reference", path)


def test_explain_says_why_each_callable_ran_or_not(three_inputs, cli):
    sample = three_inputs.sample()
    changed = {"image": three_inputs.vary("image", sample["image"], 1)}
    trace = three_inputs.folder / "explained.json"
    trace.write_text(json.dumps({"requests": [
        {"inputs": {n: three_inputs.write(v) for n, v in sample.items()}},
        {"inputs": {n: three_inputs.write(v) for n, v in changed.items()}},
        {"want": ["confidence"]}]}))
    _, second, third = cli.lines("explain", three_inputs.package, trace)
    by_name = {c["callable"]: c for c in second["callables"]}
    assert set(by_name) == set(three_inputs.strategy(second["strategy"])["callables"])
    must_run = three_inputs.depending_on(["image"])
    for name, decision in by_name.items():
        assert (decision["what"] == "ran") == (name in must_run), decision
        assert decision["what"] != "ran" or "image" in decision["why"]
        assert decision["what"] == "ran" or decision["why"]
    assert {c["what"] for c in third["callables"]} <= {"reused", "not needed"}
    assert "not needed" in {c["what"] for c in third["callables"]}
    text = cli.call("explain", three_inputs.package, trace)
    assert text.returncode == 0 and "image changed" in text.stdout
    assert all(name in text.stdout for name in by_name)


def test_explain_tells_what_was_evicted(compiled, cli):
    package = compiled(incremental.two_towers())
    sample = package.sample()
    images = [package.write(package.vary("image", sample["image"], step)) for step in (0, 1, 0)]
    trace = package.folder / "evicting.json"
    trace.write_text(json.dumps({"requests": [
        {"inputs": {"image": image, "text": package.write(sample["text"])}} for image in images]}))
    towers = incremental.TwoTowers
    budget = towers.IMAGE_BYTES + towers.TEXT_BYTES + 32  # no room for a second answer
    lines = cli.lines("explain", package.package, trace, "--retained-budget", budget)
    image = {c["name"] for c in package.segments if c["dependencies"] == ["image"]}
    last = {c["callable"]: c for c in lines[-1]["callables"]}
    assert any(last[name]["what"] == "evicted" for name in image if name in last)


# EfficientSAM at real size.


def test_efficientsam_manifest(sam):
    check_manifest(sam)
    kept = sorted(s["retained_bytes"] for s in sam.manifest["strategies"])
    full = sam.strategy("full_retention")["retained_bytes"]
    assert kept[-1] == full
    assert any(0 < size <= full // 2 for size in kept), "a thinner cut than the frontier"


def test_efficientsam_thinner_cuts_under_half_the_bytes(sam):
    """Points only, with room for half: right, within the budget, and the encoder is not run."""
    sample = sam.sample()
    budget = sam.strategy("full_retention")["retained_bytes"] // 2
    requests = [{"inputs": sample}] + [
        {"inputs": {POINTS: sam.vary(POINTS, sample[POINTS], step)}} for step in (1, 2, 3)]
    replay = sam.replay(requests, "--retained-budget", budget, check=False)
    full = sam.replay(requests[:2], "--full", check=False)
    assert replay.summary["failed"] == 0
    for ours, right in zip(replay.requests, full.requests):
        assert ours["outputs"] == right["outputs"]
    assert 0 < replay.summary["retained_bytes_peak"] <= budget
    encoder = [c for c in sam.segments if c["dependencies"] == [IMAGE]]
    heaviest = max(encoder, key=lambda c: c["costs"]["steady_us"])["name"]
    spent = sum(c["costs"]["steady_us"] for c in encoder)
    for request in replay.requests[1:]:
        assert heaviest not in request["ran"] and "main" not in request["ran"]
        again = sum(c["costs"]["steady_us"] for c in encoder if c["name"] in request["ran"])
        assert again < spent / 4


def test_efficientsam_every_strategy_keeps_its_promise(sam):
    """Each strategy once, with points alone changed."""
    sample = sam.sample()
    points = sam.vary(POINTS, sample[POINTS], 1)
    right = sam.replay([{"inputs": {**sample, POINTS: points}}], "--full", check=False)
    for strategy in sam.manifest["strategies"][1:]:
        replay = sam.replay([{"inputs": sample}, {"inputs": {POINTS: points}}],
                            "--strategy", strategy["name"], check=False)
        second = replay.requests[1]
        assert second["strategy"] == strategy["name"]
        assert second["outputs"] == right.requests[0]["outputs"], strategy["name"]
        assert second["ran"] == by_mask(strategy)[frozenset([POINTS])]["runs"]


def sam_reference(package, expected) -> dict[str, np.ndarray]:
    return dict(zip(package.outputs, (expected["masks_1"], expected["iou_1"]), strict=True))


def test_efficientsam_reference(sam, sam_expected, cli, fixtures):
    outputs = sam_reference(sam, sam_expected)
    options = ["--example", f"{POINTS}={sam.folder / sam.write(sam_expected['points_1'])}",
               "--example", f"{LABELS}={sam.folder / sam.write(sam_expected['labels'])}",
               "--rtol", 1e-4, "--atol", 1e-3, "--max-strategies", 1]
    right = write_reference(sam, outputs, "right")
    target = sam.folder / "with_reference.pt2"
    model = fixtures / "efficientsam_ti.pt2"
    report = cli.json("compile", model, "-o", target, "--reference", right, *options)
    assert report["verified"] is True
    masks_name, _ = sam.outputs
    wrong = outputs[masks_name].copy()
    wrong[0, 0, 1, 3, 5] = 1234.5
    path = write_reference(sam, {**outputs, masks_name: wrong}, "wrong")
    text = cli.refusal("compile", model, "-o", sam.folder / "refused.pt2", "--reference", path,
                       *options)
    element = np.ravel_multi_index((0, 0, 1, 3, 5), wrong.shape)
    for part in (masks_name, f"element {element}", "1234.5"):
        assert part in text, text
