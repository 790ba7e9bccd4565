#!/usr/bin/env bash
# Installs what is missing to build (`setup.sh sdk`) or to build and test (`setup.sh test`) on
# Debian 12, Ubuntu 22.04 and newer. Says nothing and changes nothing when all is there.
#
# CHANGEAWARE_VENV, CHANGEAWARE_TEST_VENV: virtual environments to use instead of .venv, .venv-test.
set -euo pipefail
cd "$(dirname "$0")/.."

packages=(
  g++ cmake ninja-build pkg-config python3 python3-dev python3-venv zlib1g-dev libboost-dev
  libfmt-dev libssl-dev libxxhash-dev libminizip-dev rapidjson-dev libcli11-dev libgtest-dev
  libgmock-dev libbenchmark-dev)

say() { printf 'setup: %s\n' "$*" >&2; }
fail() { say "$*"; exit 1; }

have_tools() {
  local tool
  for tool in g++ cmake ninja pkg-config python3; do
    command -v "$tool" >/dev/null || return 1
  done
  # The header is what extensions are built with.
  python3 -c '
import ensurepip, os, sysconfig, venv
assert os.path.exists(os.path.join(sysconfig.get_path("include"), "Python.h"))' 2>/dev/null
}

# One header for each library.
have_libraries() {
  g++ -E -x c++ - >/dev/null 2>&1 <<'HEADERS'
#include <CLI/CLI.hpp>
#include <benchmark/benchmark.h>
#include <boost/dynamic_bitset.hpp>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <minizip/unzip.h>
#include <openssl/evp.h>
#include <rapidjson/document.h>
#include <xxhash.h>
#include <zlib.h>
HEADERS
}

install_packages() {
  command -v apt-get >/dev/null || fail "please install what these packages hold: ${packages[*]}"
  local as_root=()
  if [ "$(id -u)" != 0 ]; then
    command -v sudo >/dev/null || fail "please run as root: apt-get install ${packages[*]}"
    as_root=(sudo)
  fi
  say "installing system packages: ${packages[*]}"
  export DEBIAN_FRONTEND=noninteractive
  # A source of packages that does not answer is no reason to stop: the others may do.
  "${as_root[@]}" apt-get -qq update >/dev/null || true
  "${as_root[@]}" apt-get -qq install -y --no-install-recommends "${packages[@]}" >/dev/null
  have_tools && have_libraries || fail "something is still missing after installing packages"
}

# make_venv FOLDER REQUIREMENTS: a virtual environment that holds exactly these requirements.
make_venv() {
  local folder=$1 wanted
  wanted=$(cat requirements/sdk.txt "$2")
  if [ "$(cat "$folder/.requirements" 2>/dev/null)" = "$wanted" ]; then return; fi
  say "installing $2 into $folder"
  [ -x "$folder/bin/python" ] || python3 -m venv "$folder"
  "$folder/bin/python" -m pip install --quiet --disable-pip-version-check -r "$2" >&2
  printf '%s\n' "$wanted" >"$folder/.requirements"
}

have_tools && have_libraries || install_packages
case "${1:-}" in
  sdk) make_venv "${CHANGEAWARE_VENV:-.venv}" requirements/sdk.txt ;;
  test) make_venv "${CHANGEAWARE_TEST_VENV:-.venv-test}" requirements/test.txt ;;
  *) fail "usage: scripts/setup.sh sdk|test" ;;
esac
