#!/usr/bin/env bash
# evaluate looks closer: classes, groups of rows, the largest; predict --layer.
. "$(dirname "$0")/lib.sh"

python3 - <<'END'
import random

random.seed(3)
with open("rows.csv", "w") as f:
    f.write("x,z,site,y\n")
    for i in range(90):
        x, site = random.gauss(0, 1), random.choice(["north", "south, far"])
        y = 3 * x + (site == "north") + random.gauss(0, 0.3)
        f.write('%.5f,%.5f,"%s",%.5f\n' % (x, random.random(), site, y))
END
cat >net.yaml <<'MODEL'
layers:
  - {dense: 6, activation: relu, name: hidden}
  - {dense: 4, activation: tanh}
  - dense: outputs
loss: mse
metrics: [mae]
epochs: 60
optimizer: {name: adam, lr: 0.02}
data: {file: rows.csv, label: y, scale: std, validation: 0.3}
MODEL
run "$THRONG" train net.yaml
check_status "a model is trained" 0

# ---- groups and the largest ----------------------------------------------------
run "$THRONG" evaluate net.safetensors --by site --k-rank 1,5,27 --json
check_status "rows are looked at by group" 0
cp .out told.json
"$THRONG" predict net.safetensors --csv >predicted.csv 2>/dev/null
check "groups, and the shares of the largest, are those of the predictions" \
    python3 - <<'END'
import csv
import json

told = json.load(open("told.json"))
rows = list(csv.DictReader(open("rows.csv")))
seen = [(float(r["label"]), float(r["predicted"]),
         rows[int(r["row"]) - 1]["site"])
        for r in csv.DictReader(open("predicted.csv"))]
assert len(seen) == 27, len(seen)
for k, one in zip((1, 5, 27), told["k_rank"]):
    top = [set(sorted(range(27), key=lambda i: -seen[i][w])[:k])
           for w in (0, 1)]
    assert one == {"k": k, "share": len(top[0] & top[1]) / k}, one
assert told["k_rank"][2]["share"] == 1
assert told["by"] == "site"
assert [g["name"] for g in told["groups"]] == ["north", "south, far"]
for g in told["groups"]:
    own = [(y, p) for y, p, site in seen if site == g["name"]]
    off = [p - y for y, p in own]
    mean = sum(y for y, _ in own) / len(own)
    assert g["rows"] == len(own)
    assert abs(g["mae"] - sum(map(abs, off)) / len(own)) < 1e-9
    assert abs(g["rmse"] ** 2 - sum(o * o for o in off) / len(own)) < 1e-9
    assert abs(g["r2"] - 1 + sum(o * o for o in off)
               / sum((y - mean) ** 2 for y, _ in own)) < 1e-9
END
run "$THRONG" evaluate net.safetensors --by site --k-rank 5
check_matches "a person gets a line for each K" "$out" '^k_rank_5	(0\.[0-9]+|1)$'
check_matches "and a table" "$out" '^site	rows	mae	rmse	r2$'
check_equal "with what is said of the rows said once" 1 \
    "$(grep -c 'validation rows' <<<"$err")"
run "$THRONG" evaluate net.safetensors --by sit
check_contains "a column that is none is told with the nearest" "$err" \
    "has no column sit; did you mean site?"
run "$THRONG" evaluate net.safetensors --k-rank 28
check_contains "more rows than there are" "$err" "from 1 to the 27 rows, not 28"

# ---- one model that says how much the truth varies -------------------------------
sed 's/dense: outputs/dense: 2/; s/loss: mse/loss: heteroscedastic/' net.yaml >spread.yaml
run "$THRONG" train spread.yaml
check_status "a heteroscedastic model is trained" 0
run "$THRONG" predict spread.safetensors --csv
check_equal "it says how sure it is as an ensemble does" \
    "28 row,label,predicted,log_variance,sd,epistemic,aleatoric" \
    "$(wc -l <.out) $(head -n 1 .out)"
