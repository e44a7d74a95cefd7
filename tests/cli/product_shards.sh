#!/usr/bin/env bash
# A product of tables as an inference whose shards are trials: the tables of its
# rules are those of `predict --product`, whatever happened to the shards.
here=$(cd "$(dirname "$0")" && pwd)
. "$(dirname "$0")/lib.sh"

python3 - <<'MAKE'
import math
import random

random.seed(5)
made = {}
for file, key, names, count in (("drugs.csv", "drug", "abcd", 12),
                                ("cells.csv", "cell", "xyz", 9),
                                ("drugs680.csv", "drug", "abcd", 680),
                                ("cells670.csv", "cell", "xyz", 670)):
    rows = made[file] = [[round(random.gauss(0, 1), 3) for _ in names]
                         for _ in range(count)]
    with open(file, "w") as f:
        f.write(",".join([key] + list(names)) + "\n")
        for i, row in enumerate(rows):
            f.write(",".join([key + str(i)] + list(map(str, row))) + "\n")
drugs, cells = made["drugs.csv"], made["cells.csv"]
with open("pairs.csv", "w") as few, open("all.csv", "w") as every:
    few.write("one,two,cell,y\n")
    every.write("one,two,cell\n")
    for i, d in enumerate(drugs):
        for k, e in enumerate(drugs):
            for n, c in enumerate(cells):
                who = "drug%d,drug%d,cell%d" % (i, k, n)
                every.write(who + "\n")
                if random.random() < 0.3:
                    y = math.tanh(d[0] * c[0] + e[1] - c[2])
                    few.write("%s,%.4f\n" % (who, y))
MAKE
cat >net.yaml <<'MODEL'
layers:
  - {dense: "${units}", activation: relu}
  - {dropout: 0.2}
  - {dense: 8, activation: tanh}
  - dense: outputs
loss: mse
epochs: 4
optimizer: {name: adam, lr: 0.02}
data:
  file: pairs.csv
  label: y
  scale: std
  validation: 0.3
  join: {one: drugs.csv, two: drugs.csv, cell: cells.csv}
MODEL
cat >search.yaml <<'STUDY'
model: net.yaml
method: grid
keep: all
metric: {name: val_loss, goal: minimize}
parameters: {units: {values: [8, 16, 32]}}
STUDY
"$THRONG" run -q search.yaml
"$THRONG" ensemble search best:2 --bundle -o two.ensemble >/dev/null 2>&1
weights=$(find .throng/search -name weights.safetensors | sort | head -n 1)
tables=drugs.csv,drugs.csv,cells.csv
cat >rules.json <<'RULES'
{"top": {"by": "mean", "n": 30}, "also": {"by": "sd", "n": 25},
 "bottom": {"by": "predicted", "n": 5, "where": "sd < 0.2"},
 "where": "mean > 0.2 and sd > 0.1",
 "histogram": {"of": ["mean", "sd"], "bins": [8, 5], "from": [-1, 0],
               "to": [1, 0.5]}}
RULES

# ---- it is known before it runs ----------------------------------------------
cat >huge.yaml <<'STUDY'
predict:
  models: two.ensemble
  product: [drugs680.csv, drugs680.csv, cells670.csv]
  samples: 30
  shard: 1000
  keep: {top: {by: mean, n: 50000}, also: {by: sd, n: 50000}}
STUDY
run "$THRONG" check huge.yaml
check_status "a check says what it would be" 0
check_contains "rows, models and samples are counted" "$out" \
    "309808000 rows × 2 models × 30 samples = 1.85885e+10 predictions, in shards of up to 1000 rows"
check_matches "as hours" "$out" 'of one core \([0-9.]* hours\)'
check_not "and nothing has run" test -e .throng/huge
check "no row is held for it" python3 - "$THRONG" <<'MEMORY'
import resource
import subprocess
import sys

subprocess.run([sys.argv[1], "check", "huge.yaml"], check=True,
               stdout=subprocess.DEVNULL)
assert resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss < 1000000
MEMORY

