#!/usr/bin/env bash
# Cohorts of the device cuda when something goes wrong: trainer, worker and
# conductor are killed, a member diverges, the GPU falls off the bus or is full.
# Nothing is lost, the others go on, and what comes out is the same to the last
# bit. The GPU is this machine's cpu (throng-worker-cuda-here).
# thorough: kernels that run one thread after another are slow
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
epochs: 400
seed: 5
END
study() { # NAME [LR]
    cat <<END >"$1.yaml"
name: $1
model: net.yaml
device: cuda
method: grid
metric: {name: val_loss, goal: minimize}
parameters:
  lr: {values: [0.1, 0.01, 0.001, 0.002${2:+, $2}]}
  units: {values: [4, 5]}
END
}

study calm
run "$THRONG" run calm.yaml
check_status 'cohorts of two kinds of models are trained' 0
results calm >expected
check_equal 'all of them' 8 "$(grep -c ' done ' expected)"

study bus
echo lost >fault
run "$THRONG" run bus.yaml
check_status 'a GPU that falls off the bus ends nothing' 0
check_contains 'it is said' "$("$THRONG" show bus all)" \
    'its trainer ended with code 70'
check "attempts were lost" test "$(attempts bus lost)" -gt 0
check_equal 'and no trial is' "$(cat expected)" "$(results bus)"

rm -f fault
"$THRONG" train net.yaml lr=0.1 units=4 --device cpu >/dev/null 2>&1
cut -d, -f1,2 xy.csv >new.csv
for i in calm bus; do
    echo "predict: {models: net.safetensors, data: new.csv, shard: 10, output: $i.csv}" >asked_$i.yaml
    [[ $i == bus ]] && echo lost >fault
    run "$THRONG" run asked_$i.yaml --device cuda
    check_status "$i: shards are asked on it" 0
done
check 'shards that were lost there are asked again' \
    test "$(attempts asked_bus lost)" -gt 0
check 'and say the same' cmp calm.csv bus.csv

study full
echo bytes=60000 >fault
run "$THRONG" run full.yaml
check_status 'a GPU that is full lets models wait' 0
check_equal 'none of them fails' 8 "$(attempts full done)"
check_equal 'and all are the same' "$(cat expected)" "$(results full)"
echo bytes=300 >fault
study never
run "$THRONG" run never.yaml
check_contains 'what can never fit is said' "$out$err" 'of memory beside its data'
rm fault

study diverges 1e9
run "$THRONG" run diverges.yaml
check_equal 'a member that diverges does so alone' "$(cat expected)" \
    "$(results diverges | grep -v '"lr":1000000000')"
check_equal 'and is called so' 2 "$(results diverges | grep -c '"lr":1000000000.* diverged')"

running() { # STUDY: some trial has reported
    "$THRONG" export "$1" --jsonl 2>/dev/null | grep -q '"state":"running"'
}
child() { pgrep -P "$1" "${@:2}" | head -n 1; }
trainer_of() { # CONDUCTOR
    local worker
    worker=$(child "$1" -f throng-worker) && child "$worker" -f trainer
}

for whom in trainer worker conductor; do
    study "$whom"
    "$THRONG" run "$whom.yaml" >.log 2>&1 &
    conductor=$!
    wait_for 60 running "$whom" || not_ok "$whom: it runs" "$(cat .log)"
    case $whom in
    trainer) victim=$(trainer_of $conductor) ;;
    worker) victim=$(child $conductor -f throng-worker) ;;
    conductor) victim=$conductor ;;
    esac
    check "the $whom is killed while cohorts train" kill -9 "$victim"
    wait $conductor
    [[ $whom != conductor ]] || "$THRONG" run "$whom.yaml" >.log 2>&1
    check_equal "nothing is lost with the $whom" "$(cat expected)" \
        "$(results "$whom")"
done
