"""Real models at full size: what they take on disk, and the bits of what they compute.

Minutes: Core AI's portable runtime takes a minute for EfficientSAM's `main`.
"""

import changeaware
import numpy as np
from assets import main_alone
from changeaware.coreai import CoreAISession, check, export
from programs import clip

MOST = 1.02  # an asset with every function, of one with `main` alone


def test_efficientsam_runs_what_changed_with_the_bits_of_main(sam_package, tmp_path):
    asset = tmp_path / "sam.aimodel"
    exported = export(sam_package, asset, verify=True)
    assert exported.asset_bytes <= MOST * main_alone(sam_package, tmp_path / "main.aimodel")
    assert exported.verified.all_bits_equal, exported.verified.strategies
    assert exported.verified.largest_difference_from_pytorch < 1e-3
    assert exported.narrowings == []
    # Each function once: all strategies but `monolithic` run the same ones.
    assert sorted(exported.verified.executed) == sorted(exported.functions)


def test_clip_is_stored_once_and_runs_what_changed(clip_package, tmp_path):
    asset = tmp_path / "clip.aimodel"
    exported = export(clip_package, asset, verify=True)
    assert exported.weight_bytes > 600e6
    assert exported.asset_bytes <= MOST * main_alone(clip_package, tmp_path / "main.aimodel")
    assert exported.verified.all_bits_equal, exported.verified.strategies
    assert exported.verified.largest_difference_from_pytorch < 1e-4
    assert {n["port"] for n in exported.narrowings} >= {"input_ids", "attention_mask"}
    program = clip.clip()
    values = {name: value.numpy() for name, value in zip(clip.INPUTS, program.args, strict=True)}
    with CoreAISession(asset, retained_budget="64MiB") as session:
        session.run(**values)
        values["pixel_values"] = clip._vary("pixel_values", values["pixel_values"], 1)
        image = session.run(**values)
        assert image.report.changed == ["pixel_values"]
        depends = {f["name"] for f in check(asset)["functions"]
                   if "pixel_values" in f["dependencies"]} - {"main"}
        assert set(image.report.ran) == depends
        whole = session.run(**values, strategy="monolithic", reuse=False)
        for name in clip.OUTPUTS:
            assert image.outputs[name].tobytes() == whole.outputs[name].tobytes()
    with changeaware.Session(clip_package) as ours:
        expected = ours.run(**values).outputs
    for name in clip.OUTPUTS:
        np.testing.assert_allclose(image.outputs[name], expected[name], rtol=1e-3, atol=1e-3)
