"""Pictures with prompts: SAM and the image path of SAM 2."""

import torch

from .wrapping import Named, filled, program

OUTPUTS = ("iou_scores", "pred_masks")


def _prompts(size):
    points = torch.rand(1, 1, 2, 2, generator=torch.Generator().manual_seed(3)) * size
    return {"input_points": points, "input_labels": torch.tensor([[[1, 0]]])}


def sam(**more):
    """Window attention with padding, global attention, decomposed relative positions."""
    from transformers import SamConfig, SamModel
    config = SamConfig(
        vision_config={"hidden_size": 32, "output_channels": 32, "num_hidden_layers": 3,
                       "num_attention_heads": 4, "image_size": 64, "patch_size": 8, "mlp_dim": 64,
                       "window_size": 3, "global_attn_indexes": [1], "num_pos_feats": 16},
        prompt_encoder_config={"hidden_size": 32, "image_size": 64, "patch_size": 8,
                               "mask_input_channels": 8},
        mask_decoder_config={"hidden_size": 32, "mlp_dim": 64, "num_hidden_layers": 2,
                             "num_attention_heads": 4, "iou_head_hidden_dim": 32})
    return program(lambda: Named(SamModel(config), OUTPUTS),
                   {"pixel_values": filled(1, 3, 64, 64), **_prompts(64), **more})


def sam_with_masks():
    """As people refine: the mask of the last answer comes in again."""
    return sam(input_masks=filled(1, 1, 32, 32, seed=4))


def sam2():
    """Hiera: window and pooled attention over stages, a feature pyramid, skips."""
    from transformers import Sam2Config, Sam2Model
    hiera = {"model_type": "sam2_hiera_det_model", "hidden_size": 16, "image_size": [64, 64],
             "blocks_per_stage": [1, 1, 2, 1], "embed_dim_per_stage": [16, 32, 48, 64],
             "num_attention_heads_per_stage": [1, 2, 2, 4], "window_size_per_stage": [4, 2, 3, 2],
             "global_attention_blocks": [3], "mlp_ratio": 2.0,
             "window_positional_embedding_background_size": [3, 3]}
    config = Sam2Config(
        vision_config={"model_type": "sam2_vision_model", "backbone_config": hiera,
                       "backbone_channel_list": [64, 48, 32, 16],
                       "backbone_feature_sizes": [[16, 16], [8, 8], [4, 4]],
                       "fpn_hidden_size": 32},
        prompt_encoder_config={"hidden_size": 32, "image_size": 64, "patch_size": 16,
                               "mask_input_channels": 8},
        mask_decoder_config={"hidden_size": 32, "mlp_dim": 64, "num_attention_heads": 4,
                             "iou_head_hidden_dim": 32})
    return program(lambda: Named(Sam2Model(config), OUTPUTS),
                   {"pixel_values": filled(1, 3, 64, 64), **_prompts(64)})
