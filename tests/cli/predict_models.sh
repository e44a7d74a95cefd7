#!/usr/bin/env bash
# The models of an inference are those that it began with: one that has changed
# since is noticed, and no table is of two.
. "$(dirname "$0")/lib.sh"

awk 'BEGIN { srand(3); print "a,b,y"
    for (i = 0; i < 60; i++) { x = rand(); print x "," rand() "," 2 * x } }' >rows.csv
awk 'BEGIN { srand(4); print "a,b"
    for (i = 0; i < 40; i++) print rand() "," rand() }' >new.csv
cat >model.yaml <<'MODEL'
layers: [{dense: "${units}", activation: relu}, {dense: 1}]
loss: mse
epochs: 1
data: {file: rows.csv, label: y, validation: 0.2}
MODEL
cat >nets.yaml <<'STUDY'
model: model.yaml
method: grid
keep: all
metric: {name: val_loss, goal: minimize}
parameters: {units: {values: [4, 8]}}
STUDY
"$THRONG" run -q nets.yaml
for n in 1 2; do
    "$THRONG" ensemble nets best:$n -o $n.ensemble >/dev/null 2>&1
done

# ---- a file ---------------------------------------------------------------------
cp 1.ensemble net.ensemble
cat >told.yaml <<'STUDY'
predict: {models: net.ensemble, data: new.csv, shard: 10, output: told.csv}
STUDY
"$THRONG" run -q told.yaml --count 2 2>/dev/null
cp told.csv half.csv
cp 2.ensemble net.ensemble
run "$THRONG" run told.yaml
check_status "a model that has changed is not asked for the rest" 1
check_contains "which is said, and what to do" "$err" \
    "net.ensemble has changed since this inference began"
check_contains "by its name" "$err" "in a study of another name (--new NAME)"
check "the table is as it was" cmp told.csv half.csv
run "$THRONG" run told.yaml --new again
check_status "another study asks the new ones" 0
cp told.csv again.csv
cp 1.ensemble net.ensemble
run "$THRONG" run told.yaml
check_status "that of before goes on with what is put back" 0
"$THRONG" predict 1.ensemble --data new.csv --csv >wanted.csv 2>/dev/null
check "all rows are of one model" cmp told.csv wanted.csv
"$THRONG" predict 2.ensemble --data new.csv --csv >wanted.csv 2>/dev/null
check "and those of the other study of the other" cmp again.csv wanted.csv
cp 2.ensemble net.ensemble
run "$THRONG" run told.yaml
check_status "one that is done is not taken for the new ones either" 1
rm net.ensemble
run "$THRONG" run told.yaml
check_status "a file that is gone has not changed" 0
copy=$(find .throng/told/models -name '*.safetensors' | head -n 1)
chmod u+w "$copy"
printf 'x' | dd of="$copy" bs=1 seek=100 conv=notrunc 2>/dev/null
run "$THRONG" run told.yaml
check_status "a copy that is not what it was is an error" 1
check_contains "which names it" "$err" "$copy, a copy of a model that this inference asks"

# ---- what is made of predictions ---------------------------------------------------
for alpha in 0.1 0.4; do
    "$THRONG" calibrate 2.ensemble --alpha $alpha -o $alpha.calibration >/dev/null 2>&1
done
cp 0.1.calibration net.calibration
cat >sure.yaml <<'STUDY'
predict: {models: 2.ensemble, calibration: net.calibration, data: new.csv, shard: 10, output: sure.csv}
STUDY
"$THRONG" run -q sure.yaml --count 2 2>/dev/null
cp 0.4.calibration net.calibration
run "$THRONG" run sure.yaml
check_status "nor is a calibration exchanged for another" 1
check_contains "which is said" "$err" "net.calibration has changed since this inference began"
cp 0.1.calibration net.calibration
run "$THRONG" run sure.yaml
check_status "it goes on with the one of before" 0

# ---- trials of a study ----------------------------------------------------------
cat >best.yaml <<'STUDY'
predict: {models: nets, data: new.csv, shard: 10, output: best.csv}
STUDY
sed 's/best/whole/' best.yaml >whole.yaml
"$THRONG" run -q whole.yaml
"$THRONG" run -q best.yaml --count 2 2>/dev/null
run "$THRONG" run best.yaml --count 1
check_lacks "trials that are what they were need no word" "$err" "models that nets has now"
sed -i 's/\[4, 8\]/[4, 8, 16]/' nets.yaml
"$THRONG" rm -y nets >/dev/null 2>&1
"$THRONG" run -q nets.yaml
run "$THRONG" run best.yaml
check_status "trials that are others now are not asked" 0
check_contains "which is said" "$err" \
    "the models that nets has now are others than when this inference began"
check "the table is of those of then" cmp best.csv whole.csv

# ---- members of an ensemble that pass ----------------------------------------------
"$THRONG" ensemble nets all -o all.ensemble >/dev/null 2>&1
"$THRONG" ensemble nets all --bundle -o bundle.ensemble >/dev/null 2>&1
first=$("$THRONG" rank nets -n 1 --json | python3 -c 'import json, sys
print(json.load(sys.stdin)["trials"][0]["value"])')
for models in all.ensemble bundle.ensemble; do
    cat >passing.yaml <<STUDY
predict: {models: $models, where: "val_loss <= $first", data: new.csv, output: passing.csv}
STUDY
    rm -rf .throng/passing
    run "$THRONG" check passing.yaml
    check_contains "$models: who passes is counted" "$out" "40 rows × 1 model = "
    run "$THRONG" run -q passing.yaml
    check_status "$models: members that pass are asked" 0
    check "$models: and nobody else" cmp passing.csv \
        <("$THRONG" predict 1.ensemble --data new.csv --csv -q)
    run "$THRONG" run passing.yaml
    check_contains "$models: they are known again" "$err" "nothing was left to do"
done
sed 's/<= [^"]*/< 0/' passing.yaml >nobody.yaml
run "$THRONG" check nobody.yaml
check_contains "nobody passes" "$out$err" "no member of bundle.ensemble passes val_loss < 0"
sed 's/where: [^,]*/select: best/' passing.yaml >best.yaml
run "$THRONG" check best.yaml
check_contains "members have no rank" "$out$err" "choose trials of a study, and bundle.ensemble is none"
mv .throng/nets aside
run "$THRONG" check nobody.yaml
check_contains "whose results are not here" "$out$err" \
    "has trials of the study nets, which is not here"
mv aside .throng/nets
cat >stages.yaml <<STUDY
name: stages
stages:
  both: {study: nets.yaml}
  ensemble: {ensemble: both, select: all, output: both.ensemble}
  ask: {predict: {models: ensemble, where: "val_loss <= $first", data: new.csv, output: asked.csv}}
STUDY
run "$THRONG" check stages.yaml
check_contains "of a stage it is said before" "$out" "members that pass val_loss <= $first"
run "$THRONG" run -q stages.yaml
check_status "and asked for" 0
check "with the same rows" cmp asked.csv passing.csv

# ---- a study where a file belongs ----------------------------------------------------
run "$THRONG" predict nets --data new.csv
check_contains "trials of a study are many models" "$err" \
    "nets is a study, and no file of weights: \`throng ensemble\` makes one model"
run "$THRONG" predict nests --data new.csv
check_contains "what is none is missing" "$err" "/nests: there is no such file"
run "$THRONG" predict all.ensemble --data new.csv --study odd --combine sum
check_contains "ways to combine are named" "$err" "no combine sum: say mean, median or vote"
