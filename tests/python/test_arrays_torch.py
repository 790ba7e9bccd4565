"""PyTorch tensors in and out; needs PyTorch, to make the programs."""

import gc
import weakref

import ml_dtypes
import numpy as np
import pytest
import torch
from conftest import refused

import changeaware


class Kinds(torch.nn.Module):
    """An input of each kind; `half` comes back as it is."""

    def forward(self, half, mask, scale, count, small):
        return {"half": half, "masked": torch.where(mask, scale, -scale), "count": count + 1,
                "pair": (small * 2, 7)}


def kinds():
    return {
        "half": torch.tensor([[1.5, -2.25, 0.0]], dtype=torch.bfloat16),
        "mask": torch.tensor([True, False]),
        "scale": torch.tensor(2.5),
        "count": torch.tensor(4),
        "small": torch.tensor([1, 2], dtype=torch.int32),
    }


@pytest.fixture(scope="module")
def kinds_package(tmp_path_factory):
    folder = tmp_path_factory.mktemp("kinds")
    program = torch.export.export(Kinds(), (), kinds())
    torch.export.save(program, folder / "kinds.pt2")
    changeaware.compile(folder / "kinds.pt2", folder / "kinds.ca.pt2", costs="nominal",
                        progress=False)
    return folder / "kinds.ca.pt2"


@pytest.fixture
def kinds_session(kinds_package):
    with changeaware.Session(kinds_package, blob_folder="off") as opened:
        yield opened


@pytest.fixture
def tensors(inputs):
    return {name: torch.from_numpy(value) for name, value in inputs.items()}


def test_tensors_are_the_same_inputs_as_arrays(session, inputs, tensors):
    by_array = session(**inputs)
    response = session.run(**tensors)
    assert response.report.ran == [] and response.report.changed == []
    assert response.report.copied_input_bytes == 0
    for name, value in response.outputs.items():
        assert isinstance(value, torch.Tensor)
        assert value.numpy().tobytes() == by_array[name].tobytes()


def test_outputs_are_of_the_kind_of_the_inputs(session, inputs, tensors):
    def kinds_of(result):
        return {type(value) for value in result.values()}

    assert kinds_of(session(**inputs)) == {np.ndarray}
    assert kinds_of(session(**tensors)) == {torch.Tensor}
    assert kinds_of(session(**{**inputs, "image": tensors["image"]})) == {torch.Tensor}
    assert kinds_of(session(**tensors, returns="numpy")) == {np.ndarray}
    assert kinds_of(session(**inputs, returns="torch")) == {torch.Tensor}
    assert session.stats()["runs"]["segment_image"] == 1


def test_every_kind_of_input_arrives(kinds_session):
    given = kinds()
    response = kinds_session.run(**given)
    assert response.report.ran
    result = response.result
    assert result["half"].dtype == torch.bfloat16 and torch.equal(result["half"], given["half"])
    assert result["masked"].tolist() == [2.5, -2.5]
    assert result["count"].item() == 5 and result["count"].shape == ()
    assert result["pair"][0].dtype == torch.int32 and result["pair"][0].tolist() == [2, 4]
    assert result["pair"][1] == 7 and type(result["pair"][1]) is int
    result["half"] += 1
    assert torch.equal(given["half"], kinds()["half"])  # the caller's own


def test_numbers_are_inputs_of_rank_0(kinds_session):
    kinds_session(**kinds())
    given = {**kinds(), "scale": 2.5, "count": 4}
    assert kinds_session.run(**given).report.changed == []
    assert kinds_session(**{**given, "scale": 3})["masked"].tolist() == [3, -3]
    assert kinds_session(**{**given, "count": np.int64(9)})["count"].item() == 10
    assert kinds_session(**{**given, "scale": np.float32(1)})["masked"].tolist() == [1, -1]


@pytest.mark.parametrize("name, value, words", [
    ("count", 2**63, ["int", "int64"]),
    ("count", 1.0, ["float", "int64"]),
    ("count", True, ["bool", "int64"]),
    ("scale", 1e39, ["float32"]),
    ("scale", 2**24 + 1, ["float32"]),
    ("scale", 10**400, ["float32"]),
    ("scale", False, ["bool", "float32"]),
    ("scale", np.float64(1), ["float64", "float32"]),
    ("half", 1, ["bfloat16"]),
])
def test_a_number_that_does_not_fit_is_refused(kinds_session, name, value, words):
    with pytest.raises(changeaware.Error) as error:
        kinds_session(**{**kinds(), name: value})
    refused(error, "InvalidArgument", f"'{name}'", *words)