cp .out spread.csv
check "by its own variance, of which no part is what members differ by" \
    awk -F, 'NR > 1 { sd = exp($4 / 2)
        if ($6 != "" || $5 != $7 || ($5 - sd) ^ 2 > 1e-12 * sd * sd) exit 1 }' spread.csv
run "$THRONG" plot uncertainty --from spread.csv --data
check_status "how right that is can be drawn" 0
run "$THRONG" evaluate spread.safetensors --by site --k-rank 27,5 --json
check_status "its first number is what is ranked and grouped" 0
check_equal "of all rows" "1 27" "$(python3 -c 'import json, sys
v = json.load(sys.stdin)
print("%g" % v["k_rank"][0]["share"], sum(g["rows"] for g in v["groups"]))' <.out)"
run "$THRONG" predict spread.safetensors --data rows.csv --study surest --keep bottom:sd:3
check_status "rows are kept by it" 0
"$THRONG" predict spread.safetensors --data rows.csv --csv 2>/dev/null >all.csv
check_equal "the surest" \
    "$(tail -n +2 all.csv | sort -t, -g -k5,5 | head -n 3 | cut -d, -f1 | xargs)" \
    "$(find . -name 'bottom*.csv' -exec tail -n +2 {} + | cut -d, -f1 | xargs)"

run "$THRONG" evaluate net.safetensors --by-class
check_status "numbers have no classes to look at" 1
check_contains "which is said" "$err" "--by-class is of classes, and this model predicts numbers"

# ---- classes -------------------------------------------------------------------
sed 's/label: y/label: site/; s/loss: mse/loss: sparse_categorical_crossentropy/; s/mae/accuracy/' \
    net.yaml >site.yaml
run "$THRONG" train site.yaml
run "$THRONG" evaluate site.safetensors --by-class
check_status "classes are looked at one by one" 0
"$THRONG" predict site.safetensors --csv >predicted.csv 2>/dev/null
check_equal "with their rows, precision, recall and F1" "$(python3 - <<'END'
import csv

rows = [(r["label"], r["predicted"])
        for r in csv.DictReader(open("predicted.csv"))]
for name in ("north", "south, far"):
    both = sum(r == (name, name) for r in rows)
    has = sum(r[0] == name for r in rows)
    got = sum(r[1] == name for r in rows)
    print(name, has, *("%.4g" % x for x in (
        both / got, both / has, 2 * both / (has + got))), sep="\t")
END
)" "$(tail -n 2 .out)"
run "$THRONG" evaluate site.safetensors --k-rank 3
check_contains "classes have no largest" "$err" "--k-rank is of numbers, not of classes"

# ---- the numbers of a layer ------------------------------------------------------
run "$THRONG" predict net.safetensors --layer hidden --csv
check_status "a layer's numbers are written" 0
check_equal "a line for each row, a column for each number" \
    "28 row,p_0,p_1,p_2,p_3,p_4,p_5" "$(wc -l <.out) $(head -n 1 .out)"
cp .out hidden.csv
cp net.safetensors weights
check "which are those of its weights" python3 - <<'END'
import csv
import json
import struct

with open("weights", "rb") as f:
    size, = struct.unpack("<Q", f.read(8))
    head = json.loads(f.read(size))
    body = f.read()


