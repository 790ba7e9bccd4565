"""Runs programs of `torch.export` so that a request costs only what its changed inputs need.

    import changeaware

    changeaware.compile("model.pt2", "model.ca.pt2")
    session = changeaware.Session("model.ca.pt2", retained_budget="64MiB")
    result = session(image=image, points=points)
    result = session(image=image, points=other_points)   # only what depends on the points runs
    print(session.explain())

With PyTorch: `changeaware.export(module, args)`, `changeaware.compile(exported_program, …)`, and
`fast = changeaware.wrap(module, example_inputs)`, which is both and a session. None of it is needed
to run a package.
"""

from __future__ import annotations

import importlib
from typing import Any

from ._load import load_openvino

load_openvino()

from ._core import Decision, Error, Plan, Report, __version__  # noqa: E402
from ._package import Package  # noqa: E402
from ._session import Response, Session  # noqa: E402

# Imported on first use.
_LAZY = {
    "Compiled": "_compile",
    "compile": "_compile",
    "export": "_export",
    "wrap": "_wrap",
    "Wrapped": "_wrap",
    "MissingPackage": "_pytorch",
    "verify": "_tools",
    "doctor": "_tools",
    "build_exact_engine": "_tools",
    "coreai": "coreai",
}

__all__ = [
    "Compiled", "Decision", "Error", "MissingPackage", "Package", "Plan", "Report", "Response",
    "Session", "Wrapped", "__version__", "build_exact_engine", "compile", "doctor", "export",
    "verify", "wrap",
]


def __getattr__(name: str) -> Any:
    module = _LAZY.get(name)
    if module is None:
        raise AttributeError(f"module 'changeaware' has no attribute '{name}'")
    found = importlib.import_module(f".{module}", __name__)
    value = found if module == name else getattr(found, name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *_LAZY})
