"""docs/experiments.md, wholly written from build/bench/results.json."""

from __future__ import annotations

import pathlib

from report import Row, markdown_table, target_table, where_it_ran


def milliseconds(microseconds: float) -> str:
    value = microseconds / 1e3
    return f"{value:,.0f}" if value >= 100 else f"{value:.1f}" if value >= 10 else f"{value:.3f}"


def times(measured: dict) -> list[str]:
    return [milliseconds(measured[key]) for key in ("p50_us", "p95_us", "mean_us")]


def names(listed: list[str]) -> str:
    return ", ".join(listed) or "nothing"


def scenarios(everything: dict) -> list[str]:
    rows = []
    for s in everything["scenarios"]:
        theirs = milliseconds(s["theirs"]["p50_us"]) if "theirs" in s else ""
        ratio = f"{s['ratio']:.3f}" if "ratio" in s else ""
        rows.append([everything["titles"][s["model"]], s["name"], f"{s['runs']:.0f}",
                     *times(s["ours"])[:2], milliseconds(s["engine_us"]),
                     milliseconds(s["fingerprint_us"]), milliseconds(s["session_us"]),
                     s.get("against", ""), theirs, ratio, names(s["ran"])])
    return markdown_table(["model", "changed", "runs", "p50", "p95", "engine", "fingerprints",
                           "session", "against", "its p50", "ratio", "what ran"], rows)


def traces(everything: dict) -> list[str]:
    rows = []
    for t in everything["traces"]:
        chosen = ", ".join(f"{name} {count}" for name, count in t["strategies"].items())
        rows.append([everything["titles"][t["model"]], t["name"], str(t["requests"]),
                     " / ".join(times(t["adaptive"])), " / ".join(times(t["full"])),
                     f"{t['ratio']:.3f}", chosen, "yes" if t["bits_equal"] else "NO"])
    return markdown_table(["model", "trace", "requests", "adaptive p50 / p95 / mean",
                           "always full p50 / p95 / mean", "median of pairs", "strategies chosen",
                           "same bits"], rows)


def budgets(everything: dict) -> list[str]:
    rows = [[everything["titles"][b["model"]], b["name"], f"{b['budget_bytes']:,}",
             f"{b['retained_bytes_peak']:,}", " / ".join(times(b["tight"])),
             " / ".join(times(b["loose"])), f"{b['ratio']:.3f}", b["strategy"], names(b["ran"]),
             "yes" if b["bits_equal"] else "NO"] for b in everything["budgets"]]
    return markdown_table(["model", "changed", "budget, bytes", "retained at the peak",
                           "p50 / p95 / mean", "without a limit", "ratio", "strategy", "what ran",
                           "same bits"], rows)


def strategy_counts(everything: dict) -> list[str]:
    rows = [[everything["titles"][name], str(c["strategy_candidates"]), str(len(c["strategies"])),
             str(c["strategy_candidates"] - len(c["strategies"]))]
            for name, c in everything["compile"].items()]
    return markdown_table(["model", "candidates", "in the package", "turned down"], rows)


def strategies(compiled: dict) -> list[str]:
    """What each strategy keeps, and what it costs when one input changed."""
    found = compiled["manifest"]["strategies"]
    single = [cost["changed"][0] for cost in found[0]["mask_costs"] if len(cost["changed"]) == 1]
    rows = []
    for strategy in found:
        costs = {tuple(cost["changed"]): cost for cost in strategy["mask_costs"]}
        rows.append([strategy["name"], f"{strategy['retained_bytes']:,}",
                     *(milliseconds(costs[(name,)]["steady_us"]) for name in single)])
    return markdown_table(["strategy", "retained, bytes", *(f"ms, {n} changed" for n in single)],
                          rows)


def callables(compiled: dict) -> list[str]:
    rows = [[c["name"], names(c["dependencies"]), str(c["node_count"]), f"{c['weight_bytes']:,}",
             *(milliseconds(c["costs"][key])
               for key in ("steady_us", "p95_us", "cold_us", "load_us")),
             f"{c['costs']['resident_bytes']:,}"] for c in compiled["manifest"]["callables"]]
    return markdown_table(["callable", "depends on", "nodes", "weights, bytes", "steady", "p95",
                           "first run", "loading", "resident, bytes"], rows)


