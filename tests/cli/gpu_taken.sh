#!/usr/bin/env bash
# Another program has taken the memory of the GPU, before a model is begun or
# while it is: it waits until there is some again. The GPU is this machine's cpu
# (throng-worker-cuda-here), and what it has is said in a file.
. "$(dirname "$0")/lib.sh"

gpu_is_here
export THRONG_TEST_GPU=$TMP/fault

awk 'BEGIN { srand(3); print "x,y,label"; for (i = 0; i < 60; i++) {
    x = rand(); y = rand(); print x "," y "," (x > y ? "a" : "b") } }' >xy.csv
cat >net.yaml <<'END'
data: {train: xy.csv, label: label, validation: 0.2}
layers: [{dense: '${units}'}, {dense: 2}]
loss: sparse_categorical_crossentropy
optimizer: {name: sgd, lr: '${lr}'}
batch_size: 16
epochs: 5
seed: 5
END
study() { # NAME
    cat <<END >"$1.yaml"
name: $1
model: net.yaml
device: cuda
method: grid
metric: {name: val_loss, goal: minimize}
parameters:
  lr: {values: [0.1, 0.01]}
  units: {values: [4, 5]}
END
}

study calm
run "$THRONG" run calm.yaml
check_status 'models are trained' 0
results calm >expected

for how in taken late; do
    study $how
    echo "bytes=200000 $how=199500" >fault
    "$THRONG" run $how.yaml >.log 2>&1 &
    conductor=$!
    wait_for 60 grep -q 'what does not fit waits' .log ||
        not_ok "memory that others have $how is waited for" "$(cat .log)"
    check_equal 'nobody has failed' '' "$(results $how | grep ' failed ')"
    echo bytes=200000 >fault.new
    mv fault.new fault
    wait $conductor
    check_equal 'and all are trained when it is there' "$(cat expected)" \
        "$(results $how)"
done

study never
echo bytes=300 >fault
run "$THRONG" run never.yaml
check_contains 'what can never fit is said' "$out$err" 'of memory beside its data'
