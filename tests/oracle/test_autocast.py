"""Regions under autocast: PyTorch's casts are part of the graph."""

import pytest
import torch
from programs import autocast
from harness import CliError
from test_exact import assert_every_mask_has_the_bits, exact_package, threads  # noqa: F401

# What is cast to half precision after the fast engine may be rounded to the next number.
HALF = ("--oracle-rtol", 2e-2, "--oracle-atol", 2e-2)

REGIONS = {
    "bfloat16": autocast.transformer,
    "float16": lambda: autocast.transformer(torch.float16),
    "convolutions": autocast.convolutions,
    "r19_modes": autocast.modes,
}


@pytest.mark.parametrize("make", list(REGIONS.values()), ids=list(REGIONS))
def test_exact_numerics_have_the_bits_of_autocast(cli, exact_engine, tmp_path, make):
    assert_every_mask_has_the_bits(exact_package(cli, make(), tmp_path))


@pytest.mark.parametrize("make", list(REGIONS.values()), ids=list(REGIONS))
def test_every_mask_of_regions_under_autocast(compiled, exact_engine, make):
    compiled(make(), options=HALF).check_masks(rtol=2e-2, atol=2e-2)


@pytest.mark.parametrize("make", [autocast.transformer, autocast.modes],
                         ids=lambda make: make.__name__)
def test_every_mask_of_casts_that_pytorch_wrote_out(compiled, exact_engine, make):
    compiled(make(), core=True, options=HALF).check_masks(rtol=2e-2, atol=2e-2)


def test_r19_dependencies_see_into_regions_of_every_mode(compiled, exact_engine):
    package = compiled(autocast.modes(), options=HALF)
    x, y, z = package.inputs
    assert [package.producing(name)["dependencies"] for name in package.outputs] == [[x], [y], [z]]
    assert package.producing(package.outputs[1])["exact_node_count"] > 0
    assert package.producing(package.outputs[2])["exact_node_count"] == 0


@pytest.mark.parametrize("equation", ["bhqd,bhkd->bhqk", "bhqd, bhkd -> qbhk", "bhqd,bhkd->bqk"])
def test_an_einsum_that_is_one_product_is_cast(cli, exact_engine, tmp_path, equation):
    assert_every_mask_has_the_bits(exact_package(cli, autocast.einsum(equation), tmp_path))


@pytest.mark.parametrize("equation", ["bhqd,bhkd->bqkhd", "bhqd,bhkd->bhq", "bhqd,bhkd"])
def test_a_composite_of_unknown_casts_is_refused_by_name(compiled, exact_engine, equation):
    with pytest.raises(CliError) as refused:
        compiled(autocast.einsum(equation))
    assert "aten.einsum.default" in refused.value.message
    assert "autocast" in refused.value.message
