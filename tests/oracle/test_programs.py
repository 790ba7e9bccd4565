"""Whole kinds of programs: branches and loops, sizes that contents decide, recurrent and quantised
networks, attention with every form of mask."""

import re

import numpy as np
import pytest
import torch
from programs import cases, control_flow, data_dependent, sequences
from harness import CliError, error_text

CONTROL_FLOW = [
    control_flow.branch, control_flow.branch_on_data, control_flow.branch_on_size,
    control_flow.branch_without_operands,
    control_flow.branch_that_asserts, control_flow.repeat, control_flow.recurrence,
    control_flow.each_row,
]


@pytest.mark.parametrize("make", CONTROL_FLOW, ids=lambda make: make.__name__)
def test_every_mask_of_branches_and_loops(compiled, core, make):
    compiled(make(), core).check_masks()


@pytest.mark.parametrize("which", [True, False])
def test_a_branch_depends_on_its_predicate_and_operands_alone(compiled, which):
    package = compiled(control_flow.branch())
    values = {**package.sample(), "which": np.array(which)}
    package.check_run(values)
    replay = package.replay([{"inputs": values}, {"inputs": {"which": np.array(not which)}}])
    alone = [c["name"] for c in package.segments if c["dependencies"] == ["y"]]
    assert not set(alone) & set(replay.requests[1]["ran"])


@pytest.mark.parametrize("rows", [1, 3, 4, 8])
def test_r18_a_branch_on_a_size_follows_the_size(compiled, rows):
    package = compiled(control_flow.branch_on_size())
    values = package.sample()
    x = np.linspace(-1, 1, rows * 4, dtype=np.float32).reshape(rows, 4)
    package.check_run({**values, "x": x})


def accepts(module, values) -> bool:
    try:
        module(*[torch.from_numpy(value) for value in values.values()])
    except (AssertionError, RuntimeError):
        return False
    return True


@pytest.mark.parametrize("low", [None, 1, 2, 3])
@pytest.mark.parametrize("same", [True, False])
def test_r18_sizes_are_accepted_as_the_exported_module_accepts_them(compiled, same, low):
    package = compiled(data_dependent.pairs(same, low))
    module = package.exported.module()
    requests = [{"inputs": {"x": np.full((n, 4), n, np.float32), "y": np.ones((m, 4), np.float32)}}
                for n in (1, 2, 3, 8, 9) for m in (1, 3, 9)]
    replay = package.replay(requests, check=False)
    accepted = [accepts(module, request["inputs"]) for request in requests]
    assert ["error" not in answer for answer in replay.requests] == accepted
    assert True in accepted
    for answer, fits in zip(replay.requests, accepted, strict=True):
        if not fits:
            assert re.search(r"input '[xy]'", error_text(answer)), answer
            assert re.search(r"\bs\d+\b", error_text(answer)), "the symbol of the guard"
    if accepted[0]:
        package.check_run(requests[0]["inputs"])


@pytest.mark.parametrize("threads", [1, 2])
def test_r25_batch_sizes_and_threads_do_not_part_incremental_from_full_runs(compiled, threads):
    package = compiled(data_dependent.products())
    rng = np.random.default_rng(0)
    requests = [{"inputs": package.sample()}]
    for step in range(12):
        rows = rng.standard_normal((step % 7 + 1, 96)).astype(np.float32)
        requests.append({"inputs": {package.inputs[step % 2]: rows}})
    replay = package.replay(requests, "--threads", threads)
    assert all(answer.get("equal") is True for answer in replay.requests), replay.requests
    assert any(answer["reused"] for answer in replay.requests)


def test_a8_an_assertion_in_a_branch_holds_for_that_branch_alone(compiled):
    package = compiled(control_flow.branch_that_asserts())
    values = package.sample()
    bad = -values["x"]
    replay = package.replay(
        [{"inputs": values}, {"inputs": {"x": bad}},
         {"inputs": {"which": np.array(False), "x": bad}},
         {"inputs": {"which": np.array(True)}}, {"inputs": {"x": values["x"]}}], check=False)
    for index in (0, 2, 4):
        assert "error" not in replay.requests[index], replay.requests[index]
    for index in (1, 3):
        assert "positive" in error_text(replay.requests[index])


@pytest.mark.parametrize("rounds", [0, 1, 6])
def test_a_loop_runs_as_often_as_its_input_says(compiled, rounds):
    package = compiled(control_flow.repeat())
    package.check_run({**package.sample(), "rounds": np.array(rounds)})


DATA_DEPENDENT = [
    data_dependent.positions, data_dependent.selection, data_dependent.distinct,
    data_dependent.repetition, data_dependent.first_rows,
]


