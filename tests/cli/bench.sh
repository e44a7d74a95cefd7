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

# Another build, or programs that lie somewhere.
mkdir taken
cp "$THRONG" "$WORKER" taken/
printf '%s\n' '#!/bin/sh' 'echo "$1" >>"$TMP/taken/asked"' \
    'exec "$TMP/taken/throng-real" "$@"' >wrapped
mv taken/throng taken/throng-real
install -m 755 wrapped taken/throng
export THRONG_BUILD=$TMP/taken
run "$ROOT/bench/gpu_study" --device cpu --parts seeds --seeds 3
check_matches 'bench/gpu_study measures what THRONG_BUILD names' "$out" \
    '^val_loss, cpu less cpu, 3 seeds'
check_contains 'and nothing else' "$(cat taken/asked)" run
mkdir taken/bench
printf '%s\n' '#!/bin/sh' 'for i in 1 2 3 4 5 6; do echo "took 0.5"; done' >taken/bench/train_bench
chmod +x taken/bench/train_bench
run "$ROOT/bench/gpu" --device cpu --rows digits --only throng --members 2
check_matches 'bench/gpu finds its program there, too' "$out" '^digits +throng +228 +4$'
