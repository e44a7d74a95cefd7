#!/usr/bin/env bash
# A model that comes while another one is trained joins its cohort on the GPU:
# the steps of both are given together from then on, and it becomes what it is
# alone, to the last bit. The GPU is this machine's cpu
# (throng-worker-cuda-here).
. "$(dirname "$0")/lib.sh"

gpu_is_here

awk 'BEGIN { srand(3); print "x,y,label"; for (i = 0; i < 60; i++) {
    x = rand(); y = rand(); print x "," y "," (x > y ? "a" : "b") } }' >xy.csv
cat >net.yaml <<'END'
data: {train: xy.csv, label: label, validation: 0.2}
layers: [{dense: 4}, {dense: 2}]
loss: sparse_categorical_crossentropy
optimizer: {name: sgd, lr: '${lr}'}
batch_size: 1
epochs: '${epochs}'
seed: 5
END
study() { # NAME LR EPOCHS
    cat <<END >"$1.yaml"
name: $1
model: net.yaml
device: cuda
method: grid
metric: {name: val_loss, goal: minimize}
parameters:
  lr: {values: [$2]}
  epochs: {values: [$3]}
END
}

study alone 0.01 20
run "$THRONG" run alone.yaml
check_status 'a model is trained alone' 0

study late 0.1 100000000
THRONG_TEST_GPU_STEPS=$TMP/steps "$THRONG" run late.yaml >.log 2>&1 &
conductor=$!
check 'another one trains, alone' wait_for 60 grep -qs ' 16 1$' steps
run "$THRONG" add late 'lr=0.01,epochs=20' --outside
check_status 'the model is added meanwhile' 0
is_done() { results late | grep -q ' done '; }
check 'and is trained, though the other one does not end' wait_for 60 is_done
check 'the steps of both are given together' grep -q ' 16 2$' steps
run "$THRONG" kill late
wait $conductor
check_equal 'to one cohort' 1 "$(cut -d ' ' -f 1 steps | sort -u | wc -l)"
check_equal 'it is what it is alone' "$(results alone)" \
    "$(results late | grep ' done ')"
