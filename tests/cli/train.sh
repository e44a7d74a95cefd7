#!/usr/bin/env bash
# Built-in training: one model, and studies of many.
. "$(dirname "$0")/lib.sh"

cp "$ROOT"/examples/digits/{mlp.yaml,search.yaml,digits.csv.gz} .
# A table of all that was learned, without times.
table() { # STUDY
    "$THRONG" export "$1" --jsonl | python3 -c '
import json, sys
for line in sys.stdin:
    t = json.loads(line)
    print(t["id"], t["state"], repr(t["value"]),
          json.dumps(t["params"], sort_keys=True),
          json.dumps(t["metrics"], sort_keys=True))'
}
look() { # STUDY EXPRESSION over the list of trials d
    "$THRONG" export "$1" --jsonl >"$TMP/.table"
    python3 -S "$ROOT/tests/cli/json_look.py" "$2" "$TMP/.table"
}
# study NAME PARALLEL MORE: 24 models of two shapes.
study() {
    sed -e "s/^name:.*/name: $1/" -e "s/^run_cap:.*/run_cap: 24/" search.yaml \
        >"$1.yaml"
    printf 'parallel: %s\nseed: 7\n%s\n' "$2" "${3:-}" >>"$1.yaml"
}
# The same network, for so long that it is seen running.
sed -e 's/^epochs:.*/epochs: ${epochs}/' mlp.yaml >long.yaml
long() { # NAME RUN_CAP MORE
    cat >"$1.yaml" <<STUDY
model: long.yaml
method: random
run_cap: $2
metric: {name: val_loss, goal: minimize}
seed: 3
parameters:
  lr: {distribution: log_uniform_values, min: 0.001, max: 0.01}
  units: {value: 16}
  dropout: {value: 0.1}
  epochs: {value: 100000}
${3:-}
STUDY
}
running() { # STUDY COUNT
    [ "$("$THRONG" ls "$1" --where 'state = "running"' --json 2>/dev/null |
        grep -c '"running"')" -ge "$2" ]
}
trainers() { # of the conductor PID
    local worker
    for worker in $(pgrep -P "$1"); do
        pgrep -P "$worker" -x "throng: trainer"
    done
}
reports() { # STUDY TRIAL: epochs that are known
    "$THRONG" show "$1" "$2" --json | python3 -S "$ROOT/tests/cli/json_look.py" \
        'd["metrics"]["loss"]["points"]' /dev/stdin
}

# ---- one model --------------------------------------------------------------
run "$THRONG" train mlp.yaml lr=0.01 units=32 dropout=0.1
check_status "a model is trained" 0
check_equal "the table has a head" $'epoch\tloss\tval_loss\tval_accuracy' \
    "$(head -n 1 .out)"
check_equal "and a line for every epoch" "$(seq 20)" "$(tail -n +2 .out | cut -f1)"
check "it has learned the digits" \
    awk 'END { exit !($4 > 0.95 && $2 < 0.2) }' .out
check_contains "it says where the weights are" "$err" "mlp.safetensors"
first=$out
run "$THRONG" train mlp.yaml -o again.safetensors
check_equal "values that nobody says are the file's defaults" "$first" "$out"
run "$THRONG" train mlp.yaml lr=0.01 units=32 dropout=0.1 -o again.safetensors
check_equal "training again gives the same numbers" "$first" "$out"
check "and the same weights" cmp mlp.safetensors again.safetensors
run "$THRONG" train mlp.yaml lr=0.01 units=32 dropout=0.1 --seed 2 -o two.safetensors
check_not "another seed gives others" test "$first" = "$out"
sed 's/^  validation: .*/&\n  test: 0.1/' mlp.yaml >tested.yaml
run "$THRONG" train tested.yaml
check_equal "the test rows come last" $'\ntest_loss\ntest_accuracy' "$(tail -n 3 .out | cut -f1)"
tested=$(tail -n 2 .out | sed 's/^test_//')
run "$THRONG" evaluate tested.safetensors
check_equal "as evaluate judges them" "$tested" "$(head -n 2 .out)"
{ cat mlp.yaml && echo 'snapshots: [0, 2, 20, 30]'; } >snap.yaml
run "$THRONG" train snap.yaml -o kept.safetensors
check_status "snapshots are asked for" 0
check "the last epoch's is that of the weights" \
    cmp <(tail -c 1000 kept.safetensors) <(tail -c 1000 kept_epoch_20.safetensors)
