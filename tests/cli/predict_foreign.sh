#!/usr/bin/env bash
# Weights of another program are asked for very many rows as our own are: shards,
# products, rules and samples say what the verb says of them, to the byte.
. "$(dirname "$0")/lib.sh"

awk 'BEGIN { srand(3)
    for (i = 0; i < 90; i++) { x = rand(); y = rand(); print x "," y "," x * y } }' >rows.csv
awk 'BEGIN { srand(7); for (i = 0; i < 61; i++) print rand() "," rand() }' >new.csv
awk 'BEGIN { srand(8); for (i = 0; i < 20; i++) print rand() "," rand() }' >more.csv
awk 'BEGIN { srand(9); for (i = 0; i < 7; i++) print "d" i "," rand() }' >drugs.csv
awk 'BEGIN { srand(10); for (i = 0; i < 5; i++) print rand() }' >cells.csv
cat >net.yaml <<'MODEL'
input: 2
layers: [{dense: 6, activation: tanh, name: first}, {dropout: 0.2}, {dense: 1, name: last}]
loss: mse
MODEL
sed 's/^input: 2/data: {file: rows.csv}/; $ a epochs: 2' net.yaml >own.yaml
"$THRONG" train own.yaml >/dev/null 2>&1
"$THRONG" model export own.safetensors --torch -o net.pt >/dev/null 2>&1

# ---- the same as the verb without shards --------------------------------------------
# same NAME WORDS…: shards of two sizes and none say the same.
same() {
    local name=$1
    shift
    "$THRONG" predict net.yaml --weights net.pt --data new.csv --csv -q "$@" >"$name.plain"
    for rows in 13 1000; do
        run "$THRONG" predict net.yaml --weights net.pt --data new.csv --study "$name-$rows" \
            --shard $rows -o "$name-$rows.csv" "$@"
        check_status "$name in shards of $rows" 0
        check "$name in shards of $rows is what the verb says" \
            cmp "$name.plain" "$name-$rows.csv"
    done
}
same once
check_equal "all rows are there" 62 "$(wc -l <once.plain | tr -d ' ')"
same sampled --samples 4
check_matches "how sure it is stands there" "$(head -1 sampled.plain)" '^row,predicted,sd,'
same drawn --samples 4 --permanent-dropout 0.5
check_not "by another rate" cmp -s sampled.plain drawn.plain
same layer --layer first
same judged --loss mae --label 3
check_contains "the words became keys of the study file" "$(cat drawn-13.yaml)" \
    'permanent_dropout: 0.5'

"$THRONG" predict net.yaml --weights net.pt --product drugs.csv,cells.csv --keep top:mean:6 \
    --csv -q >top.csv
check_equal "the verb takes a product" 7 "$(wc -l <top.csv | tr -d ' ')"
check_matches "whose rows have their names" "$(cat top.csv)" '^(1,)?d[0-6],[1-5],'
cat >pairs.yaml <<'STUDY'
predict:
  models: net.yaml
  weights: net.pt
  product: [drugs.csv, cells.csv]
  shard: 9
  output: pairs
  keep: {top: {by: mean, n: 6}, all: true}
STUDY
run "$THRONG" run -q pairs.yaml
check_status "a product in shards" 0
check "is what the verb says" cmp top.csv pairs/top.csv
check_equal "of all combinations" 36 "$(wc -l <pairs/listed.csv | tr -d ' ')"

# ---- before it begins -----------------------------------------------------------------
cat >told.yaml <<'STUDY'
predict: {models: net.yaml, weights: net.pt, data: [new.csv, more.csv], samples: 3, shard: 10, output: told.csv}
STUDY
run "$THRONG" check told.yaml
check_status "check understands it" 0
check_contains "and counts it" "$out" "81 rows × 1 model × 3 samples = 243 predictions"
# refused NAME KEYS WORDS: a mistake is told before anything runs.
refused() {
    printf 'predict: {data: new.csv, output: no.csv, %s}\n' "$2" >bad.yaml
    run "$THRONG" check bad.yaml
    check_status "$1 is refused" 1
    check_contains "in words: $1" "$err$out" "$3"
    check_lacks "that know no folder of ours: $1" "$err$out" "/throng-models-"
}
cp net.pt net.zip
sed 's/dense: 6/dense: 7/' net.yaml >wide.yaml
sed 's/, {dropout: 0.2}//' net.yaml >dry.yaml
refused "a file that is missing" "models: net.yaml, weights: old.pt" "/old.pt: there is no such file"
refused "a model that does not fit" "models: wide.yaml, weights: net.pt" \
    "the shape of first.weight is 6×2, which does not fit 7×2"
refused "a rate without a dropout" "models: dry.yaml, weights: net.pt, permanent_dropout: 0.5" \
    "/dry.yaml: its model has no dropout that could be permanent"
refused "samples without a dropout" "models: dry.yaml, weights: net.pt, samples: 3" \
    "/dry.yaml has no dropout: all samples of it would be the same"
refused "a rate of all" "models: net.yaml, weights: net.pt, permanent_dropout: 1" \
    "predict.permanent_dropout must be from 0 to 0.999"
refused "a loss of our own weights" "models: own.safetensors, loss: mse" \
    "label and loss go with weights of another program"
