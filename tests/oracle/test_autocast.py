"""Regions under autocast: PyTorch's casts are part of the graph."""

import pytest
import torch
from programs import autocast
from harness import CliError
from test_exact import assert_every_mask_has_the_bits, exact_package, threads  # noqa: F401

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
def test_every_mask_of_regions_under_autocast(compiled, exact_engine, core, make):
    # Half precision runs on the exact engine; what reads float32 alone does not.
    compiled(make(), core).check_masks(rtol=2e-2, atol=2e-2)


def test_r19_dependencies_see_into_regions_of_every_mode(compiled, exact_engine):
    package = compiled(autocast.modes())
    x, y, z = package.inputs
    assert [package.producing(name)["dependencies"] for name in package.outputs] == [[x], [y], [z]]
    half = package.producing(package.outputs[1])
    assert {p["dtype"] for p in half["outputs"]} == {"bfloat16"}
    assert half["exact_node_count"] > 0
    assert package.producing(package.outputs[2])["exact_node_count"] == 0


def test_a_composite_under_autocast_is_refused_with_a_way_out(compiled, exact_engine):
    with pytest.raises(CliError) as refused:
        compiled(autocast.einsum())
    assert "aten.einsum.default" in refused.value.message
    assert "run_decompositions" in refused.value.message
    compiled(autocast.einsum(), core=True).check_masks(rtol=2e-2, atol=2e-2)
