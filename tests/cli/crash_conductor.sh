#!/usr/bin/env bash
# The conductor is killed with SIGKILL at random moments; nothing is lost.
# CRASHES: how often; SEED: of the moments, to repeat a failure.
# thorough: kills for a while
root=$(cd "$(dirname "$0")/../.." && pwd)
build=$(cd "$root" && cd "${THRONG_BUILD:-build}" && pwd) || exit 1
folder=$(mktemp -d "${TMPDIR:-/tmp}/throng-crash.XXXXXX") || exit 1
cd "$folder" || exit 1
THRONG=$build/throng python3 "$root/tests/cli/crash.py" conductor \
    "${CRASHES:-40}" "${SEED:-}"
status=$?
cd /
if [ -n "${THRONG_KEEP:-}" ]; then
    echo "# kept $folder"
else
    rm -rf "$folder"
fi
exit $status
