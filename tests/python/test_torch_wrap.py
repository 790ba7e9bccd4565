"""changeaware.wrap: called as the module, it runs what changed and gives what the module gives."""

import gc
import inspect
import os
import threading
import weakref

import changeaware
import pytest
import torch
from torch.export import Dim
from torch_modules import (Function, Prompt, Prompted, TwoTowers, WIDTH, assert_close, seeded,
                           tower, user_and_items)

SEGMENTS = {"segment_user", "segment_items", "segment_user+items"}


@pytest.fixture(scope="module")
def towers():
    return seeded(TwoTowers)


@pytest.fixture(scope="module")
def fast(towers):
    with changeaware.wrap(towers, user_and_items()) as wrapped:
        yield wrapped


@pytest.fixture(scope="module")
def prompted():
    return seeded(Prompted)


def prompted_call(rows: int = 128, seed: int = 1, **kwargs):
    generator = torch.Generator().manual_seed(seed)

    def make(*shape):
        return torch.randn(*shape, generator=generator)

    batch = [{"image": make(rows, WIDTH)}, {"image": make(1, WIDTH)}]
    return (batch, Prompt(make(8, WIDTH), make(8))), kwargs


@pytest.fixture(scope="module")
def fast_prompted(prompted):
    args, kwargs = prompted_call(multimask=True)
    rows = Dim("rows", min=4, max=512)
    sizes = {"batch": [{"image": {0: rows}}, {"image": None}], "prompt": Prompt(None, None),
             "multimask": None}
    with changeaware.wrap(prompted, args, kwargs, dynamic_shapes=sizes) as wrapped:
        yield wrapped


def ran(wrapped) -> list[str]:
    return wrapped.session.last.ran


def refusal(wrapped, *args, **kwargs) -> changeaware.Error:
    with pytest.raises(changeaware.Error) as caught:
        wrapped(*args, **kwargs)
    assert caught.value.code == "InvalidArgument"
    return caught.value


def test_a_changed_input_runs_its_tower_and_the_head(fast, towers):
    user, items = user_and_items()
    assert SEGMENTS <= set(fast.report.callables)
    fast.session.clear()
    assert_close(fast(user, items), towers(user, items))
    assert set(ran(fast)) == SEGMENTS
    assert_close(fast(user + 1, items), towers(user + 1, items))
    assert ran(fast) == ["segment_user", "segment_user+items"]
    assert_close(fast(user + 1, items - 1), towers(user + 1, items - 1))
    assert ran(fast) == ["segment_items", "segment_user+items"]
    fast(user + 1, items - 1)
    assert ran(fast) == []
    assert "segment_user" in fast.explain() and "reused" in fast.explain()


def test_an_incremental_answer_has_the_bits_of_a_full_run(fast):
    user, items = user_and_items()
    fast(user, items)
    incremental = fast(user * 2, items)
    assert "segment_items" not in ran(fast)
    strategy = fast.session.last.strategy
    ((_, full),) = fast.session._run_flat({"user": user * 2, "items": items}, reuse=False,
                                          strategy=strategy)
    assert set(ran(fast)) == SEGMENTS
    assert torch.equal(incremental, torch.as_tensor(full))


def test_results_are_tensors_of_the_callers_own_without_gradients(fast):
    user, items = user_and_items()
    first = fast(user, items)
    assert type(first) is torch.Tensor and not first.requires_grad
    kept = first.clone()
    first.zero_()
    again = fast(user, items)
    assert ran(fast) == []
    assert torch.equal(again, kept)


def test_arguments_are_given_as_the_module_takes_them(fast, towers):
    user, items = user_and_items()
    expected = fast(user, items)
    assert torch.equal(fast(user, items=items), expected)
    assert torch.equal(fast(items=items, user=user), expected)
    assert torch.equal(fast(user, items, 1.0), expected)
    assert ran(fast) == []
    assert inspect.signature(fast) == inspect.signature(towers.forward)
    assert "Scores [items, users]" in fast.__doc__


def test_arguments_that_do_not_fit_are_refused_by_name(fast):
    user, items = user_and_items()
    assert "missing a required argument: 'items'" in str(refusal(fast, user))
    assert "unexpected keyword argument 'mask'" in str(refusal(fast, user, items, mask=user))
    assert "'scale' was not among the example inputs" in str(refusal(fast, user, items, 2.0))
    assert "'user'" in str(refusal(fast, (user, user), items))
    error = str(refusal(fast, user.double(), items))
    assert "'user'" in error and "float64" in error and "float32" in error
    error = str(refusal(fast, user[:, :5], items))
    assert "'user'" in error and "[192, 5]" in error
    fast(user, items)  # a refused call changes nothing
    assert ran(fast) == []


