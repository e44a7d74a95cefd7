#!/usr/bin/env bash
# A stage of a campaign that asks the models of another for many rows.
. "$(dirname "$0")/lib.sh"

make_rows() { # SEED COUNT
    awk -v seed="$1" -v count="$2" 'BEGIN { srand(seed); print "a,b,y"
        for (i = 0; i < count; i++) { x = rand(); y = rand(); print x "," y "," x * y } }'
}
make_rows 3 120 >rows.csv
mkdir new
make_rows 4 300 >new/1.csv
make_rows 5 200 >new/2.csv
cat >model.yaml <<'MODEL'
layers: [{dense: 6, activation: tanh}, {dropout: 0.2}, {dense: 1}]
loss: mse
optimizer: {name: adam, lr: "${lr}"}
epochs: 2
data: {file: rows.csv, label: y, validation: 0.2, test: 0.2}
MODEL
cat >search.yaml <<'STUDY'
model: model.yaml
method: grid
keep: all
metric: {name: val_loss, goal: minimize}
parameters: {lr: {values: [0.01, 0.02, 0.03]}}
STUDY
cat >c.yaml <<'CAMPAIGN'
stages:
  count: {command: "wc -l < asked.csv > lines.txt", outputs: [lines.txt]}
  asked: {predict: {models: committee, data: new/*.csv, samples: 4, combine: mean, shard: 200, output: asked.csv}}
  several: {predict: {models: search, where: "lr>0.015", data: new/*.csv, shard: 500}, retries: 1}
  committee: {ensemble: search, select: "best:2", output: some.ensemble}
  search: {study: search.yaml}
CAMPAIGN

# ---- before anything has run ---------------------------------------------------
run "$THRONG" check c.yaml
check_status "models that are yet to be made are no mistake" 0
check_matches "a stage comes after the one that makes its models" "$out" \
    'asked +predict, after committee'
check_matches "or trains them" "$out" 'several +predict, after search'
check_matches "and before who reads its table" "$out" 'count +command, after asked'

check_matches "what it will ask is told" "$out" \
    '500 rows × 2 models × 4 samples = 4000 predictions, .* of one core \([0-9.e-]+ hours\)'
check_matches "and at most, where results decide" "$out" \
    '500 rows × up to 3 models \(those that pass lr>0.015\) = up to 1500 predictions, .* of one core'
cat >later.yaml <<'CAMPAIGN'
stages:
  rows: {command: "cp new/1.csv made.csv", outputs: [made.csv]}
  asked: {predict: {models: committee, data: made.csv, samples: 4}}
  open: {study: search.yaml, method: random, repeat: 1}
  some: {predict: {models: open, select: done, data: new/1.csv}}
  own: {predict: {data: new/1.csv}, command: "cat $THRONG_SHARD > $THRONG_PREDICTIONS"}
  committee: {ensemble: search, select: "best:9", greedy: 2, output: late.ensemble}
  search: {study: search.yaml}
CAMPAIGN
run "$THRONG" check later.yaml
check_status "what is not there yet is no mistake" 0
check_matches "rows that a stage writes are counted later" "$out" \
    'rows \(read made.csv: .*\) × up to 2 models \(a greedy choice\) × 4 samples; the rest is known when'
check_matches "a search without an end has as many models as it has" "$out" \
    '300 rows × models \(those that are done of open\); the rest is known when'
check_matches "a program is asked for rows" "$out" '300 rows = 300 predictions'

cat >odd.yaml <<'CAMPAIGN'
stages:
  search: {study: search.yaml}
  committee: {ensemble: search, select: "best:2", output: odd.ensemble}
  first: {predict: {models: committee, data: new/1.csv, keep: "top:sd:3"}}
  asked:
    predict:
      models: search
      data: new/1.csv
      keep: {top: {by: mean, n: 3}, also: {by: sdd, n: 3}}
CAMPAIGN
run "$THRONG" check odd.yaml
check_status "a column that models will not predict is a mistake before they are there" 1
check_contains "at its place" "$err" \
    "odd.yaml:9:48: error: predict: keep: predictions have no column sdd; they have predicted, sd,"
run "$THRONG" run odd.yaml
check_status "of which nothing is begun" 1
check_not "not even a study" test -e .throng/odd
sed -i 's/sdd/sd/' odd.yaml
run "$THRONG" check odd.yaml
check_status "mended it is none" 0

# ---- it runs -------------------------------------------------------------------
run "$THRONG" run -q c.yaml
check_status "a campaign with inferences runs" 0
check_equal "to a line for each row of all files" 501 "$(tr -d ' ' <lines.txt)"
"$THRONG" predict some.ensemble --data new/1.csv --csv 2>/dev/null >one.csv
check_equal "of the ensemble" "file,$(head -n 1 one.csv)" "$(head -n 1 asked.csv)"
run "$THRONG" status c/asked --json
check_matches "its shards are trials" "$out" '"done": ?3'
table=.throng/c/several/predictions.csv
check_equal "trials of a study are models, too" 501 "$(wc -l <$table | tr -d ' ')"
check_equal "those that pass the filter" 2 \
    "$(head -n 1 .throng/c/several/shards | sed 's/.*"models":\([0-9]*\).*/\1/')"

# ---- what changed --------------------------------------------------------------
cp asked.csv before
run "$THRONG" run c.yaml
check_contains "a second run asks nothing" "$err" "nothing had changed"
make_rows 6 50 >new/3.csv
run "$THRONG" run c.yaml --dry-run
check_contains "a file more for a glob is seen" "$out" "new/3.csv"
run "$THRONG" run -q c.yaml
check_equal "and asked" 551 "$(tr -d ' ' <lines.txt)"
check_equal "by all" 551 "$(wc -l <$table | tr -d ' ')"
rm new/3.csv
run "$THRONG" run c.yaml
check_contains "a file less is seen, too" "$err" "new/3.csv is not read any more"
check_equal "and its rows are in no table" 501 "$(tr -d ' ' <lines.txt)"
check_equal "of all" 501 "$(wc -l <$table | tr -d ' ')"
mv new/2.csv new/4.csv
run "$THRONG" run -q c.yaml
check_equal "nor under a name that a file had" "new/1.csv new/4.csv" \
    "$(sed 1d asked.csv | cut -d , -f 1 | sort -u | paste -sd ' ')"
mv new/4.csv new/2.csv
sed -i 's/0.02, 0.03/0.02, 0.03, 0.04/' search.yaml
cp $table before
run "$THRONG" run -q c.yaml
check_status "another trial of the study is another model" 0
check_equal "of which there are more" 3 \
    "$(head -n 1 .throng/c/several/shards | sed 's/.*"models":\([0-9]*\).*/\1/')"
check_not "that say something else" cmp -s $table before

# ---- what cannot be ------------------------------------------------------------
refuses() { # NAME TEXT STAGE
    printf 'stages:\n  search: {study: search.yaml}\n  e: {ensemble: search, output: e.ensemble}\n  p: %s\n' \
        "$3" >bad.yaml
    run "$THRONG" check bad.yaml
    check_status "$1 is refused" 1
    check_contains "$1 is named" "$err" "$2"
}
refuses "a selector of an ensemble" "of which select chooses nothing" \
    '{predict: {models: e, select: best, data: new/1.csv}}'
refuses "a stage without models" "stage 'p' has no models" \
    '{predict: {models: p, data: new/1.csv}}'
refuses "no data" "predict has no data" '{predict: {models: e}}'
refuses "another key" "smples" '{predict: {models: e, data: new/1.csv, smples: 3}}'
refuses "a selector that is none" "bset" \
    '{predict: {models: search, select: "bset:3", data: new/1.csv}}'
refuses "two kinds" "is of two kinds" \
    '{predict: {models: e, data: new/1.csv}, study: search.yaml}'
refuses "a model that nobody makes" "none.ensemble" \
    '{predict: {models: none.ensemble, data: new/1.csv}}'
