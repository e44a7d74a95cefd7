#!/usr/bin/env bash
# What a model took of its GPU: its part of the memory, that of the first cohort
# too, and of the energy until its end, also where it has one epoch alone. The
# GPU is this machine's cpu (throng-worker-cuda-here), and what it says stands
# in a file.
. "$(dirname "$0")/lib.sh"

gpu_is_here
export THRONG_GPUS=h200:9.0:140G THRONG_GPUS_USE=$TMP/use

awk 'BEGIN { srand(3); print "x,y,label"; for (i = 0; i < 60; i++) {
    x = rand(); y = rand(); print x "," y "," (x > y ? "a" : "b") } }' >xy.csv
cat >net.yaml <<'END'
data: {train: xy.csv, label: label, validation: 0.2}
layers: [{dense: 3}, {dense: 2}]
loss: sparse_categorical_crossentropy
optimizer: {name: sgd, lr: '${lr}'}
batch_size: 16
epochs: 1
END
cat >one.yaml <<'END'
name: one
model: net.yaml
device: cuda
method: grid
metric: {name: val_loss, goal: minimize}
parameters: {lr: {values: [0.1]}}
END
of() { # KEY of the only attempt
    "$THRONG" show one 1 --json | python3 -c '
import json, sys
print(json.load(sys.stdin)["trials"][0]["attempts"][0][sys.argv[1]])' "$1"
}

# Who looks first waits here, and hears the first line; meanwhile the second one
# takes its place, for all later looks.
mkfifo use
printf '0 joules 105\n0 1 3000\n' >later
"$THRONG" run one.yaml >.log 2>&1 &
conductor=$!
exec 3>use
mv later use
printf '0 joules 5\n0 1 1000\n' >&3
exec 3>&-
wait $conductor
check_equal 'a model is trained' 0 $?
check_equal 'the energy of its only epoch is its' 100.0 "$(of joules)"
check_equal 'and so is the memory' 2000 "$(of gpu_bytes | cut -d. -f1)"
run "$THRONG" show one 1
check_contains 'show tells both' "$out" '100 J of a GPU, by time'
