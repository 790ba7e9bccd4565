"""What is taken as an input, without copies where the layout allows, and let go of afterwards."""

import array
import gc
import weakref

import numpy as np
import pytest
from conftest import OF_CONTROL, OF_IMAGE, refused

import changeaware


class Producer:
    """Something with DLPack and nothing else."""

    def __init__(self, values, device=(1, 0)):
        self.values = values
        self.device = device

    def __dlpack_device__(self):
        return self.device

    def __dlpack__(self, **options):
        return self.values.__dlpack__(**options)


class OldProducer(Producer):
    """From before DLPack 1.0."""

    def __dlpack__(self, stream=None):
        return self.values.__dlpack__()


def bits(result):
    return {name: value.tobytes() for name, value in result.items()}


def same_input(session, inputs, name, value):
    """That `value` counts as the input that the session has seen last."""
    before = bits(session(**inputs))
    response = session.run(**{**inputs, name: value})
    assert response.report.changed == [] and response.report.ran == []
    assert bits(response.outputs) == before
    return response.report


def test_contiguous_arrays_are_not_copied(session, inputs):
    assert session.run(**inputs).report.copied_input_bytes == 0


def test_read_only_arrays_are_inputs(session, inputs):
    image = inputs["image"].copy()
    image.flags.writeable = False
    assert same_input(session, inputs, "image", image).copied_input_bytes == 0


@pytest.mark.parametrize("view", [
    lambda a: np.asfortranarray(a),
    lambda a: np.repeat(a, 2, axis=3)[..., ::2],
    lambda a: np.ascontiguousarray(a[..., ::-1])[..., ::-1],
    lambda a: np.ascontiguousarray(a.swapaxes(1, 3)).swapaxes(1, 3),
], ids=["fortran", "step", "reversed", "transposed"])
def test_strides_are_part_of_an_array(session, inputs, view):
    image = view(inputs["image"])
    assert not image.flags.c_contiguous and np.array_equal(image, inputs["image"])
    same_input(session, inputs, "image", image)


def test_dense_bytes_are_counted_when_a_layout_has_to_be_changed(session, inputs):
    image = np.asfortranarray(inputs["image"])
    report = session.run(**{**inputs, "image": image}).report
    assert "segment_image" in report.ran
    assert report.copied_input_bytes >= image.nbytes


def test_misaligned_arrays_are_copied_once(session, inputs):
    control = inputs["control"]
    memory = np.zeros(control.nbytes + 1, np.uint8)
    misaligned = memory[1:].view(np.float32).reshape(control.shape)
    misaligned[:] = control
    assert not misaligned.flags.aligned
    assert same_input(session, inputs, "control", misaligned).copied_input_bytes == control.nbytes


def test_a_field_of_records_is_an_input(session, inputs):
    records = np.zeros(inputs["control"].shape, np.dtype([("a", "u1"), ("control", "f4")]))
    records["control"] = inputs["control"]
    same_input(session, inputs, "control", records["control"])


@pytest.mark.parametrize("producer", [Producer, OldProducer])
def test_anything_with_dlpack_is_an_input(session, inputs, producer):
    value = producer(inputs["image"])
    assert same_input(session, inputs, "image", value).copied_input_bytes == 0


def test_memory_views_are_inputs(session, inputs):
    same_input(session, inputs, "image", memoryview(inputs["image"]))
    values = array.array("f", inputs["control"].ravel())
    same_input(session, inputs, "control", memoryview(values).cast("B").cast("f", (1, 8)))


def test_inputs_are_let_go_of_after_the_request(session, inputs):
    class Owner(np.ndarray):
        pass

    image = inputs["image"].view(Owner)
    producer = Producer(inputs["control"].copy())
    gone = [weakref.ref(image), weakref.ref(producer.values)]
    report = session.run(**{**inputs, "image": image, "control": producer}).report
    assert len(report.ran) == 5
    del image, producer
    gc.collect()
    assert [reference() for reference in gone] == [None, None]


def test_an_input_that_is_changed_in_place_is_a_changed_input(session, inputs):
    session(**inputs)
    inputs["control"] += 1
    assert session.run(**inputs).report.ran == OF_CONTROL


def test_inputs_are_never_written(session, inputs):
    kept = {name: value.copy() for name, value in inputs.items()}
    session(**inputs)
    assert session.last.ran
    assert all(np.array_equal(inputs[name], kept[name]) for name in kept)


def test_numpy_s_default_integers_are_not_cast(session, inputs):
    with pytest.raises(changeaware.Error) as error:
        session(**{**inputs, "text": inputs["text"].astype(np.int32)})
    refused(error, "InvalidArgument", "'text'", "int32", "int64")
    with pytest.raises(changeaware.Error) as error:
        session(**{**inputs, "image": inputs["image"].astype(np.float64)})
    refused(error, "InvalidArgument", "'image'", "float64", "float32")
    assert session.stats()["runs"] == {}


@pytest.mark.parametrize("make, words", [
    (lambda a: a.astype(">f4"), ["byte-swapped"]),
    (lambda a: a.astype(object), ["Python objects"]),
    (lambda a: a.tolist(), ["list", "array"]),
    (lambda a: None, ["NoneType"]),
    (lambda a: "control", ["str"]),
    (lambda a: np.ma.masked_less(a, 0), ["masked"]),
    (lambda a: np.array([["x"] * 8]), ["array of <U1"]),
    (lambda a: a.astype("datetime64[s]"), []),
    (lambda a: Producer(a, device=(2, 0)), ["device"]),
    (lambda a: a.astype(np.longdouble), ["longdouble" if np.longdouble == 0 else "array of"]),
    (lambda a: 1.5, ["[]", "[1, 8]"]),
    (lambda a: 1, ["[]", "[1, 8]"]),
    (lambda a: True, ["bool", "float32"]),
    (lambda a: a[0], ["[8]", "[1, 8]"]),
    (lambda a: np.zeros((0, 8), np.float32), ["[0, 8]", "[1, 8]"]),
], ids=["byte-swapped", "objects", "list", "none", "text", "masked", "strings", "dates", "device",
        "longdouble", "float", "int", "bool", "rank", "empty"])
def test_what_is_no_such_array_is_refused_by_name(session, inputs, make, words):
    with pytest.raises(changeaware.Error) as error:
        session(**{**inputs, "control": make(inputs["control"])})
    refused(error, "InvalidArgument", "'control'", *words)
    assert session.stats()["runs"] == {}
    assert len(session.run(**inputs).report.ran) == 5  # the session is as it was


def test_outputs_can_be_inputs(session, inputs):
    session(**inputs)
    control = session(**inputs)["action"]
    inputs["control"] = np.concatenate([control, control[:, :1]], axis=1)
    assert session.run(**inputs).report.ran == OF_CONTROL


def test_a_version_tag_leaves_the_bytes_alone(session, inputs):
    session(**inputs, versions={"image": "a"})
    inputs["image"][:] = np.nan  # would be refused, or another answer
    report = session.run(**inputs, versions={"image": "a"}).report
    assert report.ran == [] and report.changed == []
    assert report.copied_input_bytes == 0


def test_a_changed_image_runs_its_tower(session, inputs):
    session(**inputs)
    assert session.run(**{**inputs, "image": Producer(inputs["image"] + 1)}).report.ran == OF_IMAGE
