"""Every code block of the user's pages does what it says."""

import pathlib

import pytest
from blocks import read_blocks

DOCS = pathlib.Path(__file__).resolve().parent.parent.parent / "docs"
PAGES = ("guide.md", "python.md", "cli.md", "c_cpp.md", "coreai.md")

BLOCKS = {name: read_blocks(DOCS / name) for name in PAGES if (DOCS / name).exists()}
EVERY = [block for blocks in BLOCKS.values() for block in blocks]


@pytest.mark.parametrize("name", PAGES)
def test_a_page_is_there_and_shows_code_that_runs(name):
    assert name in BLOCKS, f"docs/{name} is missing"
    assert any(block.language != "text" for block in BLOCKS[name]), f"docs/{name} shows no code"


@pytest.mark.parametrize("block", EVERY, ids=lambda block: block.name)
def test_a_block_does_what_it_says(page, block):
    result = page(block.page, BLOCKS[block.page]).result(block)
    if result.error:
        pytest.fail(f"docs/{block.name}\n\n{block.text}\n{result.error}", pytrace=False)
