#!/usr/bin/env bash
# Choices and calibration look only at rows that no member was trained on.
. "$(dirname "$0")/lib.sh"

make_rows() { # SEED COUNT
    awk -v seed="$1" -v count="$2" 'BEGIN { srand(seed); print "a,b,y"
        for (i = 0; i < count; i++) { x = rand(); y = rand()
            print x "," y "," x * y + rand() / 10 } }'
}
make_rows 3 200 >rows.csv
make_rows 4 60 >new.csv
cat >model.yaml <<'MODEL'
layers: [{dense: 8, activation: relu}, {dense: 1}]
loss: mse
optimizer: {name: adam, lr: 0.03}
epochs: 2
data: {file: rows.csv, label: y, validation: 0.2, test: 0.2}
MODEL
cat >study.yaml <<'STUDY'
name: kinds
model: model.yaml
method: grid
keep: all
metric: {name: val_loss, goal: minimize}
parameters: {again: {values: [1, 2, 3]}}
STUDY
"$THRONG" run -q study.yaml
"$THRONG" ensemble kinds all -o three.ensemble >.log 2>&1

run "$THRONG" calibrate three.ensemble --data new.csv
check_contains "rows of another day calibrate" "$err" "60 new rows"
run "$THRONG" calibrate three.ensemble --data rows.csv
check_contains "of the rows of training those that were held out do" "$err" "80 new rows"
check_contains "and it is said that others are left out" "$err" \
    "120 rows are left out: a member was trained on them, or on rows that equal them"
(head -n 1 rows.csv; grep -v a, rows.csv | sort -r; tail -n +2 new.csv) >mixed.csv
run "$THRONG" calibrate three.ensemble --data mixed.csv
check_contains "in another order, among others" "$err" "140 new rows"
awk -F, -v OFS=, '{ print $3, $2, $1 }' rows.csv >turned.csv
run "$THRONG" calibrate three.ensemble --data turned.csv
check_contains "and with columns elsewhere" "$err" "80 new rows"
run "$THRONG" ensemble kinds all --greedy 3 --data mixed.csv -o chosen.ensemble
check_contains "so it is for a choice" "$err" "140 rows that all have held out"

# Rows that were trained on, only.
cat >all.yaml <<'MODEL'
layers: [{dense: 1}]
loss: mse
epochs: 1
data: {file: rows.csv, label: y}
MODEL
"$THRONG" train all.yaml --output all.safetensors >.log 2>&1
run "$THRONG" calibrate all.safetensors --data rows.csv
check_status "training rows calibrate nothing" 1
check_contains "and it is said why" "$err" \
    "a member was trained on each of the 200 rows, or on one that equals it: name rows by --data that none has seen"

# The data file has changed since: what was trained on is still known.
cp rows.csv kept.csv
(head -n 1 kept.csv; tail -n +2 kept.csv | sort) >rows.csv
run "$THRONG" calibrate three.ensemble
check_matches "rows that came among the held out ones are left out" "$err" \
    'throng calibrate: [0-9]+ rows are left out'
left=$(sed -n 's/.*: \([0-9]*\) rows are left out.*/\1/p' .err)
check_contains "all others count" "$err" "$((40 - left)) validation rows"

# So it is when they are judged: the model's own rows are those that it has held out.
one=.throng/kinds/trials/0/1/output/weights.safetensors
for model in "$one" three.ensemble; do
    run "$THRONG" evaluate "$model" --json
    left=$(sed -n 's/.*: \([0-9]*\) rows are left out: .* trained on them, or on rows that equal them$/\1/p' .err)
    check "rows that came among the test's are left out of what is judged" test "${left:-0}" -gt 0
    check_contains "and all others are judged" "$err" "$((40 - ${left:-0})) test rows"
    cp .out judged.json
    run "$THRONG" predict "$model" --csv
    check "those are the rows that are predicted" python3 - "${left:-0}" <<'END'
import csv, json, sys
rows = list(csv.DictReader(open(".out")))
assert len(rows) == 40 - int(sys.argv[1])
loss = sum((float(r["predicted"]) - float(r["label"])) ** 2 for r in rows) / len(rows)
assert abs(json.load(open("judged.json"))["metrics"]["loss"] - loss) < 1e-6
END
    run "$THRONG" evaluate "$model" --importance --repeats 1 --json
    check "columns are judged by the same rows" python3 - "${left:-0}" <<'END'