def compilation(everything: dict) -> list[str]:
    rows = [[everything["titles"][name], str(c["nodes_kept"]), f"{c['seconds']:.1f}",
             f"{c['weight_bytes'] / 1e6:,.1f}", f"{c['package_bytes'] / 1e6:,.1f}",
             f"{c['peak_rss_bytes'] / 1e6:,.0f}",
             ", ".join(f"{stage} {seconds:.1f}" for stage, seconds in c["stage_seconds"].items())]
            for name, c in everything["compile"].items()]
    return markdown_table(["model", "nodes", "seconds", "weights, MB", "package, MB",
                           "peak resident, MB", "seconds by stage"], rows)


def analysis(everything: dict) -> list[str]:
    rows = []
    for curve in everything["scaling"]["analysis"]:
        for m in curve["sizes"]:
            rows.append([curve["graph"], f"{m['nodes']:,}", str(m["classes"]), str(m["cuts"]),
                         *(f"{m[key]:.1f}" for key in ("dependencies_ms", "groups_ms", "cuts_ms",
                                                       "wall_ms"))])
        rows[-1].append(f"{curve['growth_over_n_log_n']:.2f}")
    return markdown_table(["program", "nodes", "classes", "cuts kept", "dependencies, ms",
                           "classes, ms", "cuts, ms", "all, ms", "growth / n log n"],
                          [row + [""] * (9 - len(row)) for row in rows])


def planning(everything: dict) -> list[str]:
    p = everything["scaling"]["planner"]
    return markdown_table(["strategies", "inputs", "segments", "p50, µs", "p95, µs"],
                          [[str(p["strategies"]), str(p["inputs"]), str(p["segments"]),
                            f"{p['p50_us']:.1f}", f"{p['p95_us']:.1f}"]])


def small_costs(everything: dict) -> list[str]:
    rows = [[micro["name"].partition("/")[0], f"{micro['real_time']:.1f}",
             f"{micro['bytes_per_second'] / 1e9:.1f}" if "bytes_per_second" in micro else ""]
            for micro in everything["micro"]]
    return markdown_table(["what", "µs", "GB/s"], rows)


def megabytes(value: float) -> str:
    return f"{value / 1e6:,.1f}"


def process_memory(everything: dict) -> list[str]:
    rows = []
    for name, m in everything["memory"].items():
        if "trace" not in m:
            continue
        title = everything["titles"][name]
        rows += [[title, what, text] for what, text in [
            ("weights; all segments resident, as the package counts them",
             f"{megabytes(m['weight_bytes'])}; {megabytes(m['full_resident_bytes'])}"),
            (f"{m['trace']['requests']:.0f} random requests: loaded; at the end; at the peak",
             "; ".join(megabytes(m["trace"][key])
                       for key in ("loaded_bytes", "resident_bytes", "peak_bytes"))),
            *((f"the same with {m[kind]['strategies']} strategies in the package: at the end; at "
               "the peak", f"{megabytes(m[kind]['resident_bytes'])}; "
               f"{megabytes(m[kind]['peak_bytes'])}")
              for kind in ("few_strategies", "many_strategies")),
            ("with 1, 2, … sessions", "; ".join(map(megabytes, m["sessions"]["resident_bytes"]))),
            ("under a budget: before; the budget; counted at the peak; at the peak",
             "; ".join(megabytes(m["budget"][key]) for key in (
                 "baseline_bytes", "budget_bytes", "resident_bytes_counted_peak", "peak_bytes"))),
            ("opened, run and closed: before; after each round",
             "; ".join(map(megabytes, [m["rounds"]["baseline_bytes"],
                                       *m["rounds"]["resident_bytes"]]))),
        ]]
    return markdown_table(["model", "what is resident", "MB"], rows)


def starts(everything: dict) -> list[str]:
    rows = []
    for name, m in everything["memory"].items():
        if "starts" not in m:
            continue
        for ours, theirs, given in zip(m["starts"], m["peer_starts"], m["peer_file_starts"],
                                       strict=True):
            times = (ours["answer_us"], theirs["ready_us"], theirs["answer_us"],
                     given["ready_us"], given["answer_us"])
            rows.append([everything["titles"][name] if not rows else "",
                         *map(milliseconds, times)])
    return markdown_table(["model", "ours, first answer of the texts", "OpenVINO, read and "
                           "compiled", "first answer", "OpenVINO given the file, compiled",
                           "first answer"], rows)


