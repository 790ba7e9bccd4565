"""The package is a PT2 archive: PyTorch opens it and runs every region to the same result."""

import numpy as np
import pytest
import torch
from programs import incremental, reading
from torch.export.pt2_archive._package import load_pt2
from torch.utils import _pytree as pytree
import archives
from harness import Compiled, to_numpy

PROGRAMS = [
    reading.keyword_inputs, reading.repeated_output, reading.passed_through, reading.view_weights,
    reading.composite, reading.writes_into_views, reading.tied_weights, incremental.two_towers,
    incremental.writes_kept, incremental.two_branches, incremental.doubled,
]


def run_main(program) -> list:
    """Flat outputs of `main`, which is called as the program that it was compiled from."""
    args, kwargs = program.example_inputs
    with torch.no_grad():
        return pytree.tree_flatten(program.module()(*args, **kwargs))[0]


def run_segments(package: Compiled, programs) -> dict[str, np.ndarray]:
    """Values by port name after every segment ran in PyTorch, each fed by port names."""
    values = {name: torch.from_numpy(np.array(v)) for name, v in package.sample().items()}
    for callable_ in package.segments:
        module = programs[callable_["name"]].module()
        with torch.no_grad():
            results = module(*(values[port["name"]] for port in callable_["inputs"]))
        flat = pytree.tree_flatten(results)[0]
        assert len(flat) == len(callable_["outputs"])
        for port, value in zip(callable_["outputs"], flat, strict=True):
            assert list(value.shape) == port["shape"], port["name"]
            assert str(value.dtype) == f"torch.{port['dtype']}", port["name"]
            values[port["name"]] = value
    return {name: to_numpy(value) for name, value in values.items()}


def check_regions(package: Compiled) -> None:
    programs = load_pt2(str(package.package)).exported_programs
    assert set(programs) == {c["name"] for c in package.manifest["callables"]}
    ours = package.run(package.sample())
    package.assert_close(ours, run_main(programs["main"]), 1e-4, 1e-4)
    if not package.segments:  # so little to do that pieces would not pay
        return
    theirs = run_segments(package, programs)
    for output in package.manifest["outputs"]:
        if "value" in output:
            np.testing.assert_allclose(ours[output["name"]], theirs[output["value"]],
                                       rtol=1e-4, atol=1e-4, err_msg=output["name"])


@pytest.mark.parametrize("make", PROGRAMS, ids=lambda make: make.__name__)
def test_pytorch_runs_every_region_to_the_same_result(compiled, core, make):
    check_regions(compiled(make(), core))


def test_pytorch_runs_the_regions_of_the_example(cli, root, tmp_path):
    model = root / "examples" / "three_inputs.pt2"
    exported = torch.export.load(str(model))
    package = Compiled.from_file(cli, model, tmp_path, exported, exported.module(), None)
    check_regions(package)


def test_the_manifest_comes_back_as_an_extra_file(compiled):
    package = compiled(incremental.doubled())
    extra = load_pt2(str(package.package)).extra_files
    assert any("manifest" in name for name in extra)


def test_r15_views_of_one_storage_are_stored_once(compiled, core):
    package = compiled(reading.many_views(), core)
    size = package.package.stat().st_size
    assert size < reading.ManyViews.BYTES + (256 << 10)
    package.check_run(rtol=1e-4, atol=1e-4)


def test_a6_two_slices_of_one_storage_are_stored_once(compiled):
    package = compiled(reading.view_weights())
    contents = archives.entries(package.package).values()
    big = np.arange(24, dtype=np.float32)
    rows = big[6:18].tobytes()
    assert sum(rows in content for content in contents) == 1


def test_equal_weights_are_stored_once(compiled):
    package = compiled(reading.tied_weights())
    one = 256 * 256 * 4
    assert one < package.package.stat().st_size < one + (128 << 10)


def test_the_same_program_gives_the_same_bytes(cli, compiled, tmp_path):
    """As long as nothing is measured while compiling."""
    package = compiled(reading.composite())
    once, again = tmp_path / "once.pt2", tmp_path / "again.pt2"
    for path in (once, again):
        cli.json("compile", package.folder / "model.pt2", "-o", path, "--nominal-costs")
    assert again.read_bytes() == once.read_bytes()


def test_inspect_describes_every_callable(compiled):
    package = compiled(incremental.two_towers())
    manifest = package.manifest
    assert manifest["callables"][0]["name"] == "main"
    known = set(package.inputs)
    for segment in package.segments:
        assert set(segment["dependencies"]) <= set(package.inputs)
        for port in segment["inputs"]:
            assert port["name"] in known, "inputs come from the program or an earlier callable"
        known |= {port["name"] for port in segment["outputs"]}
    names = {strategy["name"]: strategy["callables"] for strategy in manifest["strategies"]}
    assert names["monolithic"] == ["main"]
    assert [c["name"] for c in package.segments] in names.values()
    assert isinstance(manifest["rejections"], list)
    weights = sum(p.numel() * 4 for p in package.exported.parameters())
    assert manifest["callables"][0]["weight_bytes"] == weights
    assert manifest["verified"] is True
