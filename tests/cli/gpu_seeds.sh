#!/usr/bin/env bash
# The same models with the same seeds end alike on a cpu and on a GPU: what
# bench/gpu_study measures there, with fewer seeds and this machine's cpu as the
# GPU (throng-worker-cuda-here).
# thorough: two studies on each device
. "$(dirname "$0")/lib.sh"

gpu_is_here
export THRONG_BUILD=$TMP/bin BENCH_DIR=$TMP

run "$ROOT/bench/gpu_study" --parts seeds --device cuda --seeds 12
check_status 'models of a dozen seeds end alike on both devices' 0
check_matches 'by their loss' "$out" \
    '^val_loss, cuda less cpu, 12 seeds: far end .* yes$'
check_matches 'and by their accuracy' "$out" \
    '^val_accuracy, cuda less cpu, 12 seeds: far end .* yes$'

rm bin/throng-worker-cuda
run "$ROOT/bench/gpu_study" --parts seeds --device cuda --seeds 2
check_status 'without the device nothing is measured' 2
