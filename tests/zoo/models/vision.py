"""Models of pictures and video."""

import torch
from torch import nn

from .wrapping import Named, filled, program


class Change(nn.Module):
    """The same place at two times: both segmented, and where they differ."""

    def __init__(self):
        super().__init__()
        from transformers import SegformerConfig, SegformerForSemanticSegmentation
        self.model = SegformerForSemanticSegmentation(SegformerConfig(
            num_encoder_blocks=4, depths=[1, 1, 1, 1], sr_ratios=[8, 4, 2, 1],
            hidden_sizes=[16, 16, 32, 32], num_attention_heads=[1, 2, 4, 4], mlp_ratios=[2] * 4,
            decoder_hidden_size=32, num_labels=5))

    def forward(self, before, after):
        old, new = self.model(before).logits, self.model(after).logits
        classes = old.argmax(1), new.argmax(1)
        return {"before_logits": old, "after_logits": new, "changed": classes[0] != classes[1],
                "distance": (old.softmax(1) - new.softmax(1)).abs().sum(1)}


def segformer():
    return program(Change, {"before": filled(1, 3, 64, 64), "after": filled(1, 3, 64, 64, seed=2)})


def detr():
    """A residual network, and positions that the mask of real pixels decides."""
    from transformers import DetrConfig, DetrForObjectDetection, ResNetConfig
    backbone = ResNetConfig(embedding_size=16, hidden_sizes=[16, 32, 32, 48], depths=[1, 1, 1, 1],
                            layer_type="basic", out_features=["stage4"])
    config = DetrConfig(use_timm_backbone=False, use_pretrained_backbone=False, backbone=None,
                        backbone_config=backbone, d_model=32, encoder_layers=2, decoder_layers=2,
                        encoder_attention_heads=4, decoder_attention_heads=4, encoder_ffn_dim=64,
                        decoder_ffn_dim=64, num_queries=10, num_labels=4)
    mask = torch.ones(1, 96, 128, dtype=torch.int64)
    mask[:, 80:] = 0
    return program(lambda: Named(DetrForObjectDetection(config), ("logits", "pred_boxes")),
                   {"pixel_values": filled(1, 3, 96, 128), "pixel_mask": mask})


class TwoClips(nn.Module):
    """A clip that stays for a while and one that is new in every request."""

    def __init__(self):
        super().__init__()
        from transformers import TimesformerConfig, TimesformerForVideoClassification
        self.model = TimesformerForVideoClassification(TimesformerConfig(
            image_size=32, patch_size=8, num_frames=4, hidden_size=32, num_hidden_layers=2,
            num_attention_heads=4, intermediate_size=64, num_labels=5))

    def forward(self, reference, clip):
        known, new = self.model(reference).logits, self.model(clip).logits
        return {"logits": new, "similarity": torch.cosine_similarity(known, new)}


def timesformer():
    """Fewer frames than it was made for: the table of times is resized."""
    return program(TwoClips, {"reference": filled(1, 3, 3, 32, 32),
                              "clip": filled(1, 3, 3, 32, 32, seed=2)})
