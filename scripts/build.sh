#!/usr/bin/env bash
# Configures and builds one of the presets: `build.sh release|asan|tsan [TARGET]…`.
set -euo pipefail
cd "$(dirname "$0")/.."

preset=${1:?usage: scripts/build.sh release|asan|tsan [TARGET]…}
shift
scripts/setup.sh sdk
python=${CHANGEAWARE_VENV:-.venv}/bin/python
sdk=$("$python" -c '
import importlib.util
print(importlib.util.find_spec("openvino").submodule_search_locations[0])')

cmake --preset "$preset" -DOpenVINO_DIR="$sdk/cmake" --log-level=WARNING >/dev/null
cmake --build --preset "$preset" ${1:+--target "$@"} -- --quiet
