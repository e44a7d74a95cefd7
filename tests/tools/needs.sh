#!/usr/bin/env bash
# What the programs need of the machine that they run on: the worker nothing, that
# of GPUs the C library
. "$(dirname "$0")/../cli/lib.sh"

# The libraries that a program names, one a line.
needed_by() { # PROGRAM
    readelf -d "$1" | sed -n 's/.*(NEEDED).*\[\(.*\)\]$/\1/p'
}

check_equal 'throng-worker needs no library' '' "$(needed_by "$WORKER")"

cuda=$WORKER-cuda
if [[ ! -x $cuda ]]; then
    skip 'throng-worker-cuda needs the C library alone' 'it is not built'
    exit 0
fi
check_contains 'throng-worker-cuda needs the C library' \
    "$(needed_by "$cuda")" libc.so.6
check_equal 'and no other' '' "$(needed_by "$cuda" |
    grep -vE '^(lib(c|m|dl|rt|pthread)\.so\.[0-9]+|ld-linux.*)$')"
