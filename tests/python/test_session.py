"""Sessions: what runs, what is reused, and what comes back."""

import numpy as np
import pytest
from conftest import OF_CONTROL, OF_IMAGE, refused

import changeaware


def test_the_first_request_runs_everything(session, inputs):
    response = session.run(**inputs)
    assert response.report.changed == ["image", "text", "control"]
    assert response.report.reused == []
    assert len(response.report.ran) == len(response.report.decisions) == 5


def test_a_changed_input_runs_what_depends_on_it(session, inputs):
    session(**inputs)
    response = session.run(**{**inputs, "control": inputs["control"] + 1})
    assert response.report.changed == ["control"]
    assert response.report.ran == OF_CONTROL
    assert response.report.reused == ["segment_image", "segment_text"]


def test_an_incremental_answer_has_the_bits_of_a_full_run(session, inputs):
    session(**inputs)
    inputs["image"] = inputs["image"] * 0.5
    partial = session.run(**inputs)
    full = session.run(**inputs, reuse=False)
    assert partial.report.ran == OF_IMAGE
    assert len(full.report.ran) == 5 and full.report.reused == []
    assert list(partial.outputs) == ["action", "heatmap", "confidence"]
    for name, value in partial.outputs.items():
        assert value.tobytes() == full.outputs[name].tobytes(), name


def test_positional_arguments_are_those_of_the_module(session, inputs):
    by_name = session(**inputs)
    by_place = session(inputs["image"], inputs["text"], control=inputs["control"])
    assert session.last.ran == []
    assert by_place.keys() == by_name.keys()
    assert all(np.array_equal(by_place[name], by_name[name]) for name in by_name)


def test_the_result_is_nested_as_the_program_nests_it(session, inputs):
    result = session(**inputs)
    assert type(result) is dict and list(result) == ["action", "heatmap", "confidence"]
    assert {name: value.shape for name, value in result.items()} == {
        "action": (1, 7), "heatmap": (1, 12, 12), "confidence": (1,)}


def test_want_runs_and_asks_for_what_the_wanted_outputs_need(session, inputs):
    del inputs["image"]
    response = session.run(**inputs, want=["confidence"])
    assert list(response.outputs) == ["confidence"]
    assert "segment_image" not in response.report.ran
    assert session(**inputs, want="confidence")["confidence"].shape == (1,)
    assert session.last.ran == []


def test_equal_version_tags_stand_for_equal_contents(session, inputs):
    first = session(**inputs, versions={"image": "cat"})
    inputs["image"] = inputs["image"] + 1  # not looked at: the tag promises that it is the same
    second = session(**inputs, versions={"image": "cat"})
    assert session.last.ran == [] and session.last.changed == []
    assert np.array_equal(first["heatmap"], second["heatmap"])
    session(**inputs, versions={"image": "dog"})
    assert session.last.changed == ["image"] and session.last.ran == OF_IMAGE


def test_a_tag_that_lied_is_found_where_it_is_checked(package, inputs):
    with changeaware.Session(package, check_versions=True, blob_folder="off") as session:
        session(**inputs, versions={"image": "cat"})
        with pytest.raises(changeaware.Error) as error:
            session(**{**inputs, "image": inputs["image"] + 1}, versions={"image": "cat"})
    refused(error, "InvalidArgument", "image", "cat")


def test_a_strategy_can_be_forced(session, inputs):
    response = session.run(**inputs, strategy="monolithic")
    assert response.report.strategy == "monolithic" and response.report.ran == ["main"]
    assert "monolithic" in [strategy["name"] for strategy in session.package.strategies]


def test_outputs_are_the_callers_own(session, inputs):
    first = session(**inputs)
    kept = first["heatmap"].copy()
    assert first["heatmap"].flags.writeable and first["heatmap"].flags.c_contiguous
    first["heatmap"][:] = 0
    assert np.array_equal(session(**inputs)["heatmap"], kept)
    assert session.last.ran == []


def test_outputs_outlive_the_session(package, inputs):
    session = changeaware.Session(package, blob_folder="off")
    result = session(**inputs)
    copy = result["action"].copy()
    session.close()
    del session
    result["action"] += 1
    assert np.array_equal(result["action"], copy + 1)


def test_a_plan_tells_what_runs_and_can_be_run(session, inputs):
    session(**inputs)
    inputs["control"] = inputs["control"] + 1
    plan = session.plan(**inputs)
    assert [d.callable for d in plan.decisions if d.outcome == "ran"] == OF_CONTROL
    assert plan.predicted_us > 0 and "segment_control" in session.explain(plan)
    assert session.stats()["requests"] == 1  # planning is no request
    response = session.run(**inputs, plan=plan)
    assert response.report.ran == OF_CONTROL


