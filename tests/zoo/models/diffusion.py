"""Denoisers of diffusers: the text stays while the picture and the time change."""

import torch

from .wrapping import Named, filled, program


def _named(model):
    return Named(model, ("sample",), return_dict=True)


def _unet():
    from diffusers import UNet2DConditionModel
    return _named(UNet2DConditionModel(
        sample_size=16, in_channels=4, out_channels=4, block_out_channels=(16, 32),
        layers_per_block=1, norm_num_groups=8, cross_attention_dim=24, attention_head_dim=8,
        down_block_types=("CrossAttnDownBlock2D", "DownBlock2D"),
        up_block_types=("UpBlock2D", "CrossAttnUpBlock2D")))


def _unet_inputs():
    return {"sample": filled(2, 4, 16, 16), "timestep": torch.tensor([7, 7]),
            "encoder_hidden_states": filled(2, 9, 24, seed=2)}


def unet():
    return program(_unet, _unet_inputs())


def unet_dynamic_batch():
    batch = torch.export.Dim("batch", min=1, max=16)
    return program(_unet, _unet_inputs(), dynamic_shapes={n: {0: batch} for n in _unet_inputs()})


def sd3():
    """Two streams that attend to each other."""
    from diffusers import SD3Transformer2DModel
    return program(
        lambda: _named(SD3Transformer2DModel(
            sample_size=16, patch_size=2, in_channels=4, out_channels=4, num_layers=2,
            attention_head_dim=8, num_attention_heads=4, joint_attention_dim=32,
            caption_projection_dim=32, pooled_projection_dim=24, pos_embed_max_size=16,
            qk_norm="rms_norm", dual_attention_layers=(0,))),
        {"hidden_states": filled(1, 4, 16, 16), "encoder_hidden_states": filled(1, 7, 32, seed=2),
         "pooled_projections": filled(1, 24, seed=3), "timestep": torch.tensor([300])})


def flux():
    from diffusers import FluxTransformer2DModel
    places = torch.zeros(16, 3)
    places[:, 1], places[:, 2] = torch.arange(16) // 4, torch.arange(16) % 4
    return program(
        lambda: _named(FluxTransformer2DModel(
            patch_size=1, in_channels=4, num_layers=1, num_single_layers=2, attention_head_dim=16,
            num_attention_heads=2, joint_attention_dim=32, pooled_projection_dim=32,
            axes_dims_rope=[4, 4, 8])),
        {"hidden_states": filled(1, 16, 4), "encoder_hidden_states": filled(1, 7, 32, seed=2),
         "pooled_projections": filled(1, 32, seed=3), "timestep": torch.tensor([0.4]),
         "img_ids": places, "txt_ids": torch.zeros(7, 3)})


def pixart():
    """Cross attention to a text under a mask."""
    from diffusers import PixArtTransformer2DModel
    mask = torch.ones(2, 7)
    mask[1, 5:] = 0
    return program(
        lambda: _named(PixArtTransformer2DModel(
            sample_size=8, num_layers=2, patch_size=2, attention_head_dim=8,
            num_attention_heads=4, in_channels=4, out_channels=8, cross_attention_dim=32,
            caption_channels=24, use_additional_conditions=False)),
        {"hidden_states": filled(2, 4, 8, 8), "encoder_hidden_states": filled(2, 7, 24, seed=2),
         "timestep": torch.tensor([300, 300]), "encoder_attention_mask": mask})
