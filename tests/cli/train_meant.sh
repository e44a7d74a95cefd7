#!/usr/bin/env bash
# What a model file means is what is trained, or an error says so.
. "$(dirname "$0")/lib.sh"

# ---- inputs by name -----------------------------------------------------------
python3 - <<'END'
import random, struct


def npy(name, rows):
    shape = (len(rows), len(rows[0]))
    head = "{'descr': '<f4', 'fortran_order': False, 'shape': %r, }" % (shape,)
    head += " " * (-(len(head) + 11) % 64) + "\n"
    with open(name, "wb") as f:
        f.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(head)))
        f.write(head.encode())
        for row in rows:
            f.write(struct.pack("<%df" % len(row), *row))


random.seed(5)
first = [[random.gauss(0, 1) for _ in range(3)] for _ in range(400)]
second = [[random.gauss(0, 30) for _ in range(3)] for _ in range(400)]
kind = [[int(a[0] > 0)] for a in first]
npy("first.npy", first)
npy("second.npy", second)
npy("y.npy", kind)
for part, rows in (("train", slice(0, 300)), ("test", slice(300, 400))):
    npy(part + "_first.npy", first[rows])
    npy(part + "_second.npy", second[rows])
    npy(part + "_y.npy", kind[rows])
END
named() { # FILE INPUTS DATA: looks at `first` alone, which decides
    cat >"$1.yaml" <<MODEL
$2
layers:
  - {dense: 8, activation: relu, from: first}
  - {dense: 2, name: out}
loss: sparse_categorical_crossentropy
optimizer: {name: adam, lr: 0.05}
metrics: [accuracy]
epochs: 15
seed: 3
data: $3
MODEL
}
files='{inputs: {first: first.npy, second: second.npy}, labels: y.npy, validation: 0.25}'
named plain "" "$files"
named swapped "inputs: {second: 3, first: 3}" "$files"
run "$THRONG" train plain.yaml
check_status "a model of two inputs is trained" 0
check_contains "an input that no layer takes is named" "$err" "no layer takes the input second"
check "it has learned" awk 'END { exit !($4 > 0.9) }' .out
plain=$out
run "$THRONG" train swapped.yaml
check_equal "named in another order they are the same inputs" "$plain" "$out"
run "$THRONG" evaluate swapped.safetensors --data first=first.npy,second=second.npy --labels y.npy
check "weights know their inputs by name" awk -F'\t' '$1 == "accuracy" { exit !($2 > 0.9) }' .out
named parts "" '{train: {inputs: {first: train_first.npy, second: train_second.npy}, labels: train_y.npy}, test: {inputs: {second: test_second.npy, first: test_first.npy}, labels: test_y.npy}}'
run "$THRONG" train parts.yaml
check "so are those of a part" awk -F'\t' '$1 == "test_accuracy" { seen = $2 } END { exit !(seen > 0.9) }' .out
named unknown "inputs: {second: 3, frst: 3}" "$files"
run "$THRONG" train unknown.yaml
check_status "a name that the data lacks is an error" 1
check_contains "with the nearest" "$err" "did you mean first?"
named lacking "inputs: {first: 3}" "$files"
cat >lacking_study.yaml <<'STUDY'
model: lacking.yaml
method: random
run_cap: 2
metric: {name: val_loss, goal: minimize}
parameters: {unused: {value: 1}}
STUDY
run "$THRONG" check lacking_study.yaml
check_not "so is one that the model leaves out" test "$status" -eq 0
check_contains "at check" "$out$err" "lacks second, an input of the data"

# ---- weights that are no numbers ------------------------------------------------
# One that a relu hides, from a file to start from.
cp "$ROOT"/examples/digits/{mlp.yaml,digits.csv.gz} .
run "$THRONG" train mlp.yaml -o start.safetensors
python3 - <<'END'
import json, struct

data = bytearray(open("start.safetensors", "rb").read())
(size,) = struct.unpack("<Q", data[:8])
head = json.loads(data[8:8 + size])
at = 8 + size + head["dense_1.bias"]["data_offsets"][0]
data[at:at + 4] = struct.pack("<f", float("nan"))
head["__metadata__"].pop("checksum")
text = json.dumps(head).encode()
text += b" " * (-len(text) % 8)
with open("broken.safetensors", "wb") as f:
    f.write(struct.pack("<Q", len(text)) + text + data[8 + size:])
