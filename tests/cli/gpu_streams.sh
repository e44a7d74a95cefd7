#!/usr/bin/env bash
# Cohorts of one GPU train side by side: their steps alternate, and each is what
# it is alone, to the last bit; who is killed does not wait for the end of an
# epoch. The GPU is this machine's cpu (throng-worker-cuda-here).
. "$(dirname "$0")/lib.sh"

gpu_is_here

awk 'BEGIN { srand(3); print "x,y,label"; for (i = 0; i < 60; i++) {
    x = rand(); y = rand(); print x "," y "," (x > y ? "a" : "b") } }' >xy.csv
cat >net.yaml <<'END'
data: {train: xy.csv, label: label, validation: 0.2}
layers: [{dense: '${units}'}, {dense: 2}]
loss: sparse_categorical_crossentropy
optimizer: {name: sgd, lr: '${lr}'}
batch_size: 1
epochs: 20
seed: 5
END
study() { # NAME UNITS [MODEL]
    cat <<END >"$1.yaml"
name: $1
model: ${3:-net}.yaml
device: cuda
method: grid
metric: {name: val_loss, goal: minimize}
parameters:
  lr: {values: [0.1, 0.01, 0.001]}
  units: {values: $2}
END
}

for units in 4 5 6; do
    study "alone$units" "[$units]"
    run "$THRONG" run "alone$units.yaml"
    check_status "a cohort of $units units is trained alone" 0
done
study both '[4, 5, 6]'
export THRONG_TEST_GPU_STEPS=$TMP/steps
run "$THRONG" run both.yaml
check_status 'three cohorts are trained side by side' 0
check_equal 'each is what it is alone' \
    "$(for units in 4 5 6; do results "alone$units"; done | sort)" \
    "$(results both)"
# Each epoch is three pieces of 16 steps: cohorts one after the other would have
# three of them together.
check 'their steps alternate' awk '
    $2 == 16 { if ($1 != last && last != before) found = 1; before = last; last = $1 }
    END { exit !found }' steps
unset THRONG_TEST_GPU_STEPS

# An epoch of far more than the two seconds in which a trainer has to answer.
awk 'BEGIN { srand(3); print "x,y,label"; for (i = 0; i < 20000; i++) {
    x = rand(); y = rand(); print x "," y "," (x > y ? "a" : "b") } }' >many.csv
sed 's/xy.csv/many.csv/; s/^epochs:.*/epochs: 1000/' net.yaml >deep.yaml
study long '[4, 5]' deep
"$THRONG" run long.yaml >.log 2>&1 &
conductor=$!
are_running() { # N trials
    [[ $("$THRONG" export long --jsonl 2>/dev/null |
        grep -c '"state":"running"') -eq $1 ]]
}
wait_for 60 are_running 6 || not_ok 'six trials run' "$(cat .log)"
run "$THRONG" kill long 1
check_status 'one of them is killed' 0
wait_for 60 are_running 5 || not_ok 'five go on' "$("$THRONG" status long)"
check_lacks 'and nobody is lost with it' \
    "$("$THRONG" show long all --json)" '"outcome":"lost"'
run "$THRONG" kill long
wait $conductor
check_lacks 'nor when all are' "$("$THRONG" show long all --json)" \
    '"outcome":"lost"'
