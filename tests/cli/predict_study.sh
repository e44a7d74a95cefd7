#!/usr/bin/env bash
# The verb predict as a study of shards: the file that it writes is the plan.
. "$(dirname "$0")/lib.sh"

awk 'BEGIN { srand(3); print "a,b,y"
    for (i = 0; i < 120; i++) { x = rand(); y = rand(); print x "," y "," x * y } }' >rows.csv
mkdir new
for k in 1 2; do
    awk -v k=$k 'BEGIN { srand(k + 5); print "a,b"
        for (i = 0; i < 150 * k; i++) print rand() "," rand() }' >new/$k.csv
done
cat >model.yaml <<'MODEL'
layers: [{dense: "${units}"}, {dropout: 0.2}, {dense: 1}]
loss: mse
epochs: 1
data: {file: rows.csv, label: y, validation: 0.2}
MODEL
cat >study.yaml <<'STUDY'
name: nets
model: model.yaml
method: grid
keep: all
metric: {name: val_loss, goal: minimize}
parameters: {units: {values: [3, 4, 5]}}
STUDY
"$THRONG" run -q study.yaml
"$THRONG" ensemble nets best:2 -o two.ensemble >/dev/null 2>&1

# ---- it is the study of the same file -------------------------------------------
run "$THRONG" predict two.ensemble --data new/*.csv --study told --samples 4 \
    --shard 100 --combine median -o told.csv
check_status "an inference begins with words" 0
check_contains "its table is told" "$err" "450 rows in $PWD/told.csv"
cat >written.yaml <<'STUDY'
predict:
  models: two.ensemble
  data: [new/1.csv, new/2.csv]
  samples: 4
  combine: median
  shard: 100
  output: written.csv
STUDY
"$THRONG" run -q written.yaml
check "a file of the same keys says the same" cmp told.csv written.csv
check_equal "the plans are one" "$("$THRONG" check --json written.yaml | grep -o '"predict":{[^}]*}')" \
    "$("$THRONG" check --json told.yaml | grep -o '"predict":{[^}]*}')"
run "$THRONG" status told --json
check_matches "shards are trials" "$out" '"done": ?5'
run "$THRONG" show told 2
check_contains "that can be looked at" "$out" "t_image"
run "$THRONG" predict two.ensemble --data new/*.csv --study told --samples 4 \
    --shard 100 --combine median -o told.csv
check_contains "the same words go on with it" "$err" "nothing was left to do"
run "$THRONG" predict two.ensemble --data new/*.csv --study told --samples 9
check_status "others do not" 1
check_contains "and are told how" "$err" "told.yaml is there and says something else"

# ---- broken off -----------------------------------------------------------------
ask() { "$THRONG" predict two.ensemble --data 'new/*.csv' --study cut --samples 4 \
    --shard 20 -o cut.csv "$@"; }
cat >all.yaml <<'STUDY'
predict: {models: two.ensemble, data: new/*.csv, samples: 4, shard: 20, output: all.csv}
STUDY
"$THRONG" run -q all.yaml
ask -q &
pid=$!
wait_for 20 test -e .throng/cut/study.db
kill -9 $pid
wait $pid 2>/dev/null
run ask
check_status "killed, the same words complete it" 0
check "to the table of who was not" cmp cut.csv all.csv

# ---- trials as models, and rules --------------------------------------------------
run "$THRONG" predict nets --where 'units>=4' --data new/1.csv --study chosen \
    --keep top:sd:7 -o best
check_status "trials of a study are the models" 0
check_equal "of which rules keep rows" 8 "$(wc -l <best/top.csv | tr -d ' ')"
check_contains "as many as pass" "$("$THRONG" check chosen.yaml)" "150 rows × 2 models"
run "$THRONG" predict nets --select best:1 --data new/1.csv --data new/2.csv --study first \
    --engine local -q
check_status "with a place" 0
check_equal "and quietly" "" "$err"
check_equal "several --data are one list" 451 "$(wc -l <.throng/first/predictions.csv | tr -d ' ')"
run "$THRONG" predict nets --data new/1.csv --study nowhere --engine nowhere
check_contains "a place that there is none of" "$err" 'there is no engine `nowhere`'

# ---- what cannot be -----------------------------------------------------------------
run "$THRONG" predict two.ensemble --data new/1.csv --study odd --keep top:sdd:3
check_status "a mistake is found before it begins" 1
check_contains "and named" "$err" "predictions have no column sdd"
check_not "no file is left" test -e odd.yaml
check_not "and no study" test -e .throng/odd
run "$THRONG" predict two.ensemble --data new/1.csv --study odd --keep top:sd:3
check_status "so that it can be mended" 0
run "$THRONG" predict two.ensemble --data new/1.csv --study study --samples 2
check_contains "a file of somebody's own stays" "$err" "study.yaml is there and says something else"
run "$THRONG" predict two.ensemble --data new/1.csv --study nets
check_status "nor is a study of that name asked something else" 1
check_not "of which no file is left" test -e nets.yaml
run "$THRONG" predict two.ensemble --study odd2
check_status "no rows are a mistake" 2
run "$THRONG" predict two.ensemble --data new/1.csv --shard 10
check_contains "shards are of a study" "$err" "--shard goes with --study NAME"
run "$THRONG" predict two.ensemble --data new/1.csv --study odd2 --pca 2
check_contains "what shards have not is refused" "$err" "--pca does not go with --study"
