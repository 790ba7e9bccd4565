"""Whole small networks, as exported and decomposed, under every change mask, against eager."""

import pytest
from programs import networks

NETWORKS = networks.networks()


@pytest.mark.parametrize("name", NETWORKS)
def test_every_mask_of_a_network(compiled, core, name):
    package = compiled(NETWORKS[name], core)
    package.check_masks(rtol=1e-4, atol=1e-5)


def test_r22_what_only_the_context_reads_runs_once(compiled, core):
    program = NETWORKS["denoiser"]
    package = compiled(program, core)
    sample = package.sample()
    requests = [{"inputs": sample}]
    for step in range(1, 20):
        requests.append({"inputs": {name: program.vary(name, sample[name], step)
                                    for name in ("noise", "time")}})
    replay = package.replay(requests)
    assert replay.summary["equal"] and replay.summary["failed"] == 0
    assert "segment_context" in replay.requests[0]["ran"]
    for request in replay.requests[1:]:
        assert "segment_context" not in request["ran"], "keys and values of the context are kept"
    assert replay.summary["runs"]["segment_context"] == 1
