#!/usr/bin/env bash
# predict --product: all combinations of the rows of tables, and what is kept of
# them, are those of the table that would be written down.
. "$(dirname "$0")/lib.sh"

python3 - <<'END'
import math
import random

random.seed(5)
tables = {}
for file, key, names, count in (("drugs.csv", "drug", "abcd", 12),
                                ("cells.csv", "cell", "xyz", 9)):
    rows = tables[key] = [[round(random.gauss(0, 1), 3) for _ in names]
                          for _ in range(count)]
    with open(file, "w") as f:
        f.write(",".join([key] + list(names)) + "\n")
        for i, row in enumerate(rows):
            f.write(",".join([key + str(i)] + list(map(str, row))) + "\n")
with open("pairs.csv", "w") as few, open("all.csv", "w") as every:
    few.write("one,two,cell,y\n")
    every.write("one,two,cell\n")
    for i, d in enumerate(tables["drug"]):
        for k, e in enumerate(tables["drug"]):
            for n, c in enumerate(tables["cell"]):
                who = "drug%d,drug%d,cell%d" % (i, k, n)
                every.write(who + "\n")
                if random.random() < 0.3:
                    y = math.tanh(d[0] * c[0] + e[1] - c[2])
                    few.write("%s,%.4f\n" % (who, y))
END
cat >net.yaml <<'MODEL'
layers:
  - {dense: 16, activation: relu}
  - {dropout: 0.2}
  - {dense: 8, activation: tanh}
  - dense: outputs
loss: mse
epochs: 8
optimizer: {name: adam, lr: 0.02}
data:
  file: pairs.csv
  label: y
  scale: std
  validation: 0.3
  join: {one: drugs.csv, two: drugs.csv, cell: cells.csv}
MODEL
run "$THRONG" train net.yaml
check_status "a model is trained on rows of three tables" 0

# ---- as a study of shards --------------------------------------------------------
run "$THRONG" predict net.safetensors --product drugs.csv,drugs.csv,cells.csv \
    --keep top:mean:40 --study pairs --shard 100 -o shards
check_status "a product is cut into shards by words" 0
run "$THRONG" predict net.safetensors --product drugs.csv,drugs.csv,cells.csv \
    --keep top:mean:40 --csv
check "which say the same to the byte" cmp .out shards/top.csv
run "$THRONG" predict net.safetensors --product drugs.csv --data all.csv --study both
check_contains "rows are of one kind" "$err" "rows are those of --data, or of --product"

# ---- beside the table that is written down --------------------------------------
run "$THRONG" predict net.safetensors --product drugs.csv,drugs.csv,cells.csv \
    --keep top:mean:40 --csv
check_status "its first rows are kept of all combinations" 0
cp .out top.csv
"$THRONG" predict net.safetensors --data all.csv --csv >all_told.csv 2>/dev/null
check "they are those of the table that is written down" python3 - <<'END'
import csv

who = list(csv.DictReader(open("all.csv")))
told = sorted(((float(r["predicted"]), int(r["row"]))
               for r in csv.DictReader(open("all_told.csv"))), reverse=True)
assert len(told) == 12 * 12 * 9
top = list(csv.DictReader(open("top.csv")))
assert list(top[0]) == ["drugs", "drugs_2", "cells", "predicted"], top[0]
assert len(top) == 40
for one, (value, row) in zip(top, told):
    assert abs(float(one["predicted"]) - value) < 1e-5, (one, value)
# Neighbours may change places where their numbers are the same but for rounding.
named = {(r["drugs"], r["drugs_2"], r["cells"]) for r in top}
clear = {tuple(who[row - 1].values()) for value, row in told
         if value > told[39][0] + 1e-5}
maybe = {tuple(who[row - 1].values()) for value, row in told
         if value > told[39][0] - 1e-5}
assert clear <= named <= maybe
END

sed '/scale: std/d' net.yaml >plain.yaml
"$THRONG" train plain.yaml >/dev/null 2>&1
"$THRONG" predict plain.safetensors --product drugs.csv,drugs.csv,cells.csv \
    --keep all --csv >plain.csv 2>/dev/null
"$THRONG" predict plain.safetensors --data all.csv --csv >plain_told.csv 2>/dev/null
check "a model that scales nothing says the same of both" python3 - <<'END'
import csv

told = [float(r["predicted"]) for r in csv.DictReader(open("plain_told.csv"))]
have = [float(r["predicted"]) for r in csv.DictReader(open("plain.csv"))]
assert len(told) == len(have) == 12 * 12 * 9
assert max(abs(a - b) for a, b in zip(told, have)) < 1e-5
END

