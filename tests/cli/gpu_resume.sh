#!/usr/bin/env bash
# A training that is interrupted goes on on the kind of device that it was begun
# on, whatever `auto` would choose now; where it cannot, that is said, in both
# directions. The GPU is this machine's cpu (throng-worker-cuda-here), and how
# fast it is stands in a file.
. "$(dirname "$0")/lib.sh"

gpu_is_here
export THRONG_GPUS=h200:9.0:140G
mkdir -p .cache/throng

paces() { # CPU GPU: seconds an operation, flops a second, seconds before the first
    {
        printf 'throng-paces 1 %s' "$(nproc)"
        printf ' %s' "$(stat -c %s.%Y bin/throng-worker)" \
            "$(stat -c %s.%Y bin/throng-worker-cuda)" 0 -
        printf '\n%s\n%s\n' "$1" "$2"
    } >".cache/throng/paces-$(uname -n)"
}
gpu_is_fast() { paces '1e-3 1e9 0' '1e-9 1e14 0'; }
gpu_is_slow() { paces '1e-9 1e14 0' '1e-2 1e6 5'; }
gpu_goes() { mv bin/throng-worker-cuda away; }
gpu_comes() { mv away bin/throng-worker-cuda; }

awk 'BEGIN { srand(3); print "x,y,label"; for (i = 0; i < 60; i++) {
    x = rand(); y = rand(); print x "," y "," (x > y ? "a" : "b") } }' >xy.csv
study() { # NAME [DEVICE]
    cat >"$1.net.yaml" <<END
data: {train: xy.csv, label: label, validation: 0.2}
layers: [{dense: 4, activation: relu}, {dense: 2}]
loss: sparse_categorical_crossentropy
optimizer: {name: adam, lr: '\${lr}'}
batch_size: 16
epochs: 100000000
END
    cat >"$1.yaml" <<END
name: $1
model: $1.net.yaml
method: grid
metric: {name: val_loss, goal: minimize}
parameters: {lr: {values: [0.01, 0.001]}}
${2:+device: $2}
END
}
reported() { "$THRONG" export "$1" --history 2>/dev/null | grep -q '^2,'; }
interrupt() { # STUDY: when both of its trials have reported
    "$THRONG" run "$1.yaml" >"$1.log" 2>&1 &
    local conductor=$!
    wait_for 60 reported "$1" || not_ok "$1: it runs" "$(cat "$1.log")"
    kill -TERM $conductor
    wait $conductor
}
devices() { # of the attempts of trial 1, in order
    "$THRONG" show "$1" 1 --json | grep -o '"device":"[a-z]*"' | cut -d'"' -f4 |
        tr '\n' ' '
}
moved='goes on on the device'

# What goes on is looked at and ended: no machine, however quick, has come to the
# end of so many epochs before it is interrupted.
reports() { "$THRONG" export "$1" --history | cut -d, -f2 | sort -n | tail -n 1; }
is_on() { # STUDY DEVICES EPOCH: which has passed
    [ "$(devices "$1")" = "$2" ] && [ "$(reports "$1")" -gt "$3" ]
}
goes_on() { # STUDY DEVICES: those of all attempts
    local conductor code last
    last=$(reports "$1")
    "$THRONG" run "$1.yaml" >"$1.log" 2>&1 &
    conductor=$!
    wait_for 60 is_on "$1" "$2" "$last"
    code=$?
    kill -TERM $conductor
    wait $conductor
    return $code
}

gpu_is_fast
study stays
interrupt stays
gpu_is_slow
check 'what was interrupted on a GPU goes on there, though the cpu is said to be faster now' \
    goes_on stays 'cuda cuda '
check_lacks 'and nothing is said of it' "$(cat stays.log)$("$THRONG" show stays all)" "$moved"

# The only GPU falls off the bus while it trains what `auto` put there.
gpu_is_fast
study falls
export THRONG_TEST_GPU=$TMP/fault
"$THRONG" run falls.yaml >falls.log 2>&1 &
conductor=$!
wait_for 60 reported falls || not_ok 'falls: it runs' "$(cat falls.log)"
last=$(reports falls)
echo off=0 >fault
check 'where the only GPU falls off the bus the cpu goes on' \
    wait_for 60 is_on falls 'cuda cpu ' "$last"
check_contains 'which is said, with the reason' "$(cat falls.log)" \
    'auto chose the device cuda, which is not here (no NVIDIA GPU can be seen); the cpu takes its place'
check_lacks 'and no trial has failed' "$("$THRONG" status falls)" failed
# One for each cpu, where there are as many models.
trainers() { # those that the worker for cpus is
    local pid
    for pid in $(pgrep -P "$(pgrep -P $conductor -f throng-worker)"); do
        readlink "/proc/$pid/exe"
    done | grep -c '/throng-worker$'
}
most=$(($(nproc) < 2 ? $(nproc) : 2))
all_train() { [ "$(trainers)" -eq $most ]; }
check 'with as many trainers as a study of the cpu has' wait_for 60 all_train
check_equal 'which is said once' 1 "$(grep -c 'takes its place' falls.log)"
kill -TERM $conductor
wait $conductor
echo 'absent=no NVIDIA GPU can be seen' >fault
run timeout 60 "$THRONG" train falls.net.yaml lr=0.01 --budget 2
check_status 'nor does one model alone' 0
check_contains 'which says it, too' "$err" 'the cpu takes its place'
run "$THRONG" train falls.net.yaml lr=0.01 --budget 2 --device cuda
check_status 'but who names the GPU goes without' 1
rm fault

gpu_is_fast
study down
interrupt down
gpu_goes
check 'where the GPU is gone the cpu goes on' goes_on down 'cuda cpu '
check_contains 'which is said' "$(cat down.log)" \
    'what was begun on the device cuda goes on on the device cpu'

study keeps auto
interrupt keeps
gpu_comes
gpu_is_fast
check 'what was begun on the cpu goes on there when a GPU has come' \
    goes_on keeps 'cpu cpu '
check_lacks 'and nothing is said of that either' "$(cat keeps.log)" "$moved"

study up cpu
interrupt up
study up cuda
check 'who names the GPU has it' goes_on up 'cpu cuda '
check_contains 'and hears that it was begun on the cpu' "$(cat up.log)" \
    'what was begun on the device cpu goes on on the device cuda'
