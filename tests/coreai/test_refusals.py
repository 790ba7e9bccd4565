"""What export() refuses: the culprit is named, and nothing is left behind."""

import changeaware
import numpy as np
import programs_of_coreai as own
import pytest
from assets import beside, compile_program, run_python
from changeaware.coreai import _export
from programs import incremental

coreai = changeaware.coreai


def refused(package, asset, code: str) -> str:
    """The message; the folder is as it was."""
    before = sorted(asset.parent.iterdir())
    with pytest.raises(changeaware.Error) as caught:
        coreai.export(package, asset)
    assert caught.value.code == code, caught.value
    assert sorted(asset.parent.iterdir()) == before
    return str(caught.value)


@pytest.mark.parametrize("make, options, parts", [
    (own.sorted_rows, {}, ("callable 'main'", "aten.sort")),
    (own.far_constant, {}, ("callable 'main'", "constant", "int64", "1099511627776")),
    (own.far_number, {}, ("callable 'main'", "aten.add", "1099511627776")),
    (own.far_float, {}, ("callable 'main'", "constant", "float64", "1e+300")),
    (own.bfloats, {}, ("callable 'main'", "bfloat16", "port")),
    (incremental.asserted, {}, ("callable 'main'", "aten._assert_async", "b must be positive")),
], ids=lambda value: getattr(value, "__name__", ""))
def test_what_core_ai_cannot_take_is_named(make, options, parts, tmp_path):
    message = refused(compile_program(make(), tmp_path, **options), tmp_path / "m.aimodel",
                      "Unsupported")
    for part in parts:
        assert part in message, message


def test_a_failing_conversion_names_callable_and_operator(rows_package, tmp_path, monkeypatch):
    """Operators that the converter knows and cannot convert in this use."""
    from coreai_torch import _aten_to_core

    def broken(values_map, node, loc):
        raise KeyError("no such lowering")

    resolver = _aten_to_core._aten_to_core_resolver
    monkeypatch.setitem(resolver, "tanh.default", broken)
    message = refused(rows_package, tmp_path / "m.aimodel", "Unsupported")
    assert "callable 'main'" in message and "aten.tanh.default (tanh" in message


def test_a_refusal_leaves_the_asset_that_was_there(rows, tmp_path):
    path = rows.copy_to(tmp_path)
    package = compile_program(own.sorted_rows(), tmp_path)
    refused(package, path, "Unsupported")
    assert coreai.check(path, rows.package)["functions"]


def test_an_interrupted_write_leaves_the_asset_that_was_there(rows, tmp_path, monkeypatch):
    path = rows.copy_to(tmp_path)

    def full_disk(folder):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(_export, "_size", full_disk)
    assert "No space left" in refused(rows.package, path, "Io")
    assert coreai.check(path, rows.package)["functions"]


def test_paths_that_are_no_assets_are_refused(rows_package, tmp_path):
    assert ".aimodel" in refused(rows_package, tmp_path / "m.mlmodel", "InvalidArgument")
    theirs = tmp_path / "photos.aimodel"
    theirs.mkdir()
    (theirs / "cat.jpg").write_bytes(b"cat")
    assert "not an asset" in refused(rows_package, theirs, "InvalidArgument")
    assert (theirs / "cat.jpg").read_bytes() == b"cat"
    with pytest.raises(changeaware.Error, match="no such folder"):
        coreai.export(rows_package, tmp_path / "none" / "m.aimodel")


def test_files_that_are_no_packages_are_refused(root, tmp_path):
    asset = tmp_path / "m.aimodel"
    assert "no such file" in refused(tmp_path / "none.pt2", asset, "Io")
    assert "compile it first" in refused(root / "examples" / "three_inputs.pt2", asset,
                                         "Unsupported")
    junk = tmp_path / "junk.pt2"
    junk.write_bytes(b"PK" + bytes(100))
    assert "junk.pt2" in refused(junk, asset, "Corrupt")


def test_a_segment_that_computes_something_else_is_not_exported(rows_package, tmp_path,
                                                               monkeypatch):
    """As if a segment had been cut wrongly: --verify finds it and writes nothing."""
    import torch

    programs = _export.open_programs(str(rows_package))
    segment = next(p for name, p in programs.items() if name != "main" and p.state_dict)
    with torch.no_grad():
        next(iter(segment.state_dict.values())).add_(0.5)
    monkeypatch.setattr(_export, "open_programs", lambda package: programs)
    asset = tmp_path / "m.aimodel"
    with pytest.raises(changeaware.Error, match="strategy 'no_retention', output 'mul'") as caught:
        coreai.export(rows_package, asset, verify=True)
    assert caught.value.code == "Internal"
    assert "elements differ, first at [0, 0]" in str(caught.value)
    assert list(tmp_path.iterdir()) == []


