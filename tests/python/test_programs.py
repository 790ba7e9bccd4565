"""Real programs with nested, fixed and symbolic inputs and outputs, without PyTorch."""

import numpy as np
import pytest
from conftest import ROOT, refused

import changeaware

X = np.array([1, 2], np.float32)


@pytest.fixture
def opened(tmp_path):
    sessions = []

    def open_program(name):
        compiled = changeaware.compile(ROOT / "tests/data/reader" / f"{name}.pt2",
                                       tmp_path / f"{name}.ca.pt2", costs="nominal",
                                       progress=False)
        sessions.append(changeaware.Session(compiled, blob_folder="off"))
        return sessions[-1]

    yield open_program
    for session in sessions:
        session.close()


def test_dictionaries_go_in_and_nested_results_come_out(opened):
    session = opened("nested_dict")
    extra = {"a": X * 3, "b": X * 2}  # in another order than at export
    result = session(X, extra=extra)
    assert session.last.ran and session.last.reused == []
    assert list(result) == ["logits", "hidden", "pair", "scores"]
    assert result["logits"].tolist() == [0, 1] and type(result["hidden"]) is list
    assert result["hidden"][1].tolist() == [4, 7]
    assert result["pair"].first.tolist() == [3, 6] and result["pair"].second.tolist() == [6, 12]
    assert result["scores"].best.tolist() == [5, 10] and result["scores"].rest.tolist() == [7, 14]
    by_input = session(x=X, extra_a=extra["a"], extra_b=extra["b"], want=["pair.first"])
    assert session.last.ran == [] and by_input["pair.first"].tolist() == [3, 6]


@pytest.mark.parametrize("extra, words", [
    ({"a": X}, ["extra", "'a'", "'b'"]),
    ({"a": X, "b": X, "c": X}, ["extra", "'c'"]),
    ([X, X], ["extra", "list of 2", "'b'"]),
    ({"a": X, "b": {"b": X}}, ["'extra_b'", "dict"]),
], ids=["missing", "more", "list", "deeper"])
def test_another_nesting_is_refused_with_both(opened, extra, words):
    session = opened("nested_dict")
    with pytest.raises(changeaware.Error) as error:
        session(X, extra=extra)
    refused(error, "InvalidArgument", *words)
    assert session.stats()["runs"] == {}


def test_what_was_fixed_at_export_can_be_left_out_or_repeated(opened):
    session = opened("fixed_outputs")
    result = session(X, 2.5, name="sum")
    assert session.last.ran
    assert result[0].tolist() == [2.5, 5]
    assert result[1:] == (None, 3, True, 2, 0.5)
    assert [type(value) for value in result[1:]] == [type(None), int, bool, int, float]
    assert session(X)[0].tolist() == [2.5, 5] and session.last.ran == []
    for wrong, name in (({"scale": 2}, "'scale'"), ({"name": "mean"}, "'name'")):
        with pytest.raises(changeaware.Error) as error:
            session(x=X, **wrong)
        refused(error, "InvalidArgument", name, "fixed to")


def test_keywords_of_the_module_are_keywords_of_the_session(opened):
    session = opened("kwargs_order")
    row = X.reshape(1, 2)
    result = session(row, x2=row * 2, flag=True)
    assert session.last.ran and result.shape == (1, 6)
    assert np.array_equal(session(x1=row, x2=row * 2), result) and session.last.ran == []
    with pytest.raises(changeaware.Error) as error:
        session(row, row)
    refused(error, "InvalidArgument", "2 positional arguments", "1")


def test_sizes_that_may_vary_vary(opened):
    session = opened("dynamic")
    assert session.inputs[0]["shape"] == ["2*s44"]
    for size in (8, 12):
        values = np.arange(1, size + 1, dtype=np.float32)
        total, count = session(values, X.repeat(2)[:3])
        assert session.last.ran and count == 2 * size + 1
        assert total.tolist() == (values.reshape(-1, 2).sum(0) * size + 4).tolist()
    with pytest.raises(changeaware.Error) as error:
        session(np.ones(7, np.float32), X.repeat(2)[:3])
    refused(error, "InvalidArgument", "'x'", "7", "2*s44")


def test_an_assertion_of_the_program_is_an_error_of_its_own(opened):
    session = opened("dynamic")
    with pytest.raises(changeaware.Error) as error:
        session(-np.ones(8, np.float32), X.repeat(2)[:3])
    refused(error, "FailedAssertion", "x must be positive")
    assert session.stats()["failed"] == 1 and session.stats()["retained_bytes"] == 0
