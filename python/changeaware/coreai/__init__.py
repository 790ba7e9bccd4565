"""Packages for Core AI: one multi-function asset with every region of a package, run incrementally.

    changeaware.coreai.export("model.ca.pt2", "model.aimodel", verify=True)
    session = changeaware.coreai.CoreAISession("model.aimodel", retained_budget="64MiB")

An asset is a folder, `model.aimodel`, with the functions `main` and one per segment, and a manifest
beside it, `model.aimodel.json`, that says what they are, how they came about, and what Core AI
narrowed. Needs `pip install changeaware[coreai]`; importing this module does not.
"""

from __future__ import annotations

from typing import Any

__all__ = ["CoreAISession", "Exported", "Verified", "check", "export", "verify"]

_HOMES = {
    "CoreAISession": "._session", "Exported": "._export", "Verified": "._verify",
    "check": "._asset", "export": "._export", "verify": "._verify",
}


def __getattr__(name: str) -> Any:
    """Loads what is asked for, so that `import changeaware` stays quick."""
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(_HOMES[name], __name__), name)


def __dir__() -> list[str]:
    return sorted(__all__)