def test_a_plan_of_another_state_is_stale(session, inputs):
    plan = session.plan(**inputs)
    session(**inputs)
    runs = session.stats()["runs"]
    with pytest.raises(changeaware.Error) as error:
        session(**inputs, plan=plan)
    refused(error, "StalePlan")
    assert session.stats()["runs"] == runs


def test_explain_says_for_each_callable_what_happened_and_why(session, inputs):
    assert session.explain() == "no request yet" and session.last is None
    session(**inputs)
    response = session.run(**{**inputs, "control": inputs["control"] + 1})
    assert session.explain() == response.explain() == session.explain(response.report)
    lines = {line.split()[0]: line for line in session.explain().splitlines()[2:]}
    assert lines.keys() == {decision.callable for decision in response.report.decisions}
    assert "ran" in lines["segment_control"] and "control changed" in lines["segment_control"]
    assert "reused" in lines["segment_image"] and "retained" in lines["segment_image"]
    assert "changed: control" in session.explain()


def test_stats_count_requests_and_runs(session, inputs):
    session(**inputs)
    session(**{**inputs, "control": inputs["control"] + 1})
    stats = session.stats()
    assert stats["requests"] == 2 and stats["failed"] == 0
    assert stats["runs"]["segment_control"] == 2 and stats["runs"]["segment_image"] == 1
    assert 0 < stats["retained_bytes"] <= stats["retained_bytes_peak"]
    assert stats["resident"].keys() == stats["runs"].keys()
    assert sum(entry["bytes"] for entry in stats["retained"]) == stats["retained_bytes"]


def test_clear_forgets_what_is_retained(session, inputs):
    session(**inputs)
    session.clear()
    assert session.stats()["retained_bytes"] == 0
    assert len(session.run(**inputs).report.ran) == 5


def test_a_retained_budget_of_nothing_retains_nothing(package, inputs):
    with changeaware.Session(package, retained_budget=0, blob_folder="off") as session:
        session(**inputs)
        response = session.run(**inputs)
    assert response.report.reused == [] and len(response.report.ran) > 0


def test_budgets_can_be_changed(session, inputs):
    session(**inputs)
    session.set_budgets(retained_budget="0 B")
    assert session.stats()["retained_bytes"] == 0
    session.set_budgets(resident_budget="1KiB")
    with pytest.raises(changeaware.Error) as error:
        session(**inputs)
    refused(error, "OverBudget", "resident")
    session.set_budgets(retained_budget="1GB", resident_budget=None)
    assert len(session.run(**inputs).report.ran) == 5


def test_load_makes_callables_ready(session):
    assert session.stats()["loads"] == 0
    session.load()
    assert session.stats()["loads"] == 5 and session.stats()["runs"] == {}


def test_a_timeout_cancels_before_the_next_callable(session, inputs):
    with pytest.raises(changeaware.Error) as error:
        session(**inputs, timeout=0)
    refused(error, "Cancelled")
    assert session.stats()["runs"] == {} and session.stats()["retained_bytes"] == 0
    assert len(session.run(**inputs, timeout=600).report.ran) == 5


def test_leaving_the_context_closes_the_session(package, inputs):
    with changeaware.Session(package, blob_folder="off") as session:
        session(**inputs)
        assert not session.closed
    assert session.closed and "closed" in repr(session)
    session.close()  # again
    for call in (lambda: session(**inputs), session.stats, session.load, session.clear,
                 lambda: session.plan(**inputs), session.set_budgets):
        with pytest.raises(changeaware.Error) as error:
            call()
        refused(error, "InvalidArgument", "the session is closed")


def test_sessions_share_a_package(package, inputs):
    opened = changeaware.Package(package)
    with (changeaware.Session(opened, blob_folder="off") as one,
          changeaware.Session(opened, blob_folder="off") as two):
        one(**inputs)
        assert len(two.run(**inputs).report.ran) == 5  # what is retained is each session's own
        assert two.stats()["loads"] == one.stats()["loads"] == 5


def test_a_package_says_what_goes_in_and_out(package):
    opened = changeaware.Package(package)
    assert [(e["name"], e["dtype"], e["shape"]) for e in opened.inputs] == [
        ("image", "float32", [1, 3, 96, 96]), ("text", "int64", [1, 256]),
        ("control", "float32", [1, 8])]
    assert [entry["kind"] for entry in opened.outputs] == ["tensor"] * 3
    names = [entry["name"] for entry in opened.manifest["callables"]]
    assert names[0] == "main" and "segment_image" in names
    assert opened.manifest["verified"] is True and opened.manifest["tolerance"]["of_scale"] == 1e-4
    assert "image, text, control -> action" in repr(opened)