refused "trials of a file" "models: net.yaml, weights: net.pt, select: best" \
    "where and select choose trials of a study"
refused "a model alone" "models: net.yaml" "net.yaml is no file of weights"
refused "weights alone" "models: net.pt" \
    "net.pt is a zip archive, as PyTorch writes weights: name a model file in its place"
run "$THRONG" predict net.yaml --weights net.pt --data new.csv --permanent-dropout 1
check_status "the verb refuses such a rate" 2
check_contains "and says which it takes" "$err" "takes a rate from 0 to 0.999, not 1"
run "$THRONG" predict wide.yaml --weights net.pt --product drugs.csv,cells.csv --keep top:mean:3
check_lacks "no word of --data where a product is named" "$err" "--data"
run "$THRONG" predict net.yaml --weights net.pt --product drugs.csv,new.csv --keep top:mean:3
check_contains "tables that do not fit are told with the model's name" "$err" \
    "the model of $TMP/net.yaml has an input of 2"

# ---- a file that is none of weights -------------------------------------------------------
printf '{"class_name": "Sequential", "config": {"layers": []}}\n' >model.json
printf '{"format": "throng.ensemble/1", "members": []}\n' >no.ensemble
printf '\211HDF\r\n\032\n\000\000\000' >weights.h5
run "$THRONG" predict model.json --data new.csv
check_contains "a model of Keras alone" "$err" \
    "model.json is a model of Keras without its weights: name them beside it, by --weights"
run "$THRONG" evaluate weights.h5 --data new.csv
check_contains "weights of Keras alone" "$err" \
    "weights.h5 is an HDF5 file, as Keras writes weights: name its model.json in its place"
run "$THRONG" calibrate net.yaml --data new.csv
check_contains "a model file" "$err" "net.yaml is no file of weights"
for file in no.ensemble:"it is an ensemble" model.json:"it is JSON" net.pt:"it is a zip archive" \
    weights.h5:"it is an HDF5 file"; do
    run "$THRONG" model export ${file%%:*} --torch
    check_contains "who takes weights alone says what ${file%%:*} is" "$err" "${file#*:}"
done
run "$THRONG" predict net.yaml --weights own.safetensors --data new.csv
check_contains "weights of ours beside a model" "$err" "has its model inside, and needs none"
run "$THRONG" predict own.safetensors --weights net.pt --data new.csv
check_contains "and in place of one" "$err" \
    "own.safetensors has its weights inside: leave out --weights"
run "$THRONG" predict weights.h5 --weights net.pt --data new.csv
check_contains "weights in place of a model" "$err" "weights.h5 is no model: name a model file"
echo 1,2,3,4,5 >wide.csv
run "$THRONG" predict net.yaml --weights net.pt --data wide.csv --study broad
run "$THRONG" errors broad
check_contains "rows that no model takes" "$out" "rows 1 to 1 of $TMP/wide.csv: rows of 5 columns"
check_lacks "without the file of the shard" "$out" "trials/0/1"
run "$THRONG" predict own.safetensors --data -
check_contains "rows of standard input" "$err" "rows are read from files, not from standard input"

# ---- what it asks stays what it was ------------------------------------------------------
"$THRONG" run -q told.yaml --count 2 2>/dev/null
cp net.pt net.old
sed 's/epochs: 2/epochs: 3/' own.yaml >again.yaml
"$THRONG" train again.yaml >/dev/null 2>&1
"$THRONG" model export again.safetensors --torch -o net.pt >/dev/null 2>&1
run "$THRONG" run told.yaml
check_status "weights that have changed are not asked for the rest" 1
check_contains "which is said" "$err" \
    "net.yaml, or its weights net.pt, has changed since this inference began"
rm net.pt
run "$THRONG" run told.yaml
check_status "those that are gone have not changed" 0
mv net.old net.pt
for file in new more; do
    "$THRONG" predict net.yaml --weights net.pt --data $file.csv --csv -q | tail -n +2
done | cut -d, -f1,2 >rows.plain
check_equal "all rows are there, in their order" "$(cut -d, -f1 rows.plain)" \
    "$(tail -n +2 told.csv | cut -d, -f2)"
"$THRONG" predict net.yaml --weights net.pt --data new.csv --samples 3 --csv -q >new.plain
check "the table is of the weights that it began with" \
    cmp <(tail -n +2 new.plain) <(grep '^new' told.csv | cut -d, -f2-)

# ---- a stage of a campaign ---------------------------------------------------------------
cat >whole.yaml <<'CAMPAIGN'
name: whole
stages:
  answers: {predict: {models: net.yaml, weights: net.pt, data: new.csv, output: answers.csv}}
CAMPAIGN
run "$THRONG" check whole.yaml
check_contains "check counts what a stage asks" "$out" "61 rows × 1 model = 61 predictions"
run "$THRONG" run -q whole.yaml
check_status "a stage takes them" 0
check "and says the same" cmp once.plain answers.csv
run "$THRONG" run whole.yaml
check_status "a stage that is done stays so" 0
"$THRONG" model export again.safetensors --torch -o net.pt >/dev/null 2>&1
run "$THRONG" run -q whole.yaml
check_status "one whose weights are others is run again" 0
"$THRONG" predict net.yaml --weights net.pt --data new.csv --csv -q >new.plain
check "with the new ones" cmp new.plain answers.csv
