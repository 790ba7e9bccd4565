#!/usr/bin/env python3
"""EfficientSAM split by hand at the image embedding: FOLDER/encoder.xml, FOLDER/decoder.xml.

    python bench/peers/split.py MODEL.pt2 FOLDER

This is what an engineer does today: the neck's output [1, 256, 64, 64] is the interface, everything
before it is the encoder, the decoder takes it together with points and labels. Both halves are
exported again and converted by OpenVINO. The sample embedding is written to FOLDER too.
"""

from __future__ import annotations

import pathlib
import sys

import torch
from torch import fx
from torch.utils import _pytree as pytree

import conversion

IMAGE = "batched_images"
EMBEDDING_SHAPE = (1, 256, 64, 64)
TOLERANCE = 1e-4


def nodes_before(node: fx.Node) -> set[fx.Node]:
    """The node and all that it reads."""
    seen, stack = set(), [node]
    while stack:
        current = stack.pop()
        if current not in seen:
            seen.add(current)
            stack.extend(current.all_input_nodes)
    return seen


def find_embedding(graph: fx.Graph) -> fx.Node:
    """The neck's output: the last value of the embedding's shape that the image alone decides."""
    placeholders = {n.name for n in graph.nodes if n.op == "placeholder"}
    found = None
    for node in graph.nodes:
        value = node.meta.get("val")
        if not isinstance(value, torch.Tensor) or tuple(value.shape) != EMBEDDING_SHAPE:
            continue
        is_view = node.target in (torch.ops.aten.view.default, torch.ops.aten.reshape.default)
        if not is_view and {n.name for n in nodes_before(node)} & placeholders == {IMAGE}:
            found = node
    if found is None:
        raise RuntimeError(f"no value of shape {EMBEDDING_SHAPE} depends on {IMAGE} alone")
    return found


def copy_nodes(module: fx.GraphModule, nodes: list[fx.Node], inputs: list[fx.Node],
               outputs: list[fx.Node]) -> fx.GraphModule:
    graph, copied = fx.Graph(), {}
    for node in inputs:
        copied[node] = graph.placeholder(node.name)
    for node in nodes:
        if node not in copied:
            copied[node] = graph.node_copy(node, lambda n: copied[n])
    graph.output(tuple(copied[n] for n in outputs))
    graph.lint()
    return fx.GraphModule(module, graph)


def split(module: fx.GraphModule) -> tuple[fx.GraphModule, fx.GraphModule]:
    """Encoder (image -> embedding) and decoder (embedding and the other inputs -> outputs)."""
    graph = module.graph
    embedding = find_embedding(graph)
    placeholders = [n for n in graph.nodes if n.op == "placeholder"]
    image = next(n for n in placeholders if n.name == IMAGE)
    others = [n for n in placeholders if n is not image]
    results = pytree.tree_flatten(next(n for n in graph.nodes if n.op == "output").args[0])[0]

    in_encoder = nodes_before(embedding)
    encoder = [n for n in graph.nodes if n in in_encoder]
    # In-place writes are read by nobody, so the decoder is all that the encoder is not, and the
    # constants that it needs. Checks of the image belong to the encoder's side.
    decoder = [n for n in graph.nodes
               if n.op == "get_attr" or (n.op == "call_function" and n not in in_encoder
                                         and IMAGE not in {m.name for m in n.all_input_nodes})]
    return (copy_nodes(module, encoder, [image], [embedding]),
            copy_nodes(module, decoder, [embedding, *others], results))


def main() -> int:
    source, folder = sys.argv[1], pathlib.Path(sys.argv[2])
    folder.mkdir(parents=True, exist_ok=True)
    whole = torch.export.load(source)
    samples = dict(zip(conversion.user_inputs(whole), conversion.sample_inputs(whole)))
    encoder, decoder = split(whole.module(check_guards=False))
    image = samples.pop(IMAGE)
    with torch.no_grad():
        embedding = encoder(image.clone())[0]

    encoder = torch.export.export(encoder, (image,))
    decoder = torch.export.export(decoder, (embedding, *samples.values()))
    encoder_model, decoder_model = conversion.convert(encoder), conversion.convert(decoder)
    embedded = torch.from_numpy(conversion.run(encoder_model, [image])[0])
    actual = conversion.run(decoder_model, [embedded, *samples.values()])
    worst = conversion.check("split by hand", actual, conversion.eager(whole), TOLERANCE)

    conversion.save(encoder_model, folder / "encoder.xml")
    conversion.save(decoder_model, folder / "decoder.xml")
    print(f"{folder.name}: split by hand at {conversion.user_inputs(decoder)[0]}, "
          f"{worst:.1e} from eager")
    return 0


if __name__ == "__main__":
    sys.exit(main())
