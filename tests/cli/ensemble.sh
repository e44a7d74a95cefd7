#!/usr/bin/env bash
# Ensembles of trials: how they are made, and what is refused.
. "$(dirname "$0")/lib.sh"

awk 'BEGIN { srand(3); print "a,b,kind"
    for (i = 0; i < 200; i++) { x = rand(); y = rand()
        print x "," y "," (x + y > 1 ? "high" : x > y ? "low" : "mid") } }' >rows.csv
cat >model.yaml <<'MODEL'
layers: [{dense: "${units}", activation: relu}, {dropout: 0.2}, {dense: 3}]
loss: sparse_categorical_crossentropy
optimizer: {name: adam, lr: 0.03}
epochs: 3
metrics: [accuracy]
data: {file: rows.csv, label: kind, scale: std, validation: 0.2, test: 0.2}
MODEL
cat >study.yaml <<'STUDY'
name: kinds
model: model.yaml
method: grid
keep: all
metric: {name: val_loss, goal: minimize}
parameters: {units: {values: [4, 8, 16]}, again: {values: [1, 2]}}
STUDY
"$THRONG" run -q study.yaml

run "$THRONG" ensemble kinds best:4 -o four.ensemble
check_status "an ensemble is made of trials" 0
check_equal "all of one weight" "4 0.25" \
    "$(awk 'NR > 1 { n++; w[$2] } END { for (x in w) printf "%s ", n; for (x in w) print x }' .out)"
run "$THRONG" evaluate four.ensemble
check_contains "it is judged on the test rows" "$err" "40 test rows"
check_matches "by the metrics of its model" "$out" '^accuracy	'
run "$THRONG" predict four.ensemble --csv
check_equal "it says how sure it is" \
    "row,label,predicted,p_high,p_low,p_mid,entropy,mutual_information" "$(head -n 1 .out)"

run "$THRONG" ensemble kinds all --greedy 5 -o some.ensemble
check_contains "a choice is made on validation rows, and leaves the test rows alone" \
    "$err" "40 validation rows"
check "weights are fifths at the finest, and add up to 1" awk 'NR > 1 { s += $2 }
    END { exit s < 0.999999 || s > 1.000001 }' .out

# Anywhere.
run "$THRONG" ensemble kinds best:2 --bundle -o two.ensemble
mkdir elsewhere
cp two.ensemble elsewhere
printf 'b,a\n0.9,0.9\n0.1,0.2\n' >elsewhere/new.csv
mv .throng hidden
run env -C elsewhere "$THRONG" predict two.ensemble --data new.csv --csv
check_equal "one that carries its members needs nothing else" "3" "$(wc -l <.out)"
run "$THRONG" predict four.ensemble --data elsewhere/new.csv
check_status "one that lists them needs them" 4
check_matches "and names who is missing" "$err" 'its member .*weights\.safetensors is not there any more'
check_contains "and how to carry them along" "$err" \
    "looked for from the folder of the ensemble, and one that was made with --bundle carries them along"
mv hidden .throng

# What does not go together.
printf 'a\n0.9\n' >narrow.csv
run "$THRONG" predict two.ensemble --data narrow.csv
check_not "rows without a column that the models know are refused" test "$status" -eq 0
check_contains "and it is said which" "$err" "there is no column b, which the model was trained with"
sed 's/layers: .*/layers: [{dense: 3}]/; s/kind,/kind, skip: 0,/' model.yaml |
    sed 's/, skip: 0//' >bare.yaml
"$THRONG" train bare.yaml --output bare.safetensors >/dev/null 2>&1
run "$THRONG" predict bare.safetensors --samples 3
check_contains "samples of a model without dropout are refused" "$err" \
    "bare.safetensors has no dropout: all samples of it would be the same"
run "$THRONG" predict bare.safetensors --samples 0
check_status "none at all are, too" 2
sed 's/high/tall/' rows.csv >other.csv
sed 's/rows.csv/other.csv/; s/"${units}"/4/' model.yaml >other.yaml
"$THRONG" train other.yaml --output other.safetensors >/dev/null 2>&1
pair() {
    python3 - "$@" <<'END'
import hashlib, json, sys
members = [{"weights": f, "sha256": hashlib.sha256(open(f, "rb").read()).hexdigest()}
           for f in sys.argv[1:]]
json.dump({"format": "throng.ensemble/1", "members": members}, open("pair.ensemble", "w"))
END
}
pair bare.safetensors other.safetensors
run "$THRONG" predict pair.ensemble --data elsewhere/new.csv
check_contains "classes that are others are refused" "$err" "its classes are others"
run "$THRONG" evaluate pair.ensemble
check_not "so is other data" test "$status" -eq 0
pair bare.safetensors bare.safetensors
printf x >>bare.safetensors
run "$THRONG" predict pair.ensemble
check_contains "a member that was changed is refused" "$err" "its bytes have changed"

