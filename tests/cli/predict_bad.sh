#!/usr/bin/env bash
# A row that cannot be read, or of which models say no number, costs the others
# nothing: it is told, counted, and has no prediction.
. "$(dirname "$0")/lib.sh"

awk 'BEGIN { srand(3); print "a,b,k,y"
    for (i = 0; i < 200; i++) { x = rand(); z = rand()
        print x "," z "," (i % 2 ? "red" : "blue") "," x + z * z } }' >rows.csv
cat >model.yaml <<'MODEL'
layers: [{dense: "${units}", activation: relu}, {dropout: 0.2}, {dense: 1}]
loss: mse
optimizer: {name: adam, lr: 0.03}
epochs: 2
data: {file: rows.csv, label: y, scale: std, validation: 0.2}
MODEL
cat >study.yaml <<'STUDY'
name: nets
model: model.yaml
method: grid
keep: all
metric: {name: val_loss, goal: minimize}
parameters: {units: {values: [4, 8]}}
STUDY
"$THRONG" run -q study.yaml
"$THRONG" ensemble nets best:2 -o two.ensemble >/dev/null 2>&1
weights=$(find .throng/nets -name weights.safetensors | sort | head -n 1)
mkdir new sound
for k in 1 2 3; do
    awk -v k=$k 'BEGIN { srand(k); print "a,b,k"
        for (i = 0; i < 100; i++) print rand() "," rand() ",red" }' >sound/$k.csv
done
cp sound/*.csv new/
# Rows 10 and on of the second file, which are lines 11 and on.
sed -i -e '11s/.*/0.1,oops,red/' -e '31s/.*/0.1,0.2/' -e '51s/.*/0.1,,red/' \
    -e '52s/.*/0.1,0.2,green/' -e '71s/.*/3e38,-3e38,red/' new/2.csv

# ---- the verb -----------------------------------------------------------------
run "$THRONG" predict two.ensemble --data new/2.csv --csv
check_status "rows without a prediction are told by the exit code" 3
check_contains "with file, line, column and what is wrong" "$err" \
    'new/2.csv:11: column b: "oops" where a number belongs'
check_contains "cells that are too few" "$err" "new/2.csv:31: 2 cells where 3 belong"
check_contains "a value that is missing" "$err" "new/2.csv:51: column b: the value is missing"
check_contains "a word that training did not have" "$err" \
    'new/2.csv:52: column k: the model was not trained with "green"'
check_contains "how many there are" "$err" "throng predict: 5 rows have no prediction"
check_contains "and a number that is infinite" "$err" \
    "new/2.csv: row 70: what is predicted is no finite number"
printf 'a,b,k\n3e38,-3e38,red\n' >huge.csv
run "$THRONG" predict two.ensemble --data huge.csv
check_contains "also where each row can be read" "$err" "huge.csv: row 1: what is predicted"
printf 'a,b,k\n' >header.csv
for verb in predict evaluate; do
    run "$THRONG" $verb two.ensemble --data header.csv
    check_contains "$verb: a header alone is told, and what could say otherwise" "$err" \
        "no rows below it (if those words are a row, header: false in the model's data says so)"
done
"$THRONG" predict two.ensemble --data new/2.csv --csv >told.csv 2>/dev/null
check_equal "each row is there" 101 "$(wc -l <told.csv)"
check_equal "a bad one without a prediction" "10,,,,,,," "$(grep '^10,' told.csv)"
check_equal "and so is what is infinite" "70,,,,,,," "$(grep '^70,' told.csv)"
"$THRONG" predict two.ensemble --data sound/2.csv --csv >sound.csv 2>/dev/null
check "the others are what they are without" \
    cmp <(grep -vE '^(10|30|50|51|70),' sound.csv) <(grep -vE '^(10|30|50|51|70),' told.csv)
run "$THRONG" predict "$weights" --data new/2.csv -q
check_status "of one model as well" 3
check_contains "also where little is to be said" "$err" "5 rows have no prediction"
run "$THRONG" predict "$weights" --data sound/2.csv
check_status "sound rows are well" 0
{ echo a,b,k; awk 'BEGIN { for (i = 0; i < 50; i++) print "x,1,red" }'; echo 1,2,red; } >many.csv
run "$THRONG" predict "$weights" --data many.csv
check_equal "of many the first are told" 5 "$(grep -c 'where a number belongs' <<<"$err")"
printf 'a,b,k\nx,1,red\n' >none.csv
run "$THRONG" predict "$weights" --data none.csv
check_status "where no row can be read it is an error" 1
check_contains "which names the first" "$err" "no row can be read; the first: "
run "$THRONG" evaluate "$weights" --data none.csv
check_status "what is judged must be sound" 1
printf 'a,b,k,y\n1,2,red,0.5\n1,2,red,\n' >some.csv
run "$THRONG" predict "$weights" --data some.csv --csv
check_status "a label that a row lacks is no fault" 0
check_equal "it stays empty" "2,," "$(sed -n 3p <<<"$out" | cut -d, -f1,2),"

# ---- shards -------------------------------------------------------------------
for size in 30 1000; do
    cat >all$size.yaml <<STUDY
