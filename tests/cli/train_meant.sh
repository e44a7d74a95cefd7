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
check "of ten classes one is always among ten" awk 'END { exit !($5 == 1 && $4 < 1 && $4 > $6) }' .out
