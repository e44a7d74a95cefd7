#!/usr/bin/env bash
# An inference on machines that see neither the rows nor the models: the table
# is that of this machine, to the byte, also where jobs are vacated meanwhile.
# timeout: 900
export CONDOR_TEST_FIRST=0.5-1 CONDOR_TEST_PACE=0.1
. "$(dirname "$0")/condor/lib.sh"

# ---- models and rows --------------------------------------------------------

python3 - <<'PY'
import random
random.seed(5)
def rows(name, count, label, header):
    with open(name, "w") as f:
        if header:
            print("a,b,c,place" + (",y" if label else ""), file=f)
        for _ in range(count):
            x = [random.gauss(0, 1) for _ in range(3)]
            print(",".join("%.4f" % v for v in x) + ",p%d" % random.randrange(3)
                  + (",%.4f" % sum(x) if label else ""), file=f)
import os
os.mkdir("new")
rows("train.csv", 200, True, True)
rows("new/first.csv", 900, False, True)
rows("new/second.csv", 300, False, True)
rows("known.csv", 300, True, True)
with open("places.csv", "w") as f:
    print("place,height,width\np0,0.1,3\np1,0.5,-1\np2,2,0.25", file=f)
PY
cat >net.yaml <<'YAML'
data: {file: train.csv, label: y, validation: 0.3, join: {place: places.csv}}
layers: [{dense: 8, activation: tanh}, {dropout: 0.3}, {dense: 1}]
loss: mse
epochs: 4
seed: "${seed}"
YAML
cat >nets.yaml <<'YAML'
model: net.yaml
method: grid
keep: all
metric: {name: loss}
parameters: {seed: {values: [1, 2, 3]}}
YAML
check "models are trained here" "$THRONG" run --quiet nets.yaml

# ---- the same study here and there ------------------------------------------

study() { # NAME ENGINE [LINE]...
    {
        echo "name: $1"
        echo "engine: $2"
        echo 'htcondor: {look: 0.5, bundle_time: 1s}'
        shift 2
        printf '%s\n' "$@"
    }
}

both() { # NAME LINE...: the same table on both engines
    local name=$1 engine
    shift
    for engine in local htcondor; do
        study "${name}_$engine" $engine "$@" "  output: ${name}_$engine.csv" \
            >"${name}_$engine.yaml"
        run "$THRONG" run --quiet "${name}_$engine.yaml"
        check_status "$name: it runs on $engine" 0
    done
    check "$name: the tables are equal to the byte" \
        cmp "${name}_local.csv" "${name}_htcondor.csv"
}

both ensemble 'predict:' '  models: nets' '  data: new/*.csv' '  samples: 3' \
    '  shard: 250'
check_equal "ensemble: each row is there" 1201 "$(wc -l <ensemble_htcondor.csv)"
check_equal "ensemble: and each shard was a trial" 6 "$(done_of ensemble_htcondor)"

cat >count.sh <<'SH'
awk 'NR == 1 { print "x,number"; next } { print $0 "," NR }' FS=, \
    "$THRONG_SHARD" | cut -d, -f1,5 >"$THRONG_PREDICTIONS"
SH
both program 'command: [sh, count.sh]' 'predict:' '  data: new/first.csv' \
    '  shard: 400'
check_equal "program: each row is there" 901 "$(wc -l <program_htcondor.csv)"

both one 'predict:' '  models: .throng/nets/trials/0/1/output/weights.safetensors' \
    '  data: new/first.csv' '  shard: 500'

# Files that tell more of rows travel with them.
"$THRONG" ensemble nets best:2 -o two.ensemble >/dev/null 2>&1
check "an ensemble is calibrated" "$THRONG" calibrate two.ensemble --data known.csv \
    -o two.calibration
check "and its training rows are looked at" "$THRONG" novelty two.ensemble -o two.novelty
both looks 'predict:' '  models: two.ensemble' '  data: new/first.csv' '  shard: 300' \
    '  calibration: two.calibration' '  novelty: two.novelty'
check_matches "looks: and more is told" "$(head -n 1 looks_htcondor.csv)" \
    'low,high,distance,unlike$'
both layer 'predict:' '  models: .throng/nets/trials/0/1/output/weights.safetensors' \
    '  data: new/first.csv' '  shard: 500' '  layer: dense_1'

# What is kept by rules is merged of what shards bring back.
for engine in local htcondor; do
    study "kept_$engine" $engine 'predict:' '  models: nets' '  data: new/*.csv' \
        '  shard: 250' '  keep: {top: {by: predicted, n: 20}}' \
        "  output: kept_$engine" >"kept_$engine.yaml"
    run "$THRONG" run --quiet "kept_$engine.yaml"
    check_status "kept: it runs on $engine" 0
done
check "kept: the tables are equal to the byte" diff -r kept_local kept_htcondor

