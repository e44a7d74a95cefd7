#!/usr/bin/env bash
# A program that waits for a GPU on which other runs train one model after the
# other has its turn. The GPU is this machine's cpu (throng-worker-cuda-here).
# thorough: a turn is ten seconds
. "$(dirname "$0")/lib.sh"

gpu_is_here
export THRONG_GPUS=h200:9.0:140G
unset CUDA_VISIBLE_DEVICES

awk 'BEGIN { srand(3); print "x,y,label"; for (i = 0; i < 40; i++) {
    x = rand(); y = rand(); print x "," y "," (x > y ? "a" : "b") } }' >xy.csv
cat >net.yaml <<'END'
data: {train: xy.csv, label: label, validation: 0.2}
layers: [{dense: 3}, {dense: 2}]
loss: sparse_categorical_crossentropy
optimizer: {name: sgd, lr: '${lr}'}
batch_size: 16
epochs: 5
END
cat >train.yaml <<'END'
model: net.yaml
device: cuda
method: random
parallel: 2
metric: {name: val_loss, goal: minimize}
parameters: {lr: {min: 0.001, max: 0.1}}
END
cat >program.yaml <<'END'
command: [sh, -c, 'touch turn']
method: grid
parameters: {x: {values: [1]}}
resources: {gpus: 1, cpus: 0.1}
END

"$THRONG" run -q train.yaml &
training=$!
to_end+=($training)
has() { "$THRONG" status train --json | grep -Fq '"gpus":[0],"waits":false},"beside"'; }
check 'models are trained without an end' wait_for 60 has
run "$THRONG" run -q program.yaml
check_status 'a program has its turn' 0
check 'on the GPU' test -e turn
check 'while they still are' kill -0 $training
done_now() { "$THRONG" status train --json | grep -o '"done":[0-9]*' | head -1; }
before=$(done_now)
more() { [ "$(done_now)" != "$before" ]; }
check 'and go on' wait_for 60 more

# Turns of two that train there are over one after the other.
rm turn
sleep 4 # more than who lets go leaves the GPU alone for
"$THRONG" run -q train.yaml --new other &
other=$!
to_end+=($other)
others() { "$THRONG" status other --json | grep -Fq '"gpus":[0],"waits":false},"beside"'; }
check 'models of another run are, too' wait_for 60 others
"$THRONG" run -q program.yaml --new second &
to_end+=($!)
check 'a program has its turn on a GPU that several have' wait_for 60 test -e turn
kill -TERM $other
wait $other || true

# Of another user nobody is told who waits.
(flock -s 9 && exec sleep 600) 9<"$THRONG_RUNTIME_DIR/throng-gpu-0" &
stranger=$!
to_end+=($stranger)
"$THRONG" run -q program.yaml --new third &
to_end+=($!)
waits() { "$THRONG" status third --json | grep -Fq '"gpus":[],"waits":true'; }
check 'a program waits where another user trains' wait_for 60 waits
sleep 13 # a turn, and more than who lets go leaves the GPU alone for
before=$(done_now)
check 'who lets go in vain goes on' wait_for 60 more
rm turn
kill $stranger
check 'when that one has ended the program has its turn' wait_for 60 test -e turn
kill -TERM $training
wait $training || true
