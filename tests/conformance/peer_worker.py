"""OpenVINO's own conversion of the same samples; speaks as worker.cc does, and may die as it does.

torch.export.load, openvino.convert_model, static shapes, CPU, float32.
"""

from __future__ import annotations

import json
import os
import pathlib
import sys

import numpy as np
import openvino
import torch

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import raw_tensors  # noqa: E402


def to_numpy(tensor: torch.Tensor) -> np.ndarray:
    # Not ascontiguousarray, which gives a 0-d array a dimension.
    return np.array(tensor.detach().resolve_conj().resolve_neg().numpy(), order="C")


def answer(core: openvino.Core, model: str, inputs: str, outputs: str, out: dict) -> None:
    tensors = raw_tensors.read(pathlib.Path(inputs))
    converted = openvino.convert_model(torch.export.load(model))
    out["stage"] = "reshape"
    converted.reshape({port: list(t.shape) for port, t in zip(converted.inputs, tensors)})
    out["stage"] = "compile"
    compiled = core.compile_model(converted, "CPU", {"INFERENCE_PRECISION_HINT": "f32"})
    out["stage"] = "run"
    request = compiled.create_infer_request()
    results = request.infer({i: to_numpy(t) for i, t in enumerate(tensors)})
    raw_tensors.write(pathlib.Path(outputs), [
        torch.from_numpy(np.array(results[port])) for port in compiled.outputs])


def main() -> None:
    torch.set_num_threads(1)
    core = openvino.Core()
    core.set_property("CPU", {"INFERENCE_NUM_THREADS": 1})
    replies = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # what the libraries print is no answer
    for line in sys.stdin:
        name, model, inputs, outputs = line.rstrip("\n").split("\t")
        out = {"id": name, "code": "OK", "message": "", "stage": "convert"}
        try:
            answer(core, model, inputs, outputs, out)
        except Exception as error:
            out |= {"code": type(error).__name__, "message": str(error)[:2000]}
        replies.write(json.dumps(out) + "\n")
        replies.flush()


if __name__ == "__main__":
    main()
