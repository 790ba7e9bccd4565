"""Fenced code blocks of a page, and what their info strings say is to be done with them."""

from __future__ import annotations

import dataclasses
import pathlib
import re

FENCE = re.compile(r"^(`{3,}|~{3,})\s*(.*)$")


@dataclasses.dataclass(frozen=True)
class Block:
    page: str
    line: int  # of the opening fence, from 1
    language: str
    words: tuple[str, ...]  # of the info string, after the language
    text: str

    @property
    def name(self) -> str:
        return f"{self.page}:{self.line}"

    @property
    def file(self) -> str:
        """Name of the file that the block is, by `file=NAME`; empty = it is to be run."""
        return next((w.removeprefix("file=") for w in self.words if w.startswith("file=")), "")

    @property
    def is_output(self) -> bool:
        return self.language == "text" and self.words == ("output",)


def read_blocks(path: pathlib.Path) -> list[Block]:
    """All blocks of a page in order. Raises ValueError for one that is not closed."""
    blocks = []
    fence, start, info, lines = "", 0, "", []
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        match = FENCE.match(line)
        if not fence:
            if match:
                fence, start, info, lines = match.group(1), number, match.group(2), []
        elif match and line.strip() == fence:
            language, *words = info.split() or [""]
            text = "".join(f"{text}\n" for text in lines)
            blocks.append(Block(path.name, start, language, tuple(words), text))
            fence = ""
        else:
            lines.append(line)
    if fence:
        raise ValueError(f"{path.name}:{start}: this block is not closed")
    return blocks


def matches(expected: str, actual: str) -> bool:
    """Whether a page's text is this output. `…` stands for anything in a line, and a line that is
    `…` alone for any number of lines. Spaces at the end of lines, and how many stand between words,
    do not count."""
    pattern = ""
    for line in expected.strip().splitlines():
        if line.strip() == "…":
            pattern += r"(?:.*\n)*?"
        else:
            words = ".*?".join(_words(part) for part in line.split("…"))
            pattern += r"[ \t]*" + words + r"[ \t]*\n"
    return re.fullmatch(pattern, actual.strip("\n") + "\n") is not None


def _words(text: str) -> str:
    """Pattern of a part of a line between two `…`; the space beside those may be missing."""
    space = r"[ \t]*"
    words = r"[ \t]+".join(map(re.escape, text.split()))
    return (space if text[:1].isspace() else "") + words + (space if text[-1:].isspace() else "")
