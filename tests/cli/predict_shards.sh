#!/usr/bin/env bash
# An inference over many rows: its shards are trials, and its table does not
# hang on what happened to them.
here=$(cd "$(dirname "$0")" && pwd)
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
metric: {name: val_accuracy, goal: maximize}
parameters: {units: {values: [4, 8, 16]}}
STUDY
"$THRONG" run -q study.yaml
"$THRONG" ensemble kinds best:2 -o two.ensemble >/dev/null 2>&1
mkdir new
for k in 1 2; do
    awk -v k=$k 'BEGIN { srand(k); print "b,a"
        for (i = 0; i < 400 * k; i++) print rand() "," rand() }' >new/$k.csv
done

# ---- the same as the verb says -----------------------------------------------
cat >all.yaml <<'STUDY'
predict: {models: two.ensemble, data: new/*.csv, shard: 150, output: all.csv}
STUDY
run "$THRONG" check all.yaml
check_status "a check says what it would be" 0
check_contains "rows, models and shards are counted" "$out" \
    "1200 rows × 2 models = 2400 predictions, in shards of up to 150 rows"
check_matches "as hours" "$out" 'of one core \([0-9.e-]* hours\)'
check_not "and nothing has run" test -e .throng/all
run "$THRONG" run all.yaml
check_status "an inference runs as a study" 0
check_contains "where its table is, is said" "$err" "1200 rows in $PWD/all.csv"
for k in 1 2; do
    "$THRONG" predict two.ensemble --data new/$k.csv --csv 2>/dev/null |
        sed "1d; s|^|new/$k.csv,|"
done >wanted.csv
sed 1d all.csv >got.csv
check "the table is what predict says of each file" cmp wanted.csv got.csv
check_equal "it has a name for each column" \
    "file,row,predicted,p_high,p_low,p_mid,entropy,mutual_information" "$(head -n 1 all.csv)"
run "$THRONG" status all --json
check_matches "a shard is a trial" "$out" '"done": ?9'
check_equal "no rows are left beside them" "" "$(find .throng/all/trials -name 'rows*')"
run "$THRONG" run all.yaml
check_contains "a second run does nothing" "$err" "nothing was left to do"
mv two.ensemble gone.ensemble
run "$THRONG" run all.yaml
check_status "its models lie beside it" 0
mv gone.ensemble two.ensemble

# ---- dropout goes by the row, not by its shard --------------------------------
for size in 70 150 1000; do
    cat >drawn$size.yaml <<STUDY
predict: {models: two.ensemble, data: new/*.csv, samples: 5, shard: $size, output: drawn$size.csv}
STUDY
    "$THRONG" run -q drawn$size.yaml
done
check "shards of another size have the same samples" cmp drawn70.csv drawn150.csv
check "and as few as there are files" cmp drawn70.csv drawn1000.csv
"$THRONG" predict two.ensemble --data new/1.csv --samples 5 --csv 2>/dev/null |
    sed "1d; s|^|new/1.csv,|" >wanted.csv
check "they are those of the verb" cmp wanted.csv <(sed -n 2,401p drawn70.csv)
awk 'BEGIN { print "a,b"; for (i = 0; i < 40; i++) print "0.4,0.5" }' >alike.csv
cat >alike.yaml <<'STUDY'
predict: {models: two.ensemble, data: alike.csv, samples: 5, shard: 10, output: alike_told.csv}
STUDY
"$THRONG" run -q alike.yaml
check_equal "rows that are alike draw each for itself" 40 \
    "$(sed 1d alike_told.csv | cut -d, -f2- | sort -u | wc -l)"

# ---- rules of what is kept ----------------------------------------------------
for size in 70 1000; do
    cat >kept$size.yaml <<STUDY
predict:
  models: two.ensemble
  data: new/*.csv
  samples: 5
  shard: $size
  output: kept$size/
  keep:
    top: {by: p_high, n: 30}
    also: {by: entropy, n: 25}
    bottom: {by: p_low, n: 7, where: "entropy < 0.9"}
    where: "p_mid > 0.4"
    histogram: {of: [p_high, entropy], bins: [5, 4], from: [0, 0], to: [1, 1.2]}
STUDY
    run "$THRONG" run kept$size.yaml
    check_status "rows are kept by rules, shards of $size" 0
done
check_contains "tables are named" "$err" \
    "1200 rows: top.csv, also.csv, bottom.csv, histogram.csv, listed.csv in $PWD/kept1000"
check "how rows are cut changes no byte" diff -r kept70 kept1000
check "each table is what it says of all rows" python3 - <<'END'
import csv

rows = list(csv.DictReader(open("drawn70.csv")))
assert len(rows) == 1200
for r in rows:
    del r["predicted"]
read = lambda name: list(csv.DictReader(open("kept70/%s.csv" % name)))
number = lambda i, name: float(rows[i][name])
first = lambda by, count, of=range(1200): [
    rows[i] for i in sorted(of, key=by)[:count]]
assert read("top") == first(lambda i: (-number(i, "p_high"), i), 30)
assert read("also") == first(lambda i: (-number(i, "entropy"), i), 25)
sure = [i for i in range(1200) if number(i, "entropy") < 0.9]
assert len(sure) > 7
assert read("bottom") == first(lambda i: (number(i, "p_low"), i), 7, sure)
mid = [rows[i] for i in range(1200) if number(i, "p_mid") > 0.4]
assert mid and read("listed") == mid
cells = read("histogram")
assert len(cells) == 7 * 6 and sum(int(c["rows"]) for c in cells) == 1200
for c in cells:
    a, b, d, e = (float(c[k]) for k in ("p_high_from", "p_high_to",
                                        "entropy_from", "entropy_to"))
    inside = lambda x, low, high, last: low <= x < high or x == high == last
    want = sum(inside(number(i, "p_high"), a, b, 1) and
               inside(number(i, "entropy"), d, e, 1.2) for i in range(1200))
    assert int(c["rows"]) == want, c
END
cat >one.yaml <<'STUDY'
predict: {models: two.ensemble, data: new/1.csv, shard: 90, keep: "top:p_mid:3"}
STUDY
run "$THRONG" run one.yaml
check_contains "they lie with the study unless it says where" "$err" \
    "400 rows: top.csv in $PWD/.throng/one/kept"
check_equal "of one file rows have numbers" "row,p_high" \
    "$(head -n 1 .throng/one/kept/top.csv | cut -d, -f1,2)"
check_equal "as many as are asked for" 4 "$(wc -l <.throng/one/kept/top.csv)"
printf 'b,c\n1,2\n' >odd.csv
cat >gap.yaml <<'STUDY'
retry_delay: 0
predict: {models: two.ensemble, data: [odd.csv, new/1.csv], keep: "top:p_mid:3", output: gap}
STUDY
run "$THRONG" run gap.yaml
check_status "a shard that fails is told" 3
check_contains "and what is missing" "$err" "1 row of 1 shard is missing there"
check_equal "rows of the others are kept, by their file" \
    "$(sed '1d; s|^|new/1.csv,|' .throng/one/kept/top.csv)" "$(sed 1d gap/top.csv)"

# ---- what it wrote is none of its rows ------------------------------------------
mkdir mixed
cp new/1.csv mixed/
cat >mixed.yaml <<'STUDY'
predict: {models: two.ensemble, data: mixed/*.csv, shard: 150, output: mixed/told.csv}
STUDY
"$THRONG" run -q mixed.yaml
run "$THRONG" check mixed.yaml
check_contains "its own table is left out" "$out" "400 rows × 2 models"
check_contains "which is said" "$err" \
    "predict.data matches what this inference writes itself, which is left out: mixed/told.csv"
cp mixed/told.csv before.csv
run "$THRONG" run mixed.yaml
check_contains "a second run has the same rows" "$err" "nothing was left to do"
check_contains "and says so" "$err" "which is left out: mixed/told.csv"
echo 'shard,file,first_row,last_row' >mixed/again.csv.missing.csv
sed 's/told/again/' mixed.yaml >other && mv other mixed.yaml
run "$THRONG" run mixed.yaml
check_status "so is what an earlier run wrote under another name" 0
check_contains "with what was missing there" "$err" \
    "left out: mixed/again.csv.missing.csv, mixed/told.csv"
check "the table is the same" cmp before.csv mixed/again.csv
cat >tables.yaml <<'STUDY'
predict: {models: two.ensemble, data: "mixed/kept/*.csv", output: mixed/kept, keep: "top:p_mid:3"}
STUDY
mkdir -p mixed/kept
cp new/2.csv mixed/kept/
run "$THRONG" check tables.yaml
check_contains "nor is there a row in the folder of what is kept" "$err" \
    "no file matches mixed/kept/*.csv, but what this inference writes itself"
cat >itself.yaml <<'STUDY'
predict: {models: two.ensemble, data: [new/1.csv, itself.csv], output: itself.csv}
STUDY
cp new/1.csv itself.csv
run "$THRONG" check itself.yaml
check_status "a table that is named is no row of itself" 1
check_contains "which is an error" "$err" "itself.csv is the table that it writes"

# ---- trials of a study as models ---------------------------------------------
cat >where.yaml <<'STUDY'
predict: {models: kinds, where: "units>=8", data: new/1.csv, samples: 5}
STUDY
run "$THRONG" run where.yaml
check_contains "trials that pass a filter are the models" "$err" \
    "400 rows in $PWD/.throng/where/predictions.csv"
sed 's/samples: 5/shard: 200/' where.yaml >halves.yaml
run "$THRONG" check halves.yaml
check_contains "two shards are two" "$out" "in shards of up to 200 rows"
check_lacks "of which nothing is to be warned" "$err" "warning"
run "$THRONG" check where.yaml
check_contains "as many as pass" "$out" "400 rows × 2 models × 5 samples"
sed 's/units>=8/units>99/' where.yaml >none.yaml
run "$THRONG" check none.yaml
check_status "a filter that nobody passes is a mistake" 1
check_contains "which is said" "$err" "no trial of kinds passes units>99"
check_lacks "without more, where all names are known" "$err" "metrics are"
sed 's/units>=8/val_acuracy>0.1/' where.yaml >misspelt.yaml
run "$THRONG" check misspelt.yaml
check_contains "a name that no trial has is named, with those that there are" "$err" \
    "no trial of kinds passes val_acuracy>0.1: none has val_acuracy (did you mean val_accuracy?); metrics are "
check_matches "all of them" "$err" 'metrics are .*val_accuracy'

# ---- a program as the model ---------------------------------------------------
seq -f 'image-%g.png' 950 >names.txt
cat >own.yaml <<'STUDY'
predict: {data: names.txt, shard: 100, output: own.txt}
command: sed "s/^/seen /" "$THRONG_SHARD" > "$THRONG_PREDICTIONS"
STUDY
run "$THRONG" run own.yaml
check_status "a program can be the model" 0
check "it sees each line once" cmp own.txt <(seq -f 'seen image-%g.png' 950)

check_contains "with a line for each of its rows" "$err" "950 rows in $PWD/own.txt"
cat >few.yaml <<'STUDY'
predict: {data: names.txt, shard: 100, output: few.txt}
command: head -n 1 "$THRONG_SHARD" > "$THRONG_PREDICTIONS"
STUDY
run "$THRONG" run few.yaml
check_status "who reads its table is told that rows are missing there" 3
check_contains "but fewer lines than rows are not said to be rows" "$err" \
    "10 lines of 950 rows in $PWD/few.txt"
check_equal "as many are there" 10 "$(wc -l <few.txt)"
cat >titled.yaml <<'STUDY'
predict: {data: new/1.csv, shard: 100, output: titled.csv}
command: sed p "$THRONG_SHARD" | sed 1d | head -c -1 > "$THRONG_PREDICTIONS"
STUDY
run "$THRONG" run titled.yaml
check_contains "nor are more; names of columns are none" "$err" \
    "800 lines of 400 rows in $PWD/titled.csv"
check_equal "which are there" 801 "$(wc -l <titled.csv)"

# ---- files of other columns ------------------------------------------------------
mkdir mixes
sed '1s/a$/A/' new/1.csv >mixes/1.csv
cp new/1.csv mixes/2.csv
cat >mixes.yaml <<'STUDY'
predict: {models: two.ensemble, data: mixes/*.csv, output: mixes.out}
STUDY
run "$THRONG" check mixes.yaml
check_status "a file of other columns among others stops nothing" 0
check_contains "check names it, and the column" "$err" \
    "mixes.yaml:1:39: warning: predict.data names what cannot be predicted: mixes/1.csv:1: there is no column a, which the model was trained with (give them the columns of the model, or leave them out)"
check_not "of the other nothing is said" grep -q mixes/2.csv <<<"$err"
rm mixes/2.csv
run "$THRONG" check mixes.yaml
check_status "where no file is of the model's columns there is nothing to ask" 1
check_contains "the file is named" "$err" \
    "predict: nothing can be predicted of mixes/1.csv:1: there is no column a, which the model was trained with"
cat >later.yaml <<'CAMPAIGN'
name: later
stages:
  train: {study: train.yaml}
  ask: {predict: {models: train, data: mixes/*.csv, output: later.csv}}
CAMPAIGN
cat >train.yaml <<'STUDY'
model: model.yaml
method: grid
repeat: 2
keep: all
metric: {name: val_loss, goal: minimize}
parameters: {units: {values: [4]}}
STUDY
cp new/1.csv mixes/2.csv
run "$THRONG" check later.yaml
check_contains "models that are not there yet are foreseen" "$out" \
    "of these nothing can be predicted: mixes/1.csv:1: there is no column a, which the model was trained with"

# ---- shards that fail ---------------------------------------------------------
cat >some.yaml <<'STUDY'
retry_delay: 0
predict: {data: names.txt, shard: 100, output: some.txt}
command: test ! -e bad -o "$THRONG_P_shard" != 3 && cat "$THRONG_SHARD" > "$THRONG_PREDICTIONS"
STUDY
touch bad
run "$THRONG" run some.yaml
check_status "one that fails is told" 3
check_contains "which rows are missing, too" "$err" "100 rows of 1 shard are missing there"
check_equal "they are listed" "3,names.txt,201,300" "$(sed 1d some.txt.missing.csv)"
check_equal "the rest went on" 850 "$(wc -l <some.txt)"
run "$THRONG" show some 3
check_contains "it was tried three times" "$out" "3"
run "$THRONG" run -q some.yaml
check_equal "a later run tells it again, also a quiet one" \
    "3 throng: the table is not whole: $PWD/some.txt.missing.csv lists the shards that are missing there, and \`throng retry some bad\` tries them again" \
    "$status $err"
sed 's/some.txt/quiet.txt/' some.yaml >quiet.yaml
run "$THRONG" run -q quiet.yaml
check_equal "a quiet run tells it" \
    "3 throng: 850 rows in $PWD/quiet.txt; 100 rows of 1 shard are missing there: $PWD/quiet.txt.missing.csv lists it, and \`throng retry quiet bad\` tries it again" \
    "$status $err"
rm bad
"$THRONG" retry some bad >/dev/null 2>&1
run "$THRONG" run some.yaml
check_status "retry completes it" 0
check "in its place" cmp some.txt names.txt
check_not "and nothing is missing" test -e some.txt.missing.csv
cat >silent.yaml <<'STUDY'
retries: 0
predict: {data: names.txt, shard: 1000}
command: "true"
STUDY
run "$THRONG" run silent.yaml
check_contains "a program that writes nothing has failed" \
    "$("$THRONG" errors silent 2>&1)" 'without writing $THRONG_PREDICTIONS'

# ---- what cannot be -----------------------------------------------------------
refuses() { # NAME TEXT PREDICT
    printf 'predict: %s\n' "$3" >bad.yaml
    run "$THRONG" check bad.yaml
    check_contains "$1" "$err" "$2"
}
refuses "no data" "predict has no data" "{models: two.ensemble}"
refuses "no models" "predict has no models" "{data: new/*.csv}"
refuses "a glob that finds nothing" "no file matches old/*.csv" \
    "{models: two.ensemble, data: old/*.csv}"
refuses "a file that is not there" "none.csv" "{models: two.ensemble, data: none.csv}"
echo "b,a" >empty.csv
refuses "no rows" "no rows" "{models: two.ensemble, data: empty.csv}"
refuses "a model that is not there" "none.ensemble" "{models: none.ensemble, data: new/*.csv}"
refuses "a combine that there is not" "combine" \
    "{models: two.ensemble, data: new/*.csv, combine: best}"
refuses "rules that are none" "top needs a column to go by" \
    "{models: two.ensemble, data: new/*.csv, keep: {top: {n: 3}}}"
refuses "a column that predictions will not have" \
    "predictions have no column entrop; they have p_high, p_low, p_mid, entropy, mutual_information; did you mean entropy?" \
    "{models: two.ensemble, data: new/*.csv, keep: 'top:entrop:3'}"
refuses "at its place" "bad.yaml:4:21: error: predict: keep: predictions have no column sdd" \
    "
  models: two.ensemble
  data: new/*.csv
  keep: {also: {by: sdd, n: 3}}"
refuses "in where as well" "bad.yaml:4:28: error: predict: keep: predictions have no column other" \
    "
  models: two.ensemble
  data: new/*.csv
  keep: {all: true, where: 'other > 1'}"
run "$THRONG" run bad.yaml
check_status "nor does it run" 1
check_not "and nothing is begun" test -e .throng/bad
refuses "neither all nor rules" "predict.keep must be all or rules" \
    "{models: two.ensemble, data: new/*.csv, keep: 7}"
refuses "rules of a program" "predict.keep goes with models" \
    "{data: names.txt, keep: 'top:mean:3'}
command: 'true'"
refuses "an output of another kind" "written as CSV or npy, not as npz" \
    "{models: two.ensemble, data: new/*.csv, output: all.npz}"
refuses "an array that is a folder" "is a folder where keep has rules" \
    "{models: two.ensemble, data: new/*.csv, output: all.npy, keep: 'top:entropy:3'}"
refuses "a format that is none" "predict.format must be csv or npy" \
    "{models: two.ensemble, data: new/*.csv, format: hdf5}"
refuses "a format that the name is not of" "predict.output is not called so" \
    "{models: two.ensemble, data: new/*.csv, output: all.csv, format: npy}"
refuses "a name that the format is not of" "predict.output is called .npy" \
    "{models: two.ensemble, data: new/*.csv, output: all.npy, format: csv}"
refuses "an array of what a program writes" "what a program writes is merged as it is" \
    "{data: names.txt, output: all.npy}
command: 'true'"
refuses "members of an ensemble of whom none passes" "no member of two.ensemble passes a>1" \
    "{models: two.ensemble, data: new/*.csv, where: 'a>1'}"
refuses "a rank of members" "is none" \
    "{models: two.ensemble, data: new/*.csv, select: best}"
refuses "another rule of what is kept" "has no keep" \
    "{models: two.ensemble, data: new/*.csv}
keep: none"
run "$THRONG" check --engine htcondor all.yaml
check_lacks "machines that do not see the rows are sent them" "$err" "error:"
printf 'b,c\n1,2\n' >other.csv
cat >unfit.yaml <<'STUDY'
predict: {models: two.ensemble, data: [new/1.csv, other.csv], output: unfit.csv}
STUDY
run "$THRONG" run unfit.yaml
check_status "columns that do not fit" 3
check_contains "leave out their rows" "$err" "400 rows in"
check_contains "and are named" "$("$THRONG" errors unfit 2>&1)" "other.csv"
touch -d '2001-01-01' new/1.csv
run "$THRONG" run all.yaml
check_contains "rows that changed make another study" "$err" "has changed since it began"

# ---- killed -------------------------------------------------------------------
mkdir whole killed
for f in whole killed; do
    cp two.ensemble $f/
    cp -r .throng $f/.throng
    rm -rf $f/.throng/[!k]*
    awk 'BEGIN { srand(9); print "a,b"
        for (i = 0; i < 30000; i++) print rand() "," rand() }' >$f/many.csv
    cat >$f/inference.yaml <<'STUDY'
predict: {models: two.ensemble, data: many.csv, samples: 10, shard: 1000, output: out.csv}
STUDY
done
tap=$(python3 "$here/predict_kills.py" "$THRONG" "$PWD" inference "${SHARD_KILLS:-4}" "${SEED:-1}")
while read -r line; do
    case $line in
    "ok "*) ok "${line#*- }" ;;
    "not ok "*) not_ok "${line#*- }" "$tap" ;;
    esac
done <<<"$tap"
