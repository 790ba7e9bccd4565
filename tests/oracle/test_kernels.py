"""Operators that engines are known to get wrong: right, or refused, never silently different."""

import numpy as np
import pytest
import torch
from programs import kernels
from harness import CliError

DTYPES = [torch.int32, torch.int64]


def test_b4_both_variants_of_gelu(compiled, core):
    package = compiled(kernels.gelu(), core)
    answer = package.check_run(rtol=0, atol=2e-6)
    for name, right in zip(package.outputs, kernels.GELU, strict=True):
        np.testing.assert_allclose(answer[name], right, rtol=0, atol=2e-6)
    package.check_masks()


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_b5_division_floors_as_pytorch_does(compiled, core, dtype):
    package = compiled(kernels.division(dtype), core)
    answer = package.check_run(rtol=0, atol=1e-6)
    floor, floor2, trunc, remainder, fmod, true = (answer[name] for name in package.outputs)
    assert (floor[0], floor2[0], trunc[0]) == (-3, -3, -2)
    assert (remainder[1], remainder[2], fmod[1]) == (1, -1, -2)
    assert true[4] == np.float32(2.5) and true.dtype == np.float32
    package.check_masks()


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_b5_folded_division_equals_that_at_run_time(compiled, core, dtype):
    package = compiled(kernels.division_by_constants(dtype), core)
    package.check_masks(atol=1e-6)


def test_r11_alpha_is_not_ignored(compiled, core):
    package = compiled(kernels.alpha(), core)
    answer = package.check_run(rtol=0, atol=0)
    np.testing.assert_array_equal(answer[package.outputs[0]], np.full((2, 2), 21, np.float32))
    package.check_masks()


def test_r3_norms_of_large_values(compiled, core):
    package = compiled(kernels.norms(), core)
    answer = package.check_run(rtol=0, atol=1e-4)
    for name in package.outputs:
        np.testing.assert_allclose(answer[name].ravel(), kernels.NORMS, rtol=0, atol=1e-4)


def right_or_refused(compiled, program, core, rtol=1e-5, atol=1e-5):
    """Right under every mask, or refused with an explanation."""
    try:
        package = compiled(program, core)
        package.run(package.sample())
    except CliError as refused:
        assert len(refused.message) > 20, "a refusal says what and why"
        return
    package.check_masks(rtol, atol)


def test_b1_rows_with_nothing_to_attend_to(compiled, core):
    package = compiled(kernels.masked_attention(), core)
    answer = package.run(package.sample())
    np.testing.assert_array_equal(answer[package.outputs[0]], [[[0, 0], [1, 2]]])
    package.check_masks()


def test_b1_plain_softmax_stays_nan(compiled, core):
    package = compiled(kernels.softmax_of_infinities(), core)
    answer = package.run(package.sample())[package.outputs[0]]
    assert np.isnan(answer[:2]).all()
    assert not np.isnan(answer[2]).any()
    package.check_masks()


@pytest.mark.parametrize("name", sorted(kernels.deviations()))
def test_known_deviations_are_right_or_refused(compiled, core, name):
    program = kernels.deviations()[name]
    if name in kernels.MAY_BE_REFUSED:
        right_or_refused(compiled, program, core, rtol=1e-4)
    else:
        compiled(program, core).check_masks(rtol=1e-4)
