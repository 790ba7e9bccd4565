"""Calls, files and options that are wrong: each a clear Error."""

import json
import pathlib
import pickle
import zipfile

import pytest
from conftest import PROGRAM, refused

import changeaware


def fails(code, *words):
    class Check:
        def __enter__(self):
            self.context = pytest.raises(changeaware.Error)
            self.error = self.context.__enter__()

        def __exit__(self, *details):
            done = self.context.__exit__(*details)
            refused(self.error, code, *words)
            return done

    return Check()


def test_an_unknown_input_is_named_with_those_that_are(session, inputs):
    with fails("InvalidArgument", "'picture'", "image, text, control"):
        session(**inputs, picture=inputs["image"])
    assert session.stats()["requests"] == 0


def test_a_missing_input_is_named(session, inputs):
    del inputs["text"]
    with fails("InvalidArgument", "'text'", "missing"):
        session(**inputs)
    assert session.stats()["runs"] == {}


def test_too_many_arguments_are_refused(session, inputs):
    with fails("InvalidArgument", "4 positional arguments", "3"):
        session(*inputs.values(), 1)
    with fails("InvalidArgument", "'image'", "twice"):
        session(*inputs.values(), image=inputs["image"])


def test_an_input_in_another_nesting_is_refused_by_name(session, inputs):
    with fails("InvalidArgument", "'image'", "tuple"):
        session((inputs["image"], inputs["text"]), inputs["control"], want=["action"])
    with fails("InvalidArgument", "'image'", "dict"):
        session(image={"image": inputs["image"]}, text=inputs["text"], control=inputs["control"])
    assert session.stats()["runs"] == {}


def test_an_unknown_output_is_named_with_those_that_are(session, inputs):
    with fails("InvalidArgument", "'masks'", "action, heatmap, confidence"):
        session(**inputs, want=["masks"])
    with fails("InvalidArgument", "want is empty"):
        session(**inputs, want=[])


def test_an_unknown_strategy_or_tag_is_named(session, inputs):
    with fails("InvalidArgument", "best"):
        session(**inputs, strategy="best")
    with fails("InvalidArgument", "'picture'"):
        session(**inputs, versions={"picture": "1"})


@pytest.mark.parametrize("timeout", [-1, float("nan")])
def test_a_timeout_is_a_time(session, inputs, timeout):
    with fails("InvalidArgument", "timeout"):
        session(**inputs, timeout=timeout)


@pytest.mark.parametrize("budget", ["64 MiX", "MiB", "-1MB", "75%", -1, 2**64, 1.5, True])
def test_a_budget_is_a_number_of_bytes(package, budget):
    with fails("InvalidArgument", "retained_budget"):
        changeaware.Session(package, retained_budget=budget)


def test_returns_is_one_of_three(package):
    with fails("InvalidArgument", "jax", '"numpy"'):
        changeaware.Session(package, returns="jax")


def test_a_file_that_is_not_there_is_named(tmp_path):
    with fails("Io", "nothing.ca.pt2"):
        changeaware.Package(tmp_path / "nothing.ca.pt2")
    with fails("Io", "nothing.pt2"):
        changeaware.compile(tmp_path / "nothing.pt2", tmp_path / "out.ca.pt2", progress=False)
    assert list(tmp_path.iterdir()) == []


def test_a_program_is_no_package():
    with fails("Unsupported", "three_inputs.pt2"):
        changeaware.Package(PROGRAM)


def test_a_damaged_package_is_corrupt(package, tmp_path):
    damaged = tmp_path / "damaged.ca.pt2"
    damaged.write_bytes(pathlib.Path(package).read_bytes()[:5000])
    with fails("Corrupt", "damaged.ca.pt2"):
        changeaware.Package(damaged)


def test_a_package_of_another_version_is_refused(package, tmp_path):
    newer = tmp_path / "newer.ca.pt2"
    changed = 0
    with zipfile.ZipFile(package) as old, zipfile.ZipFile(newer, "w") as new:
        for entry in old.infolist():
            data = old.read(entry)
            if entry.filename.endswith("json") and b'"format' in data:
                manifest = json.loads(data)
                changed += set_major(manifest, 99)
                data = json.dumps(manifest).encode()
            new.writestr(entry.filename, data)
    assert changed == 1
    with fails("Unsupported", "99"):
        changeaware.Package(newer)


def set_major(value, major):
    """Sets every major version of the package format in a document; how many there were."""
    count = 0
    if isinstance(value, dict):
        for key, inner in value.items():
            if key == "format_major":
                value[key] = major
                count += 1
            elif key == "format" and isinstance(inner, dict) and "major" in inner:
                inner["major"] = major
                count += 1
            else:
                count += set_major(inner, major)
    return count


def test_errors_are_one_class_with_a_code():
    assert issubclass(changeaware.Error, RuntimeError)
    with pytest.raises(changeaware.Error) as error:
        changeaware.Package("/nowhere")
    again = pickle.loads(pickle.dumps(error.value))
    assert type(again) is changeaware.Error
    assert again.code == error.value.code == "Io" and str(again) == str(error.value)


@pytest.mark.parametrize("option, value", [
    ("numerics", "slow"), ("costs", "free"), ("tolerance", {"rtoll": 1}),
    ("examples", {"image": [1, 2]}), ("retained_budget", "big")])
def test_a_wrong_option_of_compile_is_named(tmp_path, option, value):
    with fails("InvalidArgument", option if option != "examples" else "'image'"):
        changeaware.compile(PROGRAM, tmp_path / "out.ca.pt2", progress=False, **{option: value})
    assert list(tmp_path.iterdir()) == []