sed 's/validation: 0.2, test: 0.2/scale: std/; s/scale: std, scale: std/scale: std/' model.yaml >all.yaml
sed 's/name: kinds/name: all/; s/model.yaml/all.yaml/; s/val_loss/loss/; s/4, 8, 16/4/' study.yaml >all-study.yaml
"$THRONG" run -q all-study.yaml
run "$THRONG" ensemble all all --greedy 3 -o none.ensemble
check_contains "without rows that were held out there is no choice" "$err" \
    "has held out no rows: those that it was trained on say nothing"
check_not "and no file" test -e none.ensemble
run "$THRONG" ensemble kinds best:2 --combine sum -o none.ensemble
check_contains "an unknown way to combine is refused" "$err" 'no `sum`'
run "$THRONG" ensemble kinds best:2
check_status "it must be said where it goes" 2

# Weights that are fitted.
run "$THRONG" ensemble kinds all --combine weighted -o weighted.ensemble
check_contains "they are fitted on rows that all held out" "$err" \
    "made of all, weighted, weighed on the 40 rows that all have held out"
check_contains "a weighted mean is a mean" "$(cat weighted.ensemble)" '"combine":"mean"'
run "$THRONG" ensemble kinds all --combine stacking -o stacked.ensemble
check_status "stacking has a model for each class" 0
run "$THRONG" predict stacked.ensemble --csv
check "what it says of classes is a distribution" awk -F, 'NR > 1 { s = $4 + $5 + $6
    if (s < 1 - 1e-9 || s > 1 + 1e-9) exit 1 }' .out
run "$THRONG" calibrate stacked.ensemble
check_status "it is calibrated" 0
check_contains "by rows that have weighed it, as is said" "$err" \
    "by such rows stacked.ensemble was chosen or weighed, so that it looks better on them than it is; --rows test or --data FILE names others"
run "$THRONG" calibrate some.ensemble
check_contains "of a greedy one, too" "$err" "by such rows some.ensemble was chosen or weighed"
run "$THRONG" calibrate some.ensemble --rows test --json
check_contains "its test rows had no part in it" "$err" "test rows"
check_not "which is not said of them" grep -q "was chosen or weighed" <<<"$err"
cp .out by-test.json
"$THRONG" evaluate some.ensemble --json >judged.json 2>/dev/null
check "those are the rows that it is judged on" python3 - <<'END'
import json
found, judged = json.load(open("by-test.json")), json.load(open("judged.json"))
assert found["outputs"][0]["metrics"]["accuracy"] == judged["metrics"]["accuracy"]
END
run "$THRONG" calibrate some.ensemble --rows validation
check_contains "rows that it was chosen by are refused when they are named" "$err" \
    "some.ensemble was chosen or weighed by each of the 40 rows, or by one that equals it"
run "$THRONG" calibrate some.ensemble --rows training
check_status "so are those of training" 2
run "$THRONG" calibrate some.ensemble --rows test --data rows.csv
check_status "rows are named once" 2
awk 'BEGIN { srand(4); print "a,b,kind"
    for (i = 0; i < 50; i++) { x = rand(); y = rand()
        print x "," y "," (x + y > 1 ? "high" : x > y ? "low" : "mid") } }' >others.csv
run "$THRONG" calibrate some.ensemble --data others.csv
check_status "other rows calibrate it" 0
check_not "of which nothing is said" grep -q "was chosen or weighed" <<<"$err"
run "$THRONG" ensemble kinds all --greedy 5 --data others.csv -o by.ensemble
run "$THRONG" calibrate by.ensemble
check_status "nor where it was chosen by a file" 0
check_not "that its members have nothing to do with" grep -q "was chosen or weighed" <<<"$err"
run "$THRONG" calibrate by.ensemble --data others.csv
check_status "by the rows of that file it is not calibrated" 1
check_contains "since it was chosen by them" "$err" \
    "by.ensemble was chosen or weighed by each of the 50 rows, or by one that equals it: name others by --data"
{ cat others.csv; awk 'BEGIN { srand(6); for (i = 0; i < 7; i++) print rand() "," rand() ",mid" }'; } >more.csv
run "$THRONG" calibrate by.ensemble --data more.csv
check_status "by others that stand there, too, it is" 0
check_contains "and they are counted" "$err" \
    "50 rows are left out: the ensemble was chosen or weighed by them, or by rows that equal them"
check_contains "the others are looked at" "$err" "7 new rows"
for file in some weighted stacked; do
    run "$THRONG" calibrate $file.ensemble --data rows.csv
    check_contains "rows that members have held out are known, too ($file)" "$err" \
        "40 rows are left out: the ensemble was chosen or weighed by them"
