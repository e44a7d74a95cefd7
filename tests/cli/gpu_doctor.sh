#!/usr/bin/env bash
# What doctor says of built-in training on a GPU: the second worker is asked
# which one it can use, or why none, and what compiles kernels for it.
. "$(dirname "$0")/lib.sh"

gpu_is_here
export THRONG_TEST_GPU=$TMP/fault

run "$THRONG" doctor
check_status 'doctor asks the second worker' 0
check_matches 'which says what its GPU is' "$out" '^ok +cuda +no GPU: its kernels run on a cpu'
check_matches 'and what compiles kernels for it' "$out" \
    '^(ok|--) +nvrtc +.*libnvrtc.*: kernels are (not )?compiled for the shapes of a model'

echo 'absent=this machine has no NVIDIA driver' >fault
run "$THRONG" doctor
check_status 'no GPU is no fault' 0
check_matches 'and it is said why there is none' "$out" \
    '^-- +cuda +this machine has no NVIDIA driver$'
rm fault

# Of several it is the first that can be used, as for models that are trained.
echo off=1 >fault
THRONG_GPUS=t4:7.5:16G,h200:9.0:140G run "$THRONG" doctor
check_matches 'the first GPU that is new enough is meant' "$out" \
    '^-- +cuda +no NVIDIA GPU can be seen$'
rm fault

# NVML's list, for a throng that cannot load NVML.
mkdir nvml
cp "$THRONG_BUILD/tests/sys/libfake_nvml.so" nvml/libnvidia-ml.so.1
run env LD_LIBRARY_PATH="$TMP/nvml" CUDA_VISIBLE_DEVICES=1,0 bin/throng-worker-cuda --gpus
check_equal 'the second worker lists what can be seen' \
    'GPU-aabb2222-0000 9.0 85899345920 1 NVIDIA H100
GPU-aaaa1111-0000 8.0 42949672960 0 NVIDIA A100-SXM4-40GB' "$out"

# What a worker says is told as it is.
worker_says() { # SCRIPT
    printf '#!/bin/sh\n%s\n' "$1" >bin/throng-worker-cuda
    chmod +x bin/throng-worker-cuda
}
worker_says 'test "$*" = "--describe-device cuda" || exit 2
echo "ok NVIDIA H200, 139 GiB, compute capability 9.0, driver for CUDA 13.0"
echo "-- there is no libnvrtc: kernels are not compiled for the shapes of a model"'
run "$THRONG" doctor --json
check_contains 'a program hears what there is' "$out" \
    '{"name":"cuda","ok":true,"text":"NVIDIA H200, 139 GiB, compute capability 9.0, driver for CUDA 13.0"}'
check_contains 'and what there is not' "$out" '{"name":"nvrtc","ok":null,"text":"there is no libnvrtc'

worker_says 'exit 127'
run "$THRONG" doctor
check_status 'a worker that does not start is no fault of others' 0
check_matches 'and is named' "$out" \
    '^-- +cuda +.*/throng-worker-cuda does not say which GPU it can use'
check_lacks 'of its compiler nothing is known' "$out" nvrtc
check_equal 'once' 1 "$(grep -c '^[a-z-]* *cuda ' <<<"$out")"
worker_says 'exit 0'
run "$THRONG" doctor
check_equal 'as is one that says nothing' 1 \
    "$(grep -c '^-- *cuda .* does not say which GPU' <<<"$out")"
check_equal 'once, too' 1 "$(grep -c '^[a-z-]* *cuda ' <<<"$out")"

rm bin/throng-worker-cuda
run "$THRONG" doctor
check_matches 'nor is one that is not there' "$out" '^-- +cuda +no throng-worker-cuda beside'

# What is wrong with the list of GPUs.
unset CUDA_VISIBLE_DEVICES
cp "$here" bin/throng-worker-cuda
gpus() { LD_LIBRARY_PATH=$TMP/nvml "$@" "$THRONG" doctor | grep -E '^[a-zA-Z-]+ +(gpus|cuda) '; }
check_equal 'GPUs that are described are said to be' \
    'ok   gpus           1, first: a100 (described by THRONG_GPUS)' \
    "$(gpus env THRONG_GPUS=a100:8.0:40G | head -1)"
check_equal 'as is that there are none' '--   gpus           none: THRONG_GPUS says so' \
    "$(gpus env THRONG_GPUS= | head -1)"
check_equal 'those that NVML lists are not' 'ok   gpus           2, first: NVIDIA A100-SXM4-40GB' \
    "$(gpus env | head -1)"
check_contains 'who has hidden them hears by what' "$(gpus env CUDA_VISIBLE_DEVICES=7)" \
    '--   gpus           none seen: CUDA_VISIBLE_DEVICES is `7`, and NVML lists none of these'
check_contains 'a driver without a GPU is told apart' "$(gpus env FAKE_NVML_NO_DRIVER=1)" \
    "--   gpus           none seen: there is a driver's NVML, which lists none"
if ldconfig -p 2>/dev/null | grep -q libnvidia-ml; then
    skip 'from no driver at all' 'this machine has one'
else
    check_contains 'from no driver at all' "$("$THRONG" doctor)" \
        '--   gpus           none seen: libnvidia-ml.so.1 is not here'
fi