predict: {models: two.ensemble, data: new/*.csv, samples: 5, shard: $size, output: all$size.csv}
STUDY
    run "$THRONG" run all$size.yaml
    check_status "an inference goes on, shards of $size" 3
done
check_contains "what is bad is said with the table" "$err" "300 rows in $PWD/all1000.csv; 5 rows have no prediction: $PWD/all1000.csv.bad.csv lists them, first new/2.csv:11: column b: \"oops\" where a number belongs"
check "the table is the same however rows are cut" cmp all30.csv all1000.csv
check "and so is the list" cmp all30.csv.bad.csv all1000.csv.bad.csv
check_equal "of file, row, line, column and fault" \
    'new/2.csv,10,11,b,"""oops"" where a number belongs"' "$(sed -n 2p all30.csv.bad.csv)"
check_equal "each bad row is in it" 6 "$(wc -l <all30.csv.bad.csv)"
sed 's|new/|sound/|g; s/all30/sound/' all30.yaml >sound.yaml
run "$THRONG" run -q sound.yaml
check_status "rows that are sound are well" 0
check_not "and have no list" test -e sound.csv.bad.csv
check "samples of the others are theirs" \
    cmp <(grep -vE '2.csv,(10|30|50|51|70),' sound.csv | sed 's|sound/||') \
    <(grep -vE '2.csv,(10|30|50|51|70),' all30.csv | sed 's|new/||')
run "$THRONG" run all30.yaml
check_status "a run that has nothing to do says it again" 3
check_contains "with how many" "$err" "5 rows have no prediction"
run "$THRONG" inferences all30 sound
check_equal "inferences counts them" "5 0 5" "$(cut -f6 <<<"$out" | sed 1d | paste -sd ' ')"
run "$THRONG" inferences all30 --json
check_contains "for programs, too" "$out" '"bad_rows":5'
run "$THRONG" show all30 5
check_contains "and the shard says how many are its" "$out" "bad_rows"
for size in 30 1000; do
    cat >kept$size.yaml <<STUDY
predict:
  models: two.ensemble
  data: new/*.csv
  shard: $size
  output: kept$size
  keep: {top: {by: mean, n: 400}, all: true, histogram: {of: mean, bins: 4, from: 0, to: 2}}
STUDY
    "$THRONG" run -q kept$size.yaml 2>/dev/null
done
check "tables by rules are the same" diff -r kept30 kept1000
check_equal "bad rows are not in them" 296 "$(wc -l <kept30/top.csv)"
check_equal "but in the list of all rows" 301 "$(wc -l <kept30/listed.csv)"
check "and beside them" cmp kept30.bad.csv all30.csv.bad.csv
printf 'a,b,k\nx,1,red\n1,y,red\n' >new/4.csv
sed 's/all30/more/' all30.yaml >more.yaml
run "$THRONG" run more.yaml
check_contains "a shard of which no row can be read is one like others" "$err" \
    "302 rows in $PWD/more.csv; 7 rows have no prediction"
check_lacks "what it has written is none of its rows" \
    "$("$THRONG" check more.yaml 2>&1)" "error"

# ---- files without rows ---------------------------------------------------------
mkdir some
cp sound/1.csv some/1.csv
cp sound/3.csv some/3.csv
: >some/0.csv
echo "a,b,k" >some/2.csv
echo "a,b,k" | gzip >some/4.csv.gz
cat >some.yaml <<'STUDY'
predict: {models: two.ensemble, data: [some/*.csv, some/*.gz], shard: 30, output: some_told.csv}
STUDY
run "$THRONG" run some.yaml
check_status "a file without rows refuses no other" 0
check_contains "and is named" "$err" \
    "predict.data names what has no rows, and gives none: some/0.csv, some/2.csv, some/4.csv.gz"
check_contains "the others are asked for" "$err" "200 rows in $PWD/some_told.csv"
check_equal "each by its name" "100 some/1.csv 100 some/3.csv" \
    "$(sed 1d some_told.csv | cut -d, -f1 | uniq -c | awk '{ print $1, $2 }' | paste -sd ' ')"
cat >top.yaml <<'STUDY'
predict: {models: two.ensemble, data: some/*.csv, shard: 30, output: top, keep: "top:mean:200"}
STUDY
"$THRONG" run -q top.yaml
check_equal "by rules as well" "100 some/1.csv 100 some/3.csv" \
    "$(sed 1d top/top.csv | cut -d, -f1 | sort | uniq -c | awk '{ print $1, $2 }' | paste -sd ' ')"
run "$THRONG" run some.yaml
check_contains "a second run has nothing to do" "$err" "nothing was left to do"
sed 's|\[some/\*.csv, some/\*.gz\]|[some/0.csv, some/2.csv]|' some.yaml >empty.yaml
run "$THRONG" check empty.yaml
check_contains "where no file has rows it is a mistake" "$err" "0.csv: has no rows"

# ---- what is to be known of rows is said once ------------------------------------
sed 's/validation: 0.2/validation: 0.2, missing: mean/' model.yaml >model2.yaml
sed 's/model.yaml/model2.yaml/; s/nets/means/' study.yaml >means.yaml
"$THRONG" run -q means.yaml
"$THRONG" ensemble means best:2 -o means.ensemble >/dev/null 2>&1
printf 'a,b,k\n1,2,green\n1,2,red\n' >green.csv
run "$THRONG" predict means.ensemble --data green.csv
check_status "where a model takes what it does not know it does" 0
check_equal "each member does, and it is said once" 1 \
    "$(grep -c 'what the model was not trained with' <<<"$err")"