# ---- several rules ---------------------------------------------------------------
cat >rules.json <<'RULES'
{"top": {"by": "mean", "n": 30}, "also": {"by": "sd", "n": 25},
 "bottom": {"by": "predicted", "n": 5, "where": "sd < 0.2"},
 "where": "mean > 0.5 and sd > 0.1", "all": true,
 "histogram": {"of": ["mean", "sd"], "bins": [8, 5], "from": [-1, 0],
               "to": [1, 0.5]}}
RULES
run "$THRONG" predict net.safetensors --product drugs.csv,drugs.csv,cells.csv \
    --samples 7 --keep "$(cat rules.json)" -o kept
check_status "several rules leave a table each" 0
check "each of them is what it says of all rows" python3 - <<'END'
import csv

rows = list(csv.DictReader(open("kept/listed.csv")))
assert len(rows) == 12 * 12 * 9
number = [(float(r["predicted"]), float(r["sd"])) for r in rows]
read = lambda name: list(csv.DictReader(open("kept/%s.csv" % name)))
first = lambda by, count: [
    rows[i] for i in sorted(range(len(rows)), key=by)[:count]]
assert read("top") == first(lambda i: (-number[i][0], i), 30)
assert read("also") == first(lambda i: (-number[i][1], i), 25)
sure = [i for i in range(len(rows)) if number[i][1] < 0.2]
assert read("bottom") == [
    rows[i] for i in sorted(sure, key=lambda i: (number[i][0], i))[:5]]
cells = read("histogram")
assert len(cells) == 10 * 7
assert sum(int(c["rows"]) for c in cells) == len(rows)
for c in cells:
    a, b = float(c["mean_from"]), float(c["mean_to"])
    d, e = float(c["sd_from"]), float(c["sd_to"])
    inside = lambda x, low, high, last: low <= x < high or (x == high == last)
    want = sum(inside(x, a, b, 1) and inside(y, d, e, 0.5) for x, y in number)
    assert int(c["rows"]) == want, c
END
"$THRONG" predict net.safetensors --product drugs.csv,drugs.csv,cells.csv \
    --samples 7 --keep "$(cat rules.json)" -o again 2>/dev/null
check "the same again is the same" diff -r kept again
check "the table of training is needed no more" bash -c '
    mkdir alone && cp net.safetensors drugs.csv cells.csv alone && cd alone &&
    "$0" predict net.safetensors --product drugs.csv,drugs.csv,cells.csv \
        --keep top:mean:40 --csv 2>/dev/null | diff - ../top.csv' "$THRONG"

# ---- mistakes ---------------------------------------------------------------------
run "$THRONG" predict net.safetensors --product drugs.csv,cells.csv,drugs.csv \
    --keep top:mean:4
check_status "tables in another order are refused" 1
check_contains "by their columns" "$(cat .err)" "stands where the model has"
run "$THRONG" predict net.safetensors --product drugs.csv,cells.csv \
    --keep top:mean:4
check_status "a table too few is refused" 1
run "$THRONG" predict net.safetensors --product drugs.csv,drugs.csv,cells.csv \
    --keep top:middle:4
check_status "so is a column that there is none of" 1
check_contains "which is named" "$(cat .err)" "no column middle"
run "$THRONG" predict net.safetensors --product drugs.csv,drugs.csv,cells.csv \
    --keep top:sd:4
check_contains "one model that is asked once is not sure" "$(cat .err)" \
    "they have predicted; one model that is asked once does not say how sure it is"
run "$THRONG" predict net.safetensors --product drugs.csv,drugs.csv,cells.csv
check_status "nothing to keep is a mistake" 2
run "$THRONG" predict net.safetensors --product drugs.csv,drugs.csv,cells.csv \
    --keep top:mean:4,all
check_status "so are several tables without a folder" 2
run "$THRONG" predict net.safetensors --keep top:mean:4
check_status "rules go with a product" 2

# ---- tables that do not fit ---------------------------------------------------------
awk -F, '{ print $1 "," $3 "," $2 "," $4 "," $5 }' drugs.csv >swapped.csv
awk -F, '{ print $3 "," $2 "," $4 "," $5 }' drugs.csv >first.csv
awk -F, '{ print $1 "," $2 "," $3 "," (NR == 1 ? "more" : 1) "," $4 "," $5 }' drugs.csv >more.csv
head -n 1 drugs.csv >none.csv
unfit() { # WHAT TABLE WHY
    run "$THRONG" predict net.safetensors --product "$2,drugs.csv,cells.csv" --keep top:mean:3
    check_status "$1 is refused" 1
    check_contains "with the table and the column" "$err" "$3"
}
unfit "a table with columns swapped" swapped.csv "swapped.csv: its column b stands where the model has one.a"
unfit "and without names of rows" first.csv "first.csv: its column b stands where the model has one.a"
unfit "a table with a column more" more.csv "more.csv: its column more is none of the model's, which has one.c there"
unfit "a table without rows" none.csv "none.csv: it has no rows"
check_lacks "of which nothing can be said otherwise" "$err" "header: false"