# Tables of a product travel; rows are named by those that lie here.
cut -d, -f1-3 new/first.csv | head -n 41 >abc.csv
for engine in local htcondor; do
    study "product_$engine" $engine 'predict:' '  models: nets' \
        '  product: [abc.csv, places.csv]' '  samples: 3' '  shard: 50' \
        '  keep: {all: true, top: {by: sd, n: 20}}' \
        "  output: product_$engine" >"product_$engine.yaml"
    run "$THRONG" run --quiet "product_$engine.yaml"
    check_status "product: it runs on $engine" 0
done
check "product: the tables are equal to the byte" \
    diff -r product_local product_htcondor
check_equal "product: each combination is there" 121 \
    "$(wc -l <product_htcondor/listed.csv)"

# ---- arrays ------------------------------------------------------------------

python=/usr/bin/python3 # numpy is there that Debian has
if $python -c 'import numpy' 2>/dev/null; then
    $python - <<'PY'
import numpy
r = numpy.random.default_rng(3)
numpy.save("x.npy", r.normal(size=(300, 4)).astype("f4"))
numpy.save("y.npy", r.normal(size=(300, 1)).astype("f4"))
PY
    cat >array.yaml <<'YAML'
data: {inputs: x.npy, labels: y.npy}
layers: [{dense: 4, activation: tanh}, {dense: 1}]
loss: mse
epochs: 2
YAML
    check "a model of arrays is trained" "$THRONG" train array.yaml
    both array 'predict:' '  models: array.safetensors' '  data: x.npy' \
        '  shard: 70'
else
    skip "arrays are cut, too" "there is no numpy"
fi

# ---- jobs are vacated ----------------------------------------------------------

cat >large.yaml <<'YAML'
data: {file: train.csv, label: y, join: {place: places.csv}}
layers:
  - {dense: 512, activation: tanh}
  - {dropout: 0.3}
  - {dense: 512, activation: tanh}
  - {dropout: 0.3}
  - {dense: 1}
loss: mse
epochs: 1
YAML
"$THRONG" train large.yaml >/dev/null 2>&1

# All shards in one job, which is cut off three times, wherever it is by then.
cut_off() { # NAME SAMPLES
    local job vacated=0 conductor
    asked=('predict:' '  models: large.safetensors' '  data: new/*.csv'
        "  samples: $2" '  shard: 200')
    study "whole$1" local "${asked[@]}" "  output: whole$1.csv" >"whole$1.yaml"
    check "$1: it runs here" "$THRONG" run --quiet "whole$1.yaml"
    study "$1" htcondor "${asked[@]}" "  output: $1.csv" |
        sed 's/bundle_time: 1s/bundle_time: 1h/' >"$1.yaml"
    echo 'parallel: 1' >>"$1.yaml"
    "$THRONG" run --quiet "$1.yaml" >"$1.out" 2>&1 &
    conductor=$!
    while [ $vacated -lt 3 ] && kill -0 $conductor 2>/dev/null; do
        job=$(running_job)
        if [ -n "$job" ] && condor_vacate_job "$job" >/dev/null 2>&1; then
            vacated=$((vacated + 1))
            wait_for 30 eval '[ "$(running_job)" != "$job" ]'
        fi
        sleep 0.3
    done
    wait "$conductor"
    check_equal "$1: it runs to its end" 0 $?
    check "$1: the table is that of one piece, to the byte" \
        cmp "whole$1.csv" "$1.csv"
}
was_cut() { # NAME
    grep -qs '^004 ' ".throng/$1/jobs"/*/events.log
}
# A quick machine may be done before anybody sees that the job runs.
for samples in 60 300 1500; do
    cut_off "cut$samples" $samples
    was_cut "cut$samples" && break
done
check "cut: jobs were vacated" was_cut "cut$samples"

# ---- an unrolled list of weights ------------------------------------------------

for i in 1 2 3; do
    echo "{\"id\": \"net$i\", \"weights_file\": \".throng/nets/trials/0/$i/output/weights.safetensors\"}"
done >upf.txt
echo '{"id": "none", "weights_file": "none.safetensors"}' >>upf.txt
for engine in local htcondor; do
    study "listed_$engine" $engine 'parameters_file: upf.txt' \
        'task: {kind: infer, data: known.csv}' 'metric: {name: loss}' \
        >"listed_$engine.yaml"
    run "$THRONG" run --quiet "listed_$engine.yaml"
done
check_equal "listed: each that has weights is done" 3 "$(done_of listed_htcondor)"
for i in 1 2 3; do
    check "listed: net$i says the same there" cmp \
        .throng/listed_{local,htcondor}/trials/0/$i/output/predictions.csv
done
run "$THRONG" show listed_htcondor 4
check_contains "listed: what the other lacks is named" "$out" \
    "none.safetensors: No such file"