@pytest.mark.parametrize("make", DATA_DEPENDENT, ids=lambda make: make.__name__)
def test_every_mask_where_contents_decide_sizes(compiled, exact_engine, core, make):
    compiled(make(), core).check_masks()


def test_a_selection_may_be_empty_or_everything(compiled, exact_engine):
    package = compiled(data_dependent.selection())
    values = package.sample()
    for x in (np.zeros_like(values["args_0"]), np.ones_like(values["args_0"])):
        package.check_run({**values, "args_0": x})


@pytest.mark.parametrize("count", [0, 4, -1])
def test_a_number_outside_what_the_program_asserts_is_an_error(compiled, exact_engine, count):
    package = compiled(data_dependent.first_rows())
    with pytest.raises(CliError) as refused:
        package.run({**package.sample(), "count": np.array(count)})
    assert "assertion" in refused.value.message.lower()


@pytest.mark.parametrize(("rows", "count", "fits"), [(3, 3, True), (5, 5, True), (5, 3, False)])
def test_what_a_program_asserts_of_a_number_is_checked(compiled, exact_engine, rows, count, fits):
    package = compiled(data_dependent.as_many_as_rows())
    values = {"x": np.ones((rows, 4), np.float32), "count": np.array(count)}
    if fits:
        package.check_run(values)
        return
    with pytest.raises(CliError) as refused:
        package.run(values)
    assert "Eq(" in refused.value.message


@pytest.mark.parametrize(("rows", "fits"), [(4, True), (8, True), (32, True), (10, False),
                                            (36, False)])
def test_a_size_given_through_an_expression(compiled, rows, fits):
    package = compiled(data_dependent.quarters())
    values = {**package.sample(), "x": np.linspace(0, 1, rows * 3, dtype=np.float32).reshape(-1, 3)}
    if fits:
        package.check_run(values)
        return
    with pytest.raises(CliError) as refused:
        package.run(values)
    assert "x" in refused.value.message


@pytest.mark.parametrize("kind", list(sequences.KINDS))
def test_recurrent_networks(compiled, core, kind):
    compiled(sequences.recurrent(kind), core).check_masks()


def test_recurrent_cells(compiled, exact_engine, core):
    compiled(sequences.cells(), core).check_masks()


@pytest.mark.parametrize("mask", sequences.MASKS)
def test_b1_attention_with_every_form_of_mask(compiled, core, mask):
    compiled(sequences.attention(mask), core).check_masks()


def test_attention_with_fewer_keys_than_heads(compiled, core):
    compiled(sequences.grouped_attention(), core).check_masks()


def test_a_quantised_network(compiled, core):
    compiled(sequences.quantised(), core).check_masks()


def test_a_dynamically_quantised_network(compiled, exact_engine, core):
    compiled(sequences.dynamically_quantised(), core).check_masks()


def flat(package, answer):
    return [answer[name].reshape(-1) for name in package.outputs]


def test_r8_nan_is_the_extreme(compiled, exact_engine, core):
    package = compiled(cases.arg_extremes(), core)
    most, least, _ = flat(package, package.check_run())
    np.testing.assert_array_equal(most, cases.ARG_EXTREMES[0])
    np.testing.assert_array_equal(least, cases.ARG_EXTREMES[1])


@pytest.mark.parametrize("index", [-2, 4, 2 ** 40])
def test_r6_an_index_outside_the_table_is_an_error(compiled, index):
    package = compiled(cases.lookup())
    values = package.sample()
    with pytest.raises(CliError):
        package.run({**values, "args_0": np.array([0, index])})
    package.check_run({**values, "args_1": np.array([-4, 3])})


def test_r10_a_repeated_index_is_written_once_and_added_twice(compiled, core):
    package = compiled(cases.doubled_rows(), core)
    once, twice = flat(package, package.check_run())
    np.testing.assert_array_equal(once, cases.DOUBLED_ROWS[0])
    np.testing.assert_array_equal(twice, cases.DOUBLED_ROWS[1])


def test_r9_a_transposed_convolution_of_one_pixel(compiled, core):
    package = compiled(cases.one_pixel(), core)
    np.testing.assert_array_equal(flat(package, package.check_run())[0], [2.0])


def test_b6_resizing_renormalises_and_has_the_right_coefficient(compiled, exact_engine):
    package = compiled(cases.resized())
    line, image = flat(package, package.check_run())
    np.testing.assert_allclose(line, cases.RESIZED[0], rtol=1e-5)
    np.testing.assert_allclose(image, cases.RESIZED[1], rtol=1e-5)
