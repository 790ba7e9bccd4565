"""Tree specs, arguments and byte sizes, without a program."""

from collections import OrderedDict, defaultdict, deque, namedtuple

import pytest
from conftest import refused

import changeaware
from changeaware._arguments import Arguments
from changeaware._bytes import parse_bytes
from changeaware._outputs import Results

LEAF = '{"type": null, "context": null, "children_spec": []}'


def node(kind, context, *children):
    return f'{{"type": "{kind}", "context": {context}, "children_spec": [{", ".join(children)}]}}'


def sequence(kind, *children):
    return node(f"builtins.{kind}", '"null"', *children)


def dictionary(keys, *children, kind="builtins.dict"):
    listed = ", ".join(f'\\"{key}\\"' for key in keys)
    return node(kind, f'"[{listed}]"', *children)


def spec(tree):
    return f"[1, {tree}]"


def results(tree, names):
    outputs = [{"name": name} for name in names]
    return Results({"outputs": outputs, "out_spec": spec(tree)})


def arguments(args, kwargs, names, fixed=None):
    inputs = [{"name": n, "fixed_value": (fixed or {}).get(n)} for n in names]
    tree = sequence("tuple", sequence("tuple", *args), dictionary(kwargs, *kwargs.values()))
    return Arguments({"inputs": inputs, "in_spec": spec(tree)})


def test_results_are_nested_in_tuples_lists_and_dictionaries():
    tree = dictionary(["a", "b", "c"], sequence("list", LEAF, LEAF), sequence("tuple", LEAF), LEAF)
    nested = results(tree, ["a.0", "a.1", "b.0", "c"]).nest([1, 2, 3, None])
    assert nested == {"a": [1, 2], "b": (3,), "c": None}
    assert results(LEAF, ["x"]).nest([5]) == 5
    assert results(sequence("tuple"), []).nest([]) == ()


def test_containers_of_the_standard_library_come_back():
    ordered = dictionary(["b", "a"], LEAF, LEAF, kind="collections.OrderedDict")
    nested = results(ordered, ["b", "a"]).nest([1, 2])
    assert type(nested) is OrderedDict and list(nested) == ["b", "a"]
    queue = results(node("collections.deque", '"3"', LEAF, LEAF), ["0", "1"]).nest([1, 2])
    assert queue == deque([1, 2]) and queue.maxlen == 3
    context = ('{"default_factory_module": "builtins", "default_factory_name": "list", '
               '"dict_context": ["a"]}')
    nested = results(node("collections.defaultdict", context, LEAF), ["a"]).nest([1])
    assert type(nested) is defaultdict and nested["new"] == []


Boxes = namedtuple("Boxes", "corners scores")


def test_named_tuples_come_back_as_their_class_or_one_with_its_fields():
    tree = node("collections.namedtuple", f'"{__name__}.Boxes"', LEAF, LEAF)
    assert type(results(tree, ["corners", "scores"]).nest([1, 2])) is Boxes
    tree = dictionary(["found"], node("collections.namedtuple", '"gone.Boxes"', LEAF,
                                      sequence("list", LEAF)))
    nested = results(tree, ["found.corners", "found.scores.0"]).nest([1, 2])
    assert nested["found"].corners == 1 and nested["found"].scores == [2]
    assert type(nested["found"]).__name__ == "Boxes"


def test_classes_with_keys_come_back_as_records_where_they_are_not_imported():
    tree = dictionary(["logits", "loss"], LEAF, LEAF, kind="gone.ModelOutput")
    nested = results(tree, ["logits", "loss"]).nest([1, 2])
    assert nested.logits == nested["logits"] == 1 and nested == {"logits": 1, "loss": 2}
    with pytest.raises(AttributeError, match="gone.ModelOutput has no 'x'"):
        nested.x
    tree = node("gone.Data", '"[[\\"a\\", \\"b\\"], []]"', LEAF, LEAF)
    assert results(tree, ["a", "b"]).nest([1, 2]).b == 2


