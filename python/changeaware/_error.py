"""Errors that the Python layer raises by itself."""

from __future__ import annotations

from ._core import Error


def refusal(code: str, message: str) -> Error:
    """An Error with the code that it would have in C++."""
    error = Error(message)
    error.code = code
    return error
