#!/usr/bin/env bash
# Jobs, daemons and the conductor fail while a study runs on HTCondor.
# FAULTS: how many; SEED: of the moments, to repeat a failure.
# timeout: 1800
# The pool is quicker than real ones are: the lease of a lost job of 60 s takes
# 6 s, and so on; a submission begins after 1 to 2 s.
export CONDOR_TEST_FIRST=1-2 CONDOR_TEST_PACE=0.1 CONDOR_TEST_MACHINES=2 \
    CONDOR_TEST_CPUS=4
. "$(dirname "$0")/condor/lib.sh"
stand_in_only "all faults" || exit 0

CONDOR=$CONDOR POOL_FOLDER=$pool_folder python3 -B \
    "$ROOT/tests/cluster/condor/faults.py" "${FAULTS:-10}" "${SEED:-}"
status=$?
trap - EXIT
sed 's/^/# pool: /' "$pool_folder/pool.log"
"$CONDOR" down "$pool_folder"
cd /
if [ -n "${THRONG_KEEP:-}" ]; then echo "# kept $TMP"; else rm -rf "$TMP"; fi
exit $status
