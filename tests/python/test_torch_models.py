"""A model of transformers, wrapped: one image and many texts, and the other way round."""

import changeaware
import pytest
import torch
from torch_modules import assert_close

TEXTS, LENGTH, VOCABULARY = 4, 24, 500


@pytest.fixture(scope="module")
def clip():
    """CLIP, small, with random weights. What it returns is a class of transformers."""
    from transformers import CLIPConfig, CLIPModel

    torch.manual_seed(0)
    text = {"hidden_size": 192, "intermediate_size": 768, "num_hidden_layers": 4,
            "num_attention_heads": 4, "vocab_size": VOCABULARY, "max_position_embeddings": LENGTH,
            "bos_token_id": 0, "eos_token_id": VOCABULARY - 1, "projection_dim": 64}
    vision = {"hidden_size": 192, "intermediate_size": 768, "num_hidden_layers": 4,
              "num_attention_heads": 4, "image_size": 128, "patch_size": 16, "projection_dim": 64}
    return CLIPModel(CLIPConfig(text_config=text, vision_config=vision, projection_dim=64)).eval()


@pytest.fixture(scope="module")
def inputs():
    generator = torch.Generator().manual_seed(1)
    ids = torch.randint(1, VOCABULARY - 1, (TEXTS, LENGTH), generator=generator)
    ids[:, -1] = VOCABULARY - 1
    return {"input_ids": ids, "pixel_values": torch.randn(1, 3, 128, 128, generator=generator),
            "attention_mask": torch.ones(TEXTS, LENGTH, dtype=torch.int64)}


@pytest.fixture(scope="module")
def fast(clip, inputs):
    with changeaware.wrap(clip, inputs) as wrapped:
        yield wrapped


def check(clip, fast, inputs) -> list[str]:
    """Compares with the module; returns what ran."""
    got = fast(**inputs)
    with torch.no_grad():
        expected = clip(**inputs)
    assert type(got) is type(expected)
    for name in ("logits_per_image", "logits_per_text", "text_embeds", "image_embeds"):
        assert_close(got[name], expected[name])
    assert_close(got.vision_model_output.pooler_output, expected.vision_model_output.pooler_output)
    return fast.session.last.ran


def test_clip_runs_only_the_tower_whose_input_changed(clip, fast, inputs):
    assert fast.report.compared_with_eager
    everything = check(clip, fast, inputs)
    assert {"segment_pixel_values"} < set(everything)

    image = check(clip, fast, {**inputs, "pixel_values": inputs["pixel_values"] * 1.5})
    assert "segment_pixel_values" in image
    assert not any("input_ids" in name and "pixel_values" not in name for name in image)

    other_ids = inputs["input_ids"].clone()
    other_ids[:, 1:-1] = (other_ids[:, 1:-1] + 7) % (VOCABULARY - 3) + 1
    texts = check(clip, fast, {**inputs, "pixel_values": inputs["pixel_values"] * 1.5,
                               "input_ids": other_ids})
    assert texts and "segment_pixel_values" not in texts


def test_clip_answers_again_without_running_anything(clip, fast, inputs):
    check(clip, fast, inputs)
    assert check(clip, fast, inputs) == []


def test_an_incremental_answer_of_clip_has_the_bits_of_a_full_run(fast, inputs):
    fast(**inputs)
    changed = {**inputs, "pixel_values": inputs["pixel_values"] * 0.5}
    incremental = fast(**changed)
    assert len(fast.session.last.reused) >= 1
    strategy = fast.session.last.strategy
    full = fast.session.run(**changed, reuse=False, strategy=strategy)
    assert full.report.reused == []
    assert torch.equal(incremental.logits_per_image, full.outputs["logits_per_image"])
    assert torch.equal(incremental.text_embeds, full.outputs["text_embeds"])
