"""The exact engine: PyTorch's bits, and what the fast engine cannot compute."""

import numpy as np
import pytest
import torch
from programs import clip, efficientsam, exact
from programs.program import Function, Program
from harness import CliError, Compiled, masks, to_numpy

THREADS = 2


@pytest.fixture(autouse=True)
def threads():
    """Bits of PyTorch are those of a number of threads."""
    before = torch.get_num_threads()
    torch.set_num_threads(THREADS)
    yield
    torch.set_num_threads(before)


def exact_package(cli, program, folder):
    exported = program.save(folder / "model.pt2")
    return Compiled.from_file(cli, folder / "model.pt2", folder, exported, program.eager,
                              program.vary, "--numerics", "exact", "--threads", THREADS)


def assert_bits(package, values):
    """`run` gives PyTorch's bits."""
    answer = package.run(values, options=("--threads", THREADS))
    for name, right in zip(package.outputs, package.expected(values), strict=True):
        right = to_numpy(right)
        assert answer[name].dtype == right.dtype, name
        assert answer[name].shape == right.shape, name
        assert answer[name].tobytes() == np.ascontiguousarray(right).tobytes(), name


def assert_every_mask_has_the_bits(package):
    """Of PyTorch for the first and the last, of full runs for all."""
    sample = package.sample()
    values = dict(sample)
    requests = [{"inputs": sample}]
    for step, mask in enumerate(masks(package.inputs), start=1):
        fresh = {name: package.vary(name, sample[name], step) for name in mask}
        values.update(fresh)
        requests.append({"inputs": fresh})
    replay = package.replay(requests, "--threads", THREADS)
    assert all(r.get("equal") is True for r in replay.requests), replay.requests
    assert_bits(package, sample)
    assert_bits(package, values)


def test_an_exact_package_has_the_bits_of_pytorch(cli, exact_engine, tmp_path):
    package = exact_package(cli, exact.attention(), tmp_path)
    assert {c["exact_node_count"] for c in package.manifest["callables"]} != {0}
    for callable_ in package.manifest["callables"]:
        assert callable_["exact_node_count"] == callable_["node_count"], callable_["name"]
    assert_every_mask_has_the_bits(package)


def test_clip_exact_has_the_bits_of_pytorch(cli, exact_engine, tmp_path):
    package = exact_package(cli, clip.clip(), tmp_path)
    assert_every_mask_has_the_bits(package)
    for path in (tmp_path / "model.pt2", package.package):
        path.unlink()


def test_three_inputs_exact_has_the_bits_of_pytorch(cli, exact_engine, three_inputs, root,
                                                    tmp_path):
    package = Compiled.from_file(cli, root / "examples" / "three_inputs.pt2", tmp_path,
                                 three_inputs.exported, three_inputs.eager, three_inputs.vary,
                                 "--numerics", "exact", "--threads", THREADS)
    assert_every_mask_has_the_bits(package)


def test_efficientsam_exact_has_the_bits_of_pytorch(cli, exact_engine, fixtures, tmp_path):
    model = fixtures / efficientsam.FILE
    exported = torch.export.load(str(model))
    module = exported.module()

    def eager(leaves):
        with torch.no_grad():
            return torch.utils._pytree.tree_flatten(module(*leaves))[0]

    package = Compiled.from_file(cli, model, tmp_path, exported, eager, efficientsam.vary,
                                 "--numerics", "exact", "--threads", THREADS)
    assert_bits(package, package.sample())


def test_what_the_fast_engine_cannot_run_runs_exactly(compiled, cli, exact_engine):
    package = compiled(exact.double_positions())
    counts = {c["name"]: c["exact_node_count"] for c in package.manifest["callables"]}
    assert 0 < counts["main"] < package.manifest["callables"][0]["node_count"]
    package.check_masks()


def test_without_the_exact_engine_the_refusal_says_what_to_install(compiled):
    with pytest.raises(CliError) as refused:
        compiled(exact.double_positions())
    assert "float64" in refused.value.message
    assert "doctor --build-torch-engine" in refused.value.message


def wide(values):
    return {**values, "ids": np.array([2**40, 1, -2**33, 7])}


def with_nan(values):
    image = values["image"].copy()
    image[1, 2] = np.nan
    return {**values, "image": image}


@pytest.mark.parametrize("change", [wide, with_nan], ids=["wide", "nan"])
def test_values_that_the_fast_engine_does_not_compute_go_to_the_exact_one(compiled, exact_engine,
                                                                          change):
    package = compiled(exact.wide_numbers())
    sample = package.sample()
    package.check_run(change(sample))
    steps = [{"inputs": sample}, {"inputs": change(sample)}, {"inputs": sample},
             {"inputs": change(sample)}]
    replay = package.replay(steps)
    assert all(r.get("equal") is True for r in replay.requests), replay.requests


@pytest.mark.parametrize("change, what", [(wide, "input 'ids'"), (with_nan, "input 'image'")],
                         ids=["wide", "nan"])
def test_without_the_exact_engine_such_values_are_refused_by_name(compiled, change, what):
    package = compiled(exact.wide_numbers())
    with pytest.raises(CliError) as refused:
        package.run(change(package.sample()))
    assert what in refused.value.message
    assert "doctor --build-torch-engine" in refused.value.message


def test_a_tag_for_values_like_that_is_looked_at_once(compiled, exact_engine):
    package = compiled(exact.wide_numbers())
    sample = with_nan(package.sample())
    tagged = {"inputs": sample, "versions": {"image": "a"}}
    replay = package.replay([tagged, tagged, tagged])
    assert all(r.get("equal") is True for r in replay.requests), replay.requests
    assert replay.requests[1]["ran"] == replay.requests[2]["ran"] == []


def test_main_is_compared_with_pytorch(cli, exact_engine, root, tmp_path):
    report = cli.json("compile", root / "examples" / "three_inputs.pt2", "-o", tmp_path / "p.pt2")
    assert report["compared_with_pytorch"] is True
    message = cli.refusal("compile", root / "examples" / "three_inputs.pt2", "-o",
                          tmp_path / "q.pt2", "--oracle-rtol", 0, "--oracle-atol", 0)
    assert "main does not give what PyTorch gives" in message
    assert "in PyTorch" in message and "in main" in message
    assert not (tmp_path / "q.pt2").exists()


def test_the_order_of_equal_elements_is_no_difference(cli, exact_engine, tmp_path):
    def chosen(x, y):
        values, places = torch.topk(x, 3, dim=1)
        return values + y, places, torch.sort(x, dim=0).indices

    program = Program(Function(chosen), (torch.tensor([[1, 1, 2, 2, 2, 2], [1, 1, 1, 1, 1, 1]]),
                                         torch.tensor(1)))
    program.save(tmp_path / "model.pt2")
    report = cli.json("compile", tmp_path / "model.pt2", "-o", tmp_path / "package.pt2")
    assert report["compared_with_pytorch"] is True
    for note in report["rejections"]:
        if note["candidate"] == "comparison with PyTorch":
            assert "equal elements" in note["reason"]
