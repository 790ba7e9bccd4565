"""PyTorch, where it is there: nothing here imports it unless it is asked for."""

from __future__ import annotations

import os
import sys
from typing import Any

from . import _core
from ._core import Error


class MissingPackage(Error, ImportError):
    """An optional Python package is not installed; the message names the extra that brings it."""

    code = "Unsupported"


def require_torch(what: str) -> Any:
    """The module `torch`, for `what` ("changeaware.export"). Raises MissingPackage."""
    try:
        import torch
    except ImportError as error:
        raise MissingPackage(
            f"{what} needs PyTorch, which cannot be imported ({error}): "
            "pip install changeaware[torch]") from error
    return torch


def imported_torch_folder() -> str:
    """Folder of the PyTorch that this process has imported; empty when it has none.

    A process can hold one PyTorch, so the exact engine must use this one.
    """
    torch = sys.modules.get("torch")
    path = getattr(torch, "__file__", None)
    return os.path.dirname(path) if path else ""


def usable_torch_folder() -> str:
    """That folder, if the exact engine's plug-in for this PyTorch is built; else empty.

    A folder that is named to the library must be usable; without one it looks for itself.
    """
    folder = imported_torch_folder()
    return folder if folder and _core.find_exact_engine(torch_folder=folder)["plugin"] else ""
