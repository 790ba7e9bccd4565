"""Whole models: the committed example, CLIP ViT-B/32 and EfficientSAM-Ti at real size."""

import numpy as np
import pytest
from programs import clip
from programs.efficientsam import IMAGE, LABELS, POINTS
from harness import Compiled, digest


def test_three_inputs_every_mask(three_inputs):
    three_inputs.check_masks(rtol=1e-4, atol=1e-4)


def test_three_inputs_has_a_tower_for_each(three_inputs):
    assert three_inputs.inputs == ["image", "text", "control"]
    assert three_inputs.outputs == ["action", "heatmap", "confidence"]
    for name in three_inputs.inputs:
        assert len([c for c in three_inputs.segments if c["dependencies"] == [name]]) >= 1, name
    assert "image" not in three_inputs.producing("confidence")["dependencies"]


def test_three_inputs_runs_only_what_is_wanted(three_inputs):
    sample = three_inputs.sample()
    replay = three_inputs.replay([{"inputs": sample, "want": ["confidence"]},
                                  {"inputs": {"image": sample["image"] * 2},
                                   "want": ["confidence"]},
                                  {}])
    first, second, third = replay.requests
    assert not set(first["ran"]) & set(three_inputs.depending_on(["image"]))
    assert second["ran"] == []
    assert third["ran"] == three_inputs.depending_on(["image"])


@pytest.fixture(scope="module")
def clip_package(cli, tmp_path_factory):
    folder = tmp_path_factory.mktemp("clip")
    program = clip.clip()
    exported = program.save(folder / "model.pt2")
    package = Compiled.from_file(cli, folder / "model.pt2", folder, exported, program.eager,
                                 program.vary)
    yield package
    for path in (folder / "model.pt2", package.package):
        path.unlink()


def test_clip_towers_depend_on_their_inputs_alone(clip_package):
    assert clip_package.inputs == list(clip.INPUTS)
    assert clip_package.outputs == list(clip.OUTPUTS)
    weights = {}
    for segment in clip_package.segments:
        key = tuple(sorted(segment["dependencies"]))
        weights[key] = weights.get(key, 0) + segment["weight_bytes"]
    image = weights[("pixel_values",)]
    text = sum(bytes_ for key, bytes_ in weights.items() if key and "pixel_values" not in key)
    mixed = sum(bytes_ for key, bytes_ in weights.items()
                if "pixel_values" in key and len(key) > 1)
    assert image > 340e6
    assert text > 240e6
    assert mixed < 1e6


def test_clip_every_mask(clip_package):
    replay = clip_package.check_masks(rtol=1e-4, atol=1e-4)
    # 605 MB of weights: the tool's two sessions share them.
    assert replay.summary["peak_rss_bytes"] < 3e9


def test_clip_with_room_for_the_texts_alone_keeps_the_texts(clip_package):
    """Image after image with a budget of what the image side reads of two texts: 4,096 bytes."""
    sample = clip_package.sample()
    image = "pixel_values"
    requests = [{"inputs": sample}] + [
        {"inputs": {image: clip_package.vary(image, sample[image], step)}} for step in range(1, 9)]
    replay = clip_package.replay(requests, "--retained-budget", 2 * 512 * 4, check=False)
    assert replay.summary["failed"] == 0
    assert replay.summary["retained_bytes_peak"] <= 4096
    texts = {c["name"] for c in clip_package.segments
             if c["dependencies"] and image not in c["dependencies"]}
    assert texts
    # A session may take a request or two to see which input it is that changes.
    for request in replay.requests[3:]:
        assert not set(request["ran"]) & {"main", *texts}


def test_clip_package_holds_the_weights_once(clip_package):
    size = clip_package.package.stat().st_size
    weights = clip_package.manifest["callables"][0]["weight_bytes"]
    assert weights > 600e6
    assert size < weights + 30e6


@pytest.mark.parametrize("which", ["1", "2"])
def test_efficientsam_agrees_with_pytorch(sam, sam_expected, which):
    values = {**sam.sample(), POINTS: sam_expected[f"points_{which}"],
              LABELS: sam_expected["labels"]}
    answer = sam.run(values)
    masks, iou = (answer[name] for name in sam.outputs)
    np.testing.assert_allclose(masks, sam_expected[f"masks_{which}"], rtol=0, atol=1e-3)
    np.testing.assert_allclose(iou, sam_expected[f"iou_{which}"], rtol=0, atol=1e-4)


def test_efficientsam_every_mask(sam):
    sam.check_masks(verify_values=False)


def test_e1_one_image_and_many_prompts(sam, sam_expected):
    sample = sam.sample()
    prompts = [sam_expected["points_1"], sam_expected["points_2"]]
    prompts += [sample[POINTS] + np.float32(11 * step) for step in range(1, 11)]
    requests = [{"inputs": {POINTS: points}} for points in prompts]
    requests[0]["inputs"].update({IMAGE: sample[IMAGE], LABELS: sam_expected["labels"]})
    requests.append({"inputs": {IMAGE: sample[IMAGE][..., ::-1]}})
    replay = sam.replay(requests, check=False)
    encoders = [c["name"] for c in sam.segments if c["dependencies"] == [IMAGE]]
    assert encoders
    assert sum(sam.segment(name)["weight_bytes"] for name in encoders) > 20e6
    ran = [name for request in replay.requests for name in request["ran"]]
    for name in encoders:
        assert ran.count(name) + ran.count("main") == 2, "once per image"
    for request in replay.requests[1:-1]:
        assert request["ran"] == sam.depending_on([POINTS])
    answer = sam.run({**sample, POINTS: prompts[1], LABELS: sam_expected["labels"]})
    assert {name: digest(value) for name, value in answer.items()} == replay.requests[1]["outputs"]
    np.testing.assert_allclose(answer[sam.outputs[0]], sam_expected["masks_2"], rtol=0, atol=1e-3)


def test_efficientsam_nothing_changed_runs_nothing(sam):
    sample = sam.sample()
    replay = sam.replay([{"inputs": sample}, {"inputs": {k: v.copy() for k, v in sample.items()}}],
                        check=False)
    assert replay.requests[1]["ran"] == []
    assert replay.requests[1]["outputs"] == replay.requests[0]["outputs"]
