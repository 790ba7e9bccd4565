"""Runs Python blocks in one namespace: a child process of the tests.

    python_blocks.py FD_IN FD_OUT

Reads JSON lines {"name", "text"} and answers each with {"output", "error"}; both descriptors are
inherited. Whatever the blocks print is captured, so that a page can show it.
"""

import io
import json
import linecache
import os
import sys
import traceback


def run(namespace: dict, name: str, text: str) -> dict:
    linecache.cache[name] = (len(text), None, text.splitlines(keepends=True), name)
    captured, error = io.StringIO(), ""
    stdout, sys.stdout = sys.stdout, captured
    try:
        exec(compile(text, name, "exec"), namespace)
    except BaseException:  # SystemExit is a failure of the page, too
        error = traceback.format_exc()
    finally:
        sys.stdout = stdout
    return {"output": captured.getvalue(), "error": error}


def main() -> None:
    requests, answers = (os.fdopen(int(fd), mode) for fd, mode in zip(sys.argv[1:], "rw"))
    namespace = {"__name__": "__main__"}
    for line in requests:
        answers.write(json.dumps(run(namespace, **json.loads(line))) + "\n")
        answers.flush()


if __name__ == "__main__":
    main()
