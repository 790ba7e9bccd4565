"""Traces: requests in which now this input changes, now that; see bench/workload.h."""

from __future__ import annotations

import random

KINDS = ("one input", "an image seen before", "several inputs", "everything")
WEIGHTS = (40, 25, 15, 20)
IMAGES = 4  # that come again
SEED = 20260


def mixed(inputs: list[str], image: str, count: int) -> list[dict[str, int]]:
    """Per request the step of every input: the first request, then `count` random ones.

    A step that an input did not have before is a value that no request had before. Steps 1 to 4 of
    the image are those that come again.
    """
    chance = random.Random(SEED)
    now = {name: 1 for name in inputs}
    fresh = IMAGES
    requests = [dict(now)]
    for kind in _kinds(chance, count):
        fresh += 1
        if kind == "an image seen before":
            now[image] = chance.choice([s for s in range(1, IMAGES + 1) if s != now[image]])
        else:
            for name in _changed(chance, kind, inputs):
                now[name] = fresh
        requests.append(dict(now))
    return requests


def all_changed(inputs: list[str], _image: str, count: int) -> list[dict[str, int]]:
    return [{name: step for name in inputs} for step in range(1, count + 2)]


def in_turn(inputs: list[str], changes: list[tuple[str, ...]], count: int) -> list[dict[str, int]]:
    """The first request, then `count` in which these inputs change, then those, and so on."""
    now = {name: 1 for name in inputs}
    requests = [dict(now)]
    for i in range(count):
        now.update({name: i + 2 for name in changes[i % len(changes)]})
        requests.append(dict(now))
    return requests


def _kinds(chance: random.Random, count: int) -> list[str]:
    """In random order, as often as the weights say, each at least once."""
    share = [max(1, round(weight * count / sum(WEIGHTS))) for weight in WEIGHTS]
    kinds = [kind for kind, times in zip(KINDS, share, strict=True) for _ in range(times)]
    chance.shuffle(kinds)
    return (kinds + ["one input"] * count)[:count]


def _changed(chance: random.Random, kind: str, inputs: list[str]) -> list[str]:
    if kind == "everything":
        return inputs
    size = 1 if kind == "one input" else chance.randint(2, max(2, len(inputs) - 1))
    return chance.sample(inputs, size)
