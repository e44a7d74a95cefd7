#!/usr/bin/env bash
# thorough: a program is watched for 20 s before anything is said of it
# What explain says of programs that have no GPU: one that mostly waits for
# disks, and one that leaves most of its cpus idle.
. "$(dirname "$0")/lib.sh"

export THRONG_GPUS=
blocked=$THRONG_BUILD/tests/worker/worker_blocked
study() { # name words…
    printf '%s\n' "name: $1" "command: [$2]" 'method: grid' \
        'parameters: {i: {values: [1]}}' "${@:3}" >"$1.yaml"
}
study disk "$blocked, \"26\""
study wide 'sleep, "24"' 'resources: {cpus: 2}'
study short 'sleep, "1"' 'resources: {cpus: 2}'
"$THRONG" run disk.yaml >disk.out 2>&1 &
one=$!
run "$THRONG" run wide.yaml
check_status "a program that uses none of its cpus runs" 0
wait $one
check_equal "so does one that waits for a disk" 0 $?
run "$THRONG" explain wide 1
check_matches "cpus that are idle are said" "$out" \
    'The program keeps 0\.[0-9] of its 2 cpus busy: with fewer \(`cpus`\) more trials run at once\.'
run "$THRONG" explain disk 1
check_matches "and disks that are waited for" "$out" \
    'The program waits for disks [5-9][0-9] % of the time: read the data once, or from a faster disk\.|waits for disks 100 %'
run "$THRONG" run short.yaml
run "$THRONG" explain short 1
check_lacks "a short one may have just begun" "$out" "cpus busy"
