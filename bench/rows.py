"""Rows of the table: what was measured beside what it must be."""

from __future__ import annotations

from report import Row
from workloads import Budget, Model, Trace

OTHER_BITS = "other bits than a full run"
# Times: 1.0 grows exactly as n log n. The largest program does not fit into the caches that the
# smallest one fits into, which costs a constant factor.
GROWTH_LIMIT = 1.5


def named(results: list[dict], model: Model, name: str) -> dict:
    return next(r for r in results if (r["model"], r["name"]) == (model.name, name))


def compile_rows(model: Model, compiled: dict) -> list[Row]:
    if not model.compile_is_measured:
        return []
    name = f"compile of {model.title}"
    return [
        Row(f"{name}, wall", compiled["seconds"], "s", 30.0),
        Row(f"{name}, peak RSS / weights", compiled["peak_rss_bytes"] / compiled["weight_bytes"],
            "", 2.0),
    ]


def scenario_rows(model: Model, results: dict) -> list[Row]:
    rows = []
    for target in model.targets:
        result = named(results["scenarios"], model, target.scenario)
        rows.append(Row(target.what, target.value(result), target.unit, target.limit,
                        problem="" if result["bits_equal"] else OTHER_BITS))
    return rows


def trace_rows(model: Model, trace: Trace, result: dict) -> list[Row]:
    what = f"{model.title}, {trace.name}, adaptive / always full"
    problem = "" if result["bits_equal"] else OTHER_BITS
    if trace.is_paired:
        return [Row(what, result["ratio"], "", trace.limit, problem)]
    return [Row(f"{what}, {label}", result["adaptive"][key] / result["full"][key], "",
                trace.limit, problem)
            for label, key in (("p50", "p50_us"), ("p95", "p95_us"), ("mean", "mean_us"))]


def ran_again(budget: Budget, manifest: dict, result: dict) -> list[str]:
    """Callables that depend on nothing but `budget.run_once` and ran after warming up."""
    return [c["name"] for c in manifest["callables"]
            if c["dependencies"] and set(c["dependencies"]) <= set(budget.run_once)
            and result["runs"].get(c["name"], 0) + result["runs"].get("main", 0)
            > 1 + budget.warm_up]


def budget_rows(model: Model, budget: Budget, manifest: dict, result: dict) -> list[Row]:
    what = f"{model.title}, {budget.name}"
    problem = "" if result["bits_equal"] else OTHER_BITS
    again = ran_again(budget, manifest, result)
    if again:
        problem = f"ran again and again: {', '.join(again)}"
    rows = []
    if budget.time_limit is not None:
        rows.append(Row(f"{what} / no limit", result["ratio"], "", budget.time_limit, problem))
    if budget.bytes_limit is not None:
        rows.append(Row(f"{what}, retained", result["retained_bytes_peak"], "B",
                        budget.bytes_limit, problem))
    return rows


def model_rows(model: Model, compiled: dict, manifest: dict, results: dict) -> list[Row]:
    rows = scenario_rows(model, results)
    for trace in model.traces:
        rows += trace_rows(model, trace, named(results["traces"], model, trace.name))
    for budget in model.budgets:
        rows += budget_rows(model, budget, manifest, named(results["budgets"], model, budget.name))
    return rows + compile_rows(model, compiled)


def clip_memory_rows(model: Model, m: dict) -> list[Row]:
    weights = m["weight_bytes"]
    few, many = m["few_strategies"], m["many_strategies"]
    few_to_many = f"{few['strategies']} to {many['strategies']} strategies in the package"
    sessions, rounds = m["sessions"]["resident_bytes"], m["rounds"]["resident_bytes"]
    budget, base = m["budget"], m["rounds"]["baseline_bytes"]
    title = model.title
    return [
        Row(f"{title}, peak RSS over a random trace of {m['trace']['requests']:.0f} / weights",
            m["trace"]["peak_bytes"] / weights, "", 1.40),
        Row(f"{title}, RSS growth from {few_to_many} / weights",
            (many["resident_bytes"] - few["resident_bytes"]) / weights, "", 0.02),
        Row(f"{title}, RSS growth from 1 to {len(sessions)} sessions, 1 MiB retained in each / "
            "weights", (sessions[-1] - sessions[0]) / weights, "", 0.02),
        Row(f"{title}, image and texts in turn, resident budget of 75 %: peak RSS over a process "
            "that ran a small package / budget",
            (budget["peak_bytes"] - budget["baseline_bytes"]) / budget["budget_bytes"], "", 1.05,
            "" if budget["bits_equal"] else OTHER_BITS),
        Row(f"{title}, closed: RSS over a process that ran a small package, most of {len(rounds)} "
            "rounds / weights", (max(rounds) - base) / weights, "", 0.03),
        Row(f"{title}, closed: RSS of round {len(rounds)} against round 2 / weights",
            abs(rounds[-1] - rounds[1]) / weights, "", 0.02),
        Row(f"{title}, open and first answer of the texts / OpenVINO reading and compiling the "
            "whole with its own cache",
            m["start_ratio"], "", 0.6),
    ]


def client_rows(model: Model, m: dict) -> list[Row]:
    problem = "" if m["bits_equal"] else OTHER_BITS
    if m["runs_of_what_stays"] != 1:
        problem = f"the image was encoded {m['runs_of_what_stays']:.0f} times"
    return [Row(f"{model.title}, throughput of {m['clients']:.0f} clients with points of their own "
                "on one image / 1 client", m["throughput_ratio"], "", 1.0, problem, is_floor=True)]


MEMORY_ROWS = {"clip": clip_memory_rows, "efficientsam": client_rows}


def scaling_rows(scaling: dict) -> list[Row]:
    planner = scaling["planner"]
    slowest = max(curve["sizes"][-1]["wall_ms"] for curve in scaling["analysis"])
    growth = max(curve["growth_over_n_log_n"] for curve in scaling["analysis"])
    size = f"{planner['strategies']} strategies, {planner['inputs']} inputs, " \
           f"{planner['segments']} segments"
    return [
        Row(f"planning, {size}", planner["p50_us"], "µs", 20.0),
        Row("analysis and cuts of 100,000 nodes", slowest / 1e3, "s", 5.0),
        Row("their growth from 12,500 nodes / n log n", growth, "", GROWTH_LIMIT),
    ]


def python_rows(measured: dict) -> list[Row]:
    image = f"{measured['image_bytes'] / 1e6:.1f} MB image"
    return [
        Row("Python, a call with 3 inputs beyond the C++ session", measured["call_overhead_us"],
            "µs", 30.0),
        Row(f"Python, {image} in NumPy: bytes copied", measured["copied_input_bytes"], "B", 0),
        Row(f"Python, {image} in NumPy: growth of peak RSS", measured["copied_rss_bytes"], "B",
            measured["image_bytes"] / 10),
        Row("import changeaware", measured["import_seconds"], "s", 0.3,
            "it imports PyTorch" if measured["imports_torch"] else ""),
    ]
