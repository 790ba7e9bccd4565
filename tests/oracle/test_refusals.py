"""Programs and archives that must be refused, each with a reason that names what is at fault."""

import io

import pytest
import torch
from programs import incremental, refusals
from harness import CliError
import archives


def refusal(compiled, program, core=False) -> str:
    with pytest.raises(CliError) as refused:
        compiled(program, core)
    return refused.value.message


@pytest.mark.parametrize(
    ("make", "operators"),
    [(refusals.dropout, ["dropout"]), (refusals.random, ["rand"]),
     (refusals.random_in_place, ["bernoulli"])],
    ids=["dropout", "rand", "bernoulli_"])
def test_r2_a_random_operator_is_refused_by_name(compiled, core, make, operators):
    message = refusal(compiled, make(), core)
    assert any(operator in message for operator in operators), message


def test_r2_dropout_that_does_nothing_is_accepted(compiled, core):
    compiled(refusals.quiet_dropout(), core).check_masks()


def test_a5_mutation_of_a_buffer_is_refused_with_its_name(compiled, core):
    assert "state" in refusal(compiled, refusals.mutated_buffer(), core)


@pytest.mark.parametrize("make", [refusals.mutated_input, refusals.mutated_input_view],
                         ids=["whole", "view"])
def test_mutation_of_an_input_is_refused_with_its_name(compiled, core, make):
    assert "target" in refusal(compiled, make(), core)


def test_a_custom_operator_is_refused_with_its_name(compiled, core):
    assert "changeaware_test.frobnicate" in refusal(
        compiled, refusals.custom_operator(), core).replace("::", ".")


@pytest.fixture(scope="module")
def good(tmp_path_factory):
    """An exported program that compiles."""
    path = tmp_path_factory.mktemp("good") / "model.pt2"
    incremental.two_towers().save(path)
    return path


def compile_refusal(cli, path, tmp_path) -> str:
    return cli.refusal("compile", path, "-o", tmp_path / "package.pt2")


def test_r21_a_compiled_package_is_refused_as_what_it_is(cli, good, tmp_path):
    contents = {name: data for name, data in archives.entries(good).items()
                if "/models/" not in name and "/weights/" not in name}
    folder = next(iter(contents)).split("/")[0]
    contents[f"{folder}/data/aotinductor/model/model.wrapper.so"] = b"\x7fELF" + bytes(60)
    contents[f"{folder}/data/aotinductor/model/model.wrapper_metadata.json"] = b"{}"
    path = archives.write(tmp_path / "compiled.pt2", contents)
    message = compile_refusal(cli, path, tmp_path)
    assert "AOTInductor" in message or "aotinductor" in message
    assert "torch.export.save" in message, "says what is accepted"


def test_r21_torchscript_is_refused_as_what_it_is(cli, tmp_path):
    path = tmp_path / "script.pt2"
    torch.jit.trace(torch.nn.Linear(2, 2), torch.ones(1, 2)).save(str(path))
    message = compile_refusal(cli, path, tmp_path)
    assert "TorchScript" in message
    assert "torch.export.save" in message


def test_r21_a_state_dict_is_refused(cli, tmp_path):
    path = tmp_path / "weights.pt"
    torch.save({"weight": torch.ones(2)}, path)
    assert "torch.export.save" in compile_refusal(cli, path, tmp_path)


@pytest.mark.parametrize("major", [7, 9])
def test_r21_another_schema_version_is_refused_with_both_versions(cli, good, tmp_path, major):
    path = tmp_path / "version.pt2"
    archives.edited(good, path, "models/model.json",
                    lambda document: document["schema_version"].update(major=major))
    message = compile_refusal(cli, path, tmp_path)
    assert str(major) in message and "8" in message
    assert "schema" in message.lower()


def test_r21_every_minor_version_of_the_major_is_accepted(cli, good, tmp_path):
    path = tmp_path / "minor.pt2"
    archives.edited(good, path, "models/model.json",
                    lambda document: document["schema_version"].update(minor=999))
    cli.json("compile", path, "-o", tmp_path / "package.pt2")


def test_r21_pickled_payloads_are_refused(cli, good, tmp_path):
    path = tmp_path / "pickled.pt2"

    def pickle_all(document):
        for entry in document["config"].values():
            entry["use_pickle"] = True

    archives.edited(good, path, "model_weights_config.json", pickle_all)
    assert "pickle" in compile_refusal(cli, path, tmp_path)


def test_r21_a_program_is_not_a_package(cli, good):
    message = cli.refusal("inspect", good)
    assert "package" in message
    assert str(good) in message or "compile" in message


def test_r21_the_older_format_of_exported_programs_is_refused(cli, tmp_path):
    path = archives.write(tmp_path / "old.pt2", {
        "serialized_exported_program.json": b"{}", "serialized_state_dict.pt": _pickle(),
        "version": b"5.1"})
    assert "torch.export.save" in compile_refusal(cli, path, tmp_path)


def _pickle() -> bytes:
    buffer = io.BytesIO()
    torch.save({}, buffer)
    return buffer.getvalue()