def test_a_tensor_that_asks_for_a_gradient_is_refused_unless_gradients_are_off(fast):
    user, items = user_and_items()
    wanted = fast(user, items)
    leaf = user.clone().requires_grad_()
    error = str(refusal(fast, leaf, items))
    assert "'user' asks for a gradient" in error and "inference" in error and "detach" in error
    for mode in (torch.no_grad, torch.inference_mode):
        with mode():
            assert torch.equal(fast(leaf, items), wanted)


def test_a_tensor_on_another_device_is_refused_naming_it(fast):
    user, items = user_and_items()
    error = str(refusal(fast, user, items.to("meta")))
    assert "'items'" in error and "'meta'" in error and ".cpu()" in error


@pytest.mark.parametrize("change", [
    lambda t: t.t().contiguous().t(), lambda t: torch.cat([t, t])[:t.shape[0]],
    lambda t: torch.nn.Parameter(t, requires_grad=False)])
def test_layout_and_class_of_a_tensor_do_not_matter(fast, change):
    user, items = user_and_items()
    expected = fast(user, items)
    assert torch.equal(fast(change(user), change(items)), expected)
    assert ran(fast) == []


def check_prompted(module, wrapped, args, kwargs):
    got, expected = wrapped(*args, **kwargs), module(*args, **kwargs)
    assert list(got) == list(expected)
    assert type(got["masks"]) is tuple
    assert_close(got["masks"][0], expected["masks"][0])
    assert_close(got["masks"][1], expected["masks"][1])
    assert torch.equal(got["labels"], expected["labels"])
    assert got["count"] == 3 and got["low"] is None


def test_nested_arguments_and_results_keep_their_form(fast_prompted, prompted):
    args, kwargs = prompted_call(multimask=True)
    check_prompted(prompted, fast_prompted, args, kwargs)
    check_prompted(prompted, fast_prompted, args, {})  # its default is what the example had
    assert ran(fast_prompted) == []
    batch, prompt = args
    check_prompted(prompted, fast_prompted, (batch, prompt._replace(points=prompt.points * 2)),
                   kwargs)
    assert ran(fast_prompted), "the points changed"
    retained = set(fast_prompted.session.last.reused)
    assert any("image" in name for name in retained), "the image did not"


def test_a_size_that_is_dynamic_may_change(fast_prompted, prompted):
    for rows in (4, 64, 200):
        args, kwargs = prompted_call(rows, seed=rows, multimask=True)
        check_prompted(prompted, fast_prompted, args, kwargs)
        assert ran(fast_prompted)
    (batch, prompt), _ = prompted_call(1024)
    error = str(refusal(fast_prompted, batch, prompt))
    assert "1024" in error or "512" in error


def test_other_nesting_and_other_fixed_values_are_refused(fast_prompted):
    (batch, prompt), _ = prompted_call()
    assert "nested" in str(refusal(fast_prompted, batch[:1], prompt))
    assert "nested" in str(refusal(fast_prompted, batch, tuple(prompt)))
    error = str(refusal(fast_prompted, batch, prompt, multimask=False))
    assert "'multimask' was True" in error and "it is False now" in error
    error = str(refusal(fast_prompted, batch, prompt, mask=torch.zeros(8, 128)))
    assert "'mask' was not among the example inputs" in error


def test_a_size_that_is_a_result_is_a_number():
    class Rows(torch.nn.Module):
        def forward(self, x, y):
            return {"sum": x.sum(0) + y, "rows": x.shape[0]}

    module = Rows().eval()
    x, y = torch.ones(5, 4), torch.ones(4)
    with changeaware.wrap(module, (x, y), dynamic_shapes=({0: Dim("rows", min=3, max=9)}, None),
                          costs="nominal") as fast:
        got = fast(torch.ones(7, 4), y)
        assert ran(fast)
    assert got["rows"] == 7 and type(got["rows"]) is int
    assert torch.equal(got["sum"], torch.full((4,), 8.0))


