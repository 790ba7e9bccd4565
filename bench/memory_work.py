"""What is asked of memory, starts and clients; see bench/memory_scenarios.h.

Each scenario runs in a process of its own, with a cache folder of its own unless it says otherwise.
"""

from __future__ import annotations

import json
import pathlib
import statistics

import traces
from tools import Tools
from workloads import IMAGE, POINTS, TEXTS, THREE_INPUTS, Model, subject

TEXT_OUTPUT = "text_embeds"
SHARE_OF_RESIDENT = 0.75
ROUNDS, SESSIONS, CLIENTS, PAIRS = 20, 8, 8, 7


class Asker:
    """Runs scenarios of one model."""

    def __init__(self, tools: Tools, model: Model, work: pathlib.Path, scratch: pathlib.Path,
                 threads: int):
        self.tools, self.model, self.threads = tools, model, threads
        self.folder, self.small, self.scratch = work / model.name, work / "three_inputs", scratch

    def ask(self, scenario: str, requests: list[dict[str, int]], number: int = 0, want=(),
            cache: str = "", package: pathlib.Path | None = None) -> dict:
        count = len(list(self.scratch.iterdir()))
        asked = subject(self.model, self.folder, package or self.folder / "package.pt2")
        asked["traces"] = [{"name": scenario, "requests": requests}]
        small = subject(THREE_INPUTS, self.small, self.small / "package.pt2")
        plan = self.scratch / f"{count}.json"
        plan.write_text(json.dumps({"threads": self.threads, "models": [asked, small]}))
        return self.tools.memory_bench(scenario, plan, self.scratch / (cache or f"cache_{count}"),
                                       number, *want)


def strategies_in_package(asker: Asker, most: int, requests: list) -> dict:
    """The trace on a package with up to `most` strategies, the same every time."""
    package = asker.scratch / "package.pt2"
    program = asker.model.program(asker.tools, asker.folder)
    compiled = asker.tools.compile(program, package, "--nominal-costs", "--max-strategies", most)
    out = asker.ask("trace", requests, package=package)
    package.unlink()
    return {**out, "strategies": len(compiled["strategies"])}


def starts(asker: Asker, requests: list, pairs: int) -> dict:
    """Second starts in turn, each time in the other order; the very first fill the caches.

    OpenVINO's twice: it reads the model and compiles it, or is given the file."""
    scenarios = {"start": (0, (TEXT_OUTPUT,)), "peer_start": (1, ()), "peer_file_start": (0, ())}
    out = {name: [] for name in scenarios}
    for i in range(pairs + 1):
        for name in sorted(scenarios, reverse=i % 2 == 0):
            number, want = scenarios[name]
            out[name].append(asker.ask(name.replace("_file", ""), requests, number, want,
                                       cache=f"cache_of_{name}"))
    for name in ("peer_start", "peer_file_start"):
        if not all(t["used_cache"] for t in out[name][1:]):
            raise FileNotFoundError("the peer did not use its cache")
    ratio = [o["answer_us"] / t["ready_us"]
             for o, t in zip(out["start"][1:], out["peer_start"][1:], strict=True)]
    return {"starts": out["start"], "peer_starts": out["peer_start"],
            "peer_file_starts": out["peer_file_start"], "start_ratio": statistics.median(ratio)}


def clip_memory(tools: Tools, model: Model, work: pathlib.Path, scratch: pathlib.Path,
                threads: int, quick: bool) -> dict:
    asker = Asker(tools, model, work, scratch, threads)
    inputs = list(model.variations)
    callables = tools.inspect(asker.folder / "package.pt2")["callables"]
    resident = sum(c["costs"]["resident_bytes"] for c in callables if c["name"] != "main")
    long = traces.mixed(inputs, model.image, 9 if quick else 99)
    short = traces.in_turn(inputs, [IMAGE, TEXTS], 2)
    in_turn = traces.in_turn(inputs, [IMAGE, TEXTS], 4 if quick else 16)
    return {
        "weight_bytes": callables[0]["weight_bytes"],
        "full_resident_bytes": resident,
        "trace": asker.ask("trace", long),
        "few_strategies": strategies_in_package(asker, 2, long),
        "many_strategies": strategies_in_package(asker, 16, long),
        "sessions": asker.ask("sessions", short, SESSIONS),
        "budget": asker.ask("budget", in_turn, int(SHARE_OF_RESIDENT * resident)),
        "rounds": asker.ask("rounds", short, 3 if quick else ROUNDS),
        **starts(asker, short, 1 if quick else PAIRS),
    }


def clients(tools: Tools, model: Model, work: pathlib.Path, scratch: pathlib.Path, threads: int,
            _quick: bool) -> dict:
    asker = Asker(tools, model, work, scratch, threads)
    return asker.ask("clients", traces.in_turn(list(model.variations), [POINTS], 1), CLIENTS)


MEMORY_WORK = {"clip": clip_memory, "efficientsam": clients}
