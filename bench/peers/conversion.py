"""OpenVINO's own conversion of an exported program, checked against PyTorch before it is used."""

from __future__ import annotations

import json
import pathlib

import numpy as np
import openvino as ov
import torch
from torch.utils import _pytree as pytree

# As the benchmark itself runs them.
PROPERTIES = {
    "INFERENCE_PRECISION_HINT": "f32",
    "PERFORMANCE_HINT": "LATENCY",
    "NUM_STREAMS": 1,
    "INFERENCE_NUM_THREADS": 2,
}


def user_inputs(exported: torch.export.ExportedProgram) -> list[str]:
    """Names of the tensors that a caller gives, in order."""
    kind = torch.export.graph_signature.InputKind.USER_INPUT
    return [s.arg.name for s in exported.graph_signature.input_specs if s.kind == kind]


def sample_inputs(exported: torch.export.ExportedProgram) -> list[torch.Tensor]:
    return pytree.tree_flatten(exported.example_inputs)[0]


def eager(exported: torch.export.ExportedProgram) -> list[torch.Tensor]:
    """Outputs for the sample inputs."""
    args, kwargs = pytree.tree_map_only(torch.Tensor, torch.clone, exported.example_inputs)
    with torch.no_grad():
        return pytree.tree_flatten(exported.module()(*args, **kwargs))[0]


def convert(exported: torch.export.ExportedProgram) -> ov.Model:
    """The whole program, with static shapes and inputs named as in the program."""
    model = ov.convert_model(exported)
    names, samples = user_inputs(exported), sample_inputs(exported)
    if len(model.inputs) != len(names):
        raise RuntimeError(f"{len(model.inputs)} inputs after conversion, not {len(names)}")
    for port, name in zip(model.inputs, names, strict=True):
        port.get_tensor().set_names({name})
    model.reshape({name: ov.PartialShape(list(sample.shape))
                   for name, sample in zip(names, samples, strict=True)})
    return model


def run(model: ov.Model, inputs: list[torch.Tensor]) -> list[np.ndarray]:
    compiled = ov.Core().compile_model(model, "CPU", PROPERTIES)
    results = compiled([value.numpy() for value in inputs])
    return [results[port].copy() for port in compiled.outputs]


def check(what: str, actual: list[np.ndarray], expected: list, tolerance: float) -> float:
    """The largest difference. Fails above the tolerance: a peer that is wrong is no peer."""
    worst = 0.0
    for got, right in zip(actual, expected, strict=True):
        right = np.asarray(right)
        if got.shape != right.shape:
            raise RuntimeError(f"{what}: shape {got.shape} instead of {right.shape}")
        worst = max(worst, float(np.abs(got - right).max()))
    if not worst <= tolerance:
        raise RuntimeError(f"{what}: differs by {worst:.2e}, more than {tolerance:.0e}")
    return worst


def save(model: ov.Model, path: pathlib.Path) -> None:
    ov.save_model(model, str(path), compress_to_fp16=False)


def save_samples(exported: torch.export.ExportedProgram, folder: pathlib.Path) -> None:
    """The sample inputs as raw bytes, and samples.json, which says what they are."""
    listing = []
    for name, value in zip(user_inputs(exported), sample_inputs(exported), strict=True):
        array = np.ascontiguousarray(value.numpy())
        array.tofile(folder / f"{name}.bin")
        listing.append({"name": name, "dtype": str(array.dtype), "shape": list(array.shape),
                        "file": str(folder / f"{name}.bin")})
    (folder / "samples.json").write_text(json.dumps(listing, indent=1) + "\n")
