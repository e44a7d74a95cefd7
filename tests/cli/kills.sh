#!/usr/bin/env bash
# Conductor, worker, both, tasks and trainers are killed with SIGKILL in every
# kind of study; nothing is lost, wrong, doubled or left behind.
# KILLS: how often; SEED: of the moments, to repeat a failure; CELLS: which.
# timeout: 600
# thorough: kills for minutes
. "$(dirname "$0")/lib.sh"
trap - EXIT

python3 "$ROOT/tests/cli/kills.py" "${KILLS:-36}" "${SEED:-}" ${CELLS:-}
status=$?
cd /
if [ -n "${THRONG_KEEP:-}" ]; then
    echo "# kept $TMP"
else
    rm -rf "$TMP"
fi
exit $status
