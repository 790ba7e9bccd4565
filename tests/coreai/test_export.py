"""What export() writes."""

import hashlib
import json

import changeaware
import numpy as np
import pytest
import torch
from assets import beside, compile_program, main_alone
from programs import control_flow, incremental, reading
from programs_of_coreai import doubles, only_cats

coreai = changeaware.coreai


def test_the_asset_has_main_and_every_segment_with_our_ports(three):
    package = changeaware.Package(three.package).manifest
    manifest = three.manifest
    names = [callable_["name"] for callable_ in package["callables"]]
    assert three.exported.functions == names
    assert names[0] == "main" and len(names) > 3
    from coreai.authoring import AIModelAsset

    summary = AIModelAsset.load(three.path).summary(include_statistics=False)
    assert sorted(summary.function_names) == sorted(names)
    for ours, callable_ in zip(manifest["functions"], package["callables"], strict=True):
        assert ours["identity"] == callable_["identity"]
        assert ours["dependencies"] == callable_["dependencies"]
        inputs = dict(summary.function_inputs(ours["name"]))
        assert sorted(inputs) == sorted(p["name"] for p in callable_["inputs"])
        outputs = dict(summary.function_outputs(ours["name"]))
        assert sorted(outputs) == sorted(p["name"] for p in callable_["outputs"])
    main = dict(summary.function_inputs("main"))
    assert main["image"] == "NDArray (Float32, 1 × 3 × 96 × 96)"
    assert main["text"] == "NDArray (Int32, 1 × 256)"


def test_the_manifest_beside_it_states_strategies_and_the_digest(three):
    manifest = json.loads(beside(three.path).read_text())
    package = changeaware.Package(three.package).manifest
    assert [s["name"] for s in manifest["strategies"]] == [
        s["name"] for s in package["strategies"]]
    assert [s["callables"] for s in manifest["strategies"]] == [
        s["callables"] for s in package["strategies"]]
    program = (three.path / "main.mlirb").read_bytes()
    assert manifest["asset"]["sha256"] == hashlib.sha256(program).hexdigest()
    assert (three.path / "main.hash").read_bytes() == hashlib.sha256(program).digest()
    assert manifest["versions"]["coreai-torch"] == "0.4.3"
    assert manifest["versions"]["changeaware"] == changeaware.__version__


def test_no_path_of_a_source_file_is_in_the_asset(three):
    program = (three.path / "main.mlirb").read_bytes()
    assert b".py" not in program and b"/site-packages" not in program


def test_narrowed_ports_are_declared(three):
    assert three.exported.narrowings == [
        {"function": name, "port": "text", "direction": "input", "from": "int64", "to": "int32",
         "range": [-2**31, 2**31 - 1]} for name in ("main", "segment_text")]
    assert three.manifest["narrowings"] == three.exported.narrowings


def test_values_that_are_narrowed_inside_are_counted(tmp_path):
    package = compile_program(doubles(), tmp_path)
    coreai.export(package, tmp_path / "doubles.aimodel", verify=True)
    main = coreai.check(tmp_path / "doubles.aimodel")["functions"][0]
    assert main["narrowed_values"]["float64"] >= 2
    assert main["narrowed_values"]["int64"] >= 1
    assert {p["dtype"] for p in main["outputs"]} == {"float64", "int64"}
    assert {p["asset_dtype"] for p in main["outputs"]} <= {"float32", "int32", "uint32"}


def test_weights_are_stored_once(three, root, tmp_path):
    """All functions add nothing but code to what `main` alone takes."""
    alone = main_alone(three.package, tmp_path / "alone.aimodel")
    as_converted = main_alone(three.package, tmp_path / "plain.aimodel", keep_marks=True)
    assert three.exported.asset_bytes - alone < 0.06 * three.exported.weight_bytes
    assert three.exported.asset_bytes <= 1.02 * as_converted
    # Each weight of more than a kilobyte, by its bytes.
    program = (three.path / "main.mlirb").read_bytes()
    exported = torch.export.load(str(root / "examples" / "three_inputs.pt2"))
    large = [t for t in exported.state_dict.values() if t.numel() >= 256]
    assert len(large) > 5
    for tensor in large:
        assert program.count(tensor.detach().contiguous().numpy().tobytes()) == 1


@pytest.mark.parametrize("make", [
    reading.keyword_inputs, reading.nested_outputs, reading.repeated_output, only_cats,
    incremental.two_towers, incremental.shape_only, incremental.doubled, control_flow.branch,
], ids=lambda make: make.__name__)
def test_programs_of_every_nesting_export_with_the_bits_of_main(make, tmp_path):
    package = compile_program(make(), tmp_path)
    exported = coreai.export(package, tmp_path / "model.aimodel", verify=True)
    assert exported.verified.all_bits_equal
    assert exported.verified.largest_difference_from_pytorch < 1e-5
    strategies = changeaware.Package(package).manifest["strategies"]
    assert [s.name for s in exported.verified.strategies] == [s["name"] for s in strategies]


def test_open_sizes_stay_open(rows):
    main = {f["name"]: f for f in rows.manifest["functions"]}["main"]
    symbol = main["inputs"][0]["shape"][0]
    assert not symbol.isdigit()
    assert rows.manifest["symbols"][0]["symbol"] == symbol
    assert rows.exported.verified.all_bits_equal


def test_an_asset_that_is_there_is_replaced_and_progress_named(rows, tmp_path):
    path = rows.copy_to(tmp_path)
    before = beside(path).read_bytes()
    seen = []
    coreai.export(rows.package, path, progress=lambda what, share: seen.append((what, share)))
    assert beside(path).read_bytes() != before, "names inside an asset differ from run to run"
    assert coreai.check(path, rows.package)["verified"] is None
    assert sorted(p.name for p in tmp_path.iterdir()) == [path.name, beside(path).name]
    stages = [what.split()[0] for what, _ in seen]
    assert [s for i, s in enumerate(stages) if s not in stages[:i]] == [
        "decompose", "check", "convert", "write"]
    assert all(0 <= share <= 1 for _, share in seen)


def test_main_and_segments_give_what_pytorch_gives(three, three_values, root):
    values = three_values(3)
    model = torch.export.load(str(root / "examples" / "three_inputs.pt2")).module()
    with torch.no_grad():
        expected = model(*(torch.from_numpy(values[n]) for n in ("image", "text", "control")))
    with coreai.CoreAISession(three.path) as session:
        for strategy in ("monolithic", "full_retention"):
            ours = session(**values, strategy=strategy)
            assert set(ours) == set(expected)
            for name, value in ours.items():
                right = expected[name].numpy()
                np.testing.assert_allclose(value, right, rtol=0, atol=1e-4 * np.abs(right).max())
