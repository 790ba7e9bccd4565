"""Networks of our own of the kinds that people serve: a ranker and a robot's cameras."""

import torch
import torch.nn.functional as F
from torch import nn

from .wrapping import filled, ids, program


class TwoTowers(nn.Module):
    """One user, who looked at some things in a context, and many items; the best ones come out."""

    def __init__(self, users=80, things=80, width=32):
        super().__init__()
        self.user = nn.Embedding(users, width)
        self.thing = nn.Embedding(things, width, padding_idx=0)
        self.tags = nn.EmbeddingBag(80, width, mode="mean")
        self.history = nn.MultiheadAttention(width, 4, batch_first=True)
        self.user_tower = nn.Sequential(nn.Linear(3 * width, 64), nn.ReLU(), nn.LayerNorm(64),
                                        nn.Linear(64, width))
        self.item_tower = nn.Sequential(nn.Linear(2 * width + 6, 64), nn.BatchNorm1d(64), nn.ReLU(),
                                        nn.Dropout(0.1), nn.Linear(64, width))
        self.context = nn.Linear(5, width)

    def forward(self, user_id, viewed, context, item_ids, item_tags, item_features):
        known = self.user(user_id)
        past = self.thing(viewed)
        seen, _ = self.history(known[:, None], past, past, key_padding_mask=viewed == 0)
        user = self.user_tower(torch.cat([known, seen[:, 0], self.context(context)], -1))
        item = self.item_tower(torch.cat(
            [self.thing(item_ids), self.tags(item_tags), item_features], -1))
        scores = F.normalize(user, dim=-1) @ F.normalize(item, dim=-1).T
        best, order = scores.topk(5)
        return {"scores": scores, "best": best, "items": item_ids[order],
                "user": user}


def recommender():
    viewed = ids(1, 10, high=80)
    viewed[:, 7:] = 0
    return program(TwoTowers, {
        "user_id": torch.tensor([17]), "viewed": viewed, "context": filled(1, 5),
        "item_ids": ids(40, high=80, seed=2), "item_tags": ids(40, 4, high=80, seed=3),
        "item_features": filled(40, 6, seed=4)})


class Camera(nn.Module):
    def __init__(self, width=32):
        super().__init__()
        self.stem = nn.Sequential(nn.Conv2d(3, 16, 5, 2, 2), nn.BatchNorm2d(16), nn.ReLU())
        self.deep = nn.Sequential(nn.Conv2d(16, width, 3, 2, 1, groups=2), nn.GroupNorm(4, width),
                                  nn.Hardswish(), nn.Conv2d(width, width, 3, 2, 1))
        self.side = nn.Conv2d(16, width, 1)

    def forward(self, image):
        fine = self.stem(image)
        deep = self.deep(fine)
        up = F.interpolate(deep, size=fine.shape[-2:], mode="bilinear", align_corners=False)
        return self.side(fine) + up


class ThreeCameras(nn.Module):
    """Each camera's features are sampled on the ground as its pose says, then fused."""

    def __init__(self, width=32, cells=12):
        super().__init__()
        self.cameras = nn.ModuleList([Camera(width) for _ in range(3)])
        self.query = nn.Parameter(torch.randn(cells * cells, width) * 0.1)
        steps = torch.linspace(-1, 1, cells)
        ground = torch.stack(torch.meshgrid(steps, steps, indexing="ij"), -1).reshape(-1, 2)
        self.register_buffer("ground", torch.cat([ground, torch.ones(len(ground), 1)], -1))
        self.attend = nn.MultiheadAttention(width, 4, batch_first=True)
        self.heads = nn.Conv2d(width, 4, 3, padding=1)
        self.cells = cells

    def forward(self, front, left, right, poses):
        seen = []
        for number, image in enumerate((front, left, right)):
            features = self.cameras[number](image)
            at = self.ground @ poses[number].T
            at = at[:, :2] / at[:, 2:].clamp(min=0.1)
            seen.append(F.grid_sample(features, at[None, :, None], align_corners=False)[..., 0])
        views = torch.stack(seen, -1)[0].permute(1, 2, 0)  # cells, cameras, channels
        fused, weights = self.attend(self.query[:, None], views, views)
        plane = fused[:, 0].T.reshape(1, -1, self.cells, self.cells)
        return {"occupancy": self.heads(plane).sigmoid(), "weights": weights[:, 0]}


def cameras():
    poses = torch.eye(3).repeat(3, 1, 1) + filled(3, 3, 3, seed=5) * 0.1
    return program(ThreeCameras, {
        "front": filled(1, 3, 64, 96), "left": filled(1, 3, 64, 64, seed=2),
        "right": filled(1, 3, 64, 64, seed=3), "poses": poses})
