"""R22: a denoiser whose text never changes computes keys and values of the text once."""

import numpy as np
import pytest
from programs import diffusion
from harness import digest

SAMPLE, TIMESTEP, TEXT = diffusion.INPUTS


def denoise(package, text, sample) -> list[dict]:
    """Requests of one image: the first with the text, every further one a step on."""
    requests = [{"inputs": {SAMPLE: sample * np.float32(1 - step / 64),
                            TIMESTEP: diffusion.timestep(step)}}
                for step in range(diffusion.STEPS)]
    requests[0]["inputs"][TEXT] = text
    return requests


def text_segments(package) -> list[dict]:
    return [c for c in package.segments if c["dependencies"] == [TEXT]]


def elements(ports) -> int:
    return sum(int(np.prod(port["shape"])) for port in ports)


def test_unet_every_mask(compiled, core):
    compiled(diffusion.denoiser(), core).check_masks(rtol=1e-4, atol=1e-5)


def test_r22_text_projections_run_once_over_all_steps(compiled, core):
    program = diffusion.denoiser()
    package = compiled(program, core)
    sample = package.sample()
    replay = package.replay(denoise(package, sample[TEXT], sample[SAMPLE]))
    assert replay.summary["equal"] is True and replay.summary["failed"] == 0
    names = [c["name"] for c in text_segments(package)]
    assert names
    ran = [name for request in replay.requests for name in request["ran"]]
    for name in names:
        assert ran.count(name) + ran.count("main") == 1, name
    for request in replay.requests[1:]:
        assert not set(request["ran"]) & {"main", *names}
        assert set(names) & set(request["reused"])


def test_r22_what_is_kept_of_the_text_is_its_keys_and_values(compiled, core):
    program = diffusion.denoiser()
    package = compiled(program, core)
    read_later = {port["name"] for c in package.segments for port in c["inputs"]
                  if c["dependencies"] != [TEXT]}
    kept = [port for c in text_segments(package) for port in c["outputs"]
            if port["name"] in read_later]
    assert elements(kept) == diffusion.text_projections(program.module)


def test_r22_every_step_is_the_answer_of_eager(compiled):
    package = compiled(diffusion.denoiser())
    sample = package.sample()
    requests = denoise(package, sample[TEXT], sample[SAMPLE])
    replay = package.replay(requests, check=False)
    for step in (0, 1, diffusion.STEPS - 1):
        values = {**sample, **requests[step]["inputs"]}
        answer = package.check_run(values, rtol=1e-4, atol=1e-5)
        for name, value in answer.items():
            assert replay.requests[step]["outputs"][name] == digest(value), (name, step)


@pytest.mark.parametrize("texts", [2, 3])
def test_r22_texts_in_turn_run_once_each(compiled, texts):
    package = compiled(diffusion.denoiser())
    sample = package.sample()
    requests = []
    for step in range(diffusion.STEPS):  # as guidance by several texts does
        for text in range(texts):
            requests.append({"inputs": {
                SAMPLE: sample[SAMPLE] * np.float32(1 - step / 64),
                TIMESTEP: diffusion.timestep(step),
                TEXT: package.vary(TEXT, sample[TEXT], text)}})
    replay = package.replay(requests)
    assert replay.summary["equal"] is True and replay.summary["failed"] == 0
    for segment in text_segments(package):
        runs = replay.summary["runs"]
        assert runs[segment["name"]] + runs.get("main", 0) == texts