END
{
    cat mlp.yaml
    printf 'initial_weights: broken.safetensors\nsnapshots: [1]\n'
} >broken.yaml
run "$THRONG" train broken.yaml -o never.safetensors
check_status "a weight that is no number ends the training" 1
check_matches "which says where, after the first epoch" "$err" \
    'diverged: epoch 1: dense_1\.bias has weights that are not finite numbers'
check_not "nothing of it is kept" test -e never.safetensors -o -e broken_epoch_1.safetensors

# ---- what is watched is reported --------------------------------------------------
{
    cat mlp.yaml
    echo 'early_stopping: {watch: val_acuracy, patience: 2}'
} >watching.yaml
run "$THRONG" train watching.yaml
check_status "early stopping by what is not reported is an error" 1
check_contains "that says what was meant" "$err" "did you mean val_accuracy?"
sed 's/^model: .*/model: watching.yaml/' lacking_study.yaml >watching_study.yaml
run "$THRONG" check watching_study.yaml
check_not "check finds it before any trial runs" test "$status" -eq 0
check_contains "with its place" "$out$err" "early_stopping.watch"
sed -e 's/val_acuracy/val_accuracy/' -e '/^  validation:/d' watching.yaml >rowless.yaml
run "$THRONG" train rowless.yaml
check_contains "without validation rows there is nothing to watch" "$err" \
    "there are no validation rows"
sed -e 's/val_acuracy/val_top_3/' -e 's/^metrics:.*/metrics: [top_3, top_10, accuracy]/' \
    -e 's/^epochs:.*/epochs: 3/' watching.yaml >top.yaml
run "$THRONG" train top.yaml
check "of ten classes one is always among ten" \
    awk 'NR == 2 { good = $5 == 1 && $4 < 1 && $4 > $6 } END { exit !good }' .out

# ---- metrics that have no value are said to have none ------------------------------
{
    echo x,kind
    for i in $(seq 40); do echo "$i,$([ "$i" -le 10 ] && echo a || echo b)"; done
} >late.csv # the last rows, which are held out, are of one class
cat >late.yaml <<'MODEL'
layers: [{dense: 4, activation: relu}, {dense: 2}]
loss: sparse_categorical_crossentropy
metrics: [accuracy, auc, r2]
epochs: 3
data: {file: late.csv, label: kind, shuffle: false, validation: 0.25, scale: std}
MODEL
run "$THRONG" train late.yaml
check_status "a model is trained all the same" 0
check_equal "without them" $'epoch\tloss\tval_loss\tval_accuracy' "$(head -n 1 .out)"
check_contains "one is of numbers, not of classes" "$err" "val_r2 is left out: it compares numbers"
check_contains "the other needs two classes" "$err" \
    "auc is left out: the label of all 10 validation rows is b"
sed 's/^model: .*/model: late.yaml/' lacking_study.yaml >late_study.yaml
run "$THRONG" check late_study.yaml
check_contains "check says it" "$out$err" "val_r2 is left out"
check_contains "of both" "$out$err" "auc is left out"
echo 'early_stopping: {watch: val_auc, patience: 1}' >>late.yaml
run "$THRONG" train late.yaml
check_equal "epochs without a value are no worse" 4 "$(wc -l <.out)"

# ---- pixels ------------------------------------------------------------------------
python3 - <<'END'
import random, struct

random.seed(1)


def npy(name, rows, shape):
    head = "{'descr': '<f4', 'fortran_order': False, 'shape': %r, }" % (shape,)
    head += " " * (-(len(head) + 11) % 64) + "\n"
    with open(name, "wb") as f:
        f.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(head)) + head.encode())
        for row in rows:
            f.write(struct.pack("<%df" % len(row), *row))


x, y = [], []
for _ in range(200):
    r, c = random.randrange(6), random.randrange(6)
    mask = [float(abs(i - r) < 2 and abs(k - c) < 2) for i in range(8) for k in range(8)]
    y.append(mask)
    x.append([m + random.gauss(0, 0.3) for m in mask])
npy("px.npy", x, (200, 8, 8, 1))
npy("py.npy", y, (200, 8, 8, 1))
END
cat >pixels.yaml <<'MODEL'
layers:
  - {conv2d: 8, kernel: 3, padding: same, activation: relu}
  - {conv2d: 1, kernel: 1, activation: sigmoid}
loss: dice
metrics: [accuracy, f1_micro, auc, iou, dice]
optimizer: {name: adam, lr: 0.01}
epochs: 15
data: {inputs: px.npy, labels: py.npy, validation: 0.25}
MODEL
run "$THRONG" train pixels.yaml
check_status "pictures of yes and no are learned" 0
"$THRONG" predict pixels.safetensors --csv >pixels.csv
check "each pixel is judged, as the predictions say" python3 - <<'END'
import csv, struct

