"""The models that are measured, what is asked of each, and what must come out."""

from __future__ import annotations

import dataclasses
import json
import os
import pathlib
from typing import Callable

import traces

ROOT = pathlib.Path(__file__).resolve().parent.parent


@dataclasses.dataclass
class Scenario:
    """Requests of one kind; see bench/workload.h."""

    name: str
    changed: tuple[str, ...]
    against: str = ""  # "full", "whole", "decoder" or nothing
    full: bool = False
    tags: bool = False
    runs: int = 1
    quick_runs: int = 1
    warm_up: int = 2


@dataclasses.dataclass
class Target:
    """A line of the table: a number of a scenario's result and its limit."""

    what: str
    scenario: str
    limit: float | None
    unit: str = ""
    value: Callable[[dict], float] = lambda result: result["ratio"]


@dataclasses.dataclass
class Trace:
    """Random requests, adaptive against always everything."""

    name: str
    make: Callable  # traces.mixed or traces.all_changed
    runs: int
    quick_runs: int = 4
    # Of p50, p95 and mean; or, when `is_paired`, of the median over pairs.
    limit: float = 1.00
    is_paired: bool = False


@dataclasses.dataclass
class Budget:
    """Requests under a budget for retained bytes, against no limit."""

    name: str
    changed: tuple[str, ...]
    budget_bytes: Callable[[dict], int]  # of the manifest
    runs: int = 1
    quick_runs: int = 1
    warm_up: int = 2
    time_limit: float | None = None   # of the time with the budget / without a limit
    bytes_limit: int | None = None    # of the retained bytes at their peak
    # What depends on nothing but these inputs must not run again after warming up, in which the
    # session sees which inputs change.
    run_once: tuple[str, ...] = ()


@dataclasses.dataclass
class Model:
    name: str
    title: str
    program: Callable  # (tools, folder) -> path of the .pt2, made when it is not there
    variations: dict[str, str]  # by input; see bench/samples.h
    scenarios: list[Scenario]
    targets: list[Target]
    image: str = ""  # the input that comes again in traces
    traces: list[Trace] = dataclasses.field(default_factory=list)
    budgets: list[Budget] = dataclasses.field(default_factory=list)
    has_whole_peer: bool = True
    is_split_by_hand: bool = False
    is_timed_in_eager: bool = True
    compile_is_measured: bool = False
    is_in_micro_bench: bool = False
    tolerance: float = 1e-3


def trace_work(model: Model, quick: bool) -> list[dict]:
    return [{"name": trace.name,
             "requests": trace.make(list(model.variations), model.image,
                                    trace.quick_runs if quick else trace.runs)}
            for trace in model.traces]


def budget_work(model: Model, manifest: dict, quick: bool) -> list[dict]:
    return [{"name": budget.name, "changed": budget.changed,
             "budget_bytes": budget.budget_bytes(manifest),
             "runs": budget.quick_runs if quick else budget.runs,
             "warm_up": budget.warm_up}
            for budget in model.budgets]


def subject(model: Model, folder: pathlib.Path, package: pathlib.Path) -> dict:
    """A model of which nothing is asked yet."""
    samples = json.loads((folder / "samples.json").read_text())
    out = {"name": model.name, "package": str(package), "tolerance": model.tolerance,
           "scenarios": [], "traces": [], "budgets": [],
           "samples": [{**s, "variation": model.variations[s["name"]]} for s in samples]}
    if model.has_whole_peer:
        out["whole"] = str(folder / "whole.xml")
    return out


def workload(model: Model, folder: pathlib.Path, manifest: dict, threads: int,
             quick: bool) -> dict:
    """What model_bench reads."""
    scenarios = []
    for scenario in model.scenarios:
        entry = dataclasses.asdict(scenario)
        quick_runs = entry.pop("quick_runs")
        if quick:
            entry["runs"] = quick_runs
            entry["warm_up"] = 1
        scenarios.append(entry)
    out = {**subject(model, folder, folder / "package.pt2"), "scenarios": scenarios,
           "traces": trace_work(model, quick), "budgets": budget_work(model, manifest, quick)}
    if model.is_split_by_hand:
        out["encoder"], out["decoder"] = str(folder / "encoder.xml"), str(folder / "decoder.xml")
    return {"threads": threads, "models": [out]}


def milliseconds(result: dict) -> float:
    return result["ours"]["p50_us"] / 1e3


def session_share(result: dict) -> float:
    return result["session_us"]


def half_of_full_retention(manifest: dict) -> int:
    return next(s["retained_bytes"] for s in manifest["strategies"]
                if s["name"] == "full_retention") // 2