def tensor(name):
    one = head[name]
    at = one["data_offsets"]
    return struct.unpack("<%df" % ((at[1] - at[0]) // 4), body[at[0]:at[1]])


fitted = json.loads(head["__metadata__"]["data"])["inputs"][0]
weight, bias = tensor("hidden.weight"), tensor("hidden.bias")
rows = list(csv.DictReader(open("rows.csv")))
for line in csv.DictReader(open("hidden.csv")):
    row = rows[int(line["row"]) - 1]
    x = [float(row["x"]), float(row["z"]), row["site"] == "north",
         row["site"] != "north"]
    x = [(v - a) * b for v, a, b in zip(x, fitted["shift"], fitted["scale"])]
    for k in range(6):
        y = max(0, bias[k] + sum(v * weight[6 * i + k]
                                 for i, v in enumerate(x)))
        assert abs(y - float(line["p_%d" % k])) < 1e-5, (line, k, y)
END
run "$THRONG" predict net.safetensors --layer dense_3 --csv
check_equal "the last layer's are the predictions" \
    "$("$THRONG" predict net.safetensors --csv 2>/dev/null | tail -n +2 | cut -d, -f1,3)" \
    "$(tail -n +2 .out)"
run "$THRONG" predict site.safetensors --layer dense_3 --csv
check_equal "as wide as the data made it" "row,p_0,p_1" "$(head -n 1 .out)"
run "$THRONG" predict net.safetensors --layer hiden
check_contains "a layer that is none is told with those there are" "$err" \
    "has no layer hiden; it has hidden, dense_2, dense_3"

# ---- how far off a row is ----------------------------------------------------------
cat >auto.yaml <<'MODEL'
layers: [{dense: 2, activation: tanh}, dense: outputs]
loss: mse
epochs: 5
data: {file: rows.csv, ignore: [site, y], label: inputs, scale: std, test: 0.3}
MODEL
run "$THRONG" train auto.yaml
run "$THRONG" predict auto.safetensors --csv
check_equal "each row of an autoencoder has its error" "row,p_0,p_1,error" \
    "$(head -n 1 .out)"
check_equal "whose mean is the loss" \
    "$("$THRONG" evaluate auto.safetensors 2>/dev/null | sed -n 's/^loss	//p')" \
    "$(awk -F, 'NR > 1 { n++; s += $4 } END { printf "%.6g", s / n }' .out)"

# ---- no number at all ------------------------------------------------------------
python3 - <<'END'
import json, struct
data = open("site.safetensors", "rb").read()
size = struct.unpack("<Q", data[:8])[0]
head = json.loads(data[8:8 + size])
del head["__metadata__"]["checksum"]
text = json.dumps(head).encode()
text += b" " * (-len(text) % 8)
body = struct.pack("<f", float("nan")) * ((len(data) - 8 - size) // 4)
open("lost.safetensors", "wb").write(struct.pack("<Q", len(text)) + text + body)
END
run "$THRONG" predict lost.safetensors --csv
check_status "a model that has lost its numbers is asked, and it is told" 3
check_contains "of each row" "$err" "rows have no prediction"
check_equal "and predicts no class" "['']" "$(python3 -c '
import csv, sys
print(sorted({row["predicted"] for row in csv.DictReader(sys.stdin)}))' <<<"$out")"
check_lacks "of which nothing is known" "$out" "nan"
for rows in "" "--data rows.csv"; do
    run "$THRONG" evaluate lost.safetensors $rows
    check_status "it cannot be judged ($rows)" 1
    check_contains "and why is said ($rows)" "$err" "the loss is not a number, since what is predicted is none"
done
run "$THRONG" calibrate lost.safetensors --data rows.csv
check_status "nor calibrated" 1
check_contains "and why is said of that, too" "$err" "the loss is not a number, since what is predicted is none"
for how in mean median vote; do
    python3 - $how <<'END'
import hashlib, json, sys
files = ["site.safetensors", "lost.safetensors", "site.safetensors"]
members = [{"weights": f, "sha256": hashlib.sha256(open(f, "rb").read()).hexdigest()} for f in files]
json.dump({"format": "throng.ensemble/1", "combine": sys.argv[1], "members": members},
          open("lost.ensemble", "w"))
END
    run "$THRONG" predict lost.ensemble --csv
    check_status "a member that has says nothing of any row ($how)" 3
    check_contains "nor do all of them ($how)" "$err" "rows have no prediction"
    run "$THRONG" evaluate lost.ensemble
    check_status "they cannot be judged ($how)" 1
    run "$THRONG" calibrate lost.ensemble --data rows.csv
    check_status "nor calibrated ($how)" 1
    check_contains "for the same reason ($how)" "$err" "the loss is not a number, since what is predicted is none"
done
