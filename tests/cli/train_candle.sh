#!/usr/bin/env bash
# CANDLE parameter files as model files: one network, and studies of many.
. "$(dirname "$0")/lib.sh"

cp "$ROOT"/examples/candle-train/* .
table() { # STUDY: all that was learned, without times
    "$THRONG" export "$1" --jsonl | python3 -c '
import json, sys
for line in sys.stdin:
    t = json.loads(line)
    print(t["id"], t["state"], repr(t["value"]),
          json.dumps(t["metrics"], sort_keys=True))'
}

# ---- one network --------------------------------------------------------------
cat >same.yaml <<'MODEL'
layers:
  - {dense: 64, activation: relu}
  - dropout: 0.1
  - {dense: 32, activation: relu}
  - dropout: 0.1
  - {dense: 10, activation: softmax}
loss: categorical_crossentropy
metrics: accuracy
optimizer: {name: adam, lr: 0.003, epsilon: 1.0e-8}
batch_size: 32
epochs: 10
seed: 2017
data: {file: digits.csv.gz, scale: maxabs, validation: 0.2}
MODEL
run "$THRONG" train digits.txt
check_status "a parameter file trains a network" 0
check "that has learned the digits" \
    awk 'END { exit !(NR == 11 && $4 > 0.95) }' .out
first=$out
run "$THRONG" train same.yaml
check_equal "bit for bit the same as a model file in YAML" "$first" "$out"
run "$THRONG" evaluate digits.safetensors
check_status "its weights can be judged" 0
run "$THRONG" train digits.txt drop=0.5 lr=0.01 'dense=20 10' --budget 1
check_status "words stand for keywords, old names too" 0
run "$THRONG" model show digits.txt 'dense=20 10'
check_contains "and lists are read as CANDLE does" "$out" "parameters  1,620"

# ---- mistakes -------------------------------------------------------------------
run "$THRONG" train digits.txt droput=0.5
check_status "a word that means nothing is a mistake" 1
check_contains "with the nearest keyword" "$err" "did you mean dropout?"
run "$THRONG" train digits.txt run_id=RUN1 --budget 1
check_status "the name of a run is none" 0
run "$THRONG" train digits.txt pool=80 'conv=[4,3,1]'
check_contains "layers that do not fit are named" "$err" "max_pool1d_2"
sed 's/^dense.*/dense = [64, -3]/' digits.txt >wrong.txt
run "$THRONG" train wrong.txt
check_contains "a fault of the network has the keyword's line" "$err" \
    "wrong.txt:9:9: error: layers[2].units must be at least 1, not -3"
sed "s/^loss.*/loss = 'mse'/;s/^out_act.*/classes = 10/" digits.txt >wrong.txt
run "$THRONG" model show wrong.txt
check_contains "what contradicts itself too" "$err" \
    "wrong.txt:11:11: error: classes are not learned with the loss mse"

cat >nt3.txt <<'PARAMETERS'
[Global_Params]
data_url = 'http://example.org/normal-tumor/'
train_data = 'nt_train2.csv'
test_data = 'nt_test2.csv'
model_name = 'nt3'
conv = [128, 20, 1, 128, 10, 1]
dense = [200,20]
activation = 'relu'
out_activation = 'softmax'
loss = 'categorical_crossentropy'
optimizer = 'sgd'
metrics = 'accuracy'
epochs = 400
batch_size = 20
learning_rate = 0.001
dropout = 0.1
classes = 2
pool = [1, 10]
save = '.'
PARAMETERS
run "$THRONG" train nt3.txt
check_status "data that CANDLE would fetch must be here" 1
check_contains "the keyword and its line are named" "$err" \
    "nt3.txt:3:14: error: train_data: there is no file nt_train2.csv"
