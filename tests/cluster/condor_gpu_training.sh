#!/usr/bin/env bash
# Built-in training on GPUs of an HTCondor pool, which shares no disk with us:
# the program that trains there is sent along, and members share a GPU. The GPUs
# are pretended ones, whose kernels run on the cpu (throng-worker-cuda-here).
# timeout: 300
export CONDOR_TEST_FIRST=0.2-0.5 CONDOR_TEST_PACE=0.1 CONDOR_TEST_GPUS=2
. "$(dirname "$0")/condor/lib.sh"

gpu_is_here

awk 'BEGIN { srand(3); print "x,y,label"; for (i = 0; i < 40; i++) {
    x = rand(); y = rand(); print x "," y "," (x > y ? "a" : "b") } }' >xy.csv
cat >net.yaml <<'END'
data: {train: xy.csv, label: label, validation: 0.2}
layers: [{dense: 3}, {dense: 2}]
loss: sparse_categorical_crossentropy
optimizer: {name: sgd, lr: '${lr}'}
batch_size: 16
epochs: 3
END
printf '%s\n' 'name: gpus' 'model: net.yaml' 'method: random' 'run_cap: 6' \
    'metric: {name: val_loss, goal: minimize}' 'htcondor: {look: 0.5}' \
    'parameters: {lr: {min: 0.001, max: 0.1}}' 'resources: {gpus: 1}' >gpus.yaml
run timeout 120 "$THRONG" run gpus.yaml --engine htcondor
check_status 'a study that asks for GPUs runs' 0
check_equal 'on the device cuda' ' 6 "device":"cuda" ' \
    "$("$THRONG" show gpus all --json | grep -o '"device":"[a-z]*"' | sort | uniq -c | tr -s ' \n' ' ')"
check_contains 'its program was sent along' \
    "$(grep -h '^transfer_input_files' .throng/gpus/jobs/*/job.sub)" \
    "$PWD/bin/throng-worker-cuda"
check_equal 'and one GPU asked for, for all of them' 'request_gpus = 1' \
    "$(grep -h '^request_gpus' .throng/gpus/jobs/*/job.sub)"

# Models that are asked travel there with their rows, and so does the program.
"$THRONG" train net.yaml lr=0.01 --device cpu >/dev/null 2>&1
for device in cuda cpu; do
    printf '%s\n' "name: asked_$device" "device: $device" 'htcondor: {look: 0.5}' \
        'predict: {models: net.safetensors, data: xy.csv, shard: 10}' >asked_$device.yaml
    run timeout 120 "$THRONG" run asked_$device.yaml --engine htcondor
    check_status "$device: models are asked" 0
    check_equal "$device: there" " 4 \"device\":\"$device\" " \
        "$("$THRONG" show asked_$device all --json | grep -o '"device":"[a-z]*"' | sort | uniq -c | tr -s ' \n' ' ')"
done
check_contains 'the program that asks was sent along' \
    "$(grep -h '^transfer_input_files' .throng/asked_cuda/jobs/*/job.sub)" \
    "$PWD/bin/throng-worker-cuda"
check_equal 'to one GPU for all of them' 'request_gpus = 1' \
    "$(grep -h '^request_gpus' .throng/asked_cuda/jobs/*/job.sub)"
check_equal 'both say the same' "$(cut -d, -f 1-3 .throng/asked_cuda/predictions.csv)" \
    "$(cut -d, -f 1-3 .throng/asked_cpu/predictions.csv)"

sed 's/^name.*/name: cpus/; /^resources/d' gpus.yaml >cpus.yaml
check_lacks 'who asks for none has no such program' \
    "$("$THRONG" submit-file cpus.yaml --engine htcondor 2>&1)" throng-worker-cuda