check_not "an earlier one is another" \
    cmp -s <(tail -c 1000 kept.safetensors) <(tail -c 1000 kept_epoch_2.safetensors)
sed 's/^epochs: .*/epochs: 0/' mlp.yaml >first.yaml
run "$THRONG" train first.yaml
check "that of epoch 0 is of the weights that training begins with" \
    cmp <(tail -c 1000 first.safetensors) <(tail -c 1000 kept_epoch_0.safetensors)
check_not "one that was never reached is not there" test -e kept_epoch_30.safetensors
check "the weights are safetensors" python3 - <<'END_PYTHON'
import json, struct
data = open("mlp.safetensors", "rb").read()
(size,) = struct.unpack("<Q", data[:8])
head = json.loads(data[8:8 + size])
tensors = {k: v for k, v in head.items() if k != "__metadata__"}
shapes = sorted(tuple(v["shape"]) for v in tensors.values())
assert (64, 32) in shapes and (32, 10) in shapes, shapes
assert max(v["data_offsets"][1] for v in tensors.values()) == len(data) - 8 - size
assert json.loads(head["__metadata__"]["model"])["optimizer"]["lr"] == 0.01
END_PYTHON

# ---- what is wrong with it --------------------------------------------------
sed '/^defaults:/,$d' mlp.yaml >open.yaml
run "$THRONG" train open.yaml lr=0.01
check_status "a value that is missing is a usage error" 2
check_contains "it is named" "$err" 'units=…'
run "$THRONG" train mlp.yaml epochs=2
check_status "a name that stands nowhere in the file is a usage error" 2
check_contains "it says how it would" "$err" 'write epochs: ${epochs} there'
run "$THRONG" train mlp.yaml units=4 lr=0.01 dropout=0 --device gpu
check_status "a device that is not there is a usage error" 2
check_contains "which names those that are" "$err" \
    "there is no device gpu (did you mean cuda?); use auto, cpu"
mkdir alone
cp "$THRONG" "$WORKER" alone
run alone/throng train mlp.yaml units=4 lr=0.01 dropout=0 --device cuda
check_contains "without a second worker its reason is all that is said" "$err" \
    "throng train: this machine has no device cuda: there is no throng-worker-cuda"
run "$THRONG" train mlp.yaml unit=4 lr=0.01 dropout=0
check_contains "a name that is nearly one gets its suggestion" "$err" \
    'mlp.yaml has no ${unit}; did you mean units?'
printf '%s\n' 'model: mlp.yaml' 'method: random' 'run_cap: 1' \
    'parameters: {lr: {min: 0.1, max: 0.2}}' >asked.yaml
run "$THRONG" train asked.yaml
check_contains "a study is not trained but run" "$err" "\`throng run asked.yaml\` runs it"
run "$THRONG" check mlp.yaml
check_contains "and a model file is not run but trained" "$err" "\`throng train mlp.yaml\` trains it"
sed 's/^loss: .*/loss: mean_square/; s/dense: 10/dense: 3/' mlp.yaml >loss.yaml
run "$THRONG" train loss.yaml units=4 lr=0.01 dropout=0
check_contains "a loss that there is not is named" "$err" "error: loss cannot be mean_square"
check_lacks "and nothing is said of what another would want" "$err" "puts out"
sed 's/dense: 10/desne: 10/; s/^batch_size: 32/batch_size: none/' mlp.yaml >bad.yaml
run "$THRONG" train bad.yaml lr=0.01 units=32 dropout=0.1
check_status "a model with mistakes is not trained" 1
check_matches "each has its line and column" "$err" '^bad.yaml:6:[0-9]+: error: '
check_matches "all of them are told" "$err" '^bad.yaml:11:[0-9]+: error: batch_size'
check_contains "a slip of the pen gets a hint" "$err" 'dense'
sed 's/dense: 10/dense: 7/' mlp.yaml >classes.yaml
run "$THRONG" train classes.yaml lr=0.01 units=32 dropout=0.1
check_status "classes that do not fit the head are a mistake" 1
check_matches "its place, the layer and both numbers are named" "$err" \
    '^classes.yaml:6:[0-9]+: error: layers\[2\] dense_3 .* 7 .* 10 \(.*outputs'
