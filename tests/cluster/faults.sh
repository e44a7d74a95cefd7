#!/usr/bin/env bash
# Nodes, network, controller, jobs and conductor fail while a study runs.
# FAULTS: how many; SEED: of the moments, to repeat a failure.
# timeout: 1800
[ "$(id -u)" -eq 0 ] && export SLURM_TEST_NET=1
. "$(dirname "$0")/lib.sh"
[ "$(id -u)" -eq 0 ] || skip_all "only root may cut a node off its network"

SLURM_FOLDER=$slurm_folder python3 "$ROOT/tests/cluster/faults.py" \
    "${FAULTS:-9}" "${SEED:-}"
status=$?
trap - EXIT
"$SLURM" down "$slurm_folder"
cd /
if [ -n "${THRONG_KEEP:-}" ]; then echo "# kept $TMP"; else rm -rf "$TMP"; fi
exit $status
