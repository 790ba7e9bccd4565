"""The harness itself: what must fail, fails."""

import pytest
from blocks import matches, read_blocks
from page import Page


@pytest.fixture
def run(tmp_path, tools):
    """run(text) -> the errors of the blocks of a page that is this text."""
    pages = []

    def run_text(text: str) -> list[str]:
        path = tmp_path / f"page_{len(pages)}.md"
        path.write_text(text, encoding="utf-8")
        blocks = read_blocks(path)
        pages.append(Page(blocks, tmp_path, tools))
        return [pages[-1].result(block).error for block in blocks]

    yield run_text
    for page in pages:
        page.close()


def test_python_blocks_share_their_names_and_the_output_is_compared(run):
    text = "```python\na = 2\n```\n```python\nprint(a + 1, 'left')\n```\n```text output\n{}\n```\n"
    assert run(text.format("3 left")) == ["", "", ""]
    assert run(text.format("… left")) == ["", "", ""]
    assert "printed something else:\n3 left" in run(text.format("4 left"))[2]


def test_a_block_that_raises_fails_with_its_line_and_so_does_its_output(run):
    errors = run("\n```python\nx = 1\nraise KeyError(x)\n```\n```text output\n1\n```\n")
    assert "page_0.md:2" in errors[0] and "raise KeyError(x)" in errors[0]
    assert errors[1] == "page_0.md:2 failed"


def test_a_python_process_that_dies_fails(run):
    (error,) = run("```python\nimport os\nos._exit(3)\n```\n")
    assert "ended with code 3" in error


def test_a_shell_block_fails_with_its_first_command_that_fails(run):
    assert run("```sh\nchangeaware --version\n```\n") == [""]
    (error,) = run("```sh\nfalse | cat\necho never\n```\n")
    assert "ended with code 1" in error and "never" not in error


def test_a_block_with_a_file_name_is_written_and_not_run(run, tmp_path):
    assert run("```json file=trace.json\n{}\n```\n```sh\ncat trace.json\n```\n") == ["", ""]
    assert (tmp_path / "trace.json").read_text() == "{}\n"


@pytest.mark.parametrize("info", ["", "json", "rust", "python norun", "text outptu", "sh file=a/b"])
def test_a_block_that_nobody_knows_how_to_run_fails(run, info):
    (error,) = run(f"```{info}\n1\n```\n")
    assert "nobody knows" in error or "not the name" in error


def test_a_block_that_is_not_closed_is_found(tmp_path):
    (tmp_path / "page.md").write_text("text\n```python\n1\n")
    with pytest.raises(ValueError, match="page.md:2"):
        read_blocks(tmp_path / "page.md")


@pytest.mark.parametrize(("expected", "actual", "same"), [
    ("a  b", "a b\n", True),
    ("took … ms", "took 12.5 ms", True),
    ("took …", "failed", False),
    ("first\n…\nlast", "first\n1\n2\nlast\n", True),
    ("first\n…\nlast", "first\n1\n2\n", False),
    ("a.b", "axb", False),
    ("[a, … c]", "[a, c]", True),
    ("[a, … c]", "[a, b, c]", True),
    ("[a, … c]", "[a, b]", False),
    ("a b", "ab", False),
    ("one", "one\ntwo", False),
])
def test_an_output_is_matched_line_by_line(expected, actual, same):
    assert matches(expected, actual) is same