printf 'layers: [{dense: 2}]\nloss: mse\ndata: {file: rag.csv}\n' >rag.yaml
printf '1,2\n3\n' >rag.csv
run "$THRONG" train rag.yaml
check_matches "a fault of the data is at data:" "$err" \
    '^rag.yaml:3:[0-9]+: error: data: .*rag.csv:2: '
run "$THRONG" train nowhere.yaml
check_status "a file that is not there is an error" 4
printf 'layers: [{dense: 2}]\nloss: mse\ndata: {file: none.csv}\n' >nodata.yaml
run "$THRONG" train nodata.yaml
check_status "data that is not there is an error" 1
check_contains "the file is named" "$err" "none.csv"
seq 40 | awk 'BEGIN { print "x,y" } { print $1 / 40 "," 3 * $1 / 40 }' >line.csv
cat >line.yaml <<MODEL
layers: [{dense: "\${units}"}, {dense: 1}]
loss: mse
optimizer: {name: sgd, lr: "\${lr}"}
epochs: 20
data: {file: line.csv, label: y, validation: 0.25}
MODEL
run "$THRONG" train line.yaml lr=1e8 units=4 -o no.safetensors
check_status "a loss that leaves the numbers is an error" 1
check_contains "it is called diverged" "$err" "diverged"
check_not "and leaves no weights" test -e no.safetensors
sed 's/dense: ${units}/dense: 2000000000/' mlp.yaml >huge.yaml
run "$THRONG" train huge.yaml
check_status "a model that no memory holds is an ordinary error" 1
check_matches "that speaks of memory" "$err" "[Mm]emory"

# ---- a study of many --------------------------------------------------------
study at1 1
study at2 2
study at24 24
study unsaid 24
sed -i '/^parallel/d' unsaid.yaml
for name in at1 at2 at24 unsaid; do
    run "$THRONG" run "$name.yaml"
    check_status "a study with model: runs ($name)" 0
done
table at1 >at1.table
check_equal "all trials are done" "24" "$(grep -c ' done ' at1.table)"
for name in at2 at24 unsaid; do
    table "$name" >"$name.table"
    check "the table is the same bit for bit: $name" cmp at1.table "$name.table"
done
check_equal "every epoch of every trial is known" "480" \
    "$(look at1 'sum(t["metrics"]["loss"]["points"] for t in d) if "points" in d[0]["metrics"]["loss"] else 20 * len(d)')"
run "$THRONG" rank at1
check_status "it is ranked" 0
best=$(awk 'NR == 2 { print $2 }' .out)
weights=$(ls .throng/at1/trials/*/"$best"/output/weights.safetensors)
check "the best trial's weights are kept" test -s "$weights"
check_equal "only the best ten are" 10 \
    "$(find .throng/at1/trials -name weights.safetensors | wc -l)"

# Alone, with the seed and the parameters of the trial.
line=$("$THRONG" show at1 "$best" --command)
check_matches "a trial's command line is one of throng train" "$line" \
    'throng train mlp.yaml .*lr=.*--seed [0-9]+'
run bash -c "$line"
check_status "that line runs" 0
check_equal "and gives the trial's value" \
    "$(look at1 "['%.6g' % t['value'] for t in d if t['id'] == $best][0]")" \
    "$(tail -n 1 .out | cut -f3)"
check "its weights are the trial's, byte for byte" cmp mlp.safetensors "$weights"

# ---- a study that cannot be run is known at once ------------------------------
faulty() { # SED-EXPRESSION of the model
    sed "$1" mlp.yaml >faulty-mlp.yaml
    study faulty 2
    sed -i 's/^model:.*/model: faulty-mlp.yaml/' faulty.yaml
    run "$THRONG" check faulty.yaml
}
faulty 's/dense: 10/desne: 10/'
check_status "check refuses a model file with a mistake" 1
check_matches "it has its line in the model file" "$err" \
    '^faulty-mlp.yaml:6:[0-9]+: error: .*desne'
run "$THRONG" run faulty.yaml
check_status "so does run" 1
check_not "before anything is run" test -e .throng/faulty
faulty 's/digits.csv.gz/nowhere.csv/'
check_matches "data that is not there is a mistake of the file" "$err" \
    '^faulty-mlp.yaml:1[0-9]:[0-9]+: error: data: .*nowhere.csv'