with open("py.npy", "rb") as f:
    data = f.read()
(skip,) = struct.unpack("<H", data[8:10])
truth = struct.unpack("<%df" % (200 * 64), data[10 + skip:])
pairs = []
with open("pixels.csv", newline="") as f:
    for row in csv.DictReader(f):
        at = (int(row["row"]) - 1) * 64
        pairs += [(float(row["p_%d" % k]), truth[at + k] > 0.5) for k in range(64)]
assert len(pairs) == 50 * 64
both = sum(t and p > 0.5 for p, t in pairs)
said, true = sum(p > 0.5 for p, _ in pairs), sum(t for _, t in pairs)
right = sum((p > 0.5) == t for p, t in pairs) / len(pairs)
no = sorted(p for p, t in pairs if not t)
import bisect
area = sum((bisect.bisect_left(no, p) + bisect.bisect_right(no, p)) / 2
           for p, t in pairs if t) / (true * len(no))
wanted = [right, 2 * both / (said + true), area, both / (said + true - both),
          2 * both / (said + true)]
with open(".out") as f:
    last = [float(x) for x in f.read().split("\n")[-2].split("\t")]
assert all(abs(a - b) < 2e-5 for a, b in zip(last[3:], wanted)), (last, wanted)
assert right > 0.9
END

# ---- words are classes --------------------------------------------------------------
cat >word.yaml <<'MODEL'
layers: [{dense: 1}]
loss: mse
data: {file: late.csv, label: kind}
MODEL
run "$THRONG" train word.yaml
check_contains "numbers made of words are said" "$err" \
    "mse takes the 2 words of the label kind as numbers from 0"

# ---- numbers that are too large -----------------------------------------------------
python3 - <<'END'
import random

random.seed(4)
with open("people.csv", "w") as f:
    f.write("age,income,bought\n")
    for i in range(60):
        age, income = random.randint(18, 80), random.randint(20000, 80000)
        f.write("%d,%d,%s\n" % (age, income, "yes" if age > 50 else "no"))
END
people() { # FILE WORDS
    cat >"$1.yaml" <<MODEL
layers: [{dense: 8, activation: relu}, {dense: 2}]
loss: sparse_categorical_crossentropy
optimizer: {name: adam, lr: "\${lr}"}
epochs: 2
data: {file: people.csv, validation: 0.25$2}
defaults: {lr: 0.01}
MODEL
}
people raw ""
people meant ", scale: none"
people scaled ", scale: std"
cat >people_study.yaml <<'STUDY'
name: people
model: raw.yaml
method: grid
metric: {name: val_loss, goal: minimize}
parameters: {lr: {values: [0.01, 0.02]}}
STUDY
hint="and nothing is scaled"
run "$THRONG" train raw.yaml
check_contains "a column far larger than 1 is named" "$err" "column income is"
check_contains "with the way to scale it" "$err" '`scale: std`'
run "$THRONG" train meant.yaml
check_lacks "unless no scaling is what was meant" "$err" "$hint"
run "$THRONG" train scaled.yaml
check_lacks "or it is scaled" "$err" "$hint"
run "$THRONG" check people_study.yaml
check_contains "check says it of a study" "$err" "$hint"
run "$THRONG" run people_study.yaml
check_equal "run says it once" 1 "$(grep -c "$hint" <<<"$err")"
run "$THRONG" evaluate raw.safetensors
check_lacks "weights that are there are not told" "$err" "$hint"

# ---- metrics without rows to judge them on --------------------------------------
awk 'BEGIN { print "a,b,y"; for (i = 0; i < 40; i++) print i % 7 / 7 "," i % 5 / 5 "," i % 2 }' >few.csv
cat >unjudged.yaml <<'END'
data: {file: few.csv, label: y}
layers: [{dense: outputs}]
epochs: 1
metrics: [accuracy, auc]
loss: binary_crossentropy
END
run "$THRONG" train unjudged.yaml
check_contains "metrics that no rows are judged for are said" "$out$err" \
    "accuracy is left out: it is judged on validation rows, and there are none"
sed -i 's/label: y/label: y, validation: 0.25/' unjudged.yaml
run "$THRONG" train unjudged.yaml
check_lacks "with such rows there is nothing to say" "$out$err" "left out"
