#!/usr/bin/env bash
# The reference pages say what the program does; see docs.py.
root=$(cd "$(dirname "$0")/../.." && pwd)
build=$(cd "$root" && cd "${THRONG_BUILD:-build}" && pwd) || exit 1
export PATH=$build:$PATH
exec python3 "$root/tests/cli/docs.py" "$build/throng" "$root/docs/reference" "$@"
