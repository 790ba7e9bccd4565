#!/usr/bin/env bash
# Builds the Python package's wheel into build/wheel, and installs it.
#
#   python_package.sh                build only; prints the wheel's path
#   python_package.sh install VENV   also into this virtual environment
#   python_package.sh clean VENV     also into a new one of only the wheel, its needs, and pytest
#   python_package.sh target FOLDER  also into this folder, by itself, for PYTHONPATH
#
# The build's folder stays, so that a second build compiles only what changed.
# CHANGEAWARE_VENV: the virtual environment to build with instead of .venv.
set -euo pipefail
cd "$(dirname "$0")/.."

fail() { printf 'python_package: %s\n' "$*" >&2; exit 1; }

mode=${1:-build}
venv=${2:-}
case "$mode" in
  build) ;;
  install | clean | target) [ -n "$venv" ] || fail "into which folder?" ;;
  *) fail "usage: scripts/python_package.sh [install VENV|clean VENV|target FOLDER]" ;;
esac

scripts/setup.sh sdk
python=${CHANGEAWARE_VENV:-.venv}/bin/python
export CXX=${CXX:-c++}  # as in the other builds: a compiler cache has their objects
log=build/wheel/build.log
mkdir -p build/wheel
rm -f build/wheel/changeaware-*.whl
"$python" -m pip wheel . --wheel-dir build/wheel --no-deps --no-build-isolation \
  --disable-pip-version-check >"$log" 2>&1 || { cat "$log" >&2; fail "the wheel cannot be built"; }
wheel=$(echo build/wheel/changeaware-*.whl)

install() {
  "$venv/bin/python" -m pip install --quiet --disable-pip-version-check "$@" >&2
}

case "$mode" in
  install)
    install --force-reinstall --no-deps "$wheel"
    ;;
  clean)
    [ -x "$venv/bin/python" ] || "$python" -m venv "$venv"
    # What the wheel asks for, in the versions that the project pins.
    install -r <(grep -hE '^(openvino|numpy|pytest)==' requirements/*.txt)
    install --force-reinstall --no-deps "$wheel"
    "$venv/bin/python" -m pip check --disable-pip-version-check >&2
    if "$venv/bin/python" -c 'import torch' 2>/dev/null; then fail "$venv has PyTorch"; fi
    ;;
  target)
    "$python" -m pip install --quiet --disable-pip-version-check --no-deps --upgrade \
      --target "$venv" "$wheel" >&2
    ;;
esac
echo "$wheel"