def test_bfloat16_goes_in_and_out_as_ml_dtypes_or_dlpack(kinds_session):
    half = np.array([[1.5, -2.25, 0.0]], ml_dtypes.bfloat16)
    kinds_session(**kinds())
    response = kinds_session.run(**{**kinds(), "half": half}, returns="numpy")
    assert response.report.changed == [] and response.report.ran == []
    assert response.outputs["half"].dtype == ml_dtypes.bfloat16
    assert np.array_equal(response.outputs["half"], half)
    (_, raw), = kinds_session._core.run({**kinds(), "half": half}, want=["half"])[0]
    assert (raw.dtype, raw.shape, raw.__dlpack_device__()) == ("bfloat16", (1, 3), (1, 0))
    assert torch.equal(torch.from_dlpack(raw), kinds()["half"])
    assert kinds_session.run(**{**kinds(), "half": raw}).report.changed == []


@pytest.mark.parametrize("view", [
    lambda t: t.to(memory_format=torch.channels_last),
    lambda t: t.transpose(1, 3).contiguous().transpose(1, 3),
    lambda t: t.expand(1, 3, 96, 96)[:, :, :, :],
    lambda t: torch.cat([t, t], dim=3)[..., :96],
], ids=["channels last", "transposed", "expanded", "slice"])
def test_strides_are_part_of_a_tensor(session, tensors, view):
    session(**tensors)
    image = view(tensors["image"])
    assert session.run(**{**tensors, "image": image}).report.ran == []


def test_a_tensor_that_requires_grad_is_refused(session, tensors):
    image = tensors["image"].clone().requires_grad_()
    for value in (image, image * 2, torch.nn.Parameter(tensors["image"])):
        with pytest.raises(changeaware.Error) as error:
            session(**{**tensors, "image": value})
        refused(error, "InvalidArgument", "'image'", "requires grad", "detach()")
    assert len(session.run(**{**tensors, "image": image.detach()}).report.ran) == 5


@pytest.mark.parametrize("make, words", [
    (lambda t: t.to("meta"), ["device meta"]),
    (lambda t: torch.complex(t, t).conj().imag, ["negated", "resolve_neg()"]),
    (lambda t: torch.complex(t, t).conj(), ["conjugated", "resolve_conj()"]),
    (lambda t: torch.complex(t, t), ["complex64", "float32"]),
    (lambda t: t.to_sparse(), []),
    (lambda t: t.double(), ["float64", "float32"]),
    (lambda t: t.half(), ["float16", "float32"]),
    (lambda t: [t], ["list"]),
], ids=["meta", "negated", "conjugated", "complex", "sparse", "double", "half", "list"])
def test_other_tensors_are_refused_by_name(session, tensors, make, words):
    with pytest.raises(changeaware.Error) as error:
        session(**{**tensors, "control": make(tensors["control"])})
    refused(error, "InvalidArgument", "'control'", *words)
    assert session.stats()["runs"] == {}


def test_tensors_are_let_go_of(session, tensors):
    image = tensors.pop("image").clone()
    gone = weakref.ref(image)
    session(**tensors, image=image)
    assert len(session.last.ran) == 5
    del image
    gc.collect()
    assert gone() is None


class Nested(torch.nn.Module):
    def forward(self, x, pair, *, options=None, scale=2):
        y = x + pair[0] * scale + pair[1]["k"]
        return {"sum": y, "none": None, "list": [y * 2, 3]}


def test_the_module_s_own_nesting_goes_in_and_out(tmp_path):
    args = (torch.ones(3), (torch.ones(3), {"k": torch.ones(3)}))
    torch.export.save(torch.export.export(Nested(), args, {"scale": 3}), tmp_path / "n.pt2")
    changeaware.compile(tmp_path / "n.pt2", tmp_path / "n.ca.pt2", costs="nominal", progress=False)
    with changeaware.Session(tmp_path / "n.ca.pt2", blob_folder="off") as session:
        expected = Nested()(*args, scale=3)
        response = session.run(*args, scale=3)
        assert response.report.ran and response.report.reused == []
        assert response.result.keys() == expected.keys() and response.result["none"] is None
        assert response.result["list"][1] == 3
        assert torch.equal(response.result["list"][0], expected["list"][0])
        x, (first, rest) = args
        for again in (session(x, pair=(first, rest)),
                      session(x=x, pair_0=first, pair_1_k=rest["k"])):
            assert session.last.ran == [] and torch.equal(again["sum"], expected["sum"])
        with pytest.raises(changeaware.Error) as error:
            session(*args, scale=4)
        refused(error, "InvalidArgument", "'scale'", "fixed to 3")
        with pytest.raises(changeaware.Error) as error:
            session(x, (first, first))
        refused(error, "InvalidArgument", "pair[1]", "Tensor", "'k'")


def test_numpy_in_numpy_out_though_pytorch_is_imported(session, inputs):
    result = session(**inputs)
    assert session.last.ran and all(type(value) is np.ndarray for value in result.values())