def test_bits_that_differ_within_the_tolerance_are_reported(rows_package, tmp_path, monkeypatch):
    import torch

    programs = _export.open_programs(str(rows_package))
    segment = programs["segment_scale"]
    with torch.no_grad():
        for tensor in segment.state_dict.values():
            tensor.mul_(1 + 3e-6)
    monkeypatch.setattr(_export, "open_programs", lambda package: programs)
    found = coreai.export(rows_package, tmp_path / "m.aimodel", verify=True).verified
    by_name = {s.name: s for s in found.strategies}
    assert not found.all_bits_equal
    assert by_name["monolithic"].bits_of_main
    assert not by_name["no_retention"].bits_of_main
    assert "output 'mul'" in by_name["no_retention"].difference_from_main
    stored = coreai.check(tmp_path / "m.aimodel")["verified"]["strategies"]
    assert [s["bits_of_main"] for s in stored] == [s.bits_of_main for s in found.strategies]


def test_without_the_extra_the_message_names_it(rows, tmp_path):
    code = f"""
import sys
class Missing:
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] in ("coreai", "coreai_torch"):
            raise ModuleNotFoundError(f"No module named {{name!r}}", name=name)
sys.meta_path.insert(0, Missing())
import changeaware
from changeaware.coreai import cli
package, asset, other = {str(rows.package)!r}, {str(rows.path)!r}, {str(tmp_path / 'm.aimodel')!r}
for call in (lambda: changeaware.coreai.export(package, other),
             lambda: changeaware.coreai.check(asset),
             lambda: changeaware.coreai.CoreAISession(asset)):
    try:
        call()
    except changeaware.MissingPackage as error:
        print(isinstance(error, changeaware.Error), error.code, error)
print(cli.main([package, "-o", other]))
"""
    ran = run_python("-c", code)
    assert ran.returncode == 0, ran.stderr
    lines = ran.stdout.splitlines()
    assert len(lines) == 4 and lines[3] == "1"
    for line in lines[:3]:
        assert line.startswith("True Unsupported"), line
        assert "pip install changeaware[coreai]" in line
    assert "pip install changeaware[coreai]" in ran.stderr
    assert list(tmp_path.iterdir()) == []


def test_importing_changeaware_imports_nothing_of_it():
    ran = run_python("-c", "import sys, changeaware, changeaware.coreai; print([m for m in "
                           "('torch', 'coreai', 'coreai_torch', 'asyncio') if m in sys.modules])")
    assert ran.stdout.strip() == "[]", ran.stderr


def test_the_command_says_what_it_wrote_and_what_it_refuses(rows_package, tmp_path):
    asset = tmp_path / "m.aimodel"
    main = "import sys; from changeaware.coreai.cli import main; sys.exit(main(sys.argv[1:]))"
    ran = run_python("-c", main, str(rows_package), "-o", str(asset), "--verify")
    assert ran.returncode == 0, ran.stderr
    assert "functions   main, segment_rows" in ran.stdout
    assert "no_retention: the bits of main" in ran.stdout
    assert coreai.check(asset)["verified"]["executed"][0] == "main"
    ran = run_python("-c", main, str(tmp_path / "none.pt2"), "-o", str(asset), "--json")
    assert ran.returncode == 1
    assert '"code": "Io"' in ran.stdout and "no such file" in ran.stderr
    assert beside(asset).exists()
    assert run_python("-c", main).returncode == 2


def test_numbers_of_floats_are_only_rounded():
    from changeaware.coreai import _narrowing

    fine = _narrowing.to_asset(np.array([0.1, np.inf, np.nan]), "float32")
    assert fine.dtype == np.float32 and fine[0] == np.float32(0.1) and np.isinf(fine[1])
    text = _narrowing.to_asset(np.array([1.0, 1e39]), "float32")
    assert isinstance(text, str) and "1e+39" in text and "float32" in text
    assert "4294967296" in _narrowing.to_asset(np.array([2**32]), "int32")


def test_verifying_needs_inputs_of_the_program(rows):
    scale = np.ones((1, 5), np.float32)
    found = coreai.verify(rows.path, rows.package,
                          inputs={"rows": np.ones((9, 4), np.float32), "scale": scale})
    assert found.all_bits_equal and found.executed[0] == "main"
    with pytest.raises(changeaware.Error, match="the program takes rows, scale"):
        coreai.verify(rows.path, rows.package, inputs={"scale": scale})
    with pytest.raises(changeaware.Error, match="dimension 1, must be 4"):
        coreai.verify(rows.path, rows.package,
                      inputs={"rows": np.ones((9, 3), np.float32), "scale": scale})


def test_a_package_without_examples_is_exported_but_not_verified(tmp_path):
    import torch

    exported = own.rows().export()
    exported._example_inputs = None
    torch.export.save(exported, tmp_path / "model.pt2")
    package = tmp_path / "model.ca.pt2"
    changeaware.compile(tmp_path / "model.pt2", package, costs="nominal", progress=False)
    assert coreai.export(package, tmp_path / "m.aimodel").verified is None
    with pytest.raises(changeaware.Error, match="no example inputs") as caught:
        coreai.verify(tmp_path / "m.aimodel", package)
    assert caught.value.code == "InvalidArgument"
