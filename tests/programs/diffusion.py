"""One step of a diffusion model: the UNet of diffusers at a small size, with seeded weights."""

import numpy as np
import torch
from torch import nn

from .program import Program, filled, seeded

INPUTS = ("sample", "timestep", "encoder_hidden_states")
TOKENS, CHANNELS = 77, 32
STEPS = 20


class Denoiser(nn.Module):
    def __init__(self):
        super().__init__()
        from diffusers import UNet2DConditionModel

        self.unet = UNet2DConditionModel(
            sample_size=16, in_channels=4, out_channels=4, layers_per_block=1,
            block_out_channels=(32, 64), cross_attention_dim=CHANNELS, attention_head_dim=8,
            norm_num_groups=8, down_block_types=("DownBlock2D", "CrossAttnDownBlock2D"),
            up_block_types=("CrossAttnUpBlock2D", "UpBlock2D"))

    def forward(self, sample, timestep, encoder_hidden_states):
        return self.unet(sample, timestep, encoder_hidden_states=encoder_hidden_states,
                         return_dict=False)[0]


def timestep(step: int) -> np.ndarray:
    """Of 1,000 steps of training, those that a sampler of 20 steps takes."""
    return np.array([981 - 50 * (step % STEPS)])


def _vary(name, value, step):
    if name == "timestep":
        return timestep(step)
    return (np.roll(value.reshape(-1), step) * (1 - step / 64)).reshape(value.shape).astype(
        value.dtype)


def denoiser():
    return Program(seeded(Denoiser), (filled(1, 4, 16, 16), torch.from_numpy(timestep(0)),
                                      filled(1, TOKENS, CHANNELS, seed=2)), vary=_vary)


def text_projections(module: Denoiser) -> int:
    """Elements of the keys and values of the text, over all cross-attentions, for one text."""
    layers = [layer for name, layer in module.named_modules()
              if name.endswith(("attn2.to_k", "attn2.to_v"))]
    assert layers
    return sum(layer.out_features * TOKENS for layer in layers)
