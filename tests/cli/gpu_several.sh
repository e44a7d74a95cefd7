#!/usr/bin/env bash
# One study on two GPUs: a trainer for each, and members on both. A GPU that
# falls off the bus takes its trainer's members with it, which go to the other
# one; nothing is lost, and what comes out is the same to the last bit. The GPUs
# are this machine's cpu (throng-worker-cuda-here).
. "$(dirname "$0")/lib.sh"

gpu_is_here
export THRONG_TEST_GPU=$TMP/fault THRONG_GPUS=h200:9.0:140G,h200:9.0:140G
unset CUDA_VISIBLE_DEVICES

awk 'BEGIN { srand(3); print "x,y,label"; for (i = 0; i < 40; i++) {
    x = rand(); y = rand(); print x "," y "," (x > y ? "a" : "b") } }' >xy.csv
cat >net.yaml <<'END'
data: {train: xy.csv, label: label, validation: 0.2}
layers: [{dense: 3}, {dense: 2}]
loss: sparse_categorical_crossentropy
optimizer: {name: sgd, lr: '${lr}'}
batch_size: 16
epochs: '${epochs}'
seed: 5
END
study() { # NAME EPOCHS
    cat <<END >"$1.yaml"
name: $1
model: net.yaml
device: cuda
method: grid
metric: {name: val_loss, goal: minimize}
parameters:
  lr: {values: [0.1, 0.01, 0.001, 0.002]}
  epochs: {value: $2}
END
}
child() { pgrep -P "$1" "${@:2}"; }
gpus_of() { # CONDUCTOR: what its trainers see, each once
    local worker trainer
    for worker in $(child "$1" -f throng-worker); do
        for trainer in $(child "$worker" -f trainer); do
            tr '\0' '\n' <"/proc/$trainer/environ" | grep '^CUDA_VISIBLE_DEVICES='
        done
    done 2>/dev/null | sort | tr '\n' ' '
}
both_train() { [[ $(gpus_of "$1") == 'CUDA_VISIBLE_DEVICES=0 CUDA_VISIBLE_DEVICES=1 ' ]]; }

# Long enough to be looked at; it is not waited for.
study both 100000000
"$THRONG" run both.yaml >both.log 2>&1 &
conductor=$!
check 'there is a trainer for each GPU, which sees that one alone' \
    wait_for 60 both_train $conductor
kill -TERM $conductor
wait $conductor

study calm 30
run "$THRONG" run calm.yaml
check_status 'members on two GPUs are trained' 0
results calm >expected
check_equal 'all of them' 4 "$(grep -c ' done ' expected)"
study one 30
THRONG_GPUS=h200:9.0:140G run "$THRONG" run one.yaml
check_equal 'to the same bits as on one' "$(cat expected)" "$(results one)"

# `gpus: 1` asks for a GPU, not for one on which nobody else is trained.
asks() { # NAME EPOCHS
    study "$1" "$2"
    echo 'resources: {gpus: 1}' >>"$1.yaml"
}
all_run() { "$THRONG" status "$1" --json | grep -q '"running":4,'; }
asks out 100000000
run "$THRONG" check out.yaml
check_matches 'who asks for a GPU is told of its part' "$out" '^needs .* 0.5 gpus each'
check_matches 'and how many are out at once' "$out" 'training is built in: 4 models at once here, .* for each GPU$'
"$THRONG" run out.yaml >out.log 2>&1 &
conductor=$!
check 'members that ask for a GPU share it' wait_for 60 all_run out
check 'each GPU has its part of them' wait_for 60 both_train $conductor
kill -TERM $conductor
wait $conductor
asks whole 30
run "$THRONG" run whole.yaml
check_equal 'and are trained as others are' "$(cat expected)" "$(results whole)"

# It fails when it is used first, and is not there from then on: what began on
# it is lost once, what is to go there later moves.
study bus 30
echo lost >fault
run "$THRONG" run bus.yaml
check_status 'a GPU that fails in the middle ends nothing' 0
check "attempts on it were lost" test "$(attempts bus lost)" -gt 0
check_equal 'fewer than all, since the other goes on' yes \
    "$( (($(attempts bus lost) < 4)) && echo yes)"
check_matches 'and it is said which it was' "$("$THRONG" show bus all)" \
    'its trainer ended with code 70: GPU [01] failed'
check_equal 'no trial is lost' "$(cat expected)" "$(results bus)"

study gone 30
echo off=1 >fault
run "$THRONG" run gone.yaml
check_status 'one that is not there when it is to train does neither' 0
check_equal 'no attempt of it is lost' '4 0' \
    "$(attempts gone done) $(attempts gone lost)"
check_contains 'it is said' "$err" 'GPU 1 is not there any more'
check_equal 'and all are the same' "$(cat expected)" "$(results gone)"
asks gone_whole 30
run "$THRONG" run gone_whole.yaml
check_status 'nor does one that was asked for' 0
check_equal 'whose members go to the other one, too' "$(cat expected)" \
    "$(results gone_whole)"
echo off=0 >fault
asks old 30
THRONG_GPUS=k80:3.7:12G,h200:9.0:140G run "$THRONG" run old.yaml
check_equal 'as do those of one that is too old' "$(cat expected)" "$(results old)"
check_lacks 'at once' "$err" 'not there any more'

echo 'absent=no NVIDIA GPU can be seen' >fault
study none 30
run "$THRONG" run none.yaml
check_contains 'where none is left that is said' "$out$err" \
    'this machine has no device cuda: no NVIDIA GPU can be seen; `device: cpu` trains without'

# Memory for a cohort, and none for its rows: it waits for who has some.
awk 'BEGIN { srand(3); print "x,y,label"; for (i = 0; i < 4000; i++) {
    x = rand(); y = rand(); print x "," y "," (x > y ? "a" : "b") } }' >many.csv
sed -e 's/xy.csv/many.csv/; s/^epochs.*/epochs: 1/; s/^batch_size.*/batch_size: 500/' \
    -e "s/dense: 3/dense: '\${units}', activation: relu/; s/name: sgd/name: adam/" net.yaml >rows.yaml
for bytes in 1020000 1060000; do
    study "rows$bytes" 1
    sed -i 's/net.yaml/rows.yaml/; s/^  epochs:.*/  units: {values: [4, 5, 6, 7]}/' "rows$bytes.yaml"
    echo "bytes=$bytes" >fault
    THRONG_GPUS=h200:9.0:140G run "$THRONG" run "rows$bytes.yaml"
    check_equal "with $bytes bytes of memory none fails for lack of it" '16 0' \
        "$(attempts "rows$bytes" 'done') $(attempts "rows$bytes" failed)"
done