import json, sys
told = json.load(open(".out"))
assert told["importance"]["rows"] == 40 - int(sys.argv[1])
assert abs(told["importance"]["baseline"]["loss"] - told["metrics"]["loss"]) < 1e-6
END
done
run "$THRONG" evaluate "$one" --rows training
check_not "training rows are what they are asked for as" grep -q 'left out' <<<"$err"
cp kept.csv rows.csv
for model in "$one" three.ensemble; do
    run "$THRONG" evaluate "$model"
    check_contains "a file that is as it was has all of its rows" "$err" "40 test rows"
    check_not "and nothing is said" grep -q 'trained on' <<<"$err"
    run "$THRONG" evaluate "$model" --data mixed.csv
    check_contains "rows that are named are judged, all of them" "$err" "260 new rows"
    check_contains "and how many were trained on is said" "$err" \
        "120 of the 260 rows were trained on, or equal rows that were: it is better on them than on new ones"
    run "$THRONG" evaluate "$model" --data new.csv
    check_not "of others nothing is" grep -q 'trained on' <<<"$err"
done

# All that is left of the file was trained on.
sed -n '1,2p' kept.csv >rows.csv
for i in $(seq 39); do sed -n 2p kept.csv; done >>rows.csv
"$THRONG" train model.yaml --output only.safetensors >.log 2>&1
for i in $(seq 20); do sed -n 2p kept.csv; done >>rows.csv
run "$THRONG" evaluate only.safetensors
check_status "rows that were all trained on judge nothing" 1
check_contains "and it is said why" "$err" \
    "it, or weights that it began from, was trained on each of the 12 test rows, or on one that equals it; where its data has changed since, name rows by --data"
cp kept.csv rows.csv

# Two rows that say the same are two rows.
awk 'NR == 1 || NR < 3 { print } NR > 1 { print "1,2," NR % 2 }' kept.csv >same.csv
sed 's/rows.csv/same.csv/' model.yaml >same.yaml
"$THRONG" train same.yaml --output same.safetensors >.log 2>&1
run "$THRONG" calibrate same.safetensors
check_contains "one that was held out counts, though another trained" "$err" "40 validation rows"

# Of the same rows each holds out others.
sed 's/validation: 0.2/fold: {k: "${fold}", of: 3}/' model.yaml >folds.yaml
sed 's/kinds/folds/; s/model.yaml/folds.yaml/; s/again/fold/' study.yaml >folds-study.yaml
"$THRONG" run -q folds-study.yaml
"$THRONG" ensemble folds all -o folds.ensemble >.log 2>&1
run "$THRONG" calibrate folds.ensemble
check_contains "rows that all held out are none" "$err" \
    "no row was held out by all members; name rows by --data, or take --out-of-fold, which asks each for the rows that it has held out itself"
run "$THRONG" calibrate folds.ensemble --out-of-fold --json
check_contains "out of fold all rows but the test's count" "$err" "160 validation rows"
for k in 1 2 3; do
    "$THRONG" predict .throng/folds/trials/0/$k/output/weights.safetensors --data rows.csv --csv >fold$k.csv 2>.log
    "$THRONG" calibrate .throng/folds/trials/0/$k/output/weights.safetensors --json >own$k.json 2>.log
done
check "each row is what the member says that was not trained on it" python3 - <<'END'
import json
whole = json.load(open(".out"))
parts = [json.load(open(f"own{k}.json")) for k in (1, 2, 3)]
mae = sum(p["rows"] * p["outputs"][0]["metrics"]["mae"] for p in parts) / 160
assert abs(whole["outputs"][0]["metrics"]["mae"] - mae) < 1e-12, (whole, mae)
END
run "$THRONG" ensemble folds all --greedy 4 --out-of-fold -o greedy.ensemble
check_contains "folds of one setting are one" "$err" "on the 160 rows that folds of one setting have held out"
check_equal "of which each has its share" "3 0.333333333" \
    "$(awk 'NR > 1 { n++; w = $2 } END { print n, w }' .out)"
rm greedy.ensemble
run "$THRONG" ensemble folds all --combine stacking -o stacked.ensemble
check_contains "without it stacking finds no row, and names what does" "$err" \
    "name rows by --data, or take --out-of-fold"

# Blocks are folds, in a model file and by CANDLE's keywords.
cat >blocks.txt <<'MODEL'
[Global_Params]
train_data = 'rows.csv'
dense = [8]
activation = 'tanh'
loss = 'mse'
optimizer = 'adam'
scaling = 'std'
epochs = 2
batch_size = 16
MODEL
cat >blocks.upf <<'POINTS'
{"id": "a", "learning_rate": 0.01, "uq_train_vec": [1, 2], "uq_valid_vec": [0], "uq_test_vec": []}
{"id": "b", "learning_rate": 0.01, "uq_train_vec": [0, 2], "uq_valid_vec": [1], "uq_test_vec": []}
{"id": "c", "learning_rate": 0.01, "uq_train_vec": [0, 1], "uq_valid_vec": [2], "uq_test_vec": []}
{"id": "d", "learning_rate": 0.02, "uq_train_vec": [1, 2], "uq_valid_vec": [0], "uq_test_vec": []}
{"id": "e", "learning_rate": 0.02, "uq_train_vec": [0, 2], "uq_valid_vec": [1], "uq_test_vec": []}
{"id": "f", "learning_rate": 0.02, "uq_train_vec": [0, 1], "uq_valid_vec": [2], "uq_test_vec": []}
POINTS
cat >candle-study.yaml <<'STUDY'
name: candle-blocks
model: blocks.txt
parameters_file: blocks.upf
keep: all
metric: {name: val_loss, goal: minimize}
STUDY
"$THRONG" run -q candle-study.yaml
run "$THRONG" ensemble candle-blocks all --greedy 4 --out-of-fold -o blocks.ensemble
check_contains "trials that differ in CANDLE's blocks alone are one setting" "$err" \
    "on the 200 rows that folds of each of 2 settings have held out"