def test_a_container_that_cannot_be_made_is_named():
    unknown = results(node("gone.Set", '"null"', LEAF), ["0"])
    with pytest.raises(changeaware.Error) as error:
        unknown.nest([1])
    refused(error, "Unsupported", "'gone.Set'", "result")


@pytest.mark.parametrize("text", ["", "[2, {}]", "[1]", "[1, {}]", spec(sequence("tuple", LEAF))])
def test_a_spec_that_does_not_fit_is_an_error(text):
    broken = Results({"outputs": [{"name": "a"}, {"name": "b"}], "out_spec": text})
    if not text:
        assert broken.nest([1, 2]) == (1, 2)
        return
    with pytest.raises(changeaware.Error) as error:
        broken.nest([1, 2])
    assert error.value.code in ("Corrupt", "Unsupported") and "result" in str(error.value)


PAIR = sequence("tuple", LEAF, dictionary(["k"], LEAF))
NAMES = ["x", "pair_0", "pair_1_k", "opt", "scale"]


@pytest.fixture
def bound():
    return arguments([LEAF, PAIR], {"opt": LEAF, "scale": LEAF}, NAMES, {"scale": "3"})


@pytest.mark.parametrize("args, kwargs", [
    ((1, (2, {"k": 3})), {"opt": 4}),
    ((1, [2, {"k": 3}]), {"opt": 4, "scale": 3}),
    ((1,), {"pair": (2, {"k": 3}), "opt": 4}),
    ((), {"x": 1, "pair": (2, {"k": 3}), "opt": 4, "scale": 3}),
    ((), {"x": 1, "pair_0": 2, "pair_1_k": 3, "opt": 4}),
    ((1,), {"pair_0": 2, "pair_1_k": 3, "opt": 4}),
])
def test_arguments_are_bound_as_the_module_takes_them_or_by_input(bound, args, kwargs):
    assert bound.bind(args, kwargs) == {"x": 1, "pair_0": 2, "pair_1_k": 3, "opt": 4}


@pytest.mark.parametrize("args, kwargs, words", [
    ((1, (2, 3)), {}, ["pair[1]", "int", "'k'"]),
    ((1, (2, {"q": 3})), {}, ["pair[1]", "'q'", "'k'"]),
    ((1, (2,)), {}, ["pair", "tuple of 1", "tuple of 2"]),
    ((1, 2), {}, ["pair", "int", "tuple of 2"]),
    ((1,), {"x": 1}, ["'x'", "twice"]),
    ((1, (2, {"k": 3})), {"pair_0": 1}, ["'pair_0'", "twice"]),
    ((1,), {"pears": 1}, ["'pears'", "x, pair_0, pair_1_k, opt"]),
    ((1, 2, 3), {}, ["3 positional", "2"]),
    ((1,), {"scale": 4}, ["'scale'", "fixed to 3", "4"]),
    ((1,), {"scale": True}, ["'scale'", "fixed to 3", "True"]),
    ((1,), {"scale": None}, ["'scale'", "fixed to 3", "None"]),
])
def test_what_does_not_fit_is_named(bound, args, kwargs, words):
    with pytest.raises(changeaware.Error) as error:
        bound.bind(args, kwargs)
    refused(error, "InvalidArgument", *words)


@pytest.mark.parametrize("fixed, value", [
    ("None", None), ("True", True), ("3", 3), ("2.5", 2.5), ("1", 1.0), ('"sum"', "sum")])
def test_the_fixed_value_may_be_given(fixed, value):
    bound = arguments([LEAF, LEAF], {}, ["x", "mode"], {"mode": fixed})
    assert bound.bind((1, value), {}) == {"x": 1}
    assert bound.bind((1,), {"mode": value}) == bound.bind((1,), {}) == {"x": 1}


@pytest.mark.parametrize("text, count", [
    ("4096", 4096), ("64MiB", 64 << 20), ("64 mib", 64 << 20), ("1GB", 10**9), ("1.5KB", 1500),
    ("0.5KiB", 512), (" 7 B ", 7), ("2TiB", 2 << 40), (12, 12), (None, None)])
def test_budgets_are_bytes_or_text(text, count):
    assert parse_bytes(text) == count
