#!/usr/bin/env bash
# What a trainer's GPU is called: as NVML calls it, a UUID or a slice's name, and
# numbers are those of NVML, too. NVML is a fake one; the GPUs are this machine's
# cpu (throng-worker-cuda-here).
. "$(dirname "$0")/lib.sh"

gpu_is_here
mkdir nvml
cp "$THRONG_BUILD/tests/sys/libfake_nvml.so" nvml/libnvidia-ml.so.1
export LD_LIBRARY_PATH=$TMP/nvml THRONG_TEST_GPU=$TMP/fault
unset CUDA_VISIBLE_DEVICES THRONG_GPUS

printf 'x,label\n' >x.csv
for i in 1 2 3 4 5 6 7 8 9; do printf '0.%s,%s\n' $i $((i % 2)); done >>x.csv
cat >net.yaml <<'END'
data: {train: x.csv, label: label}
layers: [{dense: 2}]
loss: sparse_categorical_crossentropy
optimizer: {name: sgd, lr: '${lr}'}
epochs: 2
seed: 5
END
# A GPU that is off is said not to be there by the trainer that sees it under
# that name, and its members go to the other one.
train() { # NAME OFF
    printf '%s\n' "name: $1" 'model: net.yaml' 'device: cuda' 'method: grid' \
        'parameters: {lr: {values: [0.1, 0.01, 0.001, 0.002]}}' >"$1.yaml"
    echo "off=$2" >fault
    run "$THRONG" run "$1.yaml"
    check_status "the study $1 ends" 0
}
missing() { grep -o 'GPU [^ ]* is not there any more' <<<"$err"; }

train first GPU-aaaa1111-0000
check_equal 'a trainer sees its GPU by its UUID' \
    'GPU GPU-aaaa1111-0000 is not there any more' "$(missing)"
FAKE_NVML_SLICES=1 train slice MIG-cccc-1
check_equal 'or a slice of one by its name' \
    'GPU MIG-cccc-1 is not there any more' "$(missing)"
CUDA_VISIBLE_DEVICES=1,0 train numbers GPU-aabb2222-0000
check_equal 'also where who started throng gave numbers' \
    'GPU GPU-aabb2222-0000 is not there any more' "$(missing)"
CUDA_VISIBLE_DEVICES=1 train one GPU-aaaa1111-0000
check_equal 'of which only those are used' '' "$(missing)"

# CUDA counts by speed, unless it is told; NVML as the machine has them.
rm fault
run bin/throng-worker-cuda --describe-device cuda
check_matches 'the trainer counts GPUs as NVML does' "$out" '^ok no GPU: its kernels'
export CUDA_DEVICE_ORDER=FASTEST_FIRST
run bin/throng-worker-cuda --describe-device cuda
check_matches 'whatever CUDA_DEVICE_ORDER says' "$out" '^ok no GPU: its kernels'
train order nobody

# ---- who has which -------------------------------------------------------------
# Each run counts those that it sees; which one is meant everybody knows.
program() { # NAME
    cat <<END >"$1.yaml"
command: [sh, -c, 'echo \$CUDA_VISIBLE_DEVICES >$1.gpu; until test -e go; do sleep 0.05; done']
method: grid
parameters: {x: {values: [1]}}
resources: {gpus: 1, cpus: 0.1}
END
    "$THRONG" run -q "$1.yaml" &
    to_end+=($!)
}
has() { # GPUS WAITS NAME
    "$THRONG" status "$3" --json | grep -Fq "\"gpus\":[$1],\"waits\":$2},\"beside\""
}
CUDA_VISIBLE_DEVICES=1 program number
check 'a run that sees the second GPU alone has it' wait_for 60 has 1 false number
CUDA_VISIBLE_DEVICES=GPU-aabb2222-0000 program uuid
check 'who sees it by its UUID waits' wait_for 60 has '' true uuid
CUDA_VISIBLE_DEVICES=GPU-aaaa1111-0000,1 program both
check 'who sees the first one, too, has that' wait_for 60 test -s both.gpu
check_equal 'by its name' GPU-aaaa1111-0000 "$(cat both.gpu)"
check 'and its number' wait_for 60 has 0 false both
run "$THRONG" status number
check_matches 'status counts them as the machine does' "$out" '^has .*, GPU 1$'
check_matches 'those of others, too' "$out" '^beside .*both: .*, GPU 0$'
touch go
wait
rm go
FAKE_NVML_SLICES=1 CUDA_VISIBLE_DEVICES=0 program cut
check 'a GPU that is cut is its first slice' wait_for 60 test -s cut.gpu
FAKE_NVML_SLICES=1 CUDA_VISIBLE_DEVICES=MIG-cccc-1 program slice-named
check 'which nobody has beside' wait_for 60 has '' true slice-named
touch go
wait
