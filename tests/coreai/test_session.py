"""CoreAISession: what changed inputs make necessary runs in Core AI, the rest is kept."""

import itertools
import threading

import changeaware
import numpy as np
import pytest
from assets import compile_program, run_python
from changeaware.coreai import CoreAISession
from changeaware.coreai._runner import Runner
from programs import reading

INPUTS = ("image", "text", "control")
MASKS = [mask for size in range(1, 4) for mask in itertools.combinations(INPUTS, size)]


def same_bits(left: dict, right: dict) -> bool:
    return left.keys() == right.keys() and all(
        left[n].dtype == right[n].dtype and left[n].tobytes() == right[n].tobytes() for n in left)


def segments(asset, changed) -> set:
    """Those that depend on a changed input."""
    return {f["name"] for f in asset.manifest["functions"]
            if f["name"] != "main" and set(f["dependencies"]) & set(changed)}


@pytest.fixture(scope="module")
def session(three):
    with CoreAISession(three.path, retained_budget="64MiB") as session:
        yield session


@pytest.mark.parametrize("mask", MASKS, ids="+".join)
def test_each_set_of_changed_inputs_runs_what_depends_on_it(session, three, three_values, mask):
    before, after = three_values(1), three_values(2 + MASKS.index(mask))
    session.run(**before, strategy="full_retention")
    values = {**before, **{name: after[name] for name in mask}}
    response = session.run(**values, strategy="full_retention")
    assert set(response.report.changed) == set(mask)
    assert set(response.report.ran) == segments(three, mask)
    whole = session.run(**values, strategy="monolithic", reuse=False)
    assert whole.report.ran == ["main"]
    assert same_bits(response.outputs, whole.outputs)


def test_functions_are_loaded_when_a_plan_needs_them(three, three_values):
    with CoreAISession(three.path) as session:
        assert session.loaded == []
        values = three_values(1)
        plan = session.plan(**values)
        assert session.loaded == [] and plan.decisions
        session(**values, want=["confidence"])
        assert set(session.loaded) == set(session.last.ran)
        needed = set(session.loaded)
        assert "segment_image" not in needed, "confidence needs no image"
        session(**values)
        assert set(session.loaded) > needed and "main" not in session.loaded
        assert len(session.loaded) == len(set(session.loaded))
        assert session.stats()["loads"] == len(session.loaded)


def test_a_small_resident_budget_releases_functions_and_loads_them_again(three, three_values):
    with CoreAISession(three.path) as session:
        session(**three_values(1))
        needs = session.stats()["resident"]
    with CoreAISession(three.path, resident_budget=2 * max(needs.values()) + 1) as session:
        before = session.run(**three_values(1), strategy="full_retention")
        again = session.run(**three_values(2), strategy="full_retention")
        assert session.stats()["unloads"] > 0
        assert len(session.loaded) > len(set(session.loaded))
        assert set(again.report.ran) == set(before.report.ran)


def test_without_a_budget_nothing_is_kept_and_the_bits_are_the_same(session, three, three_values):
    values = three_values(5)
    with CoreAISession(three.path, retained_budget=0) as other:
        other.run(**values)
        again = other.run(**values)
        assert again.report.ran and again.report.reused == []
        assert other.stats()["retained_bytes"] == 0
    assert same_bits(again.outputs, session.run(**values).outputs)


def test_plans_versions_and_explanations_are_those_of_a_session(session, three_values):
    values = three_values(7)
    session.run(**values, strategy="full_retention")
    plan = session.plan(**{**values, "control": three_values(8)["control"]})
    text = session.explain(plan)
    assert "segment_control" in text and "control changed" in text
    session.clear()
    with pytest.raises(changeaware.Error) as caught:
        session.run(**{**values, "control": three_values(8)["control"]}, plan=plan)
    assert caught.value.code == "StalePlan"
    tags = {name: "a" for name in INPUTS}
    session.run(**values, versions=tags)
    assert session.run(**values, versions=tags).report.ran == []


