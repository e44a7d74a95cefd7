#!/usr/bin/env bash
# A stage of a campaign that makes one model of the trials of another.
. "$(dirname "$0")/lib.sh"

make_rows() { # SEED COUNT
    awk -v seed="$1" -v count="$2" 'BEGIN { srand(seed); print "a,b,y"
        for (i = 0; i < count; i++) { x = rand(); y = rand(); print x "," y "," x * y } }'
}
make_rows 3 120 >rows.csv
make_rows 4 40 >held.csv
cat >model.yaml <<'MODEL'
layers: [{dense: 6, activation: tanh}, {dense: 1}]
loss: mse
optimizer: {name: adam, lr: "${lr}"}
epochs: 2
data: {file: rows.csv, label: y, validation: 0.2, test: 0.2}
MODEL
cat >search.yaml <<'STUDY'
model: model.yaml
method: grid
metric: {name: val_loss, goal: minimize}
parameters: {lr: {values: [0.01, 0.02, 0.03, 0.04]}}
STUDY
cat >c.yaml <<'CAMPAIGN'
stages:
  search: {study: search.yaml}
  committee: {ensemble: search, select: "best:3", greedy: 4, data: held.csv, bundle: true, output: some.ensemble}
  stack: {ensemble: search, select: all, combine: stacking, output: stack.ensemble}
  judge: {command: "\"$THRONG\" evaluate some.ensemble >judged.txt", outputs: [judged.txt]}
CAMPAIGN
run "$THRONG" run -q c.yaml
check_status "a campaign with ensembles runs" 0
check_matches "who names the file comes after it" "$(cat judged.txt)" '^loss'
run "$THRONG" evaluate stack.ensemble
check_contains "each is an ensemble" "$err" "24 test rows"
check_contains "of the trials that were selected" "$(head -n 1 some.ensemble)" '"chosen":"best:3, greedy of 4, by the rows of held.csv"'

cp some.ensemble before
run "$THRONG" run c.yaml
check "what is done is not done again" cmp some.ensemble before
run "$THRONG" status c
check_contains "status shows them" "$out" committee
make_rows 5 40 >held.csv
run "$THRONG" run c.yaml --dry-run
check_contains "rows that have changed are seen" "$out" "held.csv has changed"

sed 's/combine: stacking/combine: sum/' c.yaml >bad.yaml
run "$THRONG" run -q bad.yaml
check_status "a way to combine that there is none of is refused" 1
check_contains "before anything is trained" "$err" "bad.yaml:4:51: error: combine cannot be 'sum'"
check_not "of which nothing is there" test -e .throng/bad
sed 's/combine: stacking/combine: vote/' c.yaml >bad.yaml
run "$THRONG" run -q bad.yaml
check_not "a stage that is refused fails" test "$status" -eq 0
run "$THRONG" status bad
check_contains "and says why" "$(cat .throng/bad/stack.log)" "a vote is of classes"
