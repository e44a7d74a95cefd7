#!/usr/bin/env bash
# A GPU on which models are trained is given to no program of another run: it
# takes another one, or waits. Two runs of built-in training share it. The GPUs
# are this machine's cpu (throng-worker-cuda-here).
. "$(dirname "$0")/lib.sh"

gpu_is_here
unset CUDA_VISIBLE_DEVICES

awk 'BEGIN { srand(3); print "x,y,label"; for (i = 0; i < 40; i++) {
    x = rand(); y = rand(); print x "," y "," (x > y ? "a" : "b") } }' >xy.csv
cat >net.yaml <<'END'
data: {train: xy.csv, label: label, validation: 0.2}
layers: [{dense: 3}, {dense: 2}]
loss: sparse_categorical_crossentropy
optimizer: {name: sgd, lr: '${lr}'}
batch_size: 16
epochs: 100000000
END
gpus() { # COUNT
    export THRONG_GPUS=h200:9.0:140G
    [ "$1" -eq 1 ] || THRONG_GPUS+=,$THRONG_GPUS
}
start() { # NAME
    "$THRONG" run -q "$1.yaml" &
    to_end+=($!)
}
train() { # NAME: one model that does not come to its end
    cat <<END >"$1.yaml"
model: net.yaml
device: cuda
method: grid
metric: {name: val_loss, goal: minimize}
parameters: {lr: {values: [0.1]}}
END
    start "$1"
}
program() { # NAME
    cat <<END >"$1.yaml"
command: [sh, -c, 'ls over-* >$1.after 2>/dev/null; echo \$CUDA_VISIBLE_DEVICES >$1.gpu;
    until test -e go-$1; do sleep 0.05; done']
method: grid
parameters: {x: {values: [1]}}
resources: {gpus: 1, cpus: 0.1}
END
    start "$1"
}
end() { # NAME: of a training
    touch "over-$1"
    "$THRONG" kill "$1" >/dev/null 2>&1
}
says() { # TEXT NAME, of what a run has
    "$THRONG" status "$2" --json | grep -Fq "\"gpus\":[$1},\"beside\""
}
has() { says "$1],\"waits\":false" "$2"; }
trains() { "$THRONG" status "$1" --json | grep -Fq '"running":1,'; }

gpus 1
train one
check 'who trains has the GPU' wait_for 60 has 0 one
program waits
check 'a program waits for it' wait_for 60 says '],"waits":true' waits
train two
check 'another run trains on it, too' wait_for 60 has 0 two
check 'and the first one still has it' has 0 one
end one
left() { ! has 0 one; }
check 'which leaves it to the other' wait_for 60 left
end two
check 'when nobody trains the program runs' wait_for 60 test -s waits.gpu
check_equal 'on that GPU' 0 "$(cat waits.gpu)"
check_equal 'then, and not before' 'over-one over-two' "$(xargs <waits.after)"

train three
check 'who comes to a program trains beside it' wait_for 60 trains three
check 'and has no GPU that is its own' has '' three
touch go-waits
check 'from when it has ended' wait_for 60 has 0 three
end three
wait

gpus 2
train left
check 'of two GPUs who trains one model has one' wait_for 60 has 0 left
program right
check 'a program runs meanwhile' wait_for 60 test -s right.gpu
check_equal 'on the other one' 1 "$(cat right.gpu)"
end left
program both
check 'it goes where nobody trains any more' wait_for 60 test -s both.gpu
touch go-right
ended() { "$THRONG" status right --json | grep -Fq '"done":1'; }
check 'one of two is free again' wait_for 60 ended
train last
check 'where a model is trained' wait_for 60 has 1 last
touch go-both
end last
wait
