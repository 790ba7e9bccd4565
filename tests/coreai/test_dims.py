"""Sizes are settled before Core AI sees them."""

import pytest
from changeaware.coreai._dims import CannotExpress, Sizes, evaluate, undefined_symbols


@pytest.mark.parametrize("text, value", [
    ("7", 7), ("s0", 5), ("2*s0 + 1", 11), ("s0//2", 2), ("Max(1, s0 - 9)", 1), ("-s0 % 3", 1),
    ("FloorDiv(s0, 2)", 2), ("Mod(s0, 3)", 2),
])
def test_expressions_have_the_values_of_python(text, value):
    assert evaluate(text, {"s0": 5}) == value


@pytest.mark.parametrize(
    "text", ["u9", "__import__('os')", "s0.x", "1.5", "s0 // 0", "s0 +", "[1]"])
def test_what_is_no_size_is_refused(text):
    with pytest.raises(CannotExpress):
        evaluate(text, {"s0": 5})


def test_symbols_that_no_size_defines_are_named():
    assert undefined_symbols([["s0", "4"], ["2*s1"], ["s0*s1"]]) == set()
    assert undefined_symbols([["s0*s1", "4"]]) == {"s0", "s1"}
    assert undefined_symbols([["s0*s0"], ["u3 + s1", "s1"]]) == {"s0"}


def bind(*ports, bounds=None):
    sizes = Sizes(bounds or {})
    return sizes.bind([(f"p{i}", *port) for i, port in enumerate(ports)]), sizes


def test_sizes_must_agree_with_each_other():
    assert bind((["s0", "4"], (3, 4)), (["2*s0"], (6,)))[0] == ""
    assert "p1" in bind((["s0", "4"], (3, 4)), (["2*s0"], (7,)))[0]
    assert "p0" in bind((["2*s0"], (7,)))[0]
    assert "dimension 1, must be 4" in bind((["s0", "4"], (3, 5)))[0]
    assert "2 dimensions" in bind((["s0"], (3, 5)))[0]


def test_a_later_input_may_define_what_an_earlier_one_uses():
    wrong, sizes = bind((["s0 + s1"], (9,)), (["s0"], (4,)), (["s1"], (5,)))
    assert wrong == ""
    assert sizes.fits(["s0*s1", "u0"], (20, 3)) and not sizes.fits(["s0"], (5,))
    assert "p0" in bind((["s0 + s1"], (8,)), (["s0"], (4,)), (["s1"], (5,)))[0]


def test_bounds_and_empty_sizes_are_checked():
    assert "p0" in bind((["s0"], (9,)), bounds={"s0": (0, 8)})[0]
    assert "must not be empty" in bind((["s0"], (0,)), bounds={"s0": (0, 8)})[0]
