"""Grounding DINO: Swin, BERT, fusion of both, deformable attention over several scales."""

import types

import torch
from torch import nn

from .wrapping import filled, padded, program, without_checks

SPECIAL = (101, 102, 1012, 1029)  # [CLS] [SEP] . ?


def phrase_masks(input_ids):
    """The library's masks and positions of phrases, without its loop over positions of data.

    A phrase is what ends with a special token. For rows that begin with one, as tokenizers make
    them; those that end the row attend to themselves alone.
    """
    special = torch.zeros_like(input_ids, dtype=torch.bool)
    for token in SPECIAL:
        special = special | (input_ids == token)
    n = input_ids.shape[1]
    places = torch.arange(n)
    later = places[None, :] >= places[:, None]
    ends = torch.where(special[:, None, :] & later, places, n).amin(-1)
    begins = torch.where(special[:, None, :] & ~later, places, -1).amax(-1) + 1
    inner = (ends != 0) & (ends < n - 1)
    together = (ends[:, :, None] == ends[:, None, :]) & inner[:, :, None]
    mask = together | torch.eye(n, dtype=torch.bool)
    return mask, torch.where(inner, places - begins, 0)


def _replace_phrase_masks(library):
    name = "generate_masks_with_special_tokens_and_transfer_map"
    if not hasattr(library, "with_a_loop"):
        library.with_a_loop = getattr(library, name)
    setattr(library, name, phrase_masks)


def _config():
    from transformers import BertConfig, GroundingDinoConfig, SwinConfig
    backbone = SwinConfig(image_size=64, patch_size=4, embed_dim=16, depths=[2, 1, 1, 1],
                          num_heads=[2, 2, 4, 4], window_size=4,
                          out_features=["stage2", "stage3", "stage4"])
    text = BertConfig(vocab_size=1100, hidden_size=32, intermediate_size=64, num_hidden_layers=2,
                      num_attention_heads=4, max_position_embeddings=32)
    return GroundingDinoConfig(
        backbone_config=backbone, text_config=text, d_model=32, encoder_layers=2, decoder_layers=2,
        encoder_attention_heads=4, decoder_attention_heads=4, encoder_ffn_dim=64,
        decoder_ffn_dim=64, num_queries=12, num_feature_levels=4, encoder_n_points=2,
        decoder_n_points=2, max_text_len=16, disable_custom_kernels=True)


class GroundingDino(nn.Module):
    def __init__(self):
        super().__init__()
        from transformers import GroundingDinoForObjectDetection
        from transformers.models.grounding_dino import modeling_grounding_dino as library
        _replace_phrase_masks(library)
        self.model = GroundingDinoForObjectDetection(_config())
        self._sizes_as_numbers(self.model.model)
        for module in self.model.modules():
            if isinstance(module, library.GroundingDinoMultiscaleDeformableAttention):
                module.forward = types.MethodType(without_checks(type(module).forward), module)

    def _sizes_as_numbers(self, model):
        """Two functions read the sizes of the scales from a tensor, as data, which export refuses.

        The encoder is given them as numbers too; those are read instead.
        """
        sizes = []
        references = model.encoder.get_reference_points
        proposals = model.generate_encoder_output_proposals

        def remember(_, args, kwargs):
            sizes[:] = kwargs["spatial_shapes_list"]
        model.encoder.register_forward_pre_hook(remember, with_kwargs=True)
        model.encoder.get_reference_points = (
            lambda _, ratios, device: references(sizes, ratios, device))
        model.generate_encoder_output_proposals = (
            lambda output, mask, _: proposals(output, mask, sizes))

    def forward(self, pixel_values, input_ids, attention_mask, pixel_mask):
        out = self.model(pixel_values=pixel_values, input_ids=input_ids,
                         attention_mask=attention_mask, pixel_mask=pixel_mask)
        return {"logits": out.logits, "pred_boxes": out.pred_boxes}


def caption():
    """[CLS] a b . c d e . f . [SEP], and one that is shorter and padded."""
    return torch.tensor([[101, 7, 8, 1012, 9, 10, 11, 1012, 12, 1012, 102, 0]])


def grounding_dino():
    mask = torch.ones(1, 72, 64, dtype=torch.int64)
    mask[:, :, 50:] = 0
    return program(GroundingDino, {
        "pixel_values": filled(1, 3, 72, 64), "input_ids": caption(),
        "attention_mask": padded(1, 12, 1), "pixel_mask": mask})
