"""Reports and plans as text."""

from __future__ import annotations

from . import _core


def _time(microseconds: float) -> str:
    return (f"{microseconds / 1e3:.2f} ms" if microseconds >= 1e3 else f"{microseconds:.0f} µs")


def _decisions(decisions: list[_core.Decision]) -> list[str]:
    width = max((len(decision.callable) for decision in decisions), default=0)
    lines = []
    for decision in decisions:
        line = f"  {decision.callable:<{width}}  {decision.outcome:<10}  {decision.reason}"
        if decision.not_retained_why:
            line += f"; not retained: {decision.not_retained_why}"
        lines.append(line)
    return lines


def _count(decisions: list[_core.Decision]) -> str:
    ran = sum(decision.outcome == "ran" for decision in decisions)
    return f"{ran} of {len(decisions)} callables"


def explain_report(report: _core.Report) -> str:
    """What ran, what did not, and why."""
    decisions = report.decisions
    lines = [
        f"strategy {report.strategy}: {_count(decisions)} ran in {_time(report.engine_us)}, "
        f"predicted {_time(report.predicted_us)}; {_time(report.total_us)} in all",
        f"changed: {', '.join(report.changed) or 'nothing'}",
        *_decisions(decisions),
    ]
    if report.copied_input_bytes:
        lines.append(f"copied to make them dense: {report.copied_input_bytes} bytes of inputs")
    return "\n".join(lines)


def explain_plan(plan: _core.Plan) -> str:
    """What would run, what would not, and why."""
    decisions = plan.decisions
    return "\n".join([
        f"strategy {plan.strategy}: {_count(decisions)} will run, predicted "
        f"{_time(plan.predicted_us)}, of which loading {_time(plan.predicted_load_us)}",
        *_decisions(decisions),
    ])
