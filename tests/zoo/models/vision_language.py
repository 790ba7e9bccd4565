"""Models that take a picture and a text."""

import types

import torch

from .wrapping import Named, filled, ids, padded, program

TEXT = {"vocab_size": 99, "hidden_size": 32, "intermediate_size": 64, "num_hidden_layers": 2,
        "num_attention_heads": 4, "max_position_embeddings": 16}
VISION = {"hidden_size": 32, "intermediate_size": 64, "num_hidden_layers": 2,
          "num_attention_heads": 4, "image_size": 32, "patch_size": 8}
# Larger than the models were made for, so that position embeddings are interpolated.
LARGER = 48


def texts(rows=2, length=12):
    """Ids that end with the end-of-text token, 98, which the mask keeps."""
    tokens = ids(rows, length, high=90)
    tokens[:, -1] = 98
    tokens[-1, length - 4] = 98
    return tokens


def _clip():
    from transformers import CLIPConfig, CLIPModel
    config = CLIPConfig(text_config={**TEXT, "eos_token_id": 98, "bos_token_id": 97},
                        vision_config=VISION, projection_dim=24)
    return Named(CLIPModel(config), ("logits_per_image", "text_embeds", "image_embeds"),
                 interpolate_pos_encoding=True)


def _clip_inputs():
    return {"input_ids": texts(), "pixel_values": filled(2, 3, LARGER, LARGER),
            "attention_mask": padded(2, 12, 3)}


def clip():
    return program(_clip, _clip_inputs())


def clip_dynamic_texts():
    count = torch.export.Dim("texts", max=64)
    return program(_clip, _clip_inputs(), dynamic_shapes={
        "input_ids": {0: count}, "pixel_values": None, "attention_mask": {0: count}})


def siglip():
    from transformers import SiglipConfig, SiglipModel
    config = SiglipConfig(text_config={**TEXT, "projection_size": 32}, vision_config=VISION)
    return program(
        lambda: Named(SiglipModel(config), ("logits_per_image", "text_embeds", "image_embeds"),
                      interpolate_pos_encoding=True),
        {"input_ids": texts(), "pixel_values": filled(2, 3, LARGER, LARGER),
         "attention_mask": padded(2, 12, 3)})


def blip():
    """Image and text matching: the text attends to the picture."""
    from transformers import BlipConfig, BlipForImageTextRetrieval
    text = {**TEXT, "encoder_hidden_size": 32, "bos_token_id": 97, "eos_token_id": 98,
            "sep_token_id": 98, "pad_token_id": 0, "projection_dim": 24}
    config = BlipConfig(text_config=text, vision_config=VISION, projection_dim=24,
                        image_text_hidden_size=24)
    return program(
        lambda: Named(BlipForImageTextRetrieval(config), ("itm_score", "last_hidden_state"),
                      interpolate_pos_encoding=True),
        {"input_ids": texts(), "pixel_values": filled(2, 3, LARGER, LARGER),
         "attention_mask": padded(2, 12, 3)})


def owlvit():
    """Two queries for one picture."""
    from transformers import OwlViTConfig, OwlViTForObjectDetection
    config = OwlViTConfig(text_config=TEXT, vision_config=VISION, projection_dim=32)

    def build():
        model = OwlViTForObjectDetection(config)
        # Without its cache, which would keep export's tensors that hold no data.
        model.compute_box_bias = types.MethodType(
            type(model).compute_box_bias.__wrapped__, model)
        return Named(model, ("logits", "pred_boxes", "text_embeds"), interpolate_pos_encoding=True)

    return program(
        build,
        {"input_ids": texts(), "pixel_values": filled(1, 3, LARGER, LARGER),
         "attention_mask": padded(2, 12, 3)})


def llava():
    from .llava import Llava
    tokens = ids(2, 24, high=90)
    tokens[:, 2:18] = 96  # one place per patch of the picture
    return program(Llava, {"input_ids": tokens, "pixel_values": filled(2, 3, 32, 32),
                           "attention_mask": padded(2, 24, 3)})