# ---- the same as the verb says, to the byte -----------------------------------
product() { # NAME MODELS SHARD SAMPLES KEEP
    cat >"$1.yaml" <<STUDY
predict: {models: $2, product: [drugs.csv, drugs.csv, cells.csv], shard: $3, samples: $4, output: $1, keep: $5}
STUDY
}
for size in 70 500 2000; do
    product "kept$size" two.ensemble $size 7 "$(tr '\n' ' ' <rules.json)"
    run "$THRONG" run "kept$size.yaml"
    check_status "a product runs as a study, shards of $size" 0
done
check_contains "its tables are named" "$err" \
    "1296 rows: top.csv, also.csv, bottom.csv, histogram.csv, listed.csv in $PWD/kept2000"
"$THRONG" predict two.ensemble --product $tables --samples 7 \
    --keep "$(cat rules.json)" -o verb 2>/dev/null
check_equal "the verb lists some of the rows" yes \
    "$([ "$(wc -l <verb/listed.csv)" -gt 20 ] && echo yes)"
for size in 70 500 2000; do
    check "the tables are the verb's, shards of $size" diff -r "kept$size" verb
done
run "$THRONG" status kept70 --json
check_matches "a shard is a trial" "$out" '"done": ?19'
check_equal "shards are not listed" 1 "$(wc -l <.throng/kept70/shards)"
product one "$weights" 100 1 'top:mean:40'
sed -i 's/samples: 1, //' one.yaml
"$THRONG" run -q one.yaml
check "one model without samples is the verb's, too" cmp one/top.csv \
    <("$THRONG" predict "$weights" --product $tables --keep top:mean:40 --csv 2>/dev/null)
product every two.ensemble 100 3 all
run "$THRONG" run every.yaml
check_contains "all rows can be kept" "$err" "1296 rows: listed.csv in $PWD/every"
check "in the order of the product" cmp every/listed.csv \
    <("$THRONG" predict two.ensemble --product $tables --samples 3 --keep all --csv 2>/dev/null)

# ---- on a GPU -------------------------------------------------------------------
run "$THRONG" check every.yaml --device cuda
check_status "a product of tables is for cpus" 1
check_matches "which is said where it stands" "$err" \
    '^every.yaml:[0-9]+:[0-9]+: error: predict.product: all combinations of tables are asked for on cpus'
run "$THRONG" check every.yaml --device auto
check_status "that nobody needs to say" 0

# ---- beside the table that is written down -------------------------------------
"$THRONG" predict two.ensemble --data all.csv --samples 3 --csv >told.csv 2>/dev/null
check "it is what a file of all combinations gives" python3 - <<'BRUTE'
import csv

who = list(csv.reader(open("all.csv")))[1:]
told = list(csv.DictReader(open("told.csv")))
got = list(csv.DictReader(open("every/listed.csv")))
assert len(who) == len(told) == len(got) == 12 * 12 * 9
for names, want, have in zip(who, told, got):
    assert names == [have["drugs"], have["drugs_2"], have["cells"]]
    for column in ("predicted", "sd", "q0.05", "q0.5", "q0.95"):
        assert abs(float(want[column]) - float(have[column])) < 1e-5, have
BRUTE

