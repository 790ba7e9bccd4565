"""How programs are read: names, nesting, weights that are views, both kinds of graph."""

import itertools

import numpy as np
import pytest
from programs import reading
from harness import CliError

BOTH = [
    reading.keyword_inputs, reading.nested_inputs, reading.nested_outputs, reading.repeated_output,
    reading.passed_through, reading.view_weights, reading.composite, reading.writes_into_views,
    reading.tied_weights, reading.both_ways, reading.dynamic_rows,
]


@pytest.mark.parametrize("make", BOTH, ids=lambda make: make.__name__)
def test_every_mask_of_both_kinds_of_graph(compiled, core, make):
    compiled(make(), core).check_masks()


def test_a1_inputs_are_bound_by_name_in_any_order(compiled):
    package = compiled(reading.keyword_inputs())
    assert package.inputs == ["x1", "x2"]
    assert [i["name"] for i in package.manifest["inputs"]] == ["x1", "flag", "x2"]
    values = package.sample()
    answers = [package.run(dict(order)) for order in itertools.permutations(values.items())]
    for answer in answers:
        package.assert_close(answer, package.expected(values), 1e-5, 1e-5)


def test_a1_a_changed_input_leaves_the_other_side_alone(compiled):
    package = compiled(reading.keyword_inputs())
    values = package.sample()
    first = package.run(values)
    second = package.run({**values, "x2": values["x2"] + 1})
    (name,) = package.outputs
    width = reading.KeywordInputs.WIDTH
    np.testing.assert_array_equal(first[name][:, :width], second[name][:, :width])
    assert not np.array_equal(first[name][:, width:], second[name][:, width:])
    replay = package.replay([{"inputs": values}, {"inputs": {"x2": values["x2"] + 1}}])
    (side,) = [c["name"] for c in package.segments if c["dependencies"] == ["x1"]]
    assert side in replay.requests[1]["reused"]
    assert side not in replay.requests[1]["ran"]


@pytest.mark.parametrize(("given", "at_fault"), [(["x1", "x2", "x3"], "x3"), (["x1"], "x2")],
                         ids=["unknown", "missing"])
def test_a1_a_wrong_name_is_refused_with_the_valid_ones(compiled, given, at_fault):
    package = compiled(reading.keyword_inputs())
    sample = package.sample()
    with pytest.raises(CliError) as refused:
        package.run({name: sample.get(name, sample["x1"]) for name in given})
    assert at_fault in refused.value.message
    assert "x2" in refused.value.message


def test_a1_a_nested_dictionary_is_bound_by_its_keys(compiled, core):
    package = compiled(reading.nested_inputs(), core)
    assert package.inputs == ["x_a2", "x_a1", "pair_0", "pair_1"]
    values = package.sample()
    answer = package.run(dict(sorted(values.items())))
    package.assert_close(answer, package.expected(values), 1e-5, 1e-5)


def test_nested_outputs_keep_their_order_and_fixed_values(compiled):
    package = compiled(reading.nested_outputs())
    fixed = [o.get("fixed_value", "tensor") for o in package.manifest["outputs"]]
    assert fixed == ["tensor", "tensor", None, 3, True, 0.5]
    assert [i["name"] for i in package.manifest["inputs"]] == ["x", "nothing", "y"]
    assert package.inputs == ["x", "y"]


def test_a3_a_value_returned_twice_is_two_outputs(compiled, core):
    package = compiled(reading.repeated_output(), core)
    assert len(package.outputs) == len(set(package.outputs)) == 3
    values = package.sample()
    replay = package.replay([
        {"inputs": values},
        {"inputs": {"txt": values["txt"] + 1}},
        {"inputs": {"img": values["img"] * 2}},
        {"inputs": {}},
    ])
    first, _, third = package.outputs
    for request in replay.requests:
        assert request["equal"] is True
        assert len(request["outputs"]) == 3
        assert request["outputs"][first] == request["outputs"][third]


def test_a3_an_input_comes_back_with_its_new_value(compiled, core):
    package = compiled(reading.passed_through(), core)
    values = package.sample()
    changed = {**values, "img": values["img"] + 1}
    image, constant, _ = package.outputs
    for given in (values, changed):
        answer = package.check_run(given)
        np.testing.assert_array_equal(answer[image], given["img"])
        np.testing.assert_array_equal(answer[constant], [1, 2, 3, 4])


def test_a6_views_have_their_offset_and_strides(compiled, core):
    package = compiled(reading.view_weights(), core)
    answer = package.check_run()
    values = [answer[name] for name in package.outputs]
    np.testing.assert_array_equal(values[0], [[51, 87]])
    np.testing.assert_array_equal(values[1], [[15]])
    np.testing.assert_array_equal(values[2], [[3, 12]])
    np.testing.assert_array_equal(values[3], [[3.5, 12.5], [3.5, 12.5]])


@pytest.mark.parametrize("make", [reading.tied_weights, reading.both_ways],
                         ids=lambda make: make.__name__)
def test_a_square_weight_is_not_confused_with_its_transpose(compiled, make):
    package = compiled(make())
    values = package.sample()
    for strategy in package.manifest["strategies"]:
        answer = package.run(values, options=["--strategy", strategy["name"]])
        package.assert_close(answer, package.expected(values), 1e-5, 1e-5)
    assert package.manifest["rejections"] == [] or len(package.manifest["strategies"]) > 1


@pytest.mark.parametrize("count", [1, 2, 3, 7, 64])
def test_a_dynamic_size_takes_every_value_in_its_range(compiled, count):
    package = compiled(reading.dynamic_rows())
    values = package.sample()
    rows = np.arange(count * 4, dtype=np.float32).reshape(count, 4) / 16
    package.check_run({**values, "rows": rows})


def test_a_dynamic_size_outside_its_range_is_refused_by_name(compiled):
    package = compiled(reading.dynamic_rows())
    values = package.sample()
    with pytest.raises(CliError) as refused:
        package.run({**values, "rows": np.zeros((65, 4), np.float32)})
    assert "rows" in refused.value.message
    assert "64" in refused.value.message