def test_a_tensor_that_is_given_twice_is_two_inputs():
    """torch.export alone would make them one, and give wrong answers when they differ."""
    x = torch.ones(4)
    with changeaware.wrap(Function(lambda a, b: a * 10 + b), (x, x), costs="nominal") as fast:
        assert torch.equal(fast(x, x * 2), torch.full((4,), 12.0))
        assert ran(fast)


def test_examples_are_a_tuple_a_dictionary_or_one_tensor():
    user, items = user_and_items(64, 64)
    module = seeded(TwoTowers)
    with changeaware.wrap(module, {"items": items, "user": user}, costs="nominal") as fast:
        assert_close(fast(user, items), module(user, items))
    single = seeded(tower)
    with changeaware.wrap(single, user, costs="nominal") as fast:
        assert_close(fast(user), single(user))
    with pytest.raises(changeaware.Error, match="example_inputs is a tuple"):
        changeaware.wrap(single, 3)


def test_a_variable_number_of_arguments_stays_as_in_the_example():
    class Sum(torch.nn.Module):
        def forward(self, *parts, **named):
            return sum(parts) * named["by"]

    x = torch.ones(3)
    with changeaware.wrap(Sum().eval(), (x, x), {"by": x}, costs="nominal") as fast:
        assert torch.equal(fast(x, x, by=x * 2), torch.full((3,), 4.0))
        assert "2 positional arguments" in str(refusal(fast, x, x, x, by=x))


def test_the_package_is_temporary_unless_it_gets_a_name(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    user, items = user_and_items(64, 64)
    module = seeded(TwoTowers)
    fast = changeaware.wrap(module, (user, items), costs="nominal")
    temporary = fast.package
    assert os.path.exists(temporary)
    expected = fast(user, items)
    del fast
    gc.collect()
    assert not os.path.exists(os.path.dirname(temporary))

    named = tmp_path / "towers.ca.pt2"
    with changeaware.wrap(module, (user, items), package=named, costs="nominal") as fast:
        assert fast.package == str(named)
    with changeaware.Session(named) as session:
        got = session(user=user.numpy(), items=items.numpy())
    torch.testing.assert_close(torch.as_tensor(got), expected)


def test_the_module_is_neither_changed_nor_kept():
    user, items = user_and_items(64, 64)
    module = seeded(TwoTowers)
    before = {name: value.clone() for name, value in module.state_dict().items()}
    fast = changeaware.wrap(module, (user, items), costs="nominal")
    assert all(torch.equal(value, before[name]) for name, value in module.state_dict().items())
    assert all(p.requires_grad for p in module.parameters())
    gone = weakref.ref(module)
    del module
    gc.collect()
    assert gone() is None
    assert fast(user, items).shape == (64, 64)
    fast.close()


def test_the_threads_of_pytorch_are_left_alone():
    user, items = user_and_items(64, 64)
    before = torch.get_num_threads()
    seen = []
    try:
        for mine, own in ((1, 2), (2, 1)):
            torch.set_num_threads(own)
            with changeaware.wrap(seeded(TwoTowers), (user, items), threads=mine,
                                  costs="nominal") as fast:
                fast(user, items)
                assert ran(fast)
                seen.append((own, torch.get_num_threads()))
    finally:
        torch.set_num_threads(before)
    assert seen == [(2, 2), (1, 1)]


def test_budgets_are_those_of_its_session(towers):
    user, items = user_and_items()
    with changeaware.wrap(towers, (user, items), retained_budget="1KiB",
                          resident_budget="64MiB") as fast:
        fast(user, items)
        assert_close(fast(user + 1, items), towers(user + 1, items))
        assert "segment_items" in ran(fast) or ran(fast) == ["main"]
        assert fast.session.stats()["retained_bytes"] <= 1024
        assert 0 < fast.session.stats()["resident_bytes"] <= 64 << 20


def test_many_threads_may_call(fast, towers):
    user, items = user_and_items()
    expected = {step: towers(user * step, items).detach() for step in range(1, 5)}
    failures = []

    def client(step: int) -> None:
        try:
            for _ in range(5):
                assert_close(fast(user * step, items), expected[step])
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=client, args=(step,)) for step in expected]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []
    assert fast.session.stats()["runs"]["segment_items"] >= 1


def test_a_closed_one_is_refused():
    x = torch.ones(2)
    fast = changeaware.wrap(seeded(lambda: torch.nn.ReLU()), x, costs="nominal")
    assert torch.equal(fast(-x), torch.zeros(2))
    assert fast.eval() is fast
    fast.close()
    assert "closed" in str(refusal(fast, x))
