"""The optional packages that this extra brings. Nothing else here imports them at module level."""

from __future__ import annotations

import contextlib
import io
import warnings
from collections.abc import Iterator
from typing import Any, NamedTuple

from .._pytorch import MissingPackage

EXTRA = "pip install changeaware[coreai]"


class Authoring(NamedTuple):
    """What converting needs: the modules `torch` and `coreai_torch`."""

    torch: Any
    coreai_torch: Any


def _import(name: str, what: str) -> Any:
    from importlib import import_module

    try:
        with warnings.catch_warnings():
            # The CPU build of the PyTorch that it was made for ("2.13.0+cpu") counts as newer.
            warnings.filterwarnings("ignore", message=".*has only been validated with torch.*")
            return import_module(name)
    except ImportError as error:
        raise MissingPackage(
            f"{what} needs {name.split('.')[0]}, which cannot be imported ({error}): "
            f"{EXTRA}") from error


def require_authoring(what: str) -> Authoring:
    """PyTorch and the converter, for `what` ("changeaware.coreai.export").

    Raises MissingPackage, which names the extra to install.
    """
    return Authoring(_import("torch", what), _import("coreai_torch", what))


def require_assets(what: str) -> Any:
    """The module `coreai.authoring`, which opens assets. Raises MissingPackage."""
    return _import("coreai.authoring", what)


def require_runtime(what: str) -> Any:
    """The module `coreai.runtime`, which executes assets. Raises MissingPackage."""
    return _import("coreai.runtime", what)


def versions() -> dict[str, str]:
    """Of the packages that write an asset; empty for one that is not installed."""
    from importlib import metadata

    found = {}
    for name in ("coreai-core", "coreai-torch", "torch"):
        try:
            found[name] = metadata.version(name)
        except metadata.PackageNotFoundError:
            found[name] = ""
    return found


@contextlib.contextmanager
def silence() -> Iterator[None]:
    """The converter prints a banner; a library does not."""
    with contextlib.redirect_stdout(io.StringIO()), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield
