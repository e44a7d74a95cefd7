#!/usr/bin/env bash
# The first example: what `make demo` runs, and what the README shows.
. "$(dirname "$0")/lib.sh"

cp -r "$ROOT/examples/quickstart" study
rm -rf study/.throng
cd study || exit 1

run "$THRONG" run study.yaml
check_status "the quickstart study runs to its end" 0

run "$THRONG" export --jsonl
check_equal "all of its 40 trials are recorded" 40 \
    "$(grep -c '"state":"done"' <<<"$out")"
check_equal "each has its loss" 40 \
    "$(grep -c '"loss":' <<<"$out")"

run "$THRONG" rank -n 5 --json
check_status "its trials can be ranked" 0
check_contains "as a value with a schema" "$out" '"schema":"throng.rank/1"'

before=$("$THRONG" export --jsonl)
run "$THRONG" run study.yaml
check_status "running it again finds it finished" 0
check_equal "and does nothing again" "$before" "$("$THRONG" export --jsonl)"

# `make demo` ends with how to look at what it ran: in a folder that it makes.
place=$(sed -n 's/.*(cd \([^ ]*\) && [^ ]*throng web).*/\1/p' "$ROOT/Makefile")
check_contains "the line that make demo ends with names a folder it has run in" \
    "$(cat "$ROOT"/examples/*/demo)" "place=../../${place:-none}"
