"""`python -m changeaware COMMAND …`: the command line, as the program `changeaware`, and
`export-coreai`."""

from __future__ import annotations

import os
import signal
import sys

from . import _core


def main(arguments: list[str] | None = None) -> int:
    """Runs the command line; `arguments` without the program's name. Returns the exit code."""
    arguments = sys.argv[1:] if arguments is None else arguments
    if arguments[:1] == ["export-coreai"]:
        from .coreai.cli import main as export_coreai
        return export_coreai(arguments[1:])
    # As in a program without Python: Ctrl-C and a closed pipe end the process at once.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    # PyTorch is looked for in the environment of this Python, activated or not.
    if sys.prefix != sys.base_prefix:
        os.environ.setdefault("VIRTUAL_ENV", sys.prefix)
    sys.stdout.flush()
    return _core.main(arguments)


if __name__ == "__main__":
    sys.exit(main())