faulty 's/dense: 10/dense: "${units}"/'
check_status "a shape that fits some points only is no mistake" 1
check_contains "but here it fits none" "$err" "10"
sed 's/${units}/${odd}/' mlp.yaml >odd-mlp.yaml
study odd 2
sed -i 's/^model:.*/model: odd-mlp.yaml/; s/units: .*/odd: {values: [16, -3]}/' odd.yaml
run "$THRONG" check odd.yaml
check_status "a value that only some points have is no reason to refuse" 0
check_matches "it is warned of" "$err" '^odd-mlp.yaml:3:[0-9]+: warning: layers\[0\].*-3'
run "$THRONG" run odd.yaml
check_equal "those trials are invalid, the others done" "['done', 'invalid']" \
    "$(look odd 'sorted(set(t["state"] for t in d))')"
check_equal "each invalid one is one that has it" "True" \
    "$(look odd 'all((t["state"] == "invalid") == (t["params"]["odd"] < 0) for t in d)')"
run "$THRONG" errors odd
check_matches "errors tells the reason" "$out" 'layers\[0\]'
study names 2
sed -i 's/name: val_loss/name: val_acuracy/' names.yaml
run "$THRONG" check names.yaml
check_matches "a metric that training does not report is a mistake" "$err" \
    '^names.yaml:[0-9]+:[0-9]+: error: .*val_acuracy.*did you mean `val_accuracy`'
run "$THRONG" check at1.yaml
check_matches "check shows commands that can be pasted" "$out" \
    '^  1  throng train mlp.yaml dropout=[0-9.]+ lr=[0-9.]+ units=[0-9]+ --seed [0-9]+$'
check_equal "with the seeds of the trials" \
    "$("$THRONG" show at1 3 --command | sed 's/.*&& //')" \
    "$(grep '^  3 ' .out | sed 's/^  3  //')"
run "$THRONG" check at1.yaml --try 2
check_status "trials can be tried" 0
check_matches "of the time, what was spent on each trial counts" "$out" \
    '^estimate .* here: 24 trials of .* [(]measured[)], '
run "$THRONG" check unsaid.yaml
check_contains "check knows that models share cpus" "$out" "needs    1/64 of a cpu each"
check_matches "and how many are trained at once" "$out" \
    'training is built in: [0-9]+ models at once here'

# ---- weights to begin from ---------------------------------------------------
mkdir begin && cp mlp.yaml digits.csv.gz begin/
printf 'initial_weights: first.safetensors\n' >>begin/mlp.yaml
run "$THRONG" train mlp.yaml units=16 dropout=0 lr=0.01 -o begin/first.safetensors
last=$(tail -n 1 .out | cut -f 2)
run "$THRONG" train begin/mlp.yaml units=16 dropout=0 lr=0.01 -o begin/next.safetensors
check_status "training begins from a weights file" 0
check "with a smaller loss than its first training ended with" \
    python3 -c "import sys; sys.exit(not $(sed -n 2p .out | cut -f 2) < 2 * $last)"

# ---- more memory than there is ------------------------------------------------
sed -e 's/^batch_size:.*/batch_size: 16000000/' mlp.yaml >huge.yaml
run "$THRONG" train huge.yaml lr=0.01 units=10000 dropout=0.1
check_status "too little memory is an error" 1
check_matches "before the first step" "$err" \
    '^(.*: )?this model needs [0-9.]+ (T|G)iB of memory beside its data; this machine has left [0-9.]+ .iB'

# ---- one that diverges -------------------------------------------------------
study diverge 24
sed -i 's/^model:.*/model: line.yaml/; /dropout/d
    s/^  lr:.*/  lr: {values: [0.01, 1e8]}/' diverge.yaml
run "$THRONG" run diverge.yaml
check_status "a study with trials that diverge comes to its end" 3
check_equal "they are diverged, the others of their cohort done" "True True" \
    "$(look diverge '"%s %s" % (all((t["state"] == "diverged") == (t["params"]["lr"] > 1) for t in d), len(set(t["state"] for t in d)) == 2)')"
run "$THRONG" rank diverge
check_lacks "none of them is ranked above one that learned" \
    "$(head -n 5 .out)" "diverged"
run "$THRONG" errors diverge
check_contains "errors tells of them" "$out" "diverged"