def test_tensors_come_back_as_tensors(session, three_values):
    import torch

    values = {name: torch.from_numpy(value) for name, value in three_values(9).items()}
    result = session(values["image"], values["text"], values["control"])
    assert all(isinstance(value, torch.Tensor) for value in result.values())


def test_nesting_and_fixed_values_are_the_programs(tmp_path):
    package = compile_program(reading.nested_outputs(), tmp_path)
    changeaware.coreai.export(package, tmp_path / "m.aimodel")
    x, y = np.array([1, 2, 3], np.float32), np.array([4, 5, 6], np.float32)
    with CoreAISession(tmp_path / "m.aimodel") as session, changeaware.Session(package) as ours:
        assert session.inputs == ours.inputs
        result, expected = session(x, None, y), ours(x, None, y)
    assert result.keys() == expected.keys()
    assert result["pair"][1] is None and result["number"] == 3
    np.testing.assert_array_equal(result["sum"], expected["sum"])


def test_a_tensor_that_was_fixed_at_export_needs_the_package(tmp_path):
    package = compile_program(reading.passed_through(), tmp_path)
    changeaware.coreai.export(package, tmp_path / "m.aimodel")
    with pytest.raises(changeaware.Error, match="'detach_' was fixed at export"):
        CoreAISession(tmp_path / "m.aimodel")
    values = {"img": np.ones((2, 4), np.float32), "txt": np.ones((2, 4), np.float32)}
    with CoreAISession(tmp_path / "m.aimodel", package) as session, \
            changeaware.Session(package) as ours:
        assert same_bits(session.run(**values).outputs, ours.run(**values).outputs)


def test_wrong_values_are_refused_and_the_session_goes_on(session, three_values):
    values = three_values(10)
    for name, value, code, part in [
            ("text", values["text"] + 2**40, "Unsupported", "text"),
            ("image", values["image"][:, :, :50], "InvalidArgument", "image"),
            ("image", values["image"].astype(np.float64), "InvalidArgument", "float64")]:
        with pytest.raises(changeaware.Error, match=part) as caught:
            session(**{**values, name: value})
        assert caught.value.code == code
    with pytest.raises(changeaware.Error, match="unknown_input"):
        session(**values, unknown_input=1)
    assert session(**values)["action"].shape == (1, 7)


def test_wrong_sizes_never_reach_an_asset_of_open_sizes(rows):
    """There a wrong size ends the process: so it is tried in one of its own."""
    code = f"""
import numpy as np, changeaware
from pathlib import Path
from changeaware.coreai import CoreAISession, check
from changeaware.coreai._runner import Runner
scale = np.ones((1, 5), np.float32)
tries = [np.ones((3, 5), np.float32), np.ones((3, 3), np.float32), np.ones((0, 4), np.float32),
         np.ones((99, 4), np.float32), np.ones(4, np.float32), np.ones((3, 4))]
with CoreAISession({str(rows.path)!r}) as session:
    for rows in tries:
        try:
            print("ran", session(rows, scale)[0].shape)
        except changeaware.Error as error:
            print("refused", error.code)
    print("right", session(np.ones((7, 4), np.float32), scale)[0].shape)
path = Path({str(rows.path)!r})
runner = Runner(path, check(path))
for rows in tries:
    try:
        runner.load("main")([rows, scale])
        print("ran")
    except changeaware.Error as error:
        print("refused", error.code, "rows" in str(error))
runner.close()
"""
    ran = run_python("-c", code)
    assert ran.returncode == 0, ran.stderr
    assert ran.stdout.splitlines() == (
        ["refused InvalidArgument"] * 6 + ["right (7, 3)"]
        + ["refused InvalidArgument True"] * 6), ran.stdout + ran.stderr


def test_open_sizes_run_with_the_bits_of_main(rows):
    random = np.random.default_rng(0)
    with CoreAISession(rows.path) as session:
        for count in (1, 2, 9, 64):
            values = {"rows": random.standard_normal((count, 4)).astype(np.float32),
                      "scale": random.standard_normal((1, 5)).astype(np.float32)}
            parts = session.run(**values, strategy="full_retention")
            assert set(parts.report.ran) == segments(rows, ["rows", "scale"])
            assert same_bits(parts.outputs,
                             session.run(**values, strategy="monolithic", reuse=False).outputs)


