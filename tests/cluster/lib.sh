# lib.sh - helpers for the tests on a real Slurm, besides those of tests/cli
#
# Sourced first, it starts a Slurm of 4 nodes with 4 cpus each (see `slurm` in
# this folder) for this script alone, and ends it with the script. Where Slurm
# cannot start, all of the script is skipped, with the reason.
. "$(dirname "${BASH_SOURCE[0]}")/../cli/lib.sh"

SLURM=$ROOT/tests/cluster/slurm
slurm_folder=$TMP/slurm

end_slurm() {
    local code=$?
    "$SLURM" down "$slurm_folder" 2>/dev/null
    (exit "$code")
    finish
}
trap end_slurm EXIT

if ! reason=$("$SLURM" up "$slurm_folder" 2>&1); then
    skip_all "Slurm cannot start: $(printf '%s' "$reason" | tail -n 1)"
fi
. "$slurm_folder/env"
mkdir -p "$TMP/work" && cd "$TMP/work" || exit 1

# Jobs in the queue, one a line: "ID INDEX STATE".
jobs_now() {
    squeue -h -r -O 'ArrayJobID: ,ArrayTaskID: ,State: '
}

# The first job that runs, as ID_INDEX.
running_job() {
    jobs_now | awk '$3 == "RUNNING" { print $1 "_" $2; exit }'
}

some_run() { # COUNT
    [ "$(jobs_now | grep -c RUNNING)" -ge "$1" ]
}

none_left() {
    [ -z "$(jobs_now)" ]
}
