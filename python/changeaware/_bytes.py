"""Numbers of bytes, as people write them."""

from __future__ import annotations

import re

from ._error import refusal

_UNITS = {
    "": 1, "B": 1,
    "KB": 10**3, "MB": 10**6, "GB": 10**9, "TB": 10**12,
    "KIB": 2**10, "MIB": 2**20, "GIB": 2**30, "TIB": 2**40,
}
_MOST = 2**64 - 1


def parse_bytes(value: int | str | None, what: str = "budget") -> int | None:
    """Bytes of an int or of text such as "64MiB", "1.5 GB", "4096"; None stays None.

    Raises InvalidArgument, naming `what`.
    """
    if value is None:
        return None
    if isinstance(value, str):
        match = re.fullmatch(r"\s*(\d+(?:\.\d+)?)\s*([A-Za-z]*)\s*", value)
        unit = _UNITS.get(match[2].upper()) if match else None
        if match is None or unit is None:
            raise refusal("InvalidArgument", f'{what} is "{value}"; it can be bytes, or a number '
                          "with B, KB, MB, GB, TB, KiB, MiB, GiB or TiB")
        value = int(match[1]) * unit if match[1].isdigit() else round(float(match[1]) * unit)
    elif isinstance(value, bool) or not hasattr(value, "__index__"):
        raise refusal("InvalidArgument", f"{what} is {value!r}; it can be a number of bytes, or "
                      'text such as "64MiB"')
    value = value.__index__()
    if not 0 <= value <= _MOST:
        raise refusal("InvalidArgument", f"{what} is {value} bytes, which is out of range")
    return value
