# lib.sh - helpers for the tests on HTCondor, besides those of tests/cli
#
# Sourced first, it starts the stand-in for a pool (see `condor` in this folder)
# for this script alone, and ends it with the script. Where a real pool's
# condor_submit is on PATH, the script runs on that pool instead; what needs the
# stand-in's faults or settings then skips. Settings (CONDOR_TEST_*) are given
# before this is sourced.
. "$(dirname "${BASH_SOURCE[0]}")/../../cli/lib.sh"

CONDOR=$ROOT/tests/cluster/condor/condor
pool_folder=$TMP/pool
if command -v condor_submit >/dev/null; then pool=real; else pool=stand-in; fi

end_pool() {
    local code=$?
    if [ $pool = real ]; then
        for id in $(condor_q -allusers -af ClusterId \
            -constraint "Owner == \"$(id -un)\" && ThrongRun =!= undefined" |
            sort -u); do
            condor_rm "$id" >/dev/null 2>&1
        done
    else
        if [ -s "$pool_folder/pool.log" ]; then
            sed 's/^/# pool: /' "$pool_folder/pool.log"
        fi
        "$CONDOR" down "$pool_folder" 2>/dev/null
    fi
    (exit "$code")
    finish
}
trap end_pool EXIT

if [ $pool = stand-in ]; then
    if ! reason=$(CONDOR_TEST_OWNER=$$ "$CONDOR" up "$pool_folder" 2>&1); then
        skip_all "the stand-in cannot start: $reason"
    fi
    . "$pool_folder/env"
fi
mkdir -p "$TMP/work" && cd "$TMP/work" || exit 1

# What has no sense on a real pool.
stand_in_only() { # NAME...: true on the stand-in, else these are skipped
    [ $pool = stand-in ] && return 0
    local name
    for name in "$@"; do skip "$name" "this is a real pool"; done
    return 1
}

# Jobs in the queue, one a line: "C.P STATUS".
jobs_now() {
    condor_q -af:j JobStatus
}

# The first job that runs, as C.P.
running_job() {
    jobs_now | awk '$2 == 2 { print $1; exit }'
}

some_run() { # COUNT
    [ "$(jobs_now | grep -c ' 2$')" -ge "$1" ]
}

some_are_held() {
    jobs_now | grep -q ' 5$'
}

none_left() {
    [ -z "$(jobs_now)" ]
}

ask() { # STUDY SQL
    sqlite3 -readonly ".throng/$1/study.db" "$2" 2>/dev/null
}

done_of() { # STUDY
    ask "$1" 'select count(*) from trials where state = 3'
}

# Waits until trials of the study run, by the event log: a job that HTCondor
# calls running may still get its files.
begun() { # STUDY COUNT
    [ "$(cat ".throng/$1"/jobs/*/events.log 2>/dev/null |
        grep -c '^001 ')" -ge "$2" ]
}