check_contains "and where it comes from" "$err" "http://example.org/normal-tumor/"
sed "s/nt_train2.csv/nt3.tar.gz/;s/nt_test2.csv/nt3.h5/" nt3.txt >archive.txt
run "$THRONG" train archive.txt
check_contains "an archive is named as one" "$err" \
    "fetch it from http://example.org/normal-tumor/, unpack that archive, and set train_data to the table"
check_contains "and an HDF5 file" "$err" "write that HDF5 file as CSV"
printf 'case_id,cancer_type,x,y\n' >p1b2.csv
for i in $(seq 40); do echo "case$i,type$((i % 4)),$((i % 4)),$((i % 3))"; done >>p1b2.csv
printf "%s\n" "train_data = 'p1b2.csv'" "dense = [8]" "epochs = 1" \
    "loss = 'categorical_crossentropy'" >p1b2.txt
run "$THRONG" train p1b2.txt
check_status "a table that begins with case_id trains" 0
check_contains "on the type of the tumour" "$err" \
    "the label is cancer_type; case_id is left out"
mkdir -p root/nt3/Data
touch root/nt3/Data/nt_train2.csv
run env CANDLE_DATA_DIR="$PWD/root" "$THRONG" train nt3.txt
check_contains "or where CANDLE has put it" "$err" \
    "set train_data to $PWD/root/nt3/Data/nt_train2.csv"
run "$THRONG" model show nt3.txt input=60483
check_contains "NT3 has the parameters that it is known for" "$out" \
    "parameters  154,922,918"
printf 'model: nt3.txt\nmethod: random\nrun_cap: 1\nmetric: {name: val_loss}\n%s\n' \
    'parameters: {dropout: {min: 0.1, max: 0.2}}' >nt3.yaml
run "$THRONG" run nt3.yaml
check_contains "a study says the same before any trial" "$err" \
    "nt3.txt:3:14: error: train_data: there is no file nt_train2.csv"

# ---- the files of real models -------------------------------------------------
if real_data candle-parameters/expected.jsonl; then
    run python3 "$ROOT/tests/cli/candle_networks.py" "$THRONG" \
        "$THRONG_TEST_DATA/candle-parameters"
    check_status "each real file is read whole, and gives a network or a rule" 0
    check_equal "all forty of them" 40 "$(grep -c ' of ' <<<"$out")"
    check_equal "thirteen give a network" 13 "$(grep -c 'parameters)' <<<"$out")"
else
    skip "each real file is read whole, and gives a network or a rule" \
        "$no_real_data"
fi

# ---- studies ----------------------------------------------------------------------
run "$THRONG" run --quiet search.yaml
check_status "a study searches keywords" 0
check_equal "all of its trials are done" 30 "$(table search | grep -c ' done ')"
best=$("$THRONG" show search 7 --command)
run bash -c "PATH=$(dirname "$THRONG"):\$PATH; $best"
then=$(table search | sed -n 's/^7 .*"val_loss": {[^}]*"last": \([^},]*\).*/\1/p')
check "a trial can be trained again by hand" \
    awk -v then="$then" 'END { exit !($3 > 0 && ($3 - then) ^ 2 < 1e-12) }' .out
sed 's/^model:/name: two\nparallel: 2\nmodel:/' search.yaml >two.yaml
run "$THRONG" run --quiet two.yaml
check_equal "two at a time come to the same" "$(table search)" "$(table two)"
sed -e 's/^model:/name: odd\nmodel:/' -e 's/^  dropout/  droput/' search.yaml >odd.yaml
run "$THRONG" check odd.yaml
check_contains "a parameter that makes no difference is warned of" "$err" \
    "droput makes no difference to the training of digits.txt (did you mean dropout?)"

run "$THRONG" run --quiet upf.yaml
check_status "an unrolled parameter file runs" 0
check_equal "each line with its own network" "4" "$(table upf | grep -c ' done ')"
best=$("$THRONG" show upf 2 --command)
run bash -c "PATH=$(dirname "$THRONG"):\$PATH; $best"
check_status "its lines can be trained by hand" 0
