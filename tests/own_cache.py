"""The cache folder of tests: compiled callables are not the user's, the plug-in of the exact engine
is."""

import os
import pathlib


def use_own_cache(cache: pathlib.Path) -> None:
    """From now on this process and its children keep things in `cache`, an empty folder."""
    theirs = pathlib.Path(os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache")
    (cache / "changeaware").mkdir()
    (cache / "changeaware" / "torch-engine").symlink_to(theirs / "changeaware" / "torch-engine")
    os.environ["XDG_CACHE_HOME"] = str(cache)