# ---- what it was begun with stays ---------------------------------------------
run "$THRONG" run kept70.yaml
check_contains "a second run does nothing" "$err" "nothing was left to do"
mkdir away
mv drugs.csv cells.csv two.ensemble away/
rm -r kept70
run "$THRONG" run kept70.yaml
check_status "tables and models lie beside it" 0
check "and name its rows" diff -r kept70 verb
mv away/* .
rm .throng/kept70/trials/0/3/output/kept/state
rm -r kept70
run "$THRONG" run kept70.yaml
check_contains "what is missing is told" "$err" "70 rows of 1 shard are missing there"
check_equal "by the rows of the product" "3,product,141,210" \
    "$(sed 1d kept70.missing.csv)"
touch -d '2001-01-01' cells.csv
run "$THRONG" run kept500.yaml
check_contains "a table that changed makes another study" "$err" "has changed since it began"

# ---- killed -------------------------------------------------------------------
for f in whole killed; do
    mkdir $f
    cp two.ensemble $f/
    head -n 101 drugs680.csv >$f/drugs.csv
    head -n 21 cells670.csv >$f/cells.csv
    cat >$f/inference.yaml <<'STUDY'
predict:
  models: two.ensemble
  product: [drugs.csv, drugs.csv, cells.csv]
  samples: 10
  shard: 8000
  output: out
  keep: {top: {by: mean, n: 500}, also: {by: sd, n: 300}, where: "sd > 0.3"}
STUDY
done
tap=$(python3 "$here/predict_kills.py" "$THRONG" "$PWD" inference "${SHARD_KILLS:-4}" "${SEED:-1}")
while read -r line; do
    case $line in
    "ok "*) ok "${line#*- }" ;;
    "not ok "*) not_ok "${line#*- }" "$tap" ;;
    esac
done <<<"$tap"

# ---- as a stage ----------------------------------------------------------------
cat >c.yaml <<'CAMPAIGN'
stages:
  search: {study: search.yaml}
  committee: {ensemble: search, select: "best:2", output: c.ensemble}
  cells: {command: "head -n 4 cells.csv > few.csv", outputs: [few.csv]}
  asked:
    predict: {models: committee, product: [drugs.csv, drugs.csv, few.csv], samples: 5, shard: 100, output: asked, keep: "top:mean:9"}
CAMPAIGN
run "$THRONG" check c.yaml
check_status "a stage may ask for a table that is yet to be made" 0
check_matches "after who makes it" "$out" 'asked +predict, after committee, cells'
run "$THRONG" run -q c.yaml
check_status "a campaign with a product runs" 0
check "its table is the verb's" cmp asked/top.csv \
    <("$THRONG" predict c.ensemble --product drugs.csv,drugs.csv,few.csv --samples 5 \
        --keep top:mean:9 --csv 2>/dev/null)
run "$THRONG" run c.yaml
check_contains "a second run asks nothing" "$err" "nothing had changed"
sed -i 's/^drug7,.*/drug7,9,9,9,9/' drugs.csv
cp asked/top.csv before.csv
run "$THRONG" run -q c.yaml
check_status "another table is asked for again" 0
check_not "and says something else" cmp -s asked/top.csv before.csv

# ---- what cannot be -----------------------------------------------------------
refuses() { # NAME TEXT PREDICT
    printf 'predict: %s\n' "$3" >bad.yaml
    run "$THRONG" check bad.yaml
    check_status "$1 is refused" 1
    check_contains "$1 is named" "$err" "$2"
}
keep="keep: 'top:mean:3'"
echo "cell,x,y,z" >empty.csv
refuses "a table that is not there" "none.csv" \
    "{models: two.ensemble, product: [drugs.csv, drugs.csv, none.csv], $keep}"
refuses "an order that does not fit" "stands where the model has" \
    "{models: two.ensemble, product: [drugs.csv, cells.csv, drugs.csv], $keep}"
refuses "a table too many" "have 14 columns of numbers together" \
    "{models: two.ensemble, product: [drugs.csv, drugs.csv, cells.csv, cells.csv], $keep}"
refuses "an empty table" "empty.csv" \
    "{models: two.ensemble, product: [drugs.csv, drugs.csv, empty.csv], $keep}"
refuses "data beside it" "give data or product, not both" \
    "{models: two.ensemble, data: all.csv, product: [drugs.csv], $keep}"
refuses "nothing to keep" "predict.product needs keep" \
    "{models: two.ensemble, product: [drugs.csv, drugs.csv, cells.csv]}"
refuses "a program" "predict.product goes with models" \
    "{product: [drugs.csv, cells.csv]}
command: 'true'"
many='product: [drugs680.csv, drugs680.csv, cells670.csv], keep: all'
printf 'predict: {models: two.ensemble, %s}\n' "$many" >bad.yaml
run "$THRONG" check bad.yaml
check_status "very many rows may be listed" 0
check_contains "but it is said how many" "$err" "would list 309808000 rows"
awk 'BEGIN { print "x,y,z"; for (i = 0; i < 30000; i++) print "1,2," i }' >cells30000.csv
refuses "a list that nobody means" "would list 13872000000 rows" \
    "{models: two.ensemble, product: [drugs680.csv, drugs680.csv, cells30000.csv], keep: all}"
