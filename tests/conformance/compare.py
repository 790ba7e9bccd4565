"""Is an answer eager's? Floats within RTOL and ATOL; all else, shapes and dtypes too, exact."""

from __future__ import annotations

import pathlib
import threading

import torch

RTOL, ATOL = 1e-4, 1e-5
# Which of equal elements comes first is documented as open, unless `stable` is asked for.
UNSTABLE = {"sort", "argsort", "topk", "msort"}
_loading = threading.Lock()  # torch.export.load works in one thread at a time


def difference(op: str, model: pathlib.Path, inputs: list, expected: list, got: list) -> str:
    """The first difference in words; empty when there is none."""
    if len(got) != len(expected):
        return f"{len(got)} outputs, {len(expected)} expected"
    for number, (want, have) in enumerate(zip(expected, got)):
        text = _tensor_difference(want, have)
        if text and not _open_tie(op, model, inputs, expected, got, number):
            return text if len(expected) == 1 else f"output {number}: {text}"
    return ""


def _tensor_difference(want: torch.Tensor, have: torch.Tensor | None) -> str:
    want = want.detach().resolve_conj().resolve_neg()
    if have is None:
        return "no tensor"
    if have.dtype != want.dtype:
        return f"dtype {_name(have)}, expected {_name(want)}"
    if have.shape != want.shape:
        return f"shape {list(have.shape)}, expected {list(want.shape)}"
    wrong = _unequal(want, have).reshape(-1)
    if not bool(wrong.any()):
        return ""
    first = int(wrong.nonzero()[0])
    return (f"{int(wrong.sum())} of {wrong.numel()} elements, first at {first}: "
            f"{have.reshape(-1)[first].item()}, expected {want.reshape(-1)[first].item()}")


def _name(tensor: torch.Tensor) -> str:
    return str(tensor.dtype).removeprefix("torch.")


def _unequal(want: torch.Tensor, have: torch.Tensor) -> torch.Tensor:
    if want.dtype == torch.complex32:
        want, have = want.to(torch.complex64), have.to(torch.complex64)
    if not (want.is_floating_point() or want.is_complex()):
        return want != have
    return ~torch.isclose(have, want, rtol=RTOL, atol=ATOL, equal_nan=True)


def _open_tie(op, model, inputs, expected, got, number) -> bool:
    """The output holds other indices, but they pick the same elements, each once."""
    if op not in UNSTABLE or expected[number].dtype != torch.int64:
        return False
    want, have = expected[number], got[number]
    if have is None or have.dtype != want.dtype or have.shape != want.shape or not inputs:
        return False
    dim, stable = _dim_and_stable(model, op)
    source = inputs[0]
    if stable or source.dim() == 0:
        return False
    size = source.shape[dim]
    if bool(((have < 0) | (have >= size)).any()):
        return False
    picked = torch.gather(source, dim, have)
    if bool(_unequal(torch.gather(source, dim, want), picked).any()):
        return False
    ordered = have.sort(dim=dim).values
    return not bool((ordered.diff(dim=dim) == 0).any())


def _dim_and_stable(model: pathlib.Path, op: str) -> tuple[int, bool]:
    with _loading:
        program = torch.export.load(model)
    for node in program.graph.nodes:
        schema = getattr(node.target, "_schema", None)
        if schema is None or schema.name != f"aten::{op}":
            continue
        values = {a.name: a.default_value for a in schema.arguments}
        values |= dict(zip((a.name for a in schema.arguments), node.args)) | node.kwargs
        return values.get("dim", -1), bool(values.get("stable"))
    return -1, False
