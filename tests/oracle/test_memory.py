"""Memory by the operating system's count, and archives that are larger than they look.

A tiny package in a process of its own is the baseline: OpenVINO's libraries are there once,
whatever is opened.
"""

import zipfile

import numpy as np
import pytest
from programs import incremental, memory, retention
from harness import CliError, error_text
import archives

MIB = 1 << 20
# What the allocator and the engine keep for themselves, for each of the two loading threads too.
ENGINE = 20 * MIB
OFF = ("--blob-folder", "off")


def open_and_run(package, *options) -> dict:
    """One request in a process of its own."""
    summary = package.replay([{"inputs": package.sample()}], *options, check=False).summary
    assert summary["failed"] == 0
    return summary


@pytest.fixture(autouse=True)
def delete_models(tmp_path):
    """They are large, and pytest keeps what it made for the last few runs."""
    yield
    for path in tmp_path.rglob("*.pt2"):
        path.unlink()


@pytest.fixture
def baseline(compiled) -> int:
    return open_and_run(compiled(retention.two_kept()), *OFF)["rss_bytes"]


def test_d2_pieces_share_one_set_of_weights(compiled, baseline):
    whole, four, sixteen = packages = [compiled(memory.pieces(n)) for n in (1, 4, 16)]
    for package, count in zip(packages, (1, 4, 16), strict=True):
        with_weights = [c for c in package.segments if c["weight_bytes"]]
        assert len(with_weights) == count
        assert sum(c["weight_bytes"] for c in with_weights) == memory.Pieces.BYTES
        # The graphs of 16 pieces are less than half a megabyte of text.
        assert 0 < package.package.stat().st_size - memory.Pieces.BYTES < MIB // 2
    resident = [open_and_run(package, *OFF)["rss_bytes"] for package in packages]
    for bytes_ in resident:
        assert memory.Pieces.BYTES * 0.75 < bytes_ - baseline < memory.Pieces.BYTES + ENGINE
    assert resident[2] - resident[1] < memory.Pieces.BYTES * 0.05
    assert resident[2] - resident[0] < ENGINE


@pytest.mark.parametrize("count", [1, 4, 16])
def test_d2_compiling_pieces_takes_at_most_twice_their_weights(cli, compiled, baseline, count):
    package = compiled(memory.pieces(count))
    report = cli.json("compile", package.folder / "model.pt2", "-o", package.folder / "again.pt2")
    assert report["peak_rss_bytes"] - baseline < 2 * memory.Pieces.BYTES


def test_d2_tied_and_equal_weights_are_there_once(compiled, baseline):
    package = compiled(memory.tied_embedding())
    once = memory.TiedEmbedding.BYTES
    assert once < package.package.stat().st_size < once + MIB // 4
    package.check_masks(rtol=1e-4, atol=1e-4)
    # The embedding is read row by row from the file; either product packs a copy.
    assert open_and_run(package, *OFF)["rss_bytes"] - baseline < 2 * once + ENGINE


def test_r17_the_peak_while_opening_is_near_the_weights_once(compiled, baseline):
    package = compiled(memory.heavy())
    weights = memory.Heavy.BYTES
    peaks = {"compiled": open_and_run(package, *OFF)["peak_rss_bytes"],
             "compiled, blob stored": open_and_run(package)["peak_rss_bytes"],
             "from the blob": open_and_run(package)["peak_rss_bytes"]}
    over = {how: (peak - baseline) / weights for how, peak in peaks.items()}
    assert all(ratio < 1.3 for ratio in over.values()), over


def test_a_resident_budget_of_half_holds_and_changes_no_answer(compiled, baseline):
    package = compiled(memory.pieces(4))
    sample = package.sample()
    requests = [{"inputs": {name: package.vary(name, sample[name], step)}}
                for step, name in enumerate(package.inputs * 2, 1)]
    requests[0]["inputs"] = sample
    budget = memory.Pieces.BYTES // 2
    # Nothing retained: every request runs every piece, so that each is loaded again and again.
    answers = [package.replay(requests, "--retained-budget", 0, *OFF, *options, check=False)
               for options in (("--resident-budget", budget), ())]
    tight, loose = answers
    assert tight.summary["failed"] == 0
    assert [r["outputs"] for r in tight.requests] == [r["outputs"] for r in loose.requests]
    assert loose.summary["rss_bytes"] - baseline > budget + ENGINE
    assert tight.summary["peak_rss_bytes"] - baseline < budget + ENGINE


def test_a_request_that_cannot_fit_says_which_callable_and_how_many_bytes(compiled):
    package = compiled(memory.pieces(4))
    replay = package.replay([{"inputs": package.sample()}] * 2, "--resident-budget", 10_000_000,
                            check=False)
    assert replay.summary["failed"] == 2 and replay.summary["runs"] == {}
    large = [c for c in package.segments if c["costs"]["resident_bytes"] > 10_000_000]
    for request in replay.requests:
        message = error_text(request)
        assert "OverBudget" in message and "10000000" in message, message
        assert any(c["name"] in message for c in large), message


ABOVE_2_GIB, ABOVE_4_GIB = 33, 65  # times 64 MiB


@pytest.mark.parametrize("count", [ABOVE_2_GIB, ABOVE_4_GIB])
@pytest.mark.parametrize("compression", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED])
def test_r16_entries_behind_a_large_one_are_found(cli, compiled, count, compression):
    package = compiled(incremental.two_towers())
    answer = package.check_run()
    model, large = package.folder / "model.pt2", package.folder / "large.pt2"
    archives.with_zeros(model, large, "extra/zeros", count, compression)
    cli.json("compile", large, "-o", package.package, "--nominal-costs")
    again = package.check_run()
    assert all(np.array_equal(again[name], answer[name]) for name in answer)


@pytest.mark.parametrize("count", [ABOVE_2_GIB, ABOVE_4_GIB])
def test_r16_a_large_stored_weight_of_which_little_is_read(compiled, baseline, count):
    package = compiled(incremental.two_towers())
    answer = package.check_run()
    contents = archives.entries(package.package)
    weight = max((name for name in contents if "/weights/" in name),
                 key=lambda name: len(contents[name]))
    small, package.package = package.package, package.folder / "large.pt2"
    archives.with_zeros(small, package.package, weight, count)
    assert package.package.stat().st_blocks * 512 < 64 * MIB, "the file system keeps no holes"
    again = package.check_run()
    assert all(np.array_equal(again[name], answer[name]) for name in answer)
    assert open_and_run(package)["peak_rss_bytes"] - baseline < 64 * MIB


@pytest.mark.parametrize("count", [ABOVE_2_GIB, ABOVE_4_GIB])
def test_r16_a_large_deflated_weight_is_refused_with_its_name_and_the_limit(cli, compiled, count):
    package = compiled(incremental.two_towers())
    model, large = package.folder / "model.pt2", package.folder / "large.pt2"
    name = archives.with_zeros(model, large, "/weights/weight_2", count, zipfile.ZIP_DEFLATED)
    assert name == "data/weights/weight_2"
    message = cli.refusal("compile", large, "-o", package.folder / "out.pt2")
    assert name in message and str(256 * MIB) in message, message
    with pytest.raises(CliError) as refused:
        archives.with_zeros(package.package, large, "/weights/weight_2", count,
                            zipfile.ZIP_DEFLATED)
        package.package = large
        package.run(package.sample())
    assert name in refused.value.message and str(256 * MIB) in refused.value.message