def efficientsam_program(_tools, _folder) -> pathlib.Path:
    folder = os.environ.get("CHANGEAWARE_FIXTURES", str(ROOT.parent / "shared" / "fixtures"))
    path = pathlib.Path(folder) / "efficientsam_ti.pt2"
    if not path.exists():
        raise FileNotFoundError(f"{path}; CHANGEAWARE_FIXTURES names the folder it is in")
    return path


def clip_program(tools, folder) -> pathlib.Path:
    path, source = folder / "clip.pt2", ROOT / "tests" / "programs" / "clip.py"
    if not path.exists() or path.stat().st_mtime < source.stat().st_mtime:
        tools.python("tests/programs/clip.py", path)
    return path


def three_inputs_program(_tools, _folder) -> pathlib.Path:
    return ROOT / "examples" / "three_inputs.pt2"


POINTS = ("batched_points",)
IMAGE = ("pixel_values",)
TEXTS = ("input_ids", "attention_mask")
TWO_TEXTS_BYTES = 2 * 512 * 4  # what CLIP's image side reads of two texts

THREE_INPUTS = Model(
    name="three_inputs",
    title="three inputs",
    program=three_inputs_program,
    variations={"image": "scale", "text": "roll", "control": "scale"},
    scenarios=[
        Scenario("control changed", ("control",), runs=2000, quick_runs=200, warm_up=50),
        Scenario("control changed, tagged", ("control",), tags=True, runs=2000, quick_runs=200,
                 warm_up=50),
        Scenario("full run", ("control",), "whole", full=True, runs=200, quick_runs=20,
                 warm_up=10),
    ],
    targets=[
        Target("what the session adds to engine time and fingerprints", "control changed", 50.0,
               "µs", session_share),
    ],
    is_timed_in_eager=False,
    is_in_micro_bench=True,
)

EFFICIENTSAM = Model(
    name="efficientsam",
    title="EfficientSAM-Ti",
    program=efficientsam_program,
    variations={"batched_images": "scale", "batched_points": "scale",
                "batched_point_labels": "scale"},
    scenarios=[
        Scenario("full run", (), "whole", full=True, runs=15, quick_runs=2),
        Scenario("points changed", POINTS, "full", runs=15, quick_runs=2),
        Scenario("points changed, tagged", POINTS, "full", tags=True, runs=7, quick_runs=2),
        Scenario("points changed, by hand", POINTS, "decoder", runs=60, quick_runs=5),
        Scenario("nothing changed", (), runs=200, quick_runs=20, warm_up=20),
    ],
    targets=[
        Target("EfficientSAM, full run / converted whole in OpenVINO", "full run", 1.03),
        Target("EfficientSAM, only points changed / full run", "points changed", 0.05),
        Target("EfficientSAM, only points changed / hand-made decoder in OpenVINO",
               "points changed, by hand", 1.00),
        Target("EfficientSAM, nothing changed", "nothing changed", 3.0, "ms", milliseconds),
    ],
    image="batched_images",
    traces=[
        Trace("random trace", traces.mixed, runs=40),
        Trace("all changed", traces.all_changed, runs=20, quick_runs=2, limit=1.01,
              is_paired=True),
    ],
    budgets=[
        Budget("only points, half the bytes", POINTS, half_of_full_retention, runs=15,
               quick_runs=3, time_limit=1.25),
    ],
    is_split_by_hand=True,
)

CLIP = Model(
    name="clip",
    title="CLIP",
    program=clip_program,
    variations={"pixel_values": "scale", "input_ids": "roll", "attention_mask": "tail_mask"},
    scenarios=[
        Scenario("full run", (), "whole", full=True, runs=30, quick_runs=3),
        Scenario("image changed", IMAGE, "full", runs=30, quick_runs=3),
        Scenario("texts changed", TEXTS, "full", runs=30, quick_runs=3),
    ],
    targets=[
        Target("CLIP, full run / converted whole in OpenVINO", "full run", 1.03),
        Target("CLIP, image only / full run", "image changed", 0.50),
        Target("CLIP, texts only / full run", "texts changed", 0.62),
    ],
    image="pixel_values",
    traces=[
        Trace("random trace", traces.mixed, runs=60),
        Trace("all changed", traces.all_changed, runs=40, limit=1.01, is_paired=True),
    ],
    budgets=[
        Budget("image only, two texts", IMAGE, lambda _: TWO_TEXTS_BYTES, runs=20, quick_runs=3,
               bytes_limit=TWO_TEXTS_BYTES, run_once=TEXTS),
    ],
    compile_is_measured=True,
)

MODELS = [THREE_INPUTS, EFFICIENTSAM, CLIP]
