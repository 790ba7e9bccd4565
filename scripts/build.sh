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

# The exact engine's plug-in, where there is a PyTorch: all else does without.
if [ "$preset" = release ] && [ $# = 0 ]; then
  torch=${CHANGEAWARE_LIBTORCH:-}
  for folder in "${CHANGEAWARE_TEST_VENV:-.venv-test}"/lib/python3*/site-packages/torch; do
    [ -n "$torch" ] || [ ! -d "$folder" ] || torch=$folder
  done
  if ! why=$(build/bin/changeaware doctor --build-torch-engine ${torch:+--torch "$torch"} \
      2>&1 >/dev/null); then
    printf 'build: without the exact engine: %s\n' "${why%%$'\n'*}" >&2
  fi
fi
