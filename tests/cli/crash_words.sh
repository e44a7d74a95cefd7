#!/usr/bin/env bash
# Worker, or conductor and worker, are killed with SIGKILL at random moments:
# what tasks have handed in is not lost with them.
# CRASHES: how often each; SEED: of the moments, to repeat a failure.
# timeout: 600
# thorough: kills for a while
root=$(cd "$(dirname "$0")/../.." && pwd)
build=$(cd "$root" && cd "${THRONG_BUILD:-build}" && pwd) || exit 1
folder=$(mktemp -d "${TMPDIR:-/tmp}/throng-words.XXXXXX") || exit 1
cd "$folder" || exit 1
THRONG=$build/throng python3 "$root/tests/cli/crash_words.py" "${CRASHES:-12}" \
    "${SEED:-}"
status=$?
cd /
if [ -n "${THRONG_KEEP:-}" ]; then
    echo "# kept $folder"
else
    rm -rf "$folder"
fi
exit $status
