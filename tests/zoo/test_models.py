"""Every model of the zoo: compiled, right, minimal and bit-identical for every set of changes."""

import numpy as np
import pytest
import torch
from harness import digest, to_numpy
from models import MODELS, SIZES
from specimen import THREADS, difference, exact_engine_is_there, shares, unforced

TOLERANCE = 1e-4  # of an output's scale

each_model = pytest.mark.parametrize("specimen", list(MODELS), indirect=True, scope="module")
with_exact_engine = pytest.mark.skipif(
    not exact_engine_is_there(), reason="CHANGEAWARE_LIBTORCH is not set")


def _record(specimen, **findings):
    specimen.findings.update(findings)


def _assert_agrees(specimen, kind, compiled, actual, expected, tolerance):
    """Records and checks how far the answers are from PyTorch's."""
    apart = {}
    for name, right in zip(compiled.outputs, expected, strict=True):
        right = to_numpy(right)
        assert actual[name].shape == right.shape, name
        assert actual[name].dtype == right.dtype, name
        apart[name] = difference(actual[name], right)
    known = specimen.findings.setdefault("difference", {})
    known[kind] = max([known.get(kind, 0.0), *apart.values()])
    assert all(value <= tolerance for value in apart.values()), apart


def _assert_same_bits(specimen, *options):
    """All on the exact engine: what PyTorch answers for the exported program, to the bit."""
    exact = specimen.exact
    for step in (0, 5):
        values = {n: exact.vary(n, v, step) for n, v in exact.sample().items()}
        actual = exact.run(values, options=options)
        expected = dict(zip(exact.outputs, map(to_numpy, exact.expected(values)), strict=True))
        wrong = {n: difference(actual[n], expected[n]) for n in exact.outputs
                 if digest(actual[n]) != digest(expected[n])}
        assert not wrong, wrong


@each_model
class TestModel:
    def test_it_compiles_with_default_options(self, specimen):
        manifest = specimen.compiled.manifest
        assert manifest["verified"] is True
        main = next(c for c in manifest["callables"] if c["name"] == "main")
        _record(specimen, inputs=specimen.compiled.inputs, nodes=main["node_count"],
                weight_bytes=main["weight_bytes"],
                callables=len(manifest["callables"]),
                strategies=[s["name"] for s in manifest["strategies"]])
        assert len(specimen.compiled.inputs) >= 2

    def test_the_whole_agrees_with_pytorch(self, specimen):
        compiled = specimen.compiled
        sample = compiled.sample()
        for step in (0, 5):
            values = {n: compiled.vary(n, v, step) for n, v in sample.items()}
            actual = compiled.run(values, options=("--strategy", "monolithic"))
            _assert_agrees(specimen, "main", compiled, actual, compiled.expected(values), TOLERANCE)

    def test_the_pieces_agree_with_pytorch(self, specimen):
        compiled = specimen.compiled
        values = compiled.sample()
        _assert_agrees(specimen, "pieces", compiled, compiled.run(values),
                       compiled.expected(values), TOLERANCE)

    def test_every_change_runs_what_it_must_and_gives_the_bits_of_a_full_run(self, specimen):
        specimen.compiled.check_masks(verify_values=False)

    def test_every_input_can_change(self, specimen):
        """So that the test above is about changes."""
        for name, value in specimen.compiled.sample().items():
            others = [specimen.program.vary(name, value, step) for step in range(1, 6)]
            assert {(other.shape, other.dtype) for other in others} == {(value.shape, value.dtype)}
            assert len({other.tobytes() for other in others} - {value.tobytes()}) >= 1, name

    def test_what_the_planner_chooses_gives_the_bits_of_a_full_run(self, specimen):
        compiled = unforced(specimen.compiled)
        sample = compiled.sample()
        requests = [{"inputs": sample}]
        for step in range(1, 4):
            requests += [{"inputs": {name: compiled.vary(name, value, step)}}
                         for name, value in sample.items()]
        for request in compiled.replay(requests).requests:
            assert request.get("equal") is True, request

    def test_what_one_input_costs_alone_is_recorded(self, specimen):
        found = {"estimated": shares(specimen.nominal), "measured": shares(specimen.compiled)}
        _record(specimen, share=found)
        assert all(0 <= value <= 1 for value in found["estimated"].values()), found

    @with_exact_engine
    def test_the_exact_whole_has_the_bits_of_pytorch(self, specimen):
        _assert_same_bits(specimen, "--strategy", "monolithic", *THREADS)

    @with_exact_engine
    def test_the_exact_pieces_have_the_bits_of_pytorch(self, specimen):
        _assert_same_bits(specimen)

    @with_exact_engine
    def test_exact_answers_have_the_bits_of_a_full_run_for_every_change(self, specimen):
        specimen.exact.check_masks(verify_values=False)


@pytest.mark.parametrize("specimen", list(SIZES), indirect=True, scope="module")
class TestSizes:
    """Programs with dynamic shapes, asked with other sizes than the examples'."""

    def test_other_sizes_agree_with_pytorch(self, specimen):
        compiled = specimen.compiled
        for inputs in specimen.resized_inputs():
            values = {**compiled.sample(), **inputs}
            _assert_agrees(specimen, "other sizes", compiled, compiled.run(values),
                           compiled.expected(values), TOLERANCE)

    def test_sizes_that_change_give_the_bits_of_a_full_run(self, specimen):
        compiled = specimen.compiled
        sample = compiled.sample()
        requests = [{"inputs": sample}]
        for step, inputs in enumerate(specimen.resized_inputs(), start=1):
            requests.append({"inputs": inputs})
            requests += [{"inputs": {name: compiled.vary(name, value, step)}}
                         for name, value in inputs.items()]
        for request in compiled.replay(requests).requests:
            assert request.get("equal") is True, request

    def test_what_reads_no_input_of_another_size_is_reused(self, specimen):
        compiled = specimen.compiled
        (inputs, *_) = specimen.resized_inputs()
        (_, request) = compiled.replay([{"inputs": compiled.sample()}, {"inputs": inputs}]).requests
        reading = {c["name"] for c in compiled.segments
                   if set(inputs) & {*c["dependencies"], *c["shape_dependencies"]}}
        assert request["equal"] is True
        assert set(request["ran"]) <= {*reading, "main"}

    @with_exact_engine
    def test_other_sizes_have_the_bits_of_pytorch(self, specimen):
        exact = specimen.exact
        for inputs in specimen.resized_inputs():
            values = {**exact.sample(), **inputs}
            actual = exact.run(values)
            for name, right in zip(exact.outputs, exact.expected(values), strict=True):
                np.testing.assert_array_equal(actual[name], to_numpy(right), err_msg=name)


def test_phrase_masks_are_the_librarys():
    """The one library function that the zoo writes anew: Grounding DINO's loop over phrases."""
    from models import grounding
    from transformers.models.grounding_dino import modeling_grounding_dino as library
    original = getattr(library, "with_a_loop",
                       library.generate_masks_with_special_tokens_and_transfer_map)
    rows = [[101, 7, 8, 1012, 9, 10, 11, 1012, 12, 1012, 102, 0],
            [101, 7, 1029, 1012, 9, 102, 0, 0, 0, 0, 0, 0],
            [101, 5, 5, 5, 5, 5, 5, 5, 5, 5, 1012, 102]]
    for tokens in (torch.tensor(rows), grounding.caption()):
        for mine, right in zip(grounding.phrase_masks(tokens), original(tokens), strict=True):
            assert mine.dtype == right.dtype
            assert torch.equal(mine, right)
