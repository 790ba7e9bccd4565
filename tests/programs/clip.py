"""CLIP ViT-B/32 from transformers' default configuration, with seeded random weights.

    python tests/programs/clip.py FILE.pt2

Three inputs: one image and two texts. 605 MB of weights. The texts alone decide `text_embeds`.
"""

import pathlib
import sys

import torch
from torch import nn

if __package__:
    from .program import Program, vary
else:  # run as a script
    from program import Program, vary

INPUTS = ("input_ids", "pixel_values", "attention_mask")
OUTPUTS = ("logits_per_image", "logits_per_text", "text_embeds")


class Clip(nn.Module):
    def __init__(self):
        super().__init__()
        from transformers import CLIPConfig, CLIPModel

        self.model = CLIPModel(CLIPConfig())

    def forward(self, input_ids, pixel_values, attention_mask):
        out = self.model(input_ids=input_ids, pixel_values=pixel_values,
                         attention_mask=attention_mask)
        return {name: out[name] for name in OUTPUTS}


def _vary(name, value, step):
    if name == "attention_mask":  # step more positions are masked
        value = value.copy()
        value[-1, -6 - step:] = 0
        return value
    if name == "input_ids":
        value = value.copy()
        value[:, 1:-1] = (value[:, 1:-1] + step) % 40000 + 3
        return value
    return vary(name, value, step)


def clip():
    torch.manual_seed(0)
    module = Clip().eval()
    generator = torch.Generator().manual_seed(1)
    input_ids = torch.randint(3, 40000, (2, 77), generator=generator)
    input_ids[:, 0] = 49406
    input_ids[:, -1] = 49407
    attention_mask = torch.ones(2, 77, dtype=torch.int64)
    attention_mask[1, -6:] = 0
    pixel_values = torch.randn(1, 3, 224, 224, generator=generator)
    return Program(module, (input_ids, pixel_values, attention_mask), vary=_vary)


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    path = pathlib.Path(sys.argv[1])
    clip().save(path)
    print(f"{path}: {path.stat().st_size} bytes")


if __name__ == "__main__":
    main()
