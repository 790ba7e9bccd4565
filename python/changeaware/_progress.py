"""How far a long piece of work is: a bar on standard error, or a function of the caller's."""

from __future__ import annotations

import sys
from collections.abc import Callable
from types import TracebackType

Progress = Callable[[str, float], None]

_WIDTH = 30
_CLEAR_LINE = "\r\x1b[K"


class ProgressBar:
    """Redraws one line of standard error; `close` removes it. Not thread-safe."""

    def __init__(self) -> None:
        self._drawn = ""

    def __call__(self, stage: str, fraction: float) -> None:
        part = min(max(fraction, 0.0), 1.0)
        filled = int(part * _WIDTH)
        bar = f"[{'=' * filled}{' ' * (_WIDTH - filled)}] {part * 100:3.0f}% {stage}"
        if bar == self._drawn:  # stages report more often than a terminal can show
            return
        self._drawn = bar
        sys.stderr.write(_CLEAR_LINE + bar)
        sys.stderr.flush()

    def close(self) -> None:
        if self._drawn:
            sys.stderr.write(_CLEAR_LINE)
            sys.stderr.flush()
            self._drawn = ""


def _ignore(stage: str, fraction: float) -> None:
    del stage, fraction


class Reporter:
    """What `progress=` means, for the length of a `with` block, which gives the function to call.

    None: a bar when standard error is a terminal. True: a bar. False: nothing. A callable is called
    with the name of the stage and how much of that stage is done, from 0 to 1. A Reporter that is
    passed on is used as it is and stays open.
    """

    def __init__(self, progress: bool | Progress | None) -> None:
        if progress is not None and not isinstance(progress, bool) and not callable(progress):
            raise TypeError(
                f"progress is None, True, False or a callable, not {type(progress).__name__}")
        self._bar: ProgressBar | None = None
        if callable(progress):
            self._call: Progress = progress
            return
        wanted = sys.stderr is not None and sys.stderr.isatty() if progress is None else progress
        self._bar = ProgressBar() if wanted else None
        self._call = self._bar or _ignore

    def __enter__(self) -> Progress:
        return self._call

    def __exit__(self, kind: type[BaseException] | None, value: BaseException | None,
                 trace: TracebackType | None) -> None:
        if self._bar is not None:
            self._bar.close()