def clients(everything: dict) -> list[str]:
    rows = [[everything["titles"][name], f"{m['clients']:.0f}", f"{m['requests']:.0f}",
             milliseconds(m["one_us"]), milliseconds(m["many_us"]), f"{m['throughput_ratio']:.3f}",
             f"{m['runs_of_what_stays']:.0f}", "yes" if m["bits_equal"] else "NO"]
            for name, m in everything["memory"].items() if "clients" in m]
    return markdown_table(["model", "clients", "requests", "one client", "all at once",
                           "throughput, ratio", "runs of the encoder", "same bits"], rows)


SECTIONS = [
    ("One kind of change at a time",
     "Milliseconds. Each request of ours is paired with one of what it is compared with, in the "
     "order A B, B A, …; the ratio is the median over the pairs. `full`: the same session, nothing "
     "reused. `whole`: the program as OpenVINO converts it. `decoder`: the second half of a split "
     "made by hand. Engine, fingerprints and session are the parts of our time, medians. What ran "
     "is from a request whose answer was compared bit by bit with a full run.", scenarios),
    ("Random traces",
     "Milliseconds. In a random trace 40 of 100 requests change one input, 25 go back to one of "
     "four images, 15 change several inputs and 20 all of them; every request is answered by a "
     "session that reuses and by one that runs everything, in alternating order, and the answers "
     "are compared bit by bit.", traces),
    ("Under a budget for retained bytes",
     "Milliseconds. Two sessions on one package, one with the budget and one without a limit, "
     "answer the same requests in turn.", budgets),
    ("Memory of the process",
     "Each line is a process of its own, in which nothing was compiled before; resident bytes as "
     "the operating system counts them. Before: a small package has run once, because OpenVINO's "
     "own pages are there once per process. With several sessions, and under the budget, a session "
     "retains at most 1 MiB. The peak under the budget counts from the making of the session, when "
     "what is loaded was not yet compiled.", process_memory),
    ("Second starts",
     "Milliseconds from opening the file, in processes of their own and in turn. Both find what an "
     "earlier start left in their caches, but for the first line. Ours loads and answers what the "
     "texts alone decide. OpenVINO compiles the whole model and answers it: once after it has read "
     "the model, once given its file, of which it then reads nothing.", starts),
    ("Several clients",
     "Milliseconds for all requests. Points only, in every request others; one session and one "
     "image.", clients),
    ("Strategies that were considered",
     "What was turned down is in the package with its reason; `inspect` prints it.",
     strategy_counts),
    ("Compilation", "In a process of its own, with execution of the examples.", compilation),
    ("Analysis and cuts by the size of the program",
     "Dependencies, classes and the cuts of all classes, fastest of three runs. Growth: processor "
     "time at the largest size over that at the smallest, divided by the same ratio of n log n. "
     "1.00 is exactly n log n; the small programs fit into caches that the large ones do not fit "
     "into, which adds a constant factor.", analysis),
    ("Planning", "Deciding one request, nothing run.", planning),
    ("Small costs of a session", "On `examples/three_inputs.pt2`; `bench/micro_bench.cc` says what "
     "each is.", small_costs),
]


def per_model(everything: dict) -> list[str]:
    lines = []
    for name, compiled in everything["compile"].items():
        title = everything["titles"][name]
        lines += [f"## {title}: strategies", "",
                  "Costs as measured when the package was compiled. Retained: of one version of "
                  "everything that the strategy keeps.", "",
                  *strategies(compiled), "", f"### {title}: callables", "", "Milliseconds.", "",
                  *callables(compiled), ""]
    return lines


def document(rows: list[Row], everything: dict) -> str:
    where = where_it_ran(everything)
    quick = " Few repetitions: this shows that it works, no more." if everything["quick"] else ""
    lines = ["# Experiments", "",
             "Written by `bench/run.py --update-docs` from its results; do not edit. "
             f"All tables are from one run, float32, on {where}.{quick}", "",
             "## What must hold", "", *target_table(rows), ""]
    if everything["eager"]:
        lines += ["A full run in eager PyTorch, median: " + ", ".join(
            f"{everything['titles'][name]} {milliseconds(eager['p50_us'])} ms"
            for name, eager in everything["eager"].items()) + ".", ""]
    for title, text, table in SECTIONS:
        lines += [f"## {title}", "", text, "", *table(everything), "", f"*{where}*", ""]
    return "\n".join([*lines, *per_model(everything), f"*{where}*"]) + "\n"


def update_experiments(path: pathlib.Path, rows: list[Row], everything: dict) -> None:
    path.write_text(document(rows, everything), encoding="utf-8")