done
run "$THRONG" ensemble kinds all --combine stacking --greedy 3 -o none.ensemble
check_status "two ways to weigh are one too many" 2
run "$THRONG" ensemble kinds all --combine weighted --out-of-fold -o none.ensemble
check_contains "where all have held out the same rows they count out of fold, too" "$err" \
    "on the 40 rows that all have held out"
rm none.ensemble
sed 's/"added":\[[^]]*\]/"added":[0]/' stacked.ensemble >broken.ensemble
run "$THRONG" predict broken.ensemble
check_contains "a stack of other outputs is refused" "$err" \
    "its stack is not of as many outputs and members as there are"
sed 's/"stack"/"stick"/' stacked.ensemble >broken.ensemble
run "$THRONG" predict broken.ensemble
check_contains "so is stacking without one" "$err" '`stack` goes with stacking, and stacking with it'
: >broken.ensemble
run "$THRONG" predict broken.ensemble
check_contains "an empty file is neither an ensemble nor weights" "$err" \
    "broken.ensemble is no ensemble, as \`throng ensemble\` writes it, and no weights either"
cp "$(ls .throng/kinds/trials/0/1/output/weights.safetensors)" odd.ensemble
run "$THRONG" predict odd.ensemble
check_status "weights are what they are, whatever their name" 0
run "$THRONG" predict odd.ensemble --data rows.csv rows.csv
check_status "several files of rows are one too many" 2
check_contains "without a study" "$err" "several files of --data go with --study NAME"
rm .throng/kinds/trials/0/1/output/weights.safetensors
run "$THRONG" ensemble kinds all -o none.ensemble
check_contains "a trial without weights is named" "$err" "trial 1 has no weights"
check_contains "with what may have become of them" "$err" \
    "the file was removed, its study kept none (\`keep: all\` and \`keep: best:N\` keep them), or runs a program of its own"

# Whether it is as sure as it should be.
run "$THRONG" calibrate two.ensemble
check_contains "it is calibrated on validation rows" "$err" "40 validation rows"
check_not "which had no part in choosing it" grep -q "was chosen or weighed" <<<"$err"
check_matches "a temperature is said" "$out" '^temperature	'
"$THRONG" predict two.ensemble --data others.csv --csv 2>/dev/null >said.csv
awk -F, 'NR == FNR { right[$1] = $2 == $3; next } FNR == 1 || right[FNR - 1]' said.csv others.csv >right.csv
awk -F, 'NR == FNR { least[$1] = $4 < $5 && $4 < $6 ? "high" : $5 < $6 ? "low" : "mid"; next }
    FNR == 1 || $0 = $1 "," $2 "," least[FNR - 1]' said.csv others.csv >wrong.csv
run "$THRONG" calibrate two.ensemble --data right.csv
check_contains "where all rows are right no temperature is low enough, which is said" "$err" \
    "all rows are right, so that the lower the temperature the better"
run "$THRONG" calibrate two.ensemble --data wrong.csv
check_contains "where all are wrong none is high enough" "$err" "the temperature is the highest that is looked for"
run "$THRONG" calibrate none.safetensors
check_not "weights that are not there are an error" test "$status" -eq 0
run "$THRONG" calibrate two.ensemble --alpha 1
check_status "so is an alpha that means nothing" 2
run "$THRONG" calibrate two.ensemble -o found.json
check_status "what is found is written down" 0
run "$THRONG" predict two.ensemble --calibration found.json --csv
check_equal "and gives sets of classes" \
    "row,label,predicted,p_high,p_low,p_mid,entropy,mutual_information,in_high,in_low,in_mid" \
    "$(head -n 1 .out)"
run "$THRONG" predict some.ensemble --calibration found.json
check_contains "it is of the models that it was found for" "$err" \
    "found.json was found for other models than"
run "$THRONG" predict two.ensemble --samples 3 --calibration found.json
check_contains "asked in the same way" "$err" "with another number of samples"
run "$THRONG" predict two.ensemble --calibration rows.csv
check_not "something else is no calibration" test "$status" -eq 0
sed 's/"output":0/"output":1/' found.json >broken.json
run "$THRONG" predict two.ensemble --calibration broken.json
check_contains "nor is one of other outputs" "$err" "its calibration is not of the outputs that it has"
run "$THRONG" predict two.ensemble --calibration none.json
check_status "nor one that is not there" 4
weights=$(ls .throng/all/trials/0/1/output/weights.safetensors)
run "$THRONG" calibrate "$weights"
check_contains "training rows calibrate nothing" "$err" "has held out no rows"
