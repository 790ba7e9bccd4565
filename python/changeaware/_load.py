"""Makes OpenVINO's libraries known to the loader before the compiled part is loaded.

They are in the package `openvino`. Beside this package the extension finds them by itself; where
`openvino` is elsewhere on the path (another site folder, a build tree) they are loaded from there.
The Python code of `openvino` is never imported.
"""

from __future__ import annotations

import ctypes
import importlib.util
import os

# The C++ ABI of the engine: exactly this version.
OPENVINO_VERSION = "2026.4.1"
_SUFFIX = "2641"  # of its libraries
_LIBRARIES = (f"libopenvino.so.{_SUFFIX}", f"libopenvino_pytorch_frontend.so.{_SUFFIX}")
_INSTALL = f"pip install openvino=={OPENVINO_VERSION}"


def _folder() -> str:
    """Where the package `openvino` has its libraries. Raises ImportError."""
    spec = importlib.util.find_spec("openvino")
    places = list(spec.submodule_search_locations or []) if spec else []
    for place in places:
        folder = os.path.join(place, "libs")
        if os.path.exists(os.path.join(folder, _LIBRARIES[0])):
            return folder
    if places:
        raise ImportError(f"changeaware needs openvino {OPENVINO_VERSION}; the one in {places[0]} "
                          f"is of another version: {_INSTALL}")
    raise ImportError(f"changeaware needs the package openvino, which is not installed: {_INSTALL}")


def load_openvino() -> None:
    """Raises ImportError that says what to install."""
    here = os.path.dirname(os.path.abspath(__file__))
    beside = os.path.join(os.path.dirname(here), "openvino", "libs", _LIBRARIES[0])
    if os.path.exists(beside):
        return
    folder = _folder()
    for library in _LIBRARIES:
        try:
            ctypes.CDLL(os.path.join(folder, library))
        except OSError as error:
            raise ImportError(f"cannot load OpenVINO's {library}: {error}") from error