def test_runners_refuse_other_dtypes_counts_and_values(three, three_values):
    runner = Runner(three.path, three.manifest)
    values = list(three_values(1).values())
    main = runner.load("main")
    for inputs, part in [(values[:2], "takes 3 inputs"),
                         ([values[0], values[1].astype(np.int32), values[2]], "must be int64"),
                         ([values[0], values[1] - 2**33, values[2]], "beyond int32")]:
        with pytest.raises(changeaware.Error, match=part):
            main(inputs)
    with pytest.raises(changeaware.Error, match="no function 'segment_sound'"):
        runner.load("segment_sound")
    runner.close()
    with pytest.raises(changeaware.Error, match="closed"):
        main(values)
    with pytest.raises(changeaware.Error, match="closed"):
        runner.load("main")


def test_outputs_stay_what_they_are_when_the_function_runs_again(three, three_values):
    runner = Runner(three.path, three.manifest)
    segment = runner.load("segment_control")
    first = segment([three_values(1)["control"]])
    copies = [value.copy() for value in first]
    second = segment([three_values(2)["control"]])
    runner.close()
    assert all((a == b).all() for a, b in zip(first, copies, strict=True))
    assert any((a != b).any() for a, b in zip(first, second, strict=True))


def test_threads_share_a_session_and_each_gets_its_own_answer(three, three_values):
    answers, expected = {}, {}
    with CoreAISession(three.path, retained_budget="64MiB") as session:
        def ask(seed: int) -> None:
            answers[seed] = session.run(**three_values(seed)).outputs

        threads = [threading.Thread(target=ask, args=(seed,)) for seed in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        for seed in range(4):
            expected[seed] = session.run(**three_values(seed), strategy="monolithic",
                                         reuse=False).outputs
    assert sorted(answers) == [0, 1, 2, 3]
    assert all(same_bits(answers[seed], expected[seed]) for seed in answers)


def test_closing_ends_the_thread_and_refuses_later_calls(three, three_values):
    session = CoreAISession(three.path)
    values = three_values(1)
    session(**values)
    assert any(t.name == "changeaware-coreai" for t in threading.enumerate())
    others = sum(t.name == "changeaware-coreai" for t in threading.enumerate())
    session.close()
    session.close()
    assert sum(t.name == "changeaware-coreai" for t in threading.enumerate()) == others - 1
    assert session.closed and "closed" in repr(session)
    with pytest.raises(changeaware.Error, match="closed"):
        session(**values)


def test_a_process_that_forgets_to_close_ends_well(three):
    ran = run_python("-c", f"""
import numpy as np
from changeaware.coreai import CoreAISession
image, text = np.ones((1, 3, 96, 96), np.float32), np.zeros((1, 256), np.int64)
session = CoreAISession({str(three.path)!r})
session(image, text, np.ones((1, 8), np.float32))
print("done")
""")
    assert (ran.returncode, ran.stdout) == (0, "done\n"), ran.stderr
    assert "leaked" not in ran.stderr


def test_an_index_beyond_a_table_is_an_error_of_the_request_alone(three):
    ran = run_python("-c", f"""
import numpy as np, changeaware
from changeaware.coreai import CoreAISession
image, text = np.ones((1, 3, 96, 96), np.float32), np.zeros((1, 256), np.int64)
session = CoreAISession({str(three.path)!r})
try:
    session(image, text + 300, np.ones((1, 8), np.float32))
except changeaware.Error as error:
    print(error.code, "function 'segment_text'" in str(error))
print(session(image, text, np.ones((1, 8), np.float32))["action"].shape)
""")
    assert ran.stdout == "Internal True\n(1, 7)\n", ran.stderr
    assert ran.returncode == 0 and "leaked" not in ran.stderr, ran.stderr
