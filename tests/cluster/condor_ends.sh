#!/usr/bin/env bash
# The stand-in for HTCondor ends with the script that it was started for, even
# where that is killed, and its jobs end with it.
. "$(dirname "$0")/../cli/lib.sh"
condor=$ROOT/tests/cluster/condor/condor
pool=$TMP/pool

is_gone() { # PID
    local state
    state=$(ps -o stat= -p "$1") || return 0
    [ "${state:0:1}" = Z ]
}

sleep 1000 &
owner=$!
to_end+=("$owner")
check "it starts" env CONDOR_TEST_OWNER=$owner CONDOR_TEST_FIRST=0 \
    "$condor" up "$pool"
to_end+=("$(cat "$pool/pid")")
. "$pool/env"
cat >job.sub <<'SUB'
executable = /bin/sh
arguments = "-c 'echo $$ > $ENV(PWD)/begun; sleep 1000'"
log = events.log
queue
SUB
sed -i "s|\$ENV(PWD)|$TMP|" job.sub
run condor_submit job.sub
check_status "it takes a job" 0
check "which begins" wait_for 30 test -s "$TMP/begun"
kill -9 "$owner"
check "it ends when its owner is killed" wait_for 30 is_gone "$(cat "$pool/pid")"
check "so does the job" wait_for 30 is_gone "$(cat "$TMP/begun")"
