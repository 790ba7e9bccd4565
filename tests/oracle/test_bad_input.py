"""Damaged files and wrong inputs: exit code 1 and the culprit's name, or the right answer."""

import json
import random

import numpy as np
import pytest
from programs import incremental
from harness import CliError, Compiled, error_text
import archives


@pytest.fixture(scope="module")
def good(cli, tmp_path_factory) -> Compiled:
    """A small package, with its program beside it."""
    return Compiled.from_program(cli, incremental.writes_kept(), tmp_path_factory.mktemp("good"))


@pytest.fixture(scope="module")
def answer(good):
    return good.run(good.sample())


@pytest.fixture
def model(good):
    return good.folder / "model.pt2"


def refuse_compile(cli, path) -> str:
    package = path.parent / "written.pt2"
    message = cli.refusal("compile", path, "-o", package)
    assert not package.exists()
    leftovers = [p.name for p in path.parent.iterdir() if "tmp" in p.name.lower()]
    assert not leftovers
    return message


@pytest.mark.parametrize("command", ["compile", "inspect", "run", "replay"])
@pytest.mark.parametrize("contents", [b"", b"PK", b"not a zip archive" * 100, bytes(4096)],
                         ids=["empty", "two bytes", "text", "zeros"])
def test_what_is_no_archive_is_refused(cli, tmp_path, good, command, contents):
    path = tmp_path / "bad.pt2"
    path.write_bytes(contents)
    trace = tmp_path / "trace.json"
    trace.write_text('{"requests": []}')
    rest = {"compile": ["-o", tmp_path / "out.pt2"], "replay": [trace]}.get(command, [])
    assert "bad.pt2" in cli.refusal(command, path, *rest)


@pytest.mark.parametrize("command", ["compile", "inspect"])
def test_a_missing_file_is_refused(cli, tmp_path, command):
    path = tmp_path / "missing.pt2"
    rest = ["-o", tmp_path / "out.pt2"] if command == "compile" else []
    assert "missing.pt2" in cli.refusal(command, path, *rest)


@pytest.mark.parametrize("part", [0.02, 0.3, 0.6, 0.9, 0.995])
def test_a_truncated_program_is_refused(cli, model, tmp_path, part):
    data = model.read_bytes()
    path = tmp_path / "short.pt2"
    path.write_bytes(data[:int(len(data) * part)])
    assert "short.pt2" in refuse_compile(cli, path)


@pytest.mark.parametrize("part", [0.02, 0.3, 0.6, 0.9, 0.995])
def test_a_truncated_package_is_refused(cli, good, tmp_path, part):
    data = good.package.read_bytes()
    path = tmp_path / "short.pt2"
    path.write_bytes(data[:int(len(data) * part)])
    assert "short.pt2" in cli.refusal("inspect", path)


def _run_arguments(good, package):
    arguments = ["run", package, "--json"]
    for name, value in good.sample().items():
        arguments += ["--input", f"{name}={good.folder / good.write(value)}"]
    return arguments


def _right_or_refused(cli, good, package, answer):
    done = cli.call(*_run_arguments(good, package))
    if done.returncode == 0:
        outputs = json.loads(done.stdout)["outputs"]
        clean = json.loads(cli.call(*_run_arguments(good, good.package)).stdout)["outputs"]
        for name in answer:
            assert outputs[name]["sha256"] == clean[name]["sha256"], "a wrong answer"
    else:
        assert done.returncode == 1 and done.stderr.strip()


@pytest.mark.parametrize("seed", range(16))
def test_a_flipped_bit_in_a_program_is_refused_or_harmless(
        cli, good, model, answer, tmp_path, seed):
    path, package = tmp_path / "flipped.pt2", tmp_path / "package.pt2"
    choice = random.Random(seed)
    archives.flipped(model, path, choice.randrange(model.stat().st_size), choice.randrange(8))
    done = cli.call("compile", path, "-o", package)
    if done.returncode == 0:
        _right_or_refused(cli, good, package, answer)
    else:
        assert done.returncode == 1 and "flipped.pt2" in done.stderr


@pytest.mark.parametrize("seed", range(16))
def test_a_flipped_bit_in_a_package_is_refused_or_harmless(cli, good, answer, tmp_path, seed):
    path = tmp_path / "flipped.pt2"
    choice = random.Random(seed)
    size = good.package.stat().st_size
    archives.flipped(good.package, path, choice.randrange(size), choice.randrange(8))
    _right_or_refused(cli, good, path, answer)