sed 's/validation: 0.2/parts: {blocks: ["${train}", "${valid}", []]}/; s/, test: 0.2//' model.yaml >parts.yaml
sed 's/learning_rate": 0.0/units": /; s/uq_train_vec/train/; s/uq_valid_vec/valid/; s/, "uq_test_vec": \[\]//' \
    blocks.upf >parts.upf
sed 's/dense: 8/dense: "${units}"/' parts.yaml >parts-model.yaml
sed 's/candle-blocks/parts/; s/blocks.txt/parts-model.yaml/; s/blocks.upf/parts.upf/' candle-study.yaml >parts-study.yaml
"$THRONG" run -q parts-study.yaml
run "$THRONG" ensemble parts all --greedy 4 --out-of-fold -o parts.ensemble
check_contains "so are those that differ in the parts of a model file" "$err" \
    "on the 200 rows that folds of each of 2 settings have held out"

# Settings that have no row in common: of one a fold is missing, of another all but that.
sed 's/dense: 8/dense: "${units}"/' folds.yaml >settings.yaml
printf 'units,fold\n4,1\n4,2\n8,3\n' >points.csv
cat >settings-study.yaml <<'STUDY'
name: settings
model: settings.yaml
points: points.csv
keep: all
metric: {name: val_loss, goal: minimize}
STUDY
"$THRONG" run -q settings-study.yaml
for how in '--greedy 4' '--combine stacking' '--combine weighted'; do
    run "$THRONG" ensemble settings all $how --out-of-fold -o none.ensemble
    check_not "no choice is made among settings that speak of other rows" test "$status" -eq 0
    check_contains "it is said why, and what works" "$err" \
        "of 160 rows none was held out by each of the 2 settings (trials that differ in their fold alone), and losses on other rows do not compare: that of trial 3 has held out 53. Name the trials of all folds, choose by rows of --data FILE, or take all members and judge them by \`throng calibrate --out-of-fold\`"
    check_not "and no file is written" test -e none.ensemble
done
run "$THRONG" ensemble settings all --greedy 4 --out-of-fold --data new.csv -o by.ensemble
check_contains "rows that none has seen compare members" "$err" "on the 60 rows that all have held out"

run "$THRONG" ensemble kinds all --greedy 4 --out-of-fold -o greedy.ensemble
check_contains "where all have held out the same rows it is made" "$err" \
    "on the 40 rows that all have held out"

# What says nothing of its rows.
python3 - all.safetensors old.safetensors <<'END'
import json, struct, sys
data = open(sys.argv[1], "rb").read()
n = struct.unpack("<Q", data[:8])[0]
head = json.loads(data[8:8 + n])
assert len(head["__metadata__"]["rows"]) < 200 * 4 + 100
del head["__metadata__"]["rows"], head["__metadata__"]["checksum"]
text = json.dumps(head).encode()
text += b" " * (-len(text) % 8)
open(sys.argv[2], "wb").write(struct.pack("<Q", len(text)) + text + data[8 + n:])
END
run "$THRONG" predict old.safetensors --data new.csv
check_status "weights of an older throng predict" 0
run "$THRONG" calibrate old.safetensors --data new.csv
check_contains "and calibrate nothing" "$err" \
    "old.safetensors does not say which rows it was trained on: it comes from an older throng, or from elsewhere; train it again"

# What was trained on before it began counts.
cat >tuned.yaml <<'MODEL'
layers: [{dense: 1}]
loss: mse
epochs: 1
initial_weights: all.safetensors
data: {file: new.csv, label: y, validation: 0.5}
MODEL
"$THRONG" train tuned.yaml --output tuned.safetensors >.log 2>&1
run "$THRONG" calibrate tuned.safetensors --data mixed.csv
check_contains "rows that earlier weights were trained on are left out" "$err" "230 rows are left out"

run "$THRONG" ensemble kinds all --data new.csv -o none.ensemble
check_status "rows that nothing is chosen by are a mistake" 2
