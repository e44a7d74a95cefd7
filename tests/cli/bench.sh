#!/usr/bin/env bash
# The measurements in bench/ work, at sizes that say nothing about speed.
# thorough: every measurement, though small
. "$(dirname "$0")/lib.sh"

export THRONG_BUILD BENCH_DIR=$TMP
export BENCH_TASKS=60 BENCH_ROUNDS=1 BENCH_LARGE=100 BENCH_POINTS=2500 \
    BENCH_MEMORY_TASKS=40 BENCH_TRIALS=500 BENCH_FLOOD_SECONDS=0.2 BENCH_MODELS=100

for name in tasks million campaign verbs plot metrics; do
    run "$ROOT/bench/run" "$name"
    case $status in
    0 | 1) ok "bench/$name measures" ;;
    *) not_ok "bench/$name measures" "$(last_run)" ;;
    esac
    check_matches "and shows a table" "$out" '^what +measured +limit +met$'
    check_lacks "in which nothing broke" "$out" broke
done
check_matches "no metric point is lost" "$out" 'points lost +0 '