@pytest.mark.parametrize("ending", ["models/model.json", "model_weights_config.json", "weight_0"])
def test_a_flipped_bit_in_an_entry_names_the_entry(cli, model, tmp_path, ending):
    path = tmp_path / "flipped.pt2"
    offset, size = archives.data_offset(model, ending)
    archives.flipped(model, path, offset + size // 2, 6)
    assert ending in refuse_compile(cli, path)


@pytest.mark.parametrize("ending", ["models/model.json", "weight_0", "archive_format"])
def test_an_entry_outside_the_file_is_named(cli, model, tmp_path, ending):
    path = tmp_path / "outside.pt2"
    name = archives.moved_outside(model, path, ending)
    assert name in refuse_compile(cli, path)


@pytest.mark.parametrize("ending", ["model_weights_config.json", "weight_0", "models/model.json"])
def test_a_missing_entry_is_named(cli, model, tmp_path, ending):
    contents = archives.entries(model)
    del contents[archives.find(contents, ending)]
    path = archives.write(tmp_path / "missing.pt2", contents)
    # Without a program the archive is something else; the message says what was expected.
    expected = "torch.export.save" if ending == "models/model.json" else ending
    assert expected in refuse_compile(cli, path)


def _node(document):
    return document["graph_module"]["graph"]["nodes"][0]


WRONG_SHAPES = {
    "a list instead of an object": (lambda d: [1, 2], "models/model.json"),
    "no graph_module": (lambda d: d.pop("graph_module") and None, "graph_module"),
    "nodes is a number": (
        lambda d: d["graph_module"]["graph"].update(nodes=3), "nodes"),
    "a node without a target": (lambda d: _node(d).pop("target") and None, "target"),
    "a target that is a list": (lambda d: _node(d).update(target=[]), "target"),
    "an argument of no known kind": (
        lambda d: _node(d)["inputs"][0].update(arg={"as_nonsense": 1}), "as_nonsense"),
    "an argument that the operator does not have": (
        lambda d: _node(d)["inputs"][0].update(name="nonsense"), "nonsense"),
    "an argument twice": (
        lambda d: _node(d)["inputs"].append(_node(d)["inputs"][0]), "inputs"),
    "a value that does not exist": (
        lambda d: _node(d)["inputs"][0].update(arg={"as_tensor": {"name": "nobody"}}), "nobody"),
    "two results where the operator has one": (
        lambda d: _node(d)["outputs"].append({"as_tensor": {"name": "extra"}}), "outputs"),
    "a dtype that does not exist": (
        lambda d: next(iter(d["graph_module"]["graph"]["tensor_values"].values()))
        .update(dtype=99), "dtype"),
    "a negative size": (
        lambda d: next(iter(d["graph_module"]["graph"]["tensor_values"].values()))
        ["sizes"][0].update(as_int=-4), "-4"),
    "no tensor metadata": (
        lambda d: d["graph_module"]["graph"]["tensor_values"].clear(), "p_encoder_weight"),
    "an unknown operator": (
        lambda d: _node(d).update(target="torch.ops.aten.no_such_operator.default"),
        "no_such_operator"),
    "a signature without its inputs": (
        lambda d: d["graph_module"]["signature"].pop("input_specs") and None, "input_specs"),
    "a parameter that has no weight": (
        lambda d: _rename_parameter(d), "elsewhere"),
    "deeply nested": (lambda d: _nested(20000), "models/model.json"),
}


def _nested(depth):
    """A document of nested lists, written by hand because json.dumps cannot."""
    class Raw(str):
        pass
    return Raw("[" * depth + "]" * depth)


def _rename_parameter(document):
    for spec in document["graph_module"]["signature"]["input_specs"]:
        if "parameter" in spec:
            spec["parameter"]["parameter_name"] = "elsewhere"
            return
    raise AssertionError("no parameter")


@pytest.mark.parametrize("name", WRONG_SHAPES)
def test_json_of_the_wrong_shape_names_the_place(cli, model, tmp_path, name):
    edit, culprit = WRONG_SHAPES[name]
    path = tmp_path / "shape.pt2"
    if name == "deeply nested":
        contents = archives.entries(model)
        contents[archives.find(contents, "models/model.json")] = edit(None).encode()
        archives.write(path, contents)
    else:
        archives.edited(model, path, "models/model.json", edit)
    message = refuse_compile(cli, path)
    assert culprit in message
    assert "models/model.json" in message or name == "a parameter that has no weight"


WRONG_WEIGHTS = {
    "sizes beyond the payload": lambda e: e["tensor_meta"].update(sizes=[{"as_int": 10 ** 6}],
                                                                  strides=[{"as_int": 1}]),
    "sizes that overflow": lambda e: e["tensor_meta"].update(
        sizes=[{"as_int": 2 ** 62}, {"as_int": 4}], strides=[{"as_int": 4}, {"as_int": 1}]),
    "a negative offset": lambda e: e["tensor_meta"].update(storage_offset={"as_int": -1}),
    "an offset beyond the payload": lambda e: e["tensor_meta"].update(
        storage_offset={"as_int": 10 ** 9}),
    "a payload that does not exist": lambda e: e.update(path_name="weight_99"),
    "a path that leads out": lambda e: e.update(path_name="../../../etc/passwd"),
    "fewer strides than sizes": lambda e: e["tensor_meta"].update(strides=[]),
}


@pytest.mark.parametrize("name", WRONG_WEIGHTS)
def test_a_wrong_weight_configuration_names_the_weight(cli, model, tmp_path, name):
    path = tmp_path / "weights.pt2"
    names = []

    def edit(document):
        key, entry = next(iter(document["config"].items()))
        names.append(key)
        WRONG_WEIGHTS[name](entry)

    config = archives.edited(model, path, "model_weights_config.json", edit)
    message = refuse_compile(cli, path)
    assert names[0] in message or config in message


def test_a_failed_compile_leaves_the_old_package(cli, good, tmp_path):
    bad = tmp_path / "bad.pt2"
    bad.write_bytes(b"nothing")
    package = tmp_path / "package.pt2"
    package.write_bytes(b"the old one")
    cli.refusal("compile", bad, "-o", package)
    assert package.read_bytes() == b"the old one"
    assert sorted(p.name for p in tmp_path.iterdir()) == ["bad.pt2", "package.pt2"]


def test_a_folder_that_does_not_exist_is_named(cli, model, tmp_path):
    message = cli.refusal("compile", model, "-o", tmp_path / "nowhere" / "package.pt2")
    assert "nowhere" in message


# Wrong inputs at run time.

def refused_run(good, values, *options) -> str:
    with pytest.raises(CliError) as refused:
        good.run(values, *options)
    return refused.value.message


@pytest.mark.parametrize("dtype", [np.float64, np.int32, np.int64, np.bool_, np.float16],
                         ids=lambda t: t.__name__)
def test_a_wrong_dtype_names_the_input_and_both_types(good, dtype):
    sample = good.sample()
    message = refused_run(good, {**sample, "image": np.zeros(sample["image"].shape, dtype)})
    assert "image" in message and "float32" in message and np.dtype(dtype).name in message


@pytest.mark.parametrize("shape", [(4, 33), (5, 32), (4,), (4, 32, 1), (0, 32)], ids=str)
def test_a_wrong_shape_names_the_input_and_both_shapes(good, shape):
    message = refused_run(good, {**good.sample(), "image": np.zeros(shape, np.float32)})
    assert "image" in message and "32" in message
    assert str(shape[0]) in message


def test_an_unknown_input_lists_the_valid_ones(good):
    message = refused_run(good, {**good.sample(), "picture": np.zeros(1, np.float32)})
    assert "picture" in message and "image" in message and "text" in message


def test_a_missing_input_is_named(good):
    message = refused_run(good, {"image": good.sample()["image"]})
    assert "text" in message


def test_an_input_given_twice_is_named(cli, good):
    arguments = _run_arguments(good, good.package)
    message = cli.refusal(*arguments, "--input", arguments[-1])
    assert "text" in message


def test_a_version_tag_without_a_value_names_the_input(cli, good):
    arguments = _run_arguments(good, good.package)[:-2]
    message = cli.refusal(*arguments, "--version-tag", "text=t1")
    assert "text" in message


def test_a_version_tag_without_a_value_fails_the_replayed_request(cli, good, tmp_path):
    trace = tmp_path / "trace.json"
    image = good.folder / good.write(good.sample()["image"])
    trace.write_text(json.dumps({"requests": [
        {"inputs": {"image": str(image)}, "versions": {"text": "t1"}}]}))
    first, summary = cli.lines("replay", good.package, trace)
    assert "text" in error_text(first)
    assert summary["failed"] == 1


@pytest.mark.parametrize("argument", ["image", "image=", "=x.npy", "image=missing.npy"])
def test_an_input_that_is_no_assignment_or_no_file_is_named(cli, good, argument):
    culprit = "missing.npy" if "missing" in argument else argument
    assert culprit in cli.refusal("run", good.package, "--input", argument)


NPY = {
    "empty": b"",
    "text": b"hello",
    "no header": b"\x93NUMPY\x01\x00",
    "a header that is cut": b"\x93NUMPY\x01\x00\x76\x00{'descr': '<f4'",
    "objects": b"\x93NUMPY\x01\x00\x46\x00" + (
        b"{'descr': '|O', 'fortran_order': False, 'shape': (1,), }".ljust(69) + b"\n") + bytes(8),
    "a shape that overflows": b"\x93NUMPY\x01\x00\x76\x00" + (
        b"{'descr': '<f4', 'fortran_order': False, 'shape': (4611686018427387904, 8), }"
        .ljust(117) + b"\n"),
    "less data than the shape says": b"\x93NUMPY\x01\x00\x46\x00" + (
        b"{'descr': '<f4', 'fortran_order': False, 'shape': (4, 32), }".ljust(69) + b"\n"
    ) + bytes(8),
}


@pytest.mark.parametrize("name", NPY)
def test_a_damaged_npy_file_is_named(cli, good, tmp_path, name):
    path = tmp_path / "bad.npy"
    path.write_bytes(NPY[name])
    text = good.folder / good.write(good.sample()["text"])
    message = cli.refusal("run", good.package, "--input", f"image={path}", "--input",
                          f"text={text}")
    assert "--input image: " in message and "bad.npy" in message


@pytest.mark.parametrize("command", ["compile", "verify"])
def test_an_example_that_is_no_array_is_named(cli, good, tmp_path, command):
    notes = tmp_path / "notes.txt"
    notes.write_text("no array")
    target = [good.folder / "model.pt2", "-o", tmp_path / "p.pt2"]
    message = cli.refusal(command, *(target if command == "compile" else [good.package]),
                          "--example", f"image={notes}")
    assert f"--example image: {notes}" in message


@pytest.mark.parametrize("command", ["compile", "verify"])
def test_a_reference_that_is_no_archive_is_named(cli, good, tmp_path, command):
    notes = tmp_path / "notes.txt"
    notes.write_text("no archive")
    target = [good.folder / "model.pt2", "-o", tmp_path / "p.pt2"]
    message = cli.refusal(command, *(target if command == "compile" else [good.package]),
                          "--reference", notes)
    assert f"--reference: {notes}" in message


def test_a_file_of_a_trace_that_is_no_array_is_named_with_its_input(cli, good, tmp_path):
    (tmp_path / "notes.txt").write_text("no array")
    trace = tmp_path / "trace.json"
    trace.write_text(json.dumps({"requests": [{"inputs": {"image": "notes.txt"}}]}))
    first, _ = cli.lines("replay", good.package, trace)
    assert f"inputs.image: {tmp_path / 'notes.txt'}" in error_text(first)


TRACES = {
    "not JSON": ("{", "trace.json"),
    "a list": ("[]", "trace.json"),
    "no requests": ("{}", "requests"),
    "a request that is a number": ('{"requests": [3]}', "requests[0]"),
    "an unknown member": ('{"requests": [{"input": {}}]}', "input"),
    "a file that is a number": ('{"requests": [{"inputs": {"image": 3}}]}', "image"),
    "want is a string": ('{"requests": [{"want": "c"}]}', "want"),
}


@pytest.mark.parametrize("name", TRACES)
def test_a_trace_of_the_wrong_shape_names_the_place(cli, good, tmp_path, name):
    text, culprit = TRACES[name]
    trace = tmp_path / "trace.json"
    trace.write_text(text)
    assert culprit in cli.refusal("replay", good.package, trace)


def test_a_failed_request_fails_alone(good):
    sample = good.sample()
    replay = good.replay([
        {"inputs": sample},
        {"inputs": {"image": np.zeros((1, 1), np.float32)}},
        {"inputs": {"imag": sample["image"]}},
        {"want": ["nothing_of_that_name"]},
        {},
    ])
    first, shape, name, want, last = replay.requests
    assert "image" in error_text(shape)
    assert "imag" in error_text(name)
    assert "nothing_of_that_name" in error_text(want)
    assert last["outputs"] == first["outputs"] and last["equal"] is True
    assert last["ran"] == []


def test_nan_in_an_input_is_right_or_refused(good):
    sample = good.sample()
    image = sample["image"].copy()
    image[1, 3] = np.nan
    try:
        good.check_run({**sample, "image": image})
    except CliError as refused:
        assert "image" in refused.message and "NaN" in refused.message


@pytest.mark.parametrize("command", ["", "no_such_command", "--no-such-option"])
def test_a_wrong_command_is_refused(cli, command):
    assert cli.refusal(*([command] if command else []))


def test_doctor_says_what_is_there(cli):
    report = cli.json("doctor")
    assert "openvino" in json.dumps(report).lower()
    assert "threads" in json.dumps(report).lower()
